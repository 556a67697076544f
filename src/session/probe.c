/* SPDX-License-Identifier: Apache-2.0 */
/* rung_model_probe: every rung that can run here is tried, and the verdict is stored. */
#include <rung/probe.h>

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "hardware/cpus.h"
#include "ladder/attempts.h"
#include "ladder/pins.h"
#include "ladder/probe.h"
#include "ladder/trial_thread.h"
#include "session/model.h"
#include "session/own_device.h"
#include "session/probe.h"
#include "session/providers.h"
#include "session/recall.h"
#include "session/standing.h"
#include "session/structure.h"
#include "session/validate.h"

#define TIME_LIMIT_MS    60000u
#define UNASKED_LIMIT_MS 180000u /* of what takes only time that nobody else wants */
#define FEW_CPUS         4u      /* one thread is tried too */
#define LOCK_FILE        "probe.lock"
#define LOCK_NS          (UINT64_C(600) * 1000000000)
#define LOCK_QUIET_NS    (UINT64_C(1) * 1000000000) /* that a probe waits for another one unsaid */
#define MS               UINT64_C(1000000)          /* in ns */

static const char not_remembered[] = "what a try does is not remembered";

/** A probe on its way. */
struct probe {
    struct rung_instance *instance;
    struct rung__artifact artifact;
    rung_probe_options options;
    struct rung__hardware *hardware;
    struct rung__standing *standings; /**< one for each row of the table */
    struct rung__trial *trials;       /**< likewise */
    char *fingerprint;                /**< of strikes */
    struct rung__trial *floor;        /**< of the trials; NULL: none answered rightly yet */
    bool tries_alone;                 /**< one thread too, on so few CPUs */
    struct rung__trial *winner;       /**< the first that beat the floor; NULL: none yet */
    bool tried;                       /**< each rung has its outcome */
    bool unasked;
    bool is_form; /**< of another model, and unasked it is measured unless itself was */
    bool stuck;   /**< a trial that did not come back still works in this process */
};

/** What cannot be tried has its outcome at once; `*can_run` says that it can. */
static rung_result stand(struct probe *probe, uint32_t index, bool *can_run)
{
    const struct rung__rung *rung = &probe->instance->table.rungs[index];
    struct rung__trial *trial = &probe->trials[index];
    const struct rung__header *header = &probe->artifact.view.header;
    struct rung__standing *standing = &probe->standings[index];
    rung_result result = rung__rung_stand(probe->instance, probe->hardware, rung, standing);
    *can_run = false;
    trial->rung = rung;
    if (result != RUNG_OK)
        return result;
    if (standing->can_run && !rung->automatic)
        rung__outcome_set(&trial->outcome, RUNG__OUTCOME_UNMEASURED, "it is taken by name only");
    else if (standing->can_run && !(header->providers & rung->provider->compatibility))
        rung__outcome_set(&trial->outcome, RUNG__OUTCOME_ABSENT,
                          "the model does not list the provider %s", rung->provider->name);
    else if (!standing->can_run || !rung__rung_serves(rung, &probe->artifact.view, standing->reason,
                                                      sizeof standing->reason))
        rung__outcome_set(&trial->outcome, RUNG__OUTCOME_ABSENT, "%s", standing->reason);
    else if (standing->elsewhere && !probe->instance->helper)
        rung__outcome_set(&trial->outcome, RUNG__OUTCOME_UNMEASURED,
                          "it needs another ONNX Runtime than the one that this process has");
    else
        *can_run = true;
    return RUNG_OK;
}

/** On a thread of this process, which has one build of a runtime and takes no other. */
static rung_result try_here(struct probe *probe, const struct rung__probe_task *task,
                            struct rung__trial *trial)
{
    const struct rung__runtime *runtime = task->rung->provider->runtime;
    const atomic_bool *ending = probe->unasked ? &probe->instance->background.ending : NULL;
    rung_result result = runtime ? rung__instance_load_runtime(probe->instance, runtime) : RUNG_OK;
    if (result == RUNG_OK)
        return rung__probe_try_here(task, ending, trial, &probe->stuck);
    if (result == RUNG_UNSUPPORTED)
        rung__outcome_set(&trial->outcome, RUNG__OUTCOME_ABSENT, "%s", rung_last_error());
    return result == RUNG_UNSUPPORTED ? RUNG_OK : result;
}

