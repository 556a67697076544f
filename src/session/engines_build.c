/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of one model, from its file to the store. */
#include "session/engines_build.h"
#include "session/model.h"
#include "session/own_device.h"
#include "session/recall.h"
#include "session/standing.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "ladder/attempts.h"
#include "ladder/engine_build.h"
#include "ladder/engine_failure.h"
#include "ladder/pins.h"

static const char not_remembered[] = "what a build does is not remembered";

/** A build on its way. */
struct build {
    struct rung_instance *instance;
    const struct rung__engine_want *want;
    const atomic_bool *hold;
    const struct rung__engine_listener *listener;
    struct rung__engine_progress *out;
    struct rung__artifact artifact;
    struct rung__engine_store store;
    struct rung__engine_key key;
    struct rung__engine_part part;
    char *fingerprint;
    const char *library; /**< of the rung's runtime */
    const char *plugin;  /**< that brings its execution provider; NULL: none does */
};

/** An end. Gives OK: the model is through. */
__attribute__((format(printf, 4, 5))) static rung_result
conclude(struct build *build, const char *state, rung_result result, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)rung__text_format_list(build->out->reason, sizeof build->out->reason, format, list);
    va_end(list);
    rung__text_clean(build->out->reason);
    build->out->state = state;
    build->out->result = result;
    return RUNG_OK;
}

/* ---- which rung ---- */

static rung_result take_proven(struct build *build)
{
    struct rung__recall recall;
    rung_result result =
        rung__instance_recall(build->instance, build->artifact.digest_text, &recall);
    build->out->rung = rung__recall_rung(&recall);
    rung__recall_finish(&recall);
    return result;
}

/** Ends with a state where nothing is to be built. */
static rung_result choose_rung(struct build *build)
{
    char reason[RUNG__STANDING_REASON];
    build->out->rung = build->want->rung;
    rung_result result = build->want->rung ? RUNG_OK : take_proven(build);
    const struct rung__rung *rung = build->out->rung;
    if (result != RUNG_OK)
        return result;
    if (!rung)
        return conclude(build, "none", RUNG_OK,
                        "no probe has chosen a rung for it (rung probe), and none was named");
    if (!rung->compiling)
        return conclude(build, "none", RUNG_OK, "%s compiles nothing", rung->id);
    if (!rung__rung_serves(rung, &build->artifact.view, reason, sizeof reason))
        return conclude(build, "none", RUNG_OK, "%s does not serve it: %s", rung->id, reason);
    return RUNG_OK;
}

static rung_result check_standing(struct build *build)
{
    struct rung__hardware *hardware = NULL;
    struct rung__standing standing = {.library = ""};
    rung_result result = rung__instance_hardware(build->instance, &hardware);
    if (result == RUNG_OK)
        result = rung__rung_stand(build->instance, hardware, build->out->rung, &standing);
    free(hardware);
    build->library = standing.library;
    build->plugin = standing.plugin;
    if (result == RUNG_OK && !standing.can_run)
        result = conclude(build, "failed", RUNG_UNSUPPORTED, "%s", standing.reason);
    return result;
}

/* ---- the build ---- */

static rung_result run_child(struct build *build, struct rung__outcome *outcome)
{
    return rung__engine_build(
        &(struct rung__engine_task){
            .rung = build->out->rung,
            .helper = build->instance->helper,
            .library = build->library,
            .plugin = build->plugin,
            .artifact = &build->artifact.view,
            .threads = build->want->threads,
            .time_limit_ns = build->want->time_limit_ns,
            .folder = build->part.folder,
            .cancel = build->hold,
        },
        outcome);
}

/** Until something that it is made of changes it is not tried again. */
static rung_result fail_for_good(struct build *build, const char *reason)
{
    char kept[RUNG__OUTCOME_REASON];
    (void)rung__text_format(kept, sizeof kept, "%s", reason);
    rung_result result = RUNG_OK;
    if (build->instance->state)
        result = rung__instance_go_on(
            build->instance, not_remembered,
            rung__engine_failure_put(build->instance->state, &build->key, kept));
    return result == RUNG_OK ? conclude(build, "failed", RUNG_BACKEND, "%s", kept) : result;
}

static rung_result keep(struct build *build)
{
    rung_result result = rung__engine_part_keep(&build->store, &build->key, &build->part);
    if (result == RUNG_INTEGRITY || result == RUNG_CAPACITY)
        return fail_for_good(build, rung_last_error());
    if (result != RUNG_OK)
        return result;
    rung__engine_failure_forget(build->instance->state, &build->key);
    return conclude(build, "built", RUNG_OK, "%s", "");
}

