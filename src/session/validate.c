/* SPDX-License-Identifier: Apache-2.0 */
/* rung_model_validate: evidence for implementations of stages, earned on this device. */
#include "session/validate.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "session/stages.h"
#include "session/structure.h"

#define LIMIT_MS    20000u /* for each implementation */
#define FRAMES_MOST 64u
#define GAIN_LEAST  3u /* percent, to be worth a record: less comes and goes with the weather */
#define MS          UINT64_C(1000000) /* in ns */

/* A picture as cameras have it, beside one that needs no scaling. */
#define CAMERA_WIDTH  1280u
#define CAMERA_HEIGHT 720u

/** One implementation, with the one that needs it where there is one: neither is of use alone. */
struct candidate {
    const struct rung__validate_task *task;
    rung_model *model;
    struct rung__staging staging;
    const struct rung__implementation *tested[2]; /**< the second may be NULL */
    const struct rung__implementation *rival;     /**< of the stage of the last */
    struct rung__contest contest;
};

/* ---- plans ----------------------------------------------------------------------------------- */

/** What needs an implementation, NULL: nothing. */
static const struct rung__implementation *dependent_of(const struct rung__catalog *catalog,
                                                       const struct rung__implementation *on)
{
    for (uint32_t stage = 0; stage < RUNG__STAGES; stage++)
        for (const struct rung__implementation *const *each = catalog->stages[stage]; *each; each++)
            if ((*each)->needs == on)
                return *each;
    return NULL;
}

/** The catalog without an implementation and those that stand before it. */
static void cut(struct rung__catalog *catalog, const struct rung__implementation *at)
{
    const struct rung__implementation *const **list = &catalog->stages[at->stage];
    while (**list != at)
        ++*list;
    ++*list;
}

static void set_id(struct rung__plan *plan, const struct rung__implementation *implementation,
                   const char *id)
{
    (void)rung__text_format(plan->ids[implementation->stage], RUNG__STAGE_ID_BYTES, "%s", id);
}

/**
 * What auto would take if it were not for the tested ones; with them; and with base in their place.
 * Results: those of rung__registry_resolve.
 */
static rung_result make_plans(struct candidate *candidate)
{
    struct rung__contest *contest = &candidate->contest;
    struct rung__plan *plans = contest->plans;
    struct rung__catalog without = *candidate->task->catalog;
    struct rung__resolution found[RUNG__STAGES];
    for (uint32_t i = 0; i < 2 && candidate->tested[i]; i++)
        cut(&without, candidate->tested[i]);
    rung_result result =
        rung__registry_resolve(&without, &candidate->staging.plan, &candidate->staging.context,
                               &candidate->staging.records, found);
    if (result != RUNG_OK)
        return result;
    struct rung__plan rival = {.allow_fallback = false};
    for (uint32_t stage = 0; stage < RUNG__STAGES; stage++)
        set_id(&rival, found[stage].effective, found[stage].effective->id);
    for (uint32_t side = 0; side < RUNG__SIDES; side++)
        plans[side] = rival;
    contest->sides = 2;
    for (uint32_t i = 0; i < 2 && candidate->tested[i]; i++) {
        const struct rung__implementation *tested = candidate->tested[i];
        const struct rung__implementation *other = found[tested->stage].effective;
        set_id(&plans[RUNG__SIDE_BASE], tested, RUNG__STAGE_BASE);
        set_id(&plans[RUNG__SIDE_TESTED], tested, tested->id);
        if (!rung__is_base(other)) {
            contest->sides = RUNG__SIDES;
            candidate->rival = other;
        }
    }
    return RUNG_OK;
}

/* ---- records --------------------------------------------------------------------------------- */

