/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_TRACT_ABI_H
#define RUNG__RUNTIME_TRACT_ABI_H

#include <stdint.h>

/*
 * What Rung uses of tract's C ABI, declared here because its package ships no header. The functions
 * changed from 0.22 to 0.23, so tract.c asks for the version before it takes any other symbol.
 */

/** Versions that these declarations are good for: 0.23.x from this x on. */
#define RUNG__TRACT_SERIES      "0.23."
#define RUNG__TRACT_PATCH_LEAST 6u /* the first that loads with options */

/* Opaque objects of the library. */
struct rung__tract_onnx;
struct rung__tract_inference_model; /* read from ONNX, shapes not yet known */
struct rung__tract_inference_fact;
struct rung__tract_model; /* every type and shape is known */
struct rung__tract_runnable;
struct rung__tract_fact; /* the type and shape of one input or output */
struct rung__tract_dim;
struct rung__tract_tensor;

/** 0, or not 0 and get_last_error() of the same thread tells why. */
typedef int rung__tract_result;

enum { RUNG__TRACT_U8 = 17, RUNG__TRACT_I8 = 33, RUNG__TRACT_F16 = 50, RUNG__TRACT_F32 = 52 };

/**
 * X(name, result, arguments): the symbol is "tract_" and the name. Who takes a pointer to a pointer
 * to destroy, release or convert an object sets it to NULL, also on failure.
 */
#define RUNG__TRACT_CALLS(X)                                                                       \
    X(get_last_error, const char *, (void))                                                        \
    X(onnx_create, rung__tract_result, (struct rung__tract_onnx **))                               \
    X(onnx_destroy, rung__tract_result, (struct rung__tract_onnx **))                              \
    X(onnx_load_buffer_with_options, rung__tract_result,                                           \
      (const struct rung__tract_onnx *, const void *data, uintptr_t size, const char *options,     \
       struct rung__tract_inference_model **))                                                     \
    X(inference_model_input_count, rung__tract_result,                                             \
      (const struct rung__tract_inference_model *, uintptr_t *))                                   \
    X(inference_model_output_count, rung__tract_result,                                            \
      (const struct rung__tract_inference_model *, uintptr_t *))                                   \
    X(inference_model_set_input_fact, rung__tract_result,                                          \
      (struct rung__tract_inference_model *, uintptr_t index,                                      \
       const struct rung__tract_inference_fact *))                                                 \
    X(inference_model_set_output_fact, rung__tract_result,                                         \
      (struct rung__tract_inference_model *, uintptr_t index,                                      \
       const struct rung__tract_inference_fact *))                                                 \
    X(inference_model_into_model, rung__tract_result,                                              \
      (struct rung__tract_inference_model **, struct rung__tract_model **))                        \
    X(inference_model_destroy, rung__tract_result, (struct rung__tract_inference_model **))        \
    X(inference_fact_parse, rung__tract_result,                                                    \
      (struct rung__tract_inference_model *, const char *text,                                     \
       struct rung__tract_inference_fact **))                                                      \
    X(inference_fact_empty, rung__tract_result, (struct rung__tract_inference_fact **))            \
    X(inference_fact_destroy, rung__tract_result, (struct rung__tract_inference_fact **))          \
    X(model_into_runnable, rung__tract_result,                                                     \
      (struct rung__tract_model **, struct rung__tract_runnable **))                               \
    X(runnable_input_count, rung__tract_result,                                                    \
      (const struct rung__tract_runnable *, uintptr_t *))                                          \
    X(runnable_output_count, rung__tract_result,                                                   \
      (const struct rung__tract_runnable *, uintptr_t *))                                          \
    X(runnable_input_fact, rung__tract_result,                                                     \
      (const struct rung__tract_runnable *, uintptr_t index, struct rung__tract_fact **))          \
    X(runnable_output_fact, rung__tract_result,                                                    \
      (const struct rung__tract_runnable *, uintptr_t index, struct rung__tract_fact **))          \
    X(runnable_run, rung__tract_result,                                                            \
      (struct rung__tract_runnable *, struct rung__tract_tensor * *inputs,                         \
       struct rung__tract_tensor * *outputs))                                                      \
    X(runnable_release, rung__tract_result, (struct rung__tract_runnable **))                      \
    X(fact_rank, rung__tract_result, (const struct rung__tract_fact *, uintptr_t *))               \
    X(fact_datum_type, rung__tract_result, (const struct rung__tract_fact *, int *))               \
    X(fact_dim, rung__tract_result,                                                                \
      (const struct rung__tract_fact *, uintptr_t axis, struct rung__tract_dim **))                \
    X(fact_destroy, rung__tract_result, (struct rung__tract_fact **))                              \
    X(dim_to_int64, rung__tract_result, (const struct rung__tract_dim *, int64_t *))               \
    X(dim_destroy, rung__tract_result, (struct rung__tract_dim **))                                \
    X(tensor_from_bytes, rung__tract_result,                                                       \
      (int type, uintptr_t rank, const uintptr_t *shape, void *data,                               \
       struct rung__tract_tensor **))                                                              \
    X(tensor_as_bytes, rung__tract_result,                                                         \
      (struct rung__tract_tensor *, int *type, uintptr_t *rank, const uintptr_t **shape,           \
       const void **data))                                                                         \
    X(tensor_destroy, rung__tract_result, (struct rung__tract_tensor **))

/** The functions in use, looked up once. */
struct rung__tract_calls {
#define RUNG__TRACT_FIELD(name, result, arguments) result(*name) arguments;
    RUNG__TRACT_CALLS(RUNG__TRACT_FIELD)
#undef RUNG__TRACT_FIELD
};

#endif