/** In a process of its own; where none can be made, on a thread of this one. */
static rung_result run_trial(struct probe *probe, uint32_t threads, struct rung__trial *trial)
{
    const struct rung__standing *standing =
        &probe->standings[trial->rung - probe->instance->table.rungs];
    const struct rung__probe_task task = {
        .rung = trial->rung,
        .helper = probe->instance->helper,
        .library = standing->library,
        .plugin = standing->plugin,
        .artifact = &probe->artifact.view,
        .threads = threads,
        .time_limit_ns = probe->options.time_limit_ms * MS,
    };
    const rung_result result =
        probe->instance->helper ? rung__probe_try(&task, trial) : try_here(probe, &task, trial);
    (void)rung__text_format(trial->outcome.library, sizeof trial->outcome.library, "%s",
                            standing->digest);
    return result;
}

/** Tries a rung under the guard: what killed its process twice is not tried again. */
static rung_result try_guarded(struct probe *probe, uint32_t threads, struct rung__trial *trial)
{
    struct rung__attempt attempt = {.number = RUNG__CANCEL_NONE};
    const struct rung__try what = {
        .folder = probe->instance->state,
        .fingerprint = probe->fingerprint,
        .rung = trial->rung->id,
        .model = probe->artifact.digest_text,
        .kind = probe->instance->helper ? RUNG__TRY_PROBE : RUNG__TRY_BUILD,
    };
    rung_result result = RUNG_OK;
    if (what.folder)
        result = rung__instance_go_on(probe->instance, not_remembered,
                                      rung__attempt_begin(&what, &attempt));
    if (result == RUNG_OK && attempt.refused)
        rung__outcome_set(&trial->outcome, RUNG__OUTCOME_REFUSED, RUNG__REFUSED_TEXT,
                          attempt.strike_path);
    else if (result == RUNG_OK)
        result = run_trial(probe, threads, trial);
    const bool died = trial->outcome.kind == RUNG__OUTCOME_CRASHED;
    const rung_result ended =
        rung__instance_go_on(probe->instance, not_remembered, rung__attempt_end(&attempt, died));
    return result == RUNG_OK ? ended : result;
}

/** Tries a rung and compares what it answers. */
static rung_result try_with(struct probe *probe, uint32_t threads, struct rung__trial *trial)
{
    rung_result result = try_guarded(probe, threads, trial);
    if (result != RUNG_OK || !trial->answered)
        return result;
    if (probe->floor)
        rung__probe_compare(&probe->artifact.view, probe->floor, trial);
    else
        rung__probe_compare_golden(&probe->artifact.view, trial);
    return RUNG_OK;
}

/** On few CPUs, which others use too, one thread may be faster than all: then its figures count. */
static rung_result try_alone(struct probe *probe, struct rung__trial *trial)
{
    struct rung__trial alone = {.rung = trial->rung};
    if (!probe->tries_alone || !rung__trial_is_right(trial) || trial->outcome.threads == 1)
        return RUNG_OK;
    rung_result result = try_with(probe, 1, &alone);
    if (result == RUNG_OK && rung__trial_is_right(&alone) &&
        alone.outcome.median_ns * 100 < trial->outcome.median_ns * 97) {
        struct rung__trial slower = *trial;
        *trial = alone;
        alone = slower;
    }
    rung__trial_finish(&alone);
    return result;
}

/** Where one is enough, or one does not come back, those behind it are not tried; true, and it has
 * its outcome. */
