/* SPDX-License-Identifier: Apache-2.0 */
#include "forms.h"

#include <stdio.h>

#include "colour.h"

struct request {
    rung_instance *instance;
    const char *path;
};

static rung_result write_forms(void *user, rung_span to, size_t *needed)
{
    const struct request *request = user;
    return rung_model_forms(request->instance, request->path, to, needed);
}

int forms_read(rung_instance *instance, const char *path, json_t **out)
{
    struct request request = {instance, path};
    json_t *json = NULL;
    const int status = read_json(write_forms, &request, &json);
    *out = status == EXIT_DONE ? json_incref(json_object_get(json, "forms")) : NULL;
    json_decref(json);
    return status;
}

static void print_row(const json_t *form)
{
    const json_t *ms = json_object_get(form, "median_ms");
    const json_t *rung = json_object_get(form, "rung");
    printf("  %-28s ", text_of(form, "file"));
    colour_print_outcome(text_of(form, "outcome"), 11);
    printf(" %-12s ", json_is_string(rung) ? json_string_value(rung) : "-");
    if (json_is_number(ms))
        printf("%9.1f", json_number_value(ms));
    else
        printf("%9s", "-");
    printf("  %s\n", text_of(form, "reason"));
}

void forms_print(const json_t *forms)
{
    size_t index;
    json_t *form;
    char head[128];
    if (!json_array_size(forms))
        return;
    snprintf(head, sizeof head, "forms\n  %-28s %-11s %-12s %9s  %s", "FILE", "OUTCOME", "RUNG",
             "RUN ms", "REASON");
    colour_print_head(head);
    json_array_foreach(forms, index, form)
    {
        print_row(form);
    }
}