static struct rung__record record_of(const struct candidate *candidate,
                                     const struct rung__implementation *tested)
{
    const struct rung__contest *contest = &candidate->contest;
    struct rung__record record = {.stage = tested->stage,
                                  .base_ns = contest->p50_ns[RUNG__SIDE_BASE],
                                  .p50_ns = contest->p50_ns[RUNG__SIDE_TESTED]};
    for (uint32_t f = 0; f < contest->frame_count; f++)
        if (contest->frames[f].width > record.width) {
            record.width = contest->frames[f].width;
            record.height = contest->frames[f].height;
        }
    (void)rung__text_format(record.id, sizeof record.id, "%s", tested->id);
    memcpy(record.digest, contest->digest, sizeof record.digest);
    rung__record_environment(tested, &candidate->staging.context, record.environment);
    return record;
}

enum keeping { KEEP, DROP, REFUSE };

/** Writes the records of the tested ones, or takes older ones away. Results: OK, and what stands in
 * the way of the file. */
static rung_result keep(const struct candidate *candidate, enum keeping keeping)
{
    const struct rung_instance *instance = candidate->model->instance;
    struct rung__record rows[2];
    uint32_t count = 0;
    bool changes = keeping != DROP;
    for (uint32_t i = 0; i < 2 && candidate->tested[i]; i++, count++) {
        rows[i] = record_of(candidate, candidate->tested[i]);
        changes = changes || rung__records_find(&candidate->staging.records, candidate->tested[i],
                                                &candidate->staging.context);
        rows[i].refused = keeping == REFUSE;
        if (keeping == DROP)
            rows[i].digest[0] = '\0';
    }
    if (!changes)
        return RUNG_OK;
    rung_result result = instance->state ? rung__records_change(instance->state, rows, count)
                                         : rung__fail(RUNG_IO, "the user has no state folder");
    if (result != RUNG_OK)
        rung__log_write(&instance->log, RUNG_LOG_WARNING,
                        "the validation record of %s is not kept: %s", rows[0].id,
                        rung_last_error());
    return result;
}

/* ---- outcomes -------------------------------------------------------------------------------- */

static void tell(const struct candidate *candidate, const char *outcome,
                 const struct rung__why *why)
{
    const struct rung__validate_task *task = candidate->task;
    const struct rung__contest *contest = &candidate->contest;
    for (uint32_t i = 0; i < 2 && candidate->tested[i] && task->callback; i++)
        task->callback(task->user, &(rung_validation){
                                       .struct_size = sizeof(rung_validation),
                                       .version = RUNG_STRUCT_VERSION,
                                       .rounds = contest->rounds,
                                       .stage = rung__stage_name(candidate->tested[i]->stage),
                                       .implementation = candidate->tested[i]->id,
                                       .outcome = outcome,
                                       .reason = why->text,
                                       .digest = contest->digest,
                                       .base_ns = contest->p50_ns[RUNG__SIDE_BASE],
                                       .p50_ns = contest->p50_ns[RUNG__SIDE_TESTED],
                                   });
}

static double ratio(uint64_t of, uint64_t to)
{
    return (double)of / (double)(to ? to : 1);
}

/** Faster than base, and than what would be taken without it, by more than chance. */
static bool is_worth_it(const struct rung__contest *contest)
{
    const uint64_t tested = contest->p50_ns[RUNG__SIDE_TESTED];
    for (uint32_t side = 0; side < contest->sides; side++)
        if (side != RUNG__SIDE_TESTED && tested * 100 >= contest->p50_ns[side] * (100 - GAIN_LEAST))
            return false;
    return true;
}

static void tell_ratios(const struct candidate *candidate, struct rung__why *why)
{
    const struct rung__contest *contest = &candidate->contest;
    const uint64_t tested = contest->p50_ns[RUNG__SIDE_TESTED];
    char rival[96] = "";
    if (contest->sides == RUNG__SIDES)
        (void)rung__text_format(rival, sizeof rival, ", %.2f times that of %s",
                                ratio(contest->p50_ns[RUNG__SIDE_RIVAL], tested),
                                candidate->rival->id);
    rung__why_not(why, "the same bytes at %.2f times the speed of base%s",
                  ratio(contest->p50_ns[RUNG__SIDE_BASE], tested), rival);
}

