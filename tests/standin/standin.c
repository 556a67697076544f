/* SPDX-License-Identifier: Apache-2.0 */
/* The entry point, the table, sessions and runs. */
#include "standin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct real_calls standin_real;

static const struct fault *load_fault;
static const struct rung__ort_api_base *real_base;
static standin_slot table[SLOTS];

/* ---- the real library ---- */

/** Its oldest build with every slot of SLOTS. */
#define REAL_API 29u

static const standin_slot *open_real(void)
{
    const char *path = getenv("RUNG_STANDIN_REAL");
    if (!path)
        standin_die("RUNG_STANDIN_REAL is not set; it names the real ONNX Runtime");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        standin_die("RUNG_STANDIN_REAL: %s", dlerror());
    void *symbol = dlsym(library, "OrtGetApiBase");
    const struct rung__ort_api_base *(*get_base)(void);
    if (!symbol)
        standin_die("RUNG_STANDIN_REAL: %s has no OrtGetApiBase", path);
    memcpy(&get_base, &symbol, sizeof get_base);
    real_base = get_base();
    const standin_slot *slots = real_base->get_api(REAL_API);
    if (!slots)
        standin_die("RUNG_STANDIN_REAL: %s is too old; API version %u is needed", path, REAL_API);
    return slots;
}

static void take_real(const standin_slot *slots)
{
#define TAKE(slot, field, result, arguments) standin_real.field = (result(*) arguments)slots[slot];
    RUNG__ORT_CALLS(TAKE)
    MORE_CALLS(TAKE)
#undef TAKE
}

/* ---- statuses and the environment ---- */

static rung__ort_result create_no_status(int code, const char *message)
{
    (void)code, (void)message;
    return NULL;
}

static rung__ort_result create_other_status(int code, const char *message)
{
    (void)message;
    return standin_real.create_status(code, "something else");
}

static rung__ort_result create_environment(rung__ort_log_fn *log, void *user, int severity,
                                           const char *name, struct rung__ort_env **out)
{
    standin_log_to(log, user);
    rung__ort_result status = standin_meet(PLACE_ENVIRONMENT, NULL);
    return status ? status : standin_real.create_env_with_logger(log, user, severity, name, out);
}

/* ---- sessions ---- */

/** What holds before the real library is asked for a session. */
static rung__ort_result prepare(const struct rung__ort_options *options, const void *model,
                                size_t size, struct note **note)
{
    *note = options ? standin_find_note(options) : NULL;
    rung__ort_result status = standin_meet(PLACE_SESSION, standin_provider_of(*note));
    if (!status && *note && (*note)->cache[0])
        status = standin_prepare_engine(*note, model, size);
    if (!status && *note && (*note)->forbids_fallback &&
        (!(*note)->provider[0] || (*note)->runs_on_cpu))
        status = standin_real.set_config((struct rung__ort_options *)options,
                                         "session.disable_cpu_ep_fallback", "1");
    return status;
}

/** What was said of the options holds for the session. */
static rung__ort_result inherit(rung__ort_result status, const struct note *of_options,
                                struct rung__ort_handle *const *session)
{
    if (status || !of_options)
        return status;
    struct note note = *of_options;
    note.of = *session;
    *standin_make_note(*session) = note;
    return NULL;
}

static rung__ort_result create_session(const struct rung__ort_env *env, const void *model,
                                       size_t size, const struct rung__ort_options *options,
                                       struct rung__ort_handle **out)
{
    struct note *note;
    rung__ort_result status = prepare(options, model, size, &note);
    if (!status)
        status = standin_real.create_session(env, model, size, options, out);
    return inherit(status, note, out);
}

static rung__ort_result create_session_of_file(const struct rung__ort_env *env, const char *path,
                                               const struct rung__ort_options *options,
                                               struct rung__ort_handle **out)
{
    struct note *note;
    rung__ort_result status = prepare(options, path, strlen(path), &note);
    if (!status)
        status = standin_real.create_session_of_file(env, path, options, out);
    return inherit(status, note, out);
}

/* ---- runs ---- */

typedef void numbers_fn(void *data, size_t count, int type);

static rung__ort_result spoil(struct rung__ort_value *value, numbers_fn *numbers)
{
    struct rung__ort_tensor_info *info = NULL;
    void *data = NULL;
    size_t count = 0;
    int type = 0;
    rung__ort_result status = standin_real.get_value_info(value, &info);
    if (!status)
        status = standin_real.get_element_type(info, &type);
    if (!status)
        status = standin_real.get_element_count(info, &count);
    if (!status)
        status = standin_real.get_data(value, &data);
    if (!status)
        numbers(data, count, type);
    if (info)
        standin_real.release_value_info(info);
    return status;
}

