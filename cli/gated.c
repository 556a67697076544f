/* SPDX-License-Identifier: Apache-2.0 */
#include "gated.h"

#include <stdio.h>
#include <string.h>

static double real_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static bool has(const json_t *object, const char *key)
{
    return json_object_get(object, key) != NULL;
}

static void print_missed(const json_t *gate)
{
    const json_t *missed = json_object_get(gate, "missed"), *check;
    size_t i;
    printf(json_array_size(missed) ? "MISSED " : "MISSED");
    json_array_foreach(missed, i, check)
    {
        printf("%s%s %.4g (at least %.4g)", i ? ", " : "", text_of(check, "name"),
               real_of(check, "value"), real_of(check, "least"));
    }
}

static void print_figures(const json_t *gate)
{
    const json_t *band = json_object_get(gate, "worst_band"), *ap = json_object_get(gate, "ap");
    const json_t *cosine = json_object_get(gate, "cosine");
    if (has(gate, "pictures"))
        printf("; %.0f photographs", real_of(gate, "pictures"));
    if (has(gate, "found"))
        printf("; found %.1f %% of 40 px and more", 100 * real_of(gate, "found"));
    if (band)
        printf(", at worst %.1f %% of %s", 100 * real_of(band, "found"), text_of(band, "size"));
    if (cosine)
        printf("; cosine %.5f at least, %.5f for 99.9 %%", real_of(cosine, "smallest"),
               real_of(cosine, "p0.1"));
    if (has(gate, "mean_iou"))
        printf("; mean IoU %.4f", real_of(gate, "mean_iou"));
    if (ap)
        printf("; AP %.4f, f32 %.4f", real_of(ap, "form"), real_of(ap, "f32"));
}

static void print_measurement(const json_t *gate, int width)
{
    printf("%-*son %s in %s%s: ", width, "gate", text_of(gate, "rung"), text_of(gate, "precision"),
           json_is_true(json_object_get(gate, "of_this")) ? "" : ", of another payload");
    if (json_is_true(json_object_get(gate, "passed")))
        printf("passed");
    else
        print_missed(gate);
    print_figures(gate);
    putchar('\n');
}

/** Why there is no gate that this very model passed; NULL: it passed one, or needs none. */
static const char *lack_of(const json_t *gated)
{
    const char *verdict = text_of(gated, "verdict");
    if (json_is_true(json_object_get(gated, "unsafe_no_gate")))
        return "packed without a gate (--unsafe-no-gate)";
    if (strcmp(verdict, "missed") == 0)
        return "no gate was passed by this model";
    if (strcmp(verdict, "not measured") == 0)
        return "this form was not measured against f32";
    return NULL;
}

void gated_print(const json_t *gated, int width)
{
    const json_t *gate;
    const char *lack = lack_of(gated);
    size_t i;
    if (!gated)
        return;
    if (lack)
        printf("%-*s%s\n", width, "gate", lack);
    json_array_foreach(json_object_get(gated, "measured"), i, gate)
    {
        print_measurement(gate, width);
    }
    if (has(gated, "calibrated_on"))
        printf("%-*son %.0f photographs\n", width, "calibrated", real_of(gated, "calibrated_on"));
}