static bool pass_over(const struct probe *probe, struct rung__trial *trial)
{
    if (probe->stuck) {
        rung__outcome_set(&trial->outcome, RUNG__OUTCOME_UNMEASURED,
                          "it was not tried: another one did not come back to this process");
        return true;
    }
    const bool is_floor = trial->rung->floor;
    const struct rung__trial *enough = is_floor ? probe->floor : probe->winner;
    if (probe->options.policy != RUNG_PROBE_FIRST || !enough)
        return false;
    rung__outcome_set(&trial->outcome, RUNG__OUTCOME_UNMEASURED,
                      "it was not tried: %s was the first that %s, and that was enough",
                      enough->rung->id, is_floor ? "answered" : "beats the floor");
    return true;
}

static rung_result try(struct probe *probe, uint32_t index)
{
    struct rung__trial *trial = &probe->trials[index];
    bool can_run;
    rung_result result = stand(probe, index, &can_run);
    if (result != RUNG_OK || !can_run || pass_over(probe, trial))
        return result;
    result =
        try_with(probe, trial->rung->provider->single_threaded ? 1 : probe->options.threads, trial);
    if (result == RUNG_OK)
        result = try_alone(probe, trial);
    if (!probe->floor && rung__trial_is_right(trial))
        probe->floor = trial;
    else if (!probe->winner && trial < probe->floor && rung__probe_beats(trial, probe->floor))
        probe->winner = trial;
    return result;
}

/** The floors come first: what they answer is what the others are compared with. */
static rung_result try_all(struct probe *probe)
{
    rung_result result = RUNG_OK;
    for (int floors = 1; floors >= 0; floors--)
        for (uint32_t i = 0; i < probe->instance->table.count && result == RUNG_OK; i++)
            if (probe->instance->table.rungs[i].floor == (floors == 1))
                result = try(probe, i);
    if (result == RUNG_OK && probe->floor)
        rung__probe_decide(probe->trials, probe->instance->table.count, probe->floor);
    probe->tried = result == RUNG_OK;
    return result;
}

static void tell(const struct probe *probe, rung_probe_callback callback, void *user)
{
    for (uint32_t i = 0; i < probe->instance->table.count && callback; i++) {
        const struct rung__outcome *outcome = &probe->trials[i].outcome;
        callback(user, &(rung_probe_rung){
                           .struct_size = sizeof(rung_probe_rung),
                           .version = RUNG_STRUCT_VERSION,
                           .runs = outcome->runs,
                           .rung = probe->trials[i].rung->id,
                           .outcome = rung__name_text(&rung__outcome_names, outcome->kind),
                           .reason = outcome->reason,
                           .executed_by = outcome->executed_by,
                           .build_ns = outcome->build_ns,
                           .first_ns = outcome->first_ns,
                           .median_ns = outcome->median_ns,
                           .peak_bytes = outcome->peak_bytes,
                           .threads = outcome->threads,
                       });
    }
}

static void fill_verdict(const struct probe *probe, struct rung__verdict *to)
{
    *to = (struct rung__verdict){.threads = probe->options.threads};
    (void)rung__text_format(to->model, sizeof to->model, "%s", probe->artifact.digest_text);
    (void)rung__text_format(to->name, sizeof to->name, "%s", probe->artifact.view.header.name);
    for (; to->rung_count < probe->instance->table.count && to->rung_count < RUNG__VERDICT_RUNGS;
         to->rung_count++) {
        const struct rung__trial *trial = &probe->trials[to->rung_count];
        (void)rung__text_format(to->rungs[to->rung_count].rung, RUNG__RUNG_ID_BYTES, "%s",
                                trial->rung->id);
        to->rungs[to->rung_count].outcome = trial->outcome;
    }
}

