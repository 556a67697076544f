/* SPDX-License-Identifier: Apache-2.0 */
#include "session/background.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
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
    rung__thread_yield_to_others();
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

static void work(void *argument)
{
    struct rung_instance *instance = argument;
    run(instance);
    atomic_store(&instance->background.working, false);
}

static void join(struct rung__background *background)
{
    if (background->started)
        rung__thread_join(&background->thread);
    free(background->model);
    background->started = false;
    background->model = NULL;
}

static void start(struct rung_instance *instance, const struct rung_model *model)
{
    struct rung__background *background = &instance->background;
    join(background);
    background->model = rung__text_new("%s", model->artifact.path);
    atomic_store(&background->working, true);
    rung_result result = background->model ? rung__thread_start(&background->thread,
                                                                "rung-hand-over", work, instance)
                                           : no_memory();
    background->started = result == RUNG_OK;
    if (result == RUNG_OK)
        return;
    atomic_store(&background->working, false);
    tell_failure(instance);
}

/** A device is probed once by a process: what its instances find out would be the same. */
static bool is_due(const struct rung_model *model)
{
    static atomic_bool probed;
    return model->awaits || !atomic_exchange(&probed, true);
}

void rung__background_after_answer(struct rung_model *model)
{
    struct rung_instance *instance = model->instance;
    /* Of what every frame passes here nothing takes a lock, also while another model's is done. */
    if (!atomic_load_explicit(&model->wants_background, memory_order_relaxed) ||
        atomic_load_explicit(&instance->background.working, memory_order_relaxed) ||
        !atomic_exchange(&model->wants_background, false) || !may_start(instance))
        return;
    rung__mutex_lock(&instance->background_mutex);
    if (atomic_load(&instance->background.working)) /* a later answer asks again */
        atomic_store(&model->wants_background, true);
    else if (is_due(model))
        start(instance, model);
    rung__mutex_unlock(&instance->background_mutex);
}

void rung__background_finish(struct rung__background *background)
{
    atomic_store(&background->ending, true);
    join(background);
}
