/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a gate for people. */
#include "gate.h"

#include <stdio.h>

static double real_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static json_int_t count_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void print_model(const char *label, const json_t *model)
{
    printf("%-11s%s on %s in %s, artifact %.16s…\n", label, text_of(model, "identity"),
           text_of(model, "rung"), text_of(model, "precision"), text_of(model, "artifact"));
}

static void print_quantiles(const char *label, const json_t *report, const char *key,
                            const char *format)
{
    const json_t *object = json_object_get(report, key), *value;
    const char *name;
    if (!json_is_number(json_object_get(object, "median")))
        return;
    printf("%-11s", label);
    json_object_foreach((json_t *)object, name, value)
    {
        printf("%s ", name);
        printf(format, json_number_value(value));
        printf("   ");
    }
    putchar('\n');
}

static void print_bands(const json_t *report)
{
    const json_t *band;
    size_t i;
    printf("%-11s%-18s %9s %9s %9s\n", "found", "SIZE", "F32", "IOU 0.5", "IOU 0.95");
    json_array_foreach(json_object_get(report, "bands"), i, band)
    {
        printf("%-11s%-18s %9" JSON_INTEGER_FORMAT " %9" JSON_INTEGER_FORMAT
               " %9" JSON_INTEGER_FORMAT "\n",
               "", text_of(band, "size"), count_of(band, "targets"), count_of(band, "found"),
               count_of(band, "exact"));
    }
    printf("%-11s%" JSON_INTEGER_FORMAT " targets that f32 does not find, %.2f %%\n", "extra",
           count_of(report, "extra"), 100 * real_of(report, "extra_share"));
}

static void print_labels(const json_t *report)
{
    const json_t *labels = json_object_get(report, "labels");
    const json_t *right = json_object_get(labels, "f32"), *form = json_object_get(labels, "form");
    if (labels)
        printf("%-11sAP %.4f, f32 %.4f; AP at IoU 0.5 %.4f, f32 %.4f; of %" JSON_INTEGER_FORMAT
               " targets\n",
               "labels", real_of(form, "ap"), real_of(right, "ap"), real_of(form, "ap50"),
               real_of(right, "ap50"), count_of(labels, "targets"));
}

static void print_match(const json_t *match)
{
    if (match)
        printf("%-11sfrom a cosine of %.4f on, f32 %.4f (%.4f to %.4f)\n", "match",
               real_of(match, "form"), real_of(match, "f32"), real_of(match, "from"),
               real_of(match, "to"));
}

static void print_checks(const json_t *report)
{
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(report, "checks"), i, row)
    {
        printf("%-11s%s: %.5g, at least %.5g%s\n", i ? "" : "checks", text_of(row, "name"),
               real_of(row, "value"), real_of(row, "least"),
               json_is_true(json_object_get(row, "passed")) ? "" : "  MISSED");
    }
}

void gate_print(const json_t *report)
{
    const json_t *outputs = json_object_get(report, "outputs");
    print_model("gate", report);
    print_model("against", json_object_get(report, "against"));
    printf("%-11s%" JSON_INTEGER_FORMAT "\n", "pictures", count_of(report, "pictures"));
    if (json_is_number(json_object_get(outputs, "median")))
        printf("%-11srelative L2 from f32: median %.2g, largest %.2g\n", "outputs",
               real_of(outputs, "median"), real_of(outputs, "largest"));
    if (json_object_get(report, "bands"))
        print_bands(report);
    print_quantiles("confidence", report, "confidence_change", "%+.5f");
    print_quantiles("lost", report, "lost_confidence", "%.3f");
    print_quantiles("key points", report, "keypoints_moved", "%.3f px");
    print_quantiles("cosine", report, "cosine", "%.6f");
    print_match(json_object_get(report, "match"));
    if (json_object_get(report, "mean_iou"))
        printf("%-11s%.3f %% of the pixels the same, mean IoU %.4f\n", "masks",
               100 * real_of(report, "same_pixels"), real_of(report, "mean_iou"));
    print_labels(report);
    print_checks(report);
    printf("%-11s%s\n", "verdict",
           json_is_true(json_object_get(report, "passed")) ? "passed" : "not passed");
}
