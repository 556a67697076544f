/* SPDX-License-Identifier: Apache-2.0 */
/* rung_model_forms: the forms of a model as JSON. */
#include <rung/model.h>

#include <stdlib.h>

#include "artifact/names.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "ladder/pins.h"
#include "session/forms.h"
#include "session/model.h"
#include "session/providers.h"

/** Milliseconds; null for none. */
static json_t *ms(const struct rung__outcome *outcome)
{
    return outcome && outcome->runs ? json_real((double)outcome->median_ns / 1e6) : json_null();
}

/** A folder may have any name in it; JSON takes UTF-8 alone. */
static json_t *file_name(const char *path)
{
    char *name = rung__text_new("%s", rung__path_name(path));
    if (name)
        rung__text_clean(name);
    json_t *text = name ? json_string(name) : NULL;
    free(name);
    return text;
}

static json_t *tell(const struct rung__form *form)
{
    const struct rung__header *says = &form->says.header;
    char digest[2 * RUNG__SHA256_BYTES + 1];
    rung__text_hex(digest, says->digest, sizeof says->digest);
    return json_pack("{s:o,s:s,s:s++,s:s,s:s,s:s,s:s?,s:o,s:b}", "file", file_name(form->path),
                     "form", rung__precision_text(says->form), "identity", says->name, "+",
                     rung__precision_text(says->form), "artifact", digest, "outcome",
                     rung__name_text(&rung__form_state_names, form->state), "reason", form->reason,
                     "rung", form->rung ? form->rung->id : NULL, "median_ms", ms(form->outcome),
                     "unsafe_no_gate", form->gates.unsafe);
}

static rung_result list(struct rung_instance *instance, const struct rung__artifact *artifact,
                        const struct rung__recall *recall, json_t **out)
{
    bool failed = false;
    struct rung__forms *forms = NULL;
    json_t *items = json_array();
    const rung_result result =
        rung__forms_find(instance, artifact, recall, RUNG__FORMS_ALL, &forms);
    for (uint32_t i = 0; result == RUNG_OK && i < forms->count; i++)
        rung__json_append(items, tell(&forms->items[i]), &failed);
    rung__forms_free(forms);
    *out = failed ? NULL : json_pack("{s:i,s:O}", "schema", 1, "forms", items);
    json_decref(items);
    if (result == RUNG_OK && !*out)
        return rung__fail(RUNG_NO_MEMORY, "no memory to list the forms of a model");
    return result;
}

static rung_result recall_and_list(struct rung_instance *instance,
                                   const struct rung__artifact *artifact, json_t **out)
{
    struct rung__recall recall;
    *out = NULL;
    rung_result result = rung__instance_recall(instance, artifact->digest_text, &recall);
    if (result == RUNG_OK)
        result = list(instance, artifact, &recall, out);
    rung__recall_finish(&recall);
    return result;
}

rung_result rung_model_forms(rung_instance *instance, const char *path, rung_span to,
                             size_t *needed)
{
    struct rung__artifact artifact;
    json_t *json = NULL;
    if (!instance || !path || (!to.data && to.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_model_forms: an argument is NULL");
    rung__instance_close_providers(instance);
    rung_result result =
        rung__artifact_admit(path, rung__admission_of(instance), &instance->trust, &artifact);
    if (result != RUNG_OK)
        return result;
    result = recall_and_list(instance, &artifact, &json);
    rung__artifact_finish(&artifact);
    if (result == RUNG_OK)
        result = rung__json_write(json, to, needed);
    json_decref(json);
    return result;
}
