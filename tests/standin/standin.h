/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STANDIN_H
#define STANDIN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/ort/abi.h"

/*
 * A library that stands in for ONNX Runtime: it loads the real one, gives its table away as its
 * own, and does in some slots what it is steered to do (README.md).
 */

#define SLOTS         425 /* of the table of API 29; the real library must have all of them */
#define PROVIDERS_MAX 16
#define ORDERS_MAX    8
#define CPU_PROVIDER  "CPUExecutionProvider"

/** Where a fault can come. */
enum place {
    PLACE_LOAD,        /**< the library's constructor and what leads to its table */
    PLACE_ENVIRONMENT, /**< the environment is made */
    PLACE_APPEND,      /**< a provider is appended to a session's options */
    PLACE_SESSION,     /**< a session is made */
    PLACE_ENGINE, /**< half of an engine is written into the folder that a provider was given */
    PLACE_RUN,
    PLACES
};

/** A row of the table in faults.c. */
struct fault {
    const char *name;
    unsigned places; /**< AT() of each place where it can come */
    /** What happens in place of the call: a status is its answer, NULL lets it go on. */
    rung__ort_result (*instead)(const char *place);
    /** What becomes of each output of a run. */
    void (*numbers)(void *data, size_t count, int type);
};
#define AT(place) (1u << (place))

/** A fault, and which call of its place meets it. */
struct order {
    const struct fault *fault;
    const char *provider; /**< NULL: whatever the provider; else only its calls are counted */
    unsigned long at;     /**< counted from 1; 0: each */
};

/** How long `slow` takes. */
struct slowness {
    const char *provider; /**< NULL: those without their own */
    unsigned ms;
};

/** What RUNG_STANDIN says. */
struct steering {
    struct order orders[PLACES][ORDERS_MAX];
    size_t order_count[PLACES];
    char *providers[PROVIDERS_MAX];      /**< offered in place of the real ones */
    size_t provider_count;               /**< 0: the real ones are offered */
    char *version;                       /**< NULL: the real one */
    char *trace;                         /**< a file that is told of every call, or NULL */
    struct slowness slow[PROVIDERS_MAX]; /**< the first without a provider */
    size_t slow_count;
    bool null_slots[SLOTS];
};
extern struct steering standin_steering;

/** Calls of the real library that the product does not make itself. X(slot, field, result,
 * arguments) */
#define MORE_CALLS(X)                                                                              \
    X(7, create_session_of_file, rung__ort_result,                                                 \
      (const struct rung__ort_env *, const char *path, const struct rung__ort_options *,           \
       struct rung__ort_handle **))                                                                \
    X(9, run, rung__ort_result,                                                                    \
      (struct rung__ort_handle *, const struct rung__ort_run_options *,                            \
       const char *const *input_names, const struct rung__ort_value *const *inputs,                \
       size_t input_count, const char *const *output_names, size_t output_count,                   \
       struct rung__ort_value **outputs))                                                          \
    X(51, get_data, rung__ort_result, (struct rung__ort_value *, void **data))                     \
    X(64, get_element_count, rung__ort_result, (const struct rung__ort_tensor_info *, size_t *))   \
    X(65, get_value_info, rung__ort_result,                                                        \
      (const struct rung__ort_value *, struct rung__ort_tensor_info **))                           \
    X(99, release_value_info, void, (struct rung__ort_tensor_info *))                              \
    X(140, get_bound_outputs, rung__ort_result,                                                    \
      (const struct rung__ort_binding *, struct rung__ort_allocator *,                             \
       struct rung__ort_value ***values, size_t *count))                                           \
    X(170, append_tensorrt, rung__ort_result, (struct rung__ort_options *, const void *settings))  \
    X(171, create_tensorrt_settings, rung__ort_result, (void **settings))                          \
    X(172, update_tensorrt_settings, rung__ort_result,                                             \
      (void *settings, const char *const *keys, const char *const *values, size_t count))          \
    X(174, release_tensorrt_settings, void, (void *settings))                                      \
    X(204, append_cuda, rung__ort_result, (struct rung__ort_options *, const void *settings))      \
    X(205, create_cuda_settings, rung__ort_result, (void **settings))                              \
    X(206, update_cuda_settings, rung__ort_result,                                                 \
      (void *settings, const char *const *keys, const char *const *values, size_t count))          \
    X(208, release_cuda_settings, void, (void *settings))                                          \
    X(209, append_migraphx, rung__ort_result, (struct rung__ort_options *, const void *settings))  \
    X(216, append_by_name, rung__ort_result,                                                       \
      (struct rung__ort_options *, const char *name, const char *const *keys,                      \
       const char *const *values, size_t count))                                                   \
    X(407, get_assignment, rung__ort_result,                                                       \
      (const struct rung__ort_handle *, const void *const **parts, size_t *count))                 \
    X(408, get_part_provider, rung__ort_result, (const void *part, const char **name))