static rung_result take_outcome(struct build *build, const struct rung__outcome *outcome)
{
    char reason[RUNG__OUTCOME_REASON];
    if (outcome->kind == RUNG__OUTCOME_CHOSEN)
        return keep(build);
    const rung_result room = rung__engine_part_check_room(&build->part);
    if (room != RUNG_OK)
        return room;
    (void)rung__text_format(reason, sizeof reason, "%s: %s",
                            rung__name_text(&rung__outcome_names, outcome->kind), outcome->reason);
    return fail_for_good(build, reason);
}

/** A death of the child is a strike, as that of a probe is. */
static rung_result build_guarded(struct build *build)
{
    struct rung__attempt attempt = {.number = RUNG__CANCEL_NONE};
    struct rung__outcome outcome = {0};
    const struct rung__try what = {
        .folder = build->instance->state,
        .fingerprint = build->fingerprint,
        .rung = build->out->rung->id,
        .model = build->artifact.digest_text,
        .kind = RUNG__TRY_PROBE,
    };
    rung_result result = RUNG_OK;
    if (what.folder)
        result = rung__instance_go_on(build->instance, not_remembered,
                                      rung__attempt_begin(&what, &attempt));
    const bool refused = attempt.refused;
    if (result == RUNG_OK && refused)
        result =
            conclude(build, "refused", RUNG_UNSUPPORTED, RUNG__REFUSED_TEXT, attempt.strike_path);
    else if (result == RUNG_OK)
        result = run_child(build, &outcome);
    const rung_result ended =
        rung__instance_go_on(build->instance, not_remembered,
                             rung__attempt_end(&attempt, outcome.kind == RUNG__OUTCOME_CRASHED));
    if (result == RUNG_OK)
        result = ended;
    return result == RUNG_OK && !refused ? take_outcome(build, &outcome) : result;
}

static rung_result make_key(struct build *build)
{
    rung_result result =
        rung__instance_fingerprint(build->instance, RUNG__FINGERPRINT_ENGINES, &build->fingerprint);
    return result == RUNG_OK
               ? rung__engine_key_make(build->out->rung, &build->artifact.view.header,
                                       build->artifact.digest_text, build->fingerprint, &build->key)
               : result;
}

static rung_result build_missing(struct build *build)
{
    char reason[RUNG__OUTCOME_REASON];
    if (!build->want->again &&
        rung__engine_failure_find(build->instance->state, &build->key, reason))
        return conclude(build, "failed", RUNG_BACKEND, "as before: %s", reason);
    rung_result result = rung__engine_part_begin(&build->store, &build->key, 0, &build->part);
    if (result == RUNG_ALREADY_EXISTS)
        return conclude(build, "ready", RUNG_OK, "%s", "");
    if (result != RUNG_OK)
        return result;
    build->out->state = "building";
    build->listener->building(build->listener->user, build->want, build->out);
    build->out->state = NULL;
    return build_guarded(build);
}

static rung_result check_means(const struct build *build)
{
    if (!build->instance->helper)
        return rung__fail(RUNG_UNSUPPORTED,
                          "the helper program rung-probe is missing beside the library; without it "
                          "no engine is built");
    if (!build->instance->cache)
        return rung__fail(RUNG_IO, "this user has no folder for engines; set HOME or "
                                   "XDG_CACHE_HOME");
    return RUNG_OK;
}

/** Each step may be the end. */
static rung_result see_to(struct build *build)
{
    rung_result result = check_means(build);
    if (result == RUNG_OK && (rung__model_refuse_bundle(&build->artifact) != RUNG_OK ||
                              rung__own_device_refuse(&build->artifact) != RUNG_OK))
        return conclude(build, "none", RUNG_OK, "%s", rung_last_error());
    if (result == RUNG_OK)
        result = choose_rung(build);
    if (result == RUNG_OK && !build->out->state)
        result = check_standing(build);
    if (result == RUNG_OK && !build->out->state)
        result = make_key(build);
    if (result == RUNG_OK && !build->out->state)
        result = build_missing(build);
    return result;
}

rung_result rung__engines_build_one(struct rung_instance *instance,
                                    const struct rung__engine_want *want, const atomic_bool *hold,
                                    const struct rung__engine_listener *listener,
                                    struct rung__engine_progress *out)
{
    struct build build = {
        .instance = instance,
        .want = want,
        .hold = hold,
        .listener = listener,
        .out = out,
        .store = rung__instance_engines(instance),
    };
    *out = (struct rung__engine_progress){0};
    rung_result result =
        rung__artifact_admit_to_load(want->path, rung__admission_of(instance), &instance->trust,
                                     instance->cache, &build.artifact);
    if (result == RUNG_NO_MEMORY)
        return result;
    if (result != RUNG_OK)
        return conclude(&build, "failed", result, "%s", rung_last_error());
    result = see_to(&build);
    rung__engine_part_drop(&build.part);
    rung__artifact_finish(&build.artifact);
    free(build.fingerprint);
    return result;
}
