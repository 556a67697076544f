/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_ORT_ABI_H
#define RUNG__RUNTIME_ORT_ABI_H

#include <stddef.h>
#include <stdint.h>

/*
 * What Rung uses of ONNX Runtime's C ABI, declared here because no runtime package ships the
 * header. The ABI is a table of function pointers that is only ever appended to, so a slot number
 * is a promise of every later version. ort.c checks at load that the table behaves as declared.
 */

/** API versions (the minor version of the library) that these declarations are good for. */
#define RUNG__ORT_API_LEAST 14u /* 1.14: the first that runs every model of opset 17 or 18 */
#define RUNG__ORT_API_MOST  29u /* 1.29 and later answer the requests of 29 */

struct rung__ort_api_base {
    const void *(*get_api)(uint32_t version);
    const char *(*get_version_string)(void);
};

/* Opaque objects of the library. */
struct rung__ort_status;
struct rung__ort_env;
struct rung__ort_handle; /* session */
struct rung__ort_options;
struct rung__ort_run_options;
struct rung__ort_value;
struct rung__ort_memory;
struct rung__ort_allocator;
struct rung__ort_binding;
struct rung__ort_type;
struct rung__ort_tensor_info;
struct rung__ort_settings; /* of CUDA or TensorRT, made by the library */
struct rung__ort_device;   /* of a plugin library */
struct rung__ort_part;     /* the nodes that one provider was given together */

/** Severities of its log: 0 verbose, 1 info, 2 warning, 3 error, 4 fatal. */
typedef void rung__ort_log_fn(void *user, int severity, const char *category, const char *logger,
                              const char *location, const char *message);

enum { RUNG__ORT_FLOAT = 1, RUNG__ORT_UINT8 = 2, RUNG__ORT_INT8 = 3, RUNG__ORT_FLOAT16 = 10 };

enum {
    RUNG__ORT_WARNING = 2,
    RUNG__ORT_ERROR = 3,
    RUNG__ORT_OPTIMIZE_ALL = 99,
    RUNG__ORT_DEVICE_ALLOCATOR = 0,
    RUNG__ORT_MEMORY_DEFAULT = 0,
    RUNG__ORT_ERROR_FAIL = 1
};

typedef struct rung__ort_status *rung__ort_result;

/** X(slot, field, result, arguments) */
#define RUNG__ORT_CALLS(X)                                                                         \
    X(0, create_status, rung__ort_result, (int code, const char *message))                         \
    X(1, get_error_code, int, (const struct rung__ort_status *))                                   \
    X(2, get_error_message, const char *, (const struct rung__ort_status *))                       \
    X(4, create_env_with_logger, rung__ort_result,                                                 \
      (rung__ort_log_fn *, void *user, int severity, const char *name, struct rung__ort_env **))   \
    X(6, disable_telemetry, rung__ort_result, (const struct rung__ort_env *))                      \
    X(8, create_session, rung__ort_result,                                                         \
      (const struct rung__ort_env *, const void *model, size_t size,                               \
       const struct rung__ort_options *, struct rung__ort_handle **))                              \
    X(10, create_options, rung__ort_result, (struct rung__ort_options **))                         \
    X(22, set_log_severity, rung__ort_result, (struct rung__ort_options *, int severity))          \
    X(23, set_optimization, rung__ort_result, (struct rung__ort_options *, int level))             \
    X(24, set_intra_threads, rung__ort_result, (struct rung__ort_options *, int count))            \
    X(25, set_inter_threads, rung__ort_result, (struct rung__ort_options *, int count))            \
    X(30, get_input_count, rung__ort_result, (const struct rung__ort_handle *, size_t *))          \
    X(31, get_output_count, rung__ort_result, (const struct rung__ort_handle *, size_t *))         \
    X(33, get_input_type, rung__ort_result,                                                        \
      (const struct rung__ort_handle *, size_t index, struct rung__ort_type **))                   \
    X(34, get_output_type, rung__ort_result,                                                       \
      (const struct rung__ort_handle *, size_t index, struct rung__ort_type **))                   \
    X(36, get_input_name, rung__ort_result,                                                        \
      (const struct rung__ort_handle *, size_t index, struct rung__ort_allocator *, char **))      \
    X(37, get_output_name, rung__ort_result,                                                       \
      (const struct rung__ort_handle *, size_t index, struct rung__ort_allocator *, char **))      \
    X(39, create_run_options, rung__ort_result, (struct rung__ort_run_options **))                 \
    X(46, set_terminate, rung__ort_result, (struct rung__ort_run_options *))                       \
    X(47, unset_terminate, rung__ort_result, (struct rung__ort_run_options *))                     \
    X(49, create_tensor, rung__ort_result,                                                         \
      (const struct rung__ort_memory *, void *data, size_t size, const int64_t *shape,             \
       size_t rank, int type, struct rung__ort_value **))                                          \
    X(55, get_tensor_info, rung__ort_result,                                                       \
      (const struct rung__ort_type *, const struct rung__ort_tensor_info **))                      \
    X(60, get_element_type, rung__ort_result, (const struct rung__ort_tensor_info *, int *))       \
    X(61, get_rank, rung__ort_result, (const struct rung__ort_tensor_info *, size_t *))            \
    X(62, get_dims, rung__ort_result,                                                              \
      (const struct rung__ort_tensor_info *, int64_t *, size_t count))                             \
    X(69, create_cpu_memory, rung__ort_result,                                                     \
      (int allocator, int type, struct rung__ort_memory **))                                       \
    X(76, allocator_free, rung__ort_result, (struct rung__ort_allocator *, void *))                \
    X(78, get_allocator, rung__ort_result, (struct rung__ort_allocator **))                        \
    X(92, release_env, void, (struct rung__ort_env *))                                             \
    X(93, release_status, void, (struct rung__ort_status *))                                       \
    X(94, release_memory, void, (struct rung__ort_memory *))                                       \
    X(95, release_session, void, (struct rung__ort_handle *))                                      \
    X(96, release_value, void, (struct rung__ort_value *))                                         \
    X(97, release_run_options, void, (struct rung__ort_run_options *))                             \
    X(98, release_type, void, (struct rung__ort_type *))                                           \
    X(100, release_options, void, (struct rung__ort_options *))                                    \
    X(125, get_providers, rung__ort_result, (char ***names, int *count))                           \
    X(126, release_providers, rung__ort_result, (char **names, int count))                         \
    X(130, set_config, rung__ort_result,                                                           \
      (struct rung__ort_options *, const char *key, const char *value))                            \
    X(133, run_with_binding, rung__ort_result,                                                     \
      (struct rung__ort_handle *, const struct rung__ort_run_options *,                            \
       const struct rung__ort_binding *))                                                          \
    X(134, create_binding, rung__ort_result,                                                       \
      (struct rung__ort_handle *, struct rung__ort_binding **))                                    \
    X(135, release_binding, void, (struct rung__ort_binding *))                                    \
    X(136, bind_input, rung__ort_result,                                                           \
      (struct rung__ort_binding *, const char *name, const struct rung__ort_value *))              \
    X(137, bind_output, rung__ort_result,                                                          \
      (struct rung__ort_binding *, const char *name, const struct rung__ort_value *))

