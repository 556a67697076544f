/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/registry.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

static rung_result fail_unknown(const struct rung__catalog *catalog, enum rung__stage stage,
                                const char *id)
{
    char known[512] = "";
    size_t length = 0;
    for (const struct rung__implementation *const *each = catalog->stages[stage]; *each; each++) {
        (void)rung__text_format(known + length, sizeof known - length, "%s%s", length ? ", " : "",
                                (*each)->id);
        length = strlen(known);
    }
    return rung__fail(RUNG_INVALID_ARGUMENT,
                      "\"%s\" is no implementation of the stage %s; there are %s, and auto", id,
                      rung__stage_name(stage), known);
}

static uint32_t count(const struct rung__catalog *catalog, enum rung__stage stage)
{
    uint32_t counted = 0;
    while (catalog->stages[stage][counted])
        counted++;
    return counted;
}

rung_result rung__registry_fall_back(const struct rung__catalog *catalog,
                                     const struct rung__implementation *from,
                                     const struct rung__stage_context *context, const void *request,
                                     const struct rung__implementation **out)
{
    const struct rung__implementation *at = from;
    struct rung__why why;
    /* A chain without a circle is shorter than the catalog. */
    for (uint32_t steps = count(catalog, from->stage); at->fallback; steps--) {
        const char *id = at->fallback;
        if (steps == 0)
            return rung__fail(RUNG_INVALID_ARGUMENT,
                              "the fallbacks of %s go in a circle; mend the catalog of stages",
                              from->id);
        at = rung__catalog_find(catalog, from->stage, id);
        if (!at)
            return fail_unknown(catalog, from->stage, id);
        if (rung__implementation_check(at, context, request, &why)) {
            *out = at;
            return RUNG_OK;
        }
    }
    return rung__fail(RUNG_UNSUPPORTED,
                      "the stage %s: nothing that %s falls back to can serve here",
                      rung__stage_name(from->stage), from->id);
}

/** The implementation that was asked for, or what it falls back to. */
static rung_result resolve_explicit(const struct rung__catalog *catalog,
                                    const struct rung__plan *plan,
                                    const struct rung__stage_context *context,
                                    const struct rung__implementation *wanted,
                                    struct rung__resolution *out)
{
    out->effective = wanted;
    if (rung__implementation_check(wanted, context, NULL, &out->reason)) {
        rung__why_not(&out->reason, "asked for");
        return RUNG_OK;
    }
    if (!plan->allow_fallback)
        return rung__fail(RUNG_UNSUPPORTED, "%s cannot serve here: %s; the plan allows no fallback",
                          wanted->id, out->reason.text);
    out->fell_back = true;
    return rung__registry_fall_back(catalog, wanted, context, NULL, &out->effective);
}

static void tell_record(const struct rung__record *record, struct rung__why *reason)
{
    rung__why_not(reason, "validated here: %.3f ms, base %.3f ms", (double)record->p50_ns / 1e6,
                  (double)record->base_ns / 1e6);
}

/** The first that can serve and is proven here. */
static void resolve_auto(const struct rung__catalog *catalog,
                         const struct rung__stage_context *context,
                         const struct rung__records *records, enum rung__stage stage,
                         struct rung__resolution *out)
{
    const char *unproven = NULL, *refused = NULL;
    for (const struct rung__implementation *const *each = catalog->stages[stage]; *each; each++) {
        const struct rung__implementation *at = *each;
        struct rung__why why;
        out->effective = at;
        if (rung__is_base(at))
            break;
        if (at->for_others || !rung__implementation_check(at, context, NULL, &why))
            continue;
        const struct rung__record *record = rung__records_find(records, at, context);
        if (record && record->refused) {
            refused = refused ? refused : at->id;
            continue;
        }
        if (record) {
            tell_record(record, &out->reason);
            return;
        }
        if (rung__record_is_shipped(at, context)) {
            rung__why_not(&out->reason, "validated with this version for %s processors",
                          context->level);
            return;
        }
        unproven = unproven ? unproven : at->id;
    }
    if (refused)
        rung__why_not(&out->reason, "%s was wrong here when it was validated", refused);
    else if (unproven)
        rung__why_not(&out->reason, "%s has no validation record here; rung validate earns one",
                      unproven);
    else
        rung__why_not(&out->reason, "the reference; nothing else can serve here");
}

static rung_result resolve_stage(const struct rung__catalog *catalog, const struct rung__plan *plan,
                                 const struct rung__stage_context *context,
                                 const struct rung__records *records, enum rung__stage stage,
                                 struct rung__resolution *out)
{
    const char *id = plan->ids[stage];
    *out = (struct rung__resolution){0};
    memcpy(out->requested, id, sizeof out->requested);
    if (strcmp(id, RUNG__PLAN_AUTO) != 0) {
        const struct rung__implementation *wanted = rung__catalog_find(catalog, stage, id);
        if (!wanted)
            return fail_unknown(catalog, stage, id);
        return resolve_explicit(catalog, plan, context, wanted, out);
    }
    resolve_auto(catalog, context, records, stage, out);
    return RUNG_OK;
}

/** What an implementation needs of a stage that the plan leaves open is taken there. */
static void take_needs(const struct rung__plan *plan, const struct rung__stage_context *context,
                       struct rung__resolution all[RUNG__STAGES])
{
    for (uint32_t stage = 0; stage < RUNG__STAGES; stage++) {
        const struct rung__implementation *need = all[stage].effective->needs;
        struct rung__why why;
        if (!need || strcmp(plan->ids[need->stage], RUNG__PLAN_AUTO) != 0 ||
            !rung__implementation_check(need, context, NULL, &why))
            continue;
        all[need->stage].effective = need;
        rung__why_not(&all[need->stage].reason, "%s needs it", all[stage].effective->id);
    }
}

/** What needs an implementation of another stage that is not there does not serve either. */
static rung_result check_needs(const struct rung__catalog *catalog, const struct rung__plan *plan,
                               const struct rung__stage_context *context,
                               struct rung__resolution all[RUNG__STAGES])
{
    for (uint32_t stage = 0; stage < RUNG__STAGES; stage++) {
        struct rung__resolution *at = &all[stage];
        const struct rung__implementation *need = at->effective->needs;
        if (!need || all[need->stage].effective == need)
            continue;
        rung__why_not(&at->reason, "it needs %s, and the stage %s has %s", need->id,
                      rung__stage_name(need->stage), all[need->stage].effective->id);
        const bool was_asked = strcmp(at->requested, RUNG__PLAN_AUTO) != 0;
        if (was_asked && !plan->allow_fallback)
            return rung__fail(RUNG_UNSUPPORTED,
                              "%s cannot serve here: %s; the plan allows no fallback",
                              at->effective->id, at->reason.text);
        at->fell_back = was_asked;
        rung_result result =
            rung__registry_fall_back(catalog, at->effective, context, NULL, &at->effective);
        if (result != RUNG_OK)
            return result;
    }
    return RUNG_OK;
}

rung_result rung__registry_resolve(const struct rung__catalog *catalog,
                                   const struct rung__plan *plan,
                                   const struct rung__stage_context *context,
                                   const struct rung__records *records,
                                   struct rung__resolution out[RUNG__STAGES])
{
    rung_result result = RUNG_OK;
    for (uint32_t stage = 0; stage < RUNG__STAGES && result == RUNG_OK; stage++)
        result = resolve_stage(catalog, plan, context, records, stage, &out[stage]);
    if (result != RUNG_OK)
        return result;
    take_needs(plan, context, out);
    return check_needs(catalog, plan, context, out);
}