/** Where it cannot be stored, things go on without it. Results: OK, NO_MEMORY. */
static rung_result store(const struct probe *probe)
{
    char *fingerprint = NULL;
    struct rung__verdict *verdict = malloc(sizeof *verdict);
    if (!verdict)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a verdict");
    fill_verdict(probe, verdict);
    rung_result result =
        rung__instance_fingerprint(probe->instance, RUNG__FINGERPRINT_VERDICT, &fingerprint);
    if (result == RUNG_OK)
        result = rung__store_put(probe->instance->state, fingerprint, verdict);
    free(fingerprint);
    free(verdict);
    if (probe->unasked)
        return result;
    return rung__instance_go_on(probe->instance, "the verdict of the probe is not remembered",
                                result);
}

/** Waits for another one, and says so when it takes long. */
static rung_result wait_for_lock(const struct probe *probe, const char *path,
                                 struct rung__file_lock *out)
{
    if (probe->unasked)
        return rung__file_lock_take(out, path, 0);
    const uint64_t now = rung__clock_now();
    rung_result result = rung__file_lock_take(out, path, now + LOCK_QUIET_NS);
    if (result != RUNG_TIMEOUT)
        return result;
    rung__log_write(&probe->instance->log, RUNG_LOG_INFO,
                    "another probe is on its way; this one begins when that has ended");
    return rung__file_lock_take(out, path, now + LOCK_NS);
}

/** One probe at a time: two would time each other. Without a folder for the lock, so be it. */
static rung_result lock(const struct probe *probe, struct rung__file_lock *out)
{
    *out = (struct rung__file_lock){0};
    if (!probe->instance->state)
        return RUNG_OK;
    rung_result result = rung__folder_make(probe->instance->state);
    char *path = rung__path_join(probe->instance->state, LOCK_FILE);
    if (!path)
        return rung__fail(RUNG_NO_MEMORY, "no memory to probe");
    if (result == RUNG_OK)
        result = wait_for_lock(probe, path, out);
    free(path);
    return result == RUNG_TIMEOUT || result == RUNG_BUSY || result == RUNG_NO_MEMORY ? result
                                                                                     : RUNG_OK;
}

rung_result rung__probe_check_free(rung_instance *instance)
{
    struct rung__file_lock held;
    const struct probe probe = {.instance = instance, .unasked = true};
    rung_result result = lock(&probe, &held);
    rung__file_lock_release(&held);
    return result;
}

static bool few_cpus(const struct rung_instance *instance)
{
    struct rung__cpus cpus;
    rung__cpus_read(rung__instance_hardware_root(instance), &cpus);
    return cpus.logical <= FEW_CPUS;
}

static rung_result check_options(struct probe *probe, const rung_probe_options *caller_options)
{
    rung_probe_options *options = &probe->options;
    rung_result result =
        rung__structure_read(options, sizeof *options, caller_options, "rung_probe_options");
    if (result != RUNG_OK)
        return result;
    result =
        rung__structure_check_flags(options->flags, RUNG_PROBE_RUNGS_ONLY, "rung_probe_options");
    if (result != RUNG_OK)
        return result;
    if (options->policy != RUNG_PROBE_DEFAULT && options->policy != RUNG_PROBE_FIRST &&
        options->policy != RUNG_PROBE_ALL)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_probe_options.policy is %u; a probe tries the first, or all",
                          (uint32_t)options->policy);
    if (!options->time_limit_ms)
        options->time_limit_ms =
            probe->unasked && probe->instance->helper ? UNASKED_LIMIT_MS : TIME_LIMIT_MS;
    probe->tries_alone = options->threads == 0 && few_cpus(probe->instance);
    return rung__threads_resolve(probe->instance, options->threads, "rung_probe_options",
                                 &options->threads);
}

/** Tries the rungs, and stores what came of it. The caller holds the lock. */
static rung_result measure(struct probe *probe)
{
    rung_result result =
        rung__instance_fingerprint(probe->instance, RUNG__FINGERPRINT_ENGINES, &probe->fingerprint);
    if (result == RUNG_OK)
        result = rung__instance_hardware(probe->instance, &probe->hardware);
    if (result == RUNG_OK)
        result = try_all(probe);
    if (result == RUNG_OK && probe->instance->state && (probe->floor || !probe->unasked))
        result = store(probe);
    if (result != RUNG_OK || probe->floor)
        return result;
    return rung__fail(RUNG_UNSUPPORTED, "no rung can run %s; the outcome of each tells why",
                      probe->artifact.view.header.name);
}