/** Calls of execution providers: X(slot, field, result, arguments), all of the least version. */
#define RUNG__ORT_PROVIDER_CALLS(X)                                                                \
    X(170, append_tensorrt, rung__ort_result,                                                      \
      (struct rung__ort_options *, const struct rung__ort_settings *))                             \
    X(171, create_tensorrt, rung__ort_result, (struct rung__ort_settings **))                      \
    X(172, update_tensorrt, rung__ort_result,                                                      \
      (struct rung__ort_settings *, const char *const *keys, const char *const *values,            \
       size_t count))                                                                              \
    X(174, release_tensorrt, void, (struct rung__ort_settings *))                                  \
    X(204, append_cuda, rung__ort_result,                                                          \
      (struct rung__ort_options *, const struct rung__ort_settings *))                             \
    X(205, create_cuda, rung__ort_result, (struct rung__ort_settings **))                          \
    X(206, update_cuda, rung__ort_result,                                                          \
      (struct rung__ort_settings *, const char *const *keys, const char *const *values,            \
       size_t count))                                                                              \
    X(208, release_cuda, void, (struct rung__ort_settings *))                                      \
    X(216, append_named, rung__ort_result,                                                         \
      (struct rung__ort_options *, const char *name, const char *const *keys,                      \
       const char *const *values, size_t count))

/** Calls that came later: X(slot, field, result, arguments) of the version that names the list. */
#define RUNG__ORT_CALLS_OF_22(X)                                                                   \
    X(301, register_library, rung__ort_result,                                                     \
      (struct rung__ort_env *, const char *name, const char *path))                                \
    X(303, get_devices, rung__ort_result,                                                          \
      (const struct rung__ort_env *, const struct rung__ort_device *const **, size_t *count))      \
    X(304, append_devices, rung__ort_result,                                                       \
      (struct rung__ort_options *, struct rung__ort_env *, const struct rung__ort_device *const *, \
       size_t device_count, const char *const *keys, const char *const *values, size_t count))     \
    X(312, get_device_provider, const char *, (const struct rung__ort_device *))

#define RUNG__ORT_CALLS_OF_24(X)                                                                   \
    X(407, get_assignment, rung__ort_result,                                                       \
      (const struct rung__ort_handle *, const struct rung__ort_part *const **, size_t *count))     \
    X(408, get_part_provider, rung__ort_result, (const struct rung__ort_part *, const char **))    \
    X(409, get_part_nodes, rung__ort_result,                                                       \
      (const struct rung__ort_part *, const void *const **nodes, size_t *count))

/** The functions in use, taken from their slots once. */
struct rung__ort_calls {
#define RUNG__ORT_FIELD(slot, field, result, arguments) result(*field) arguments;
    RUNG__ORT_CALLS(RUNG__ORT_FIELD)
    RUNG__ORT_PROVIDER_CALLS(RUNG__ORT_FIELD)
    /* NULL where the library is older. */
    RUNG__ORT_CALLS_OF_22(RUNG__ORT_FIELD)
    RUNG__ORT_CALLS_OF_24(RUNG__ORT_FIELD)
#undef RUNG__ORT_FIELD
};

#endif
