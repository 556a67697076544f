/* SPDX-License-Identifier: Apache-2.0 */
#include "session/background.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/json.h"
#include "base/library.h"
#include "base/text.h"
#include "ladder/policy.h"
#include "ladder/retry.h"
#include "runtime/helper.h"
#include "session/model.h"
#include "session/probe.h"
#include "session/recall.h"

/* The helper answers as soon as it goes on alone. */
#define HANDOVER_NS (UINT64_C(10) * 1000000000)

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory to have the rungs measured");
}

static void set_text(json_t *object, const char *key, const char *text, bool *failed)
{
    if (text)
        rung__json_set(object, key, json_string(text), failed);
}

/** The environment, and in it the ladder file that an option named. */
static json_t *describe_variables(const struct rung_instance *instance, bool *failed)
{
    const struct rung__environment *environment = &instance->environment;
    json_t *object = json_object();
#define SET(field, name, text) set_text(object, name, environment->field, failed);
    RUNG__ENVIRONMENT(SET)
#undef SET
    set_text(object, RUNG__LADDER_VARIABLE, instance->table.path, failed);
    return object;
}

/** All that the helper needs to do what this instance would do. */
static json_t *describe(const struct rung_instance *instance, bool *failed)
{
    const struct rung__background *background = &instance->background;
    char *library = rung__library_path_of(rung__runtimes);
    json_t *object = json_pack("{s:i,s:s,s:b}", "schema", RUNG__BACKGROUND_SCHEMA,
                               RUNG__BACKGROUND_MODEL, background->model, RUNG__BACKGROUND_UNSIGNED,
                               (instance->flags & RUNG_INSTANCE_ALLOW_UNSIGNED) != 0);
    set_text(object, RUNG__BACKGROUND_POLICY,
             rung__name_text(&rung__policy_names, (uint32_t)instance->probe), failed);
    set_text(object, RUNG__BACKGROUND_HELPER, instance->helper, failed);
    set_text(object, RUNG__BACKGROUND_LIBRARY, library, failed);
    set_text(object, RUNG__BACKGROUND_RUNTIMES, instance->runtime_path, failed);
    set_text(object, RUNG__BACKGROUND_TRUST, instance->trust_path, failed);
    rung__json_set(object, RUNG__BACKGROUND_VARIABLES, describe_variables(instance, failed),
                   failed);
    free(library);
    return object;
}

static rung_result run_helper(const struct rung_instance *instance, const char *text, size_t size)
{
    static const char *const arguments[] = {RUNG__BACKGROUND, NULL};
    return rung__helper_run(&(struct rung__helper_task){
        .helper = instance->helper,
        .arguments = arguments,
        .input = {(const uint8_t *)text, size},
        .time_limit_ns = HANDOVER_NS,
    });
}

static rung_result write_and_run(const struct rung_instance *instance, const json_t *json)
{
    size_t size = 0;
    (void)rung__json_write(json, (rung_span){0}, &size);
    char *text = size ? malloc(size) : NULL;
    if (!text)
        return no_memory();
    rung_result result = rung__json_write(json, (rung_span){text, size}, NULL);
    if (result == RUNG_OK)
        result = run_helper(instance, text, size - 1);
    free(text);
    return result;
}

static rung_result hand_over(const struct rung_instance *instance)
{
    bool failed = false;
    json_t *json = describe(instance, &failed);
    rung_result result = json && !failed ? write_and_run(instance, json) : no_memory();
    json_decref(json);
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
    return rung__probe_unasked(instance, instance->background.model, &options);
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
    if (!atomic_load_explicit(&model->wants_background, memory_order_relaxed) ||
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