/** What has evidence of the library's needs none of its own, and keeps it where it is slower. */
static bool has_shipped(const struct candidate *candidate)
{
    return rung__record_is_shipped(candidate->tested[0], &candidate->staging.context);
}

static void judge_times(const struct candidate *candidate)
{
    struct rung__why why;
    const bool worth_it = is_worth_it(&candidate->contest);
    tell_ratios(candidate, &why);
    if (has_shipped(candidate)) {
        (void)keep(candidate, DROP); /* what refused it, if anything did */
        tell(candidate, "shipped", &why);
        return;
    }
    const bool kept = keep(candidate, worth_it ? KEEP : DROP) == RUNG_OK;
    if (!kept)
        rung__why_not(&why, "%s", rung_last_error());
    tell(candidate, !kept ? "unkept" : worth_it ? "recorded" : "slower", &why);
}

static void judge(const struct candidate *candidate)
{
    const struct rung__contest *contest = &candidate->contest;
    switch (contest->end) {
    case RUNG__CONTEST_TIMED:
        judge_times(candidate);
        break;
    case RUNG__CONTEST_UNTIMED:
        tell(candidate, "unmeasured", &contest->why);
        break;
    case RUNG__CONTEST_UNSUITED:
        tell(candidate, "unsuited", &contest->why);
        break;
    case RUNG__CONTEST_DIFFERENT:
    case RUNG__CONTEST_FAILED:
        (void)keep(candidate, REFUSE);
        rung__log_write(&candidate->model->instance->log, RUNG_LOG_ERROR,
                        "%s is not to be used on this device: %s", candidate->tested[0]->id,
                        contest->why.text);
        tell(candidate, contest->end == RUNG__CONTEST_DIFFERENT ? "different" : "failed",
             &contest->why);
    }
}

/* ---- candidates ------------------------------------------------------------------------------ */

/** True when each can serve here, but for those whose evidence ships where that is enough. */
static bool is_due(const struct candidate *candidate)
{
    struct rung__why why = {""};
    if (candidate->task->unproven && has_shipped(candidate))
        return false;
    for (uint32_t i = 0; i < 2 && candidate->tested[i]; i++)
        if (!rung__implementation_check(candidate->tested[i], &candidate->staging.context, NULL,
                                        &why)) {
            tell(candidate, "unsuited", &why);
            return false;
        }
    return true;
}

static rung_result validate_staged(struct candidate *candidate)
{
    if (!is_due(candidate))
        return RUNG_OK;
    rung_result result = make_plans(candidate);
    if (result == RUNG_OK)
        result = rung__contest_run(&candidate->contest);
    if (result == RUNG_OK)
        judge(candidate);
    return result;
}

static rung_result validate_one(const struct rung__validate_task *task, rung_model *model,
                                const struct rung__implementation *tested)
{
    const struct rung__plan any = rung__plan_default();
    const struct rung__header *header = &model->artifact.view.header;
    struct candidate candidate = {
        .task = task,
        .model = model,
        .tested = {tested, dependent_of(task->catalog, tested)},
        .contest = {.model = model,
                    .catalog = task->catalog,
                    .frames = task->frames,
                    .frame_count = task->frame_count,
                    .stage = tested->stage,
                    .limit_ns = task->limit_ns,
                    .ending = task->ending,
                    .weigh = task->weigh},
    };
    const uint32_t scenarios = tested->scenarios;
    candidate.contest.in_series = scenarios && !(scenarios & RUNG__SCENARIO_FRAME);
    rung_result result = rung__staging_init(
        &candidate.staging,
        &(struct rung__stage_environment){
            .instance = model->instance,
            .model = model,
            .serving = rung__model_serving(model),
            .selection = header->role == RUNG_ROLE_DETECTOR ? &header->selection : NULL,
            .in_series = candidate.contest.in_series,
            .fixed = &any,
        });
    if (result == RUNG_OK)
        result = validate_staged(&candidate);
    rung__staging_finish(&candidate.staging);
    return result;
}

