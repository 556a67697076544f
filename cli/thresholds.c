/* SPDX-License-Identifier: Apache-2.0 */
#include "thresholds.h"

#include <stdio.h>

#include "common.h"

#define WHOLE 65535.0 /* 1.0 as the library counts confidences and overlaps */

/** 0: not given. What was given is at least the smallest there is. */
static uint32_t counted(double fraction)
{
    return isnan(fraction) ? 0 : (uint32_t)fmax(rint(fraction * WHOLE), 1);
}

static int refuse_looser(const char *option, double value, double own, const char *where)
{
    fprintf(stderr,
            "rung: --%s %g is %s the model's own %g, which it was calibrated with, so its results "
            "would mean less; --override-calibration gives them all the same, marked\n",
            option, value, where, own);
    return EXIT_USAGE;
}

static int refuse_unless_overridden(const struct thresholds *wanted, const rung_model_info *info,
                                    const rung_context_options *looser)
{
    if (wanted->override)
        return EXIT_DONE;
    if (looser->min_confidence)
        return refuse_looser("conf", wanted->confidence, info->min_confidence / WHOLE, "below");
    if (looser->iou)
        return refuse_looser("iou", wanted->iou, info->iou / WHOLE, "above");
    if (looser->max_targets)
        return refuse_looser("max-det", wanted->most, info->max_targets, "above");
    return EXIT_DONE;
}

int thresholds_read(const struct thresholds *wanted, const rung_model *model,
                    const rung_model_info *info, struct filter *filter,
                    rung_context_options *context)
{
    char why[512];
    const uint32_t confidence = counted(wanted->confidence), iou = counted(wanted->iou);
    if (confidence < info->min_confidence)
        context->min_confidence = confidence; /* 0 stays the model's own */
    if (iou > info->iou && info->suppression & RUNG_SUPPRESS)
        context->iou = iou;
    if (wanted->most > info->max_targets)
        context->max_targets = wanted->most;
    if (context->min_confidence || context->iou || context->max_targets)
        context->flags = RUNG_CONTEXT_OVERRIDE_CALIBRATION;
    filter->confidence = context->min_confidence ? 0 : confidence;
    filter->iou = context->iou ? 0 : iou;
    filter->most = context->max_targets ? 0 : wanted->most;
    filter->per_class = info->suppression & RUNG_SUPPRESS_PER_CLASS;
    if (wanted->classes &&
        !filter_read_classes(filter, wanted->classes, model, info->class_count, why, sizeof why)) {
        fprintf(stderr, "rung: --classes: %s\n", why);
        return EXIT_USAGE;
    }
    return refuse_unless_overridden(wanted, info, context);
}

/** The wishes that count: each where its number is not 0. */
static json_t *wishes(const struct thresholds *wanted, bool classes, uint32_t confidence,
                      uint32_t iou, uint32_t most, bool *complete)
{
    json_t *json = json_object();
    if (classes)
        set_member(json, "classes", json_string(wanted->classes), complete);
    if (confidence)
        set_member(json, "conf", json_real(wanted->confidence), complete);
    if (iou)
        set_member(json, "iou", json_real(wanted->iou), complete);
    if (most)
        set_member(json, "max_det", json_integer(wanted->most), complete);
    return json;
}

void thresholds_report(const struct thresholds *wanted, const struct filter *filter,
                       const rung_context_options *context, json_t *settings, bool *complete)
{
    if (filter->by_class || filter->confidence || filter->iou || filter->most)
        set_member(settings, "filter",
                   wishes(wanted, filter->by_class, filter->confidence, filter->iou, filter->most,
                          complete),
                   complete);
    if (context->flags)
        set_member(settings, "override",
                   wishes(wanted, false, context->min_confidence, context->iou,
                          context->max_targets, complete),
                   complete);
}