static rung__ort_result spoil_bound(const struct rung__ort_binding *binding, numbers_fn *numbers)
{
    struct rung__ort_allocator *allocator = NULL;
    struct rung__ort_value **values = NULL;
    size_t count = 0;
    rung__ort_result status = standin_real.get_allocator(&allocator);
    if (!status)
        status = standin_real.get_bound_outputs(binding, allocator, &values, &count);
    for (size_t i = 0; i < count; i++) {
        if (!status)
            status = spoil(values[i], numbers);
        standin_real.release_value(values[i]);
    }
    if (values && !status)
        status = standin_real.allocator_free(allocator, values);
    return status;
}

/** Meets what is due at this run; `numbers` is what becomes of its numbers, NULL: nothing. */
static rung__ort_result begin_run(const struct rung__ort_handle *session, numbers_fn **numbers)
{
    const struct note *note = standin_find_note(session);
    const struct fault *fault = standin_due(PLACE_RUN, standin_provider_of(note));
    *numbers = fault ? fault->numbers : NULL;
    if (!*numbers && note && note->damaged)
        *numbers = standin_find_fault("wrong", PLACE_RUN)->numbers;
    return fault && fault->instead ? fault->instead(standin_place_name(PLACE_RUN)) : NULL;
}

static rung__ort_result run_with_binding(struct rung__ort_handle *session,
                                         const struct rung__ort_run_options *options,
                                         const struct rung__ort_binding *binding)
{
    numbers_fn *numbers;
    rung__ort_result status = begin_run(session, &numbers);
    if (!status)
        status = standin_real.run_with_binding(session, options, binding);
    return !status && numbers ? spoil_bound(binding, numbers) : status;
}

static rung__ort_result
run(struct rung__ort_handle *session, const struct rung__ort_run_options *options,
    const char *const *input_names, const struct rung__ort_value *const *inputs, size_t input_count,
    const char *const *output_names, size_t output_count, struct rung__ort_value **outputs)
{
    numbers_fn *numbers;
    rung__ort_result status = begin_run(session, &numbers);
    if (!status)
        status = standin_real.run(session, options, input_names, inputs, input_count, output_names,
                                  output_count, outputs);
    for (size_t i = 0; i < output_count && !status && numbers; i++)
        status = spoil(outputs[i], numbers);
    return status;
}

/* ---- the table ---- */

static void make_table(void)
{
    const standin_slot *slots = open_real();
    take_real(slots);
    memcpy(table, slots, sizeof table);
    table[4] = (standin_slot)create_environment;
    table[7] = (standin_slot)create_session_of_file;
    table[8] = (standin_slot)create_session;
    table[9] = (standin_slot)run;
    table[133] = (standin_slot)run_with_binding;
    standin_take_provider_slots(table);
    if (standin_is(load_fault, "no-status"))
        table[0] = (standin_slot)create_no_status;
    if (standin_is(load_fault, "other-status"))
        table[0] = (standin_slot)create_other_status;
    for (size_t i = 0; i < SLOTS; i++)
        if (standin_steering.null_slots[i] || standin_is(load_fault, "no-slots"))
            table[i] = NULL;
}

static const void *get_api(uint32_t version)
{
    if (standin_is(load_fault, "no-api"))
        return NULL;
    return real_base->get_api(version) ? table : NULL;
}

static const char *get_version_string(void)
{
    if (standin_is(load_fault, "no-version"))
        return NULL;
    return standin_steering.version ? standin_steering.version : real_base->get_version_string();
}

#ifndef ENTRY_POINT /* a build without OrtGetApiBase names it otherwise */
#define ENTRY_POINT OrtGetApiBase
#endif
__attribute__((visibility("default"))) const struct rung__ort_api_base *ENTRY_POINT(void);

const struct rung__ort_api_base *ENTRY_POINT(void)
{
    static const struct rung__ort_api_base base = {get_api, get_version_string};
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (standin_is(load_fault, "refuse"))
        return NULL;
    (void)pthread_once(&once, make_table);
    return &base;
}

#ifdef NEEDS_A_LIBRARY /* a build that the loader refuses: what it calls is nowhere */
extern void cudaDeviceThatIsNotInstalled(void);
__attribute__((visibility("default"))) standin_slot standin_needs = cudaDeviceThatIsNotInstalled;
#endif

/** What comes here comes while the library is loaded. */
__attribute__((constructor)) static void begin(void)
{
    Dl_info info;
    char path[PATH_MAX] = "";
    if (dladdr(&standin_steering, &info) && info.dli_fname)
        (void)strncpy(path, info.dli_fname, sizeof path - 1);
    char *end = strrchr(path, '/');
    if (end)
        *end = '\0';
    const char *folder = strrchr(path, '/');
    standin_steer(folder ? folder + 1 : path);
    load_fault = standin_due(PLACE_LOAD, NULL);
    if (load_fault && load_fault->instead)
        (void)load_fault->instead(standin_place_name(PLACE_LOAD));
}
