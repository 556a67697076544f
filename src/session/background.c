/* SPDX-License-Identifier: Apache-2.0 */
#include "session/background.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/wait.h"
#include "ladder/policy.h"
#include "ladder/retry.h"
#include "session/handover.h"
#include "session/model.h"
#include "session/probe.h"
#include "session/recall.h"
#include "session/validate.h"

/* The helper answers as soon as it goes on alone. */
#define HANDOVER_NS (UINT64_C(10) * 1000000000)

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory to have the rungs measured");
}

static rung_result hand_over(const struct rung_instance *instance)
{
    struct rung__helper_answer answer;
    rung_result result =
        rung__hand_over(instance,
                        &(struct rung__handover){.subcommand = RUNG__BACKGROUND,
                                                 .model = instance->background.model,
                                                 .time_limit_ns = HANDOVER_NS},
                        &answer);
    rung__helper_answer_finish(&answer);
    return result;
}

/** Notes the try. Results: OK, BUSY (not now; said why), those of rung__retry_begin. */
static rung_result note_try(struct rung_instance *instance)
{
    char *fingerprint = NULL;
    bool due = false;
    rung_result result =
        rung__instance_fingerprint(instance, RUNG__FINGERPRINT_VERDICT, &fingerprint);
    if (result == RUNG_OK)
        result = rung__retry_begin(instance->state, fingerprint, &due);
    free(fingerprint);
    if (result == RUNG_OK && !due)
        result = rung__fail(RUNG_BUSY,
                            "an earlier probe of this device came to no end; the next "
                            "one waits (" RUNG__RETRY_FILE " in %s)",
                            instance->state);
    return result;
}

static void tell_failure(const struct rung_instance *instance)
{
    rung__log_write(&instance->log, RUNG_LOG_INFO, "nothing is done in the background: %s",
                    rung_last_error());
}

/** On this very thread. */
static rung_result probe_here(struct rung_instance *instance)
{
    const rung_probe_policy by_load = rung__policy_by_load(rung__instance_hardware_root(instance));
    const rung_probe_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .policy = instance->probe != RUNG_PROBE_DEFAULT ? instance->probe : by_load,
    };
    rung_result result = rung__probe_unasked(instance, instance->background.model, &options);
    if (result != RUNG_OK)
        return result;
    rung__validate_unasked(instance, instance->background.model);
    rung__retry_forget(instance->state);
    return RUNG_OK;
}

static void run(struct rung_instance *instance)
{
    const bool has_helper = instance->helper;
    rung_result result = rung__probe_check_free(instance);
    if (result == RUNG_OK)
        result = note_try(instance);
    if (result == RUNG_OK)
        result = has_helper ? hand_over(instance) : probe_here(instance);
    if (result != RUNG_OK)
        tell_failure(instance);
    else
        rung__log_write(&instance->log, RUNG_LOG_INFO,
                        "what is not proven or not built on this device %s",
                        has_helper ? "is seen to in the background"
                                   : "was seen to on a thread of this process");
}

static bool may_start(const struct rung_instance *instance)
{
    return instance->probe != RUNG_PROBE_OFF && instance->state;
}

/* ---- the thread ------------------------------------------------------------------------------ */

/** What is to be done for a model. */
struct rung__background_task {
    bool awaits_engine;
    char model[]; /**< its path */
};

/** A device is probed once by a process: what its instances find out would be the same. */
static atomic_bool probed;

static void do_task(struct rung_instance *instance, const struct rung__background_task *task)
{
    if (!task->awaits_engine && atomic_exchange(&probed, true))
        return;
    instance->background.model = task->model;
    run(instance);
    instance->background.model = NULL;
}

/** What was asked for is done also when the instance is about to end. */
static void work(void *argument)
{
    struct rung_instance *instance = argument;
    struct rung__background *background = &instance->background;
    rung__thread_yield_to_others();
    for (;;) {
        atomic_store(&background->bell, 0);
        struct rung__background_task *task = atomic_exchange(&background->asked, NULL);
        if (task)
            do_task(instance, task);
        else if (atomic_load(&background->ending))
            return;
        else
            (void)rung__wait(&background->bell, 0, RUNG__CLOCK_NEVER);
        free(task);
    }
}

static void ring(struct rung__background *background)
{
    atomic_store(&background->bell, 1);
    rung__wake_one(&background->bell);
}

/* ---- for a model ----------------------------------------------------------------------------- */

static struct rung__background_task *make_task(const struct rung_model *model)
{
    const size_t length = strlen(model->artifact.path);
    struct rung__background_task *task = malloc(sizeof *task + length + 1);
    if (!task)
        return NULL;
    task->awaits_engine = model->awaits;
    memcpy(task->model, model->artifact.path, length + 1);
    return task;
}

/** For one thread at a time. */
static rung_result prepare(struct rung_instance *instance, struct rung_model *model)
{
    struct rung__background *background = &instance->background;
    if (atomic_load(&model->task))
        return RUNG_OK;
    struct rung__background_task *task = make_task(model);
    rung_result result = task ? RUNG_OK : no_memory();
    if (result == RUNG_OK && !background->started)
        result = rung__thread_start(&background->thread, "rung-hand-over", work, instance);
    if (result != RUNG_OK) {
        free(task);
        return result;
    }
    background->started = true;
    atomic_store(&model->task, task);
    return RUNG_OK;
}

void rung__background_prepare(struct rung_model *model)
{
    struct rung_instance *instance = model->instance;
    if (!atomic_load(&model->wants_background) || !may_start(instance) ||
        (!model->awaits && atomic_load(&probed)))
        return;
    rung__mutex_lock(&instance->background_mutex);
    const rung_result result = prepare(instance, model);
    rung__mutex_unlock(&instance->background_mutex);
    if (result != RUNG_OK)
        tell_failure(instance);
}

void rung__background_after_answer(struct rung_model *model)
{
    struct rung__background *background = &model->instance->background;
    struct rung__background_task *none = NULL;
    if (!atomic_load_explicit(&model->wants_background, memory_order_relaxed) ||
        atomic_load_explicit(&background->asked, memory_order_relaxed))
        return; /* while another model's is asked for: a later answer asks again */
    struct rung__background_task *task = atomic_exchange(&model->task, NULL);
    if (!task)
        return;
    if (!atomic_compare_exchange_strong(&background->asked, &none, task)) {
        atomic_store(&model->task, task);
        return;
    }
    atomic_store(&model->wants_background, false);
    ring(background);
}

void rung__background_forget(struct rung_model *model)
{
    free(atomic_exchange(&model->task, NULL));
}

void rung__background_finish(struct rung__background *background)
{
    atomic_store(&background->ending, true);
    if (!background->started)
        return;
    ring(background);
    rung__thread_join(&background->thread);
    background->started = false;
}