/** Those behind come first: what stands before them has to be better. */
static rung_result validate_stage(const struct rung__validate_task *task, rung_model *model,
                                  const struct rung__implementation *const *list)
{
    rung_result result = RUNG_OK;
    size_t count = 0;
    while (list[count])
        count++;
    while (count-- > 0 && result == RUNG_OK && !(task->ending && atomic_load(task->ending)))
        if (!rung__is_base(list[count]) &&
            !list[count]->needs) /* else with the one that it needs */
            result = validate_one(task, model, list[count]);
    return result;
}

static rung_result validate_stages(const struct rung__validate_task *task, rung_model *model)
{
    rung_result result = RUNG_OK;
    for (uint32_t stage = 0; stage < RUNG__STAGES && result == RUNG_OK; stage++)
        result = validate_stage(task, model, task->catalog->stages[stage]);
    return result;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static rung_result validate_with_made(const struct rung__validate_task *given, rung_model *model)
{
    struct rung__validate_task task = *given;
    const struct rung__canvas *canvas = &model->artifact.view.header.canvas;
    const rung_frame frames[] = {
        rung__validate_picture(CAMERA_WIDTH, CAMERA_HEIGHT),
        rung__validate_picture(canvas->width, canvas->height),
    };
    rung_result result = frames[0].pixels && frames[1].pixels
                             ? RUNG_OK
                             : rung__fail(RUNG_NO_MEMORY, "no memory for pictures");
    task.frames = frames;
    task.frame_count = task.unproven ? 1 : 2; /* a probe has little time */
    if (result == RUNG_OK)
        result = validate_stages(&task, model);
    for (uint32_t f = 0; f < 2; f++)
        free((void *)frames[f].pixels);
    return result;
}

rung_result rung__validate(rung_model *model, const struct rung__validate_task *task)
{
    /* Nothing is to be measured beside it. */
    const bool wanted = atomic_exchange(&model->wants_background, false);
    rung_result result =
        task->frame_count ? validate_stages(task, model) : validate_with_made(task, model);
    if (wanted)
        atomic_store(&model->wants_background, true);
    return result;
}

/* ---- the public function --------------------------------------------------------------------- */

static rung_result read_frames(const rung_validate_options *options, rung_frame **out)
{
    rung_frame *frames = calloc(options->frame_count + 1, sizeof *frames);
    rung_result result =
        frames ? RUNG_OK : rung__fail(RUNG_NO_MEMORY, "no memory to validate stages");
    for (uint32_t f = 0; f < options->frame_count && result == RUNG_OK; f++)
        result = rung__structure_read(&frames[f], sizeof *frames, options->frames[f], "rung_frame");
    *out = frames;
    return result;
}

static rung_result read_options(const rung_validate_options *caller_options,
                                rung_validate_options *options)
{
    rung_result result =
        rung__structure_read(options, sizeof *options, caller_options, "rung_validate_options");
    if (result == RUNG_OK)
        result = rung__structure_check_flags(options->flags, 0, "rung_validate_options");
    if (result != RUNG_OK)
        return result;
    if (options->frame_count > FRAMES_MOST || (options->frame_count && !options->frames))
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_validate_options: %u frames are not given; at most %u are used",
                          options->frame_count, FRAMES_MOST);
    if (!options->time_limit_ms)
        options->time_limit_ms = LIMIT_MS;
    return RUNG_OK;
}

rung_result rung_model_validate(rung_model *model, const rung_validate_options *caller_options,
                                rung_validation_callback callback, void *user)
{
    rung_validate_options options;
    rung_frame *frames = NULL;
    if (!model)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_model_validate: an argument is NULL");
    rung_result result = read_options(caller_options, &options);
    if (result == RUNG_OK)
        result = read_frames(&options, &frames);
    if (result == RUNG_OK)
        result = rung__validate(model, &(struct rung__validate_task){
                                           .catalog = &rung__catalog,
                                           .frames = frames,
                                           .frame_count = options.frame_count,
                                           .limit_ns = options.time_limit_ms * MS,
                                           .callback = callback,
                                           .user = user,
                                       });
    free(frames);
    return result;
}