/** The real library, once it is loaded. */
struct real_calls {
#define STANDIN_FIELD(slot, field, result, arguments) result(*field) arguments;
    RUNG__ORT_CALLS(STANDIN_FIELD)
    MORE_CALLS(STANDIN_FIELD)
#undef STANDIN_FIELD
};
extern struct real_calls standin_real;

typedef void (*standin_slot)(void);

/* ---- steering.c ---- */

/** Ends the process with STANDIN_MISUSED: a test that steers wrongly must not pass. */
#define STANDIN_MISUSED 99
_Noreturn void standin_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Reads RUNG_STANDIN, or dies; `own_folder` is the name of the folder that this copy lies in. */
void standin_steer(const char *own_folder);

/**
 * Counts a call of the place, which is the provider's if that is not NULL, and tells the trace.
 * Gives the fault that is due at it, or NULL.
 */
const struct fault *standin_due(enum place place, const char *provider);
/** The same for a place where a fault has no other effect than to answer in place of the call. */
rung__ort_result standin_meet(enum place place, const char *provider);
const char *standin_place_name(enum place place);
/** How long `slow` takes at the call of this thread that was counted last. */
unsigned standin_slow_ms(void);

/* ---- faults.c ---- */

/** NULL: there is none of that name at that place. */
const struct fault *standin_find_fault(const char *name, enum place place);
void standin_list_faults(enum place place, char *to, size_t size);
/** True when the fault is the one of that name. */
bool standin_is(const struct fault *fault, const char *name);
/** Lines of the library's log go here, as the real ones do. */
void standin_log_to(rung__ort_log_fn *log, void *user);
/** The status of a call that fails. */
rung__ort_result standin_refuse(const char *message);

/* ---- providers.c ---- */

/** What is known of a set of options or a session of the real library. */
struct note {
    const void *of;
    char provider[64];     /**< that it pretends to run on; empty: it pretends nothing */
    char called[96];       /**< the provider, and behind a dot the device that it was given */
    char cache[PATH_MAX];  /**< the folder for its engines; empty: none */
    bool runs_on_cpu;      /**< and says so: the silent fallback */
    bool forbids_fallback; /**< the caller wants an error rather than the CPU */
    bool damaged;          /**< came from an engine that is not as it was written */
    const void *const *parts;
    size_t part_count;
};
/** "OpenVINO", "WebGPU" as they are appended; "…ExecutionProvider" as they are offered. What stands
 * behind a dot is no matter. */
bool standin_is_provider(const char *offered, const char *name);
/** The same; where the name has a device behind a dot, "OpenVINO.GPU", that has to be the same. */
bool standin_is_named(const char *called, const char *name);
/** The provider that options or a session were given to, the CPU's where it was none; behind a dot
 * its device, where an option `device_type` names one. */
const char *standin_provider_of(const struct note *note);
struct note *standin_find_note(const void *of); /* NULL: nothing is noted */
struct note *standin_make_note(const void *of);

void standin_take_provider_slots(standin_slot *table);

/* ---- engines.c ---- */

/** Loads the engine of a model from the note's folder, or makes it and writes it there. */
rung__ort_result standin_prepare_engine(struct note *note, const void *model, size_t size);

#endif