/** What was proven before this one had the lock need not be proven again unasked. */
static rung_result measure_unproven(struct probe *probe)
{
    struct rung__recall recall;
    rung_result result =
        rung__instance_recall(probe->instance, probe->artifact.digest_text, &recall);
    const bool proven = probe->is_form ? recall.own : recall.verdict != NULL;
    rung__recall_finish(&recall);
    return result != RUNG_OK || proven ? result : measure(probe);
}

static rung_result run(struct probe *probe)
{
    struct rung__file_lock held;
    rung_result result = rung__model_refuse_bundle(&probe->artifact);
    if (result == RUNG_OK)
        result = rung__own_device_refuse(&probe->artifact);
    if (result == RUNG_OK)
        result = lock(probe, &held);
    if (result != RUNG_OK)
        return result;
    result = probe->unasked ? measure_unproven(probe) : measure(probe);
    rung__file_lock_release(&held);
    return result;
}

static void finish(struct probe *probe)
{
    for (uint32_t i = 0; i < probe->instance->table.count && probe->trials; i++)
        rung__trial_finish(&probe->trials[i]);
    free(probe->trials);
    free(probe->standings);
    free(probe->fingerprint);
    free(probe->hardware);
    if (!probe->stuck) /* else it is still being read */
        rung__artifact_finish(&probe->artifact);
}

static rung_result probe_model(struct probe *probe, const char *path,
                               const rung_probe_options *options)
{
    struct rung_instance *instance = probe->instance;
    rung__instance_close_providers(instance);
    rung_result result = check_options(probe, options);
    if (result == RUNG_OK)
        result = rung__artifact_admit_to_load(path, rung__admission_of(instance), &instance->trust,
                                              instance->cache, &probe->artifact);
    if (result != RUNG_OK)
        return result;
    probe->trials = calloc(instance->table.count, sizeof *probe->trials);
    probe->standings = calloc(instance->table.count, sizeof *probe->standings);
    return probe->trials && probe->standings ? run(probe)
                                             : rung__fail(RUNG_NO_MEMORY, "no memory to probe");
}

rung_result rung_model_probe(rung_instance *instance, const char *path,
                             const rung_probe_options *options, rung_probe_callback callback,
                             void *user)
{
    struct probe probe = {.instance = instance};
    if (!instance || !path)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_model_probe: an argument is NULL");
    rung_result result = probe_model(&probe, path, options);
    if (probe.tried)
        tell(&probe, callback, user);
    finish(&probe);
    if (result != RUNG_OK || probe.stuck)
        return result;
    /* With what the caller wanted: what it came to is that of this model. */
    if (rung__probe_forms(instance, path, options, false) &&
        !(probe.options.flags & RUNG_PROBE_RUNGS_ONLY))
        rung__validate_unasked(instance, path);
    return result;
}

rung_result rung__probe_form(rung_instance *instance, const char *path,
                             const rung_probe_options *options, bool unasked)
{
    struct probe probe = {.instance = instance, .unasked = unasked, .is_form = true};
    rung_result result = probe_model(&probe, path, options);
    if (probe.stuck)
        result = rung__fail(RUNG_TIMEOUT, "a rung did not come back to this process");
    finish(&probe);
    return result;
}

rung_result rung__probe_unasked(rung_instance *instance, const char *path,
                                const rung_probe_options *options)
{
    struct probe probe = {.instance = instance, .unasked = true};
    rung_result result = probe_model(&probe, path, options);
    finish(&probe);
    if (result == RUNG_OK && !probe.stuck && !rung__probe_forms(instance, path, options, true))
        result = rung__fail(RUNG_TIMEOUT, "a rung did not come back to this process");
    return result;
}
