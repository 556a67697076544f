/* SPDX-License-Identifier: Apache-2.0 */
#include "session/calibration.h"

#include "base/error.h"

#define ONE 65535u

static rung_result check_range(const char *name, uint32_t value, uint32_t most)
{
    if (value > most)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_context_options.%s is %u; it is 1..%u, or 0 for the artifact's own",
                          name, value, most);
    return RUNG_OK;
}

static rung_result check_ranges(const rung_context_options *options)
{
    rung_result result = check_range("min_confidence", options->min_confidence, ONE);
    if (result == RUNG_OK)
        result = check_range("iou", options->iou, ONE);
    if (result == RUNG_OK)
        result = check_range("max_targets", options->max_targets, RUNG__TARGETS_MAX);
    return result;
}

static rung_result check_wish(const struct rung__header *header,
                              const rung_context_options *options)
{
    if (header->role != RUNG_ROLE_DETECTOR)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_context_options: min_confidence, iou and max_targets are for "
                          "detectors, and %s is none",
                          header->name);
    if (!(options->flags & RUNG_CONTEXT_OVERRIDE_CALIBRATION))
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_context_options: %s was calibrated with its own min_confidence, "
                          "iou and max_targets; set RUNG_CONTEXT_OVERRIDE_CALIBRATION to run it "
                          "with others",
                          header->name);
    if (options->iou && !(header->selection.flags & RUNG_SUPPRESS))
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_context_options.iou: %s does not suppress, so there is no iou to "
                          "override",
                          header->name);
    return check_ranges(options);
}

/** The format's rules hold on: the band is for less than min_confidence, or is off. */
static void set_confidence(struct rung__selection *selection, uint16_t confidence)
{
    /* More rows survive than the artifact's capacity was made for. */
    if (confidence < selection->min_confidence)
        selection->capacity = RUNG__CAPACITY_MAX;
    selection->min_confidence = confidence;
    if (selection->band_confidence > confidence)
        selection->band_confidence = selection->band_min = selection->band_max = 0;
}

static void set_targets(struct rung__selection *selection, uint32_t targets)
{
    selection->max_targets = targets;
    if (selection->considered < targets)
        selection->considered = targets;
    if (selection->capacity < selection->considered)
        selection->capacity = selection->considered;
}

rung_result rung__calibrate(const struct rung__header *header, const rung_context_options *options,
                            struct rung__selection *out, bool *overridden)
{
    *out = header->selection;
    *overridden = options->min_confidence || options->iou || options->max_targets;
    if (!*overridden)
        return RUNG_OK;
    rung_result result = check_wish(header, options);
    if (result != RUNG_OK)
        return result;
    if (options->min_confidence)
        set_confidence(out, (uint16_t)options->min_confidence);
    if (options->iou)
        out->iou = (uint16_t)options->iou;
    if (options->max_targets)
        set_targets(out, options->max_targets);
    return RUNG_OK;
}
