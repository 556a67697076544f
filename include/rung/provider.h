/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_PROVIDER_H
#define RUNG_PROVIDER_H

#include <rung/export.h>
#include <rung/instance.h>
#include <rung/result.h>
#include <rung/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A provider of one's own: something that runs whole models, beside ONNX Runtime and tract. It is
 * given one complete model, says whether it can run it and what goes in and comes out, and then
 * turns an input tensor into output tensors. Pictures, decoding and packets are the library's.
 * There is no interface for single operators. docs/providers.md shows how one is written.
 */

/** A size that a provider does not know. */
#define RUNG_PROVIDER_UNKNOWN UINT64_MAX

#define RUNG_PROVIDER_OUTPUTS_MAX  16u
#define RUNG_PROVIDER_RANK_MAX     8u
#define RUNG_PROVIDER_TENSOR_BYTES 212u /**< of a tensor's name, with its zero */
#define RUNG_PROVIDER_TEXT_BYTES   256u /**< of a sentence, with its zero */
#define RUNG_PROVIDER_ID_BYTES     64u  /**< of a device, with the zero */

/** Alignment that the memory of every input and output has at least, and the most that a provider
 * may say: bytes, powers of two. */
#define RUNG_PROVIDER_ALIGNMENT_LEAST 64u
#define RUNG_PROVIDER_ALIGNMENT_MOST  65536u

/** An input or an output of a model. Its size is fixed; it grows into its reserved fields only. */
typedef struct rung_provider_tensor {
    char name[RUNG_PROVIDER_TENSOR_BYTES]; /**< in the graph: UTF-8 with a terminating zero */
    rung_dtype dtype;
    rung_layout layout;                    /**< of the input; 0 for an output */
    uint32_t rank;                         /**< 1..8 */
    uint32_t dims[RUNG_PROVIDER_RANK_MAX]; /**< outermost first; 0 behind the rank */
    uint32_t alignment; /**< of its memory, bytes; 0: RUNG_PROVIDER_ALIGNMENT_LEAST */
    uint32_t reserved[7];
} rung_provider_tensor;

/**
 * Bytes by kind; RUNG_PROVIDER_UNKNOWN where the provider cannot tell. Nothing is counted twice.
 * Its size is fixed; it grows into its reserved fields only.
 */
typedef struct rung_provider_memory {
    uint64_t host;      /**< of the processor: inputs, outputs, and what is none of those below */
    uint64_t device;    /**< of the device: inputs, outputs, weights as they are in the file */
    uint64_t workspace; /**< for what is between layers, wherever it is */
    uint64_t packed;    /**< weights in the provider's own order, wherever they are */
    uint64_t opaque;    /**< held by a driver or a library for it, in no other way known */
    uint64_t reserved[3];
} rung_provider_memory;

/** Flags of rung_provider_device. */
enum {
    /** It computes on the processor. */
    RUNG_PROVIDER_DEVICE_CPU = 1u << 0
};

/** A device that a provider can run on. The library sets size and version and zeroes the rest. */
typedef struct rung_provider_device {
    uint32_t struct_size;
    uint32_t version;
    uint32_t flags; /**< RUNG_PROVIDER_DEVICE_* */
    uint32_t reserved_0;
    char id[RUNG_PROVIDER_ID_BYTES];     /**< by which the provider knows it again; not empty */
    char text[RUNG_PROVIDER_TEXT_BYTES]; /**< what it is, for people */
    uint64_t reserved[8];
} rung_provider_device;

/** Flags of rung_provider_model. */
enum {
    /** All of the model is to run on the device: what would run it partly elsewhere is refused. The
     * library always asks for that. */
    RUNG_PROVIDER_STRICT = 1u << 0
};

/**
 * One complete, verified model, as a provider is asked for it. `graph` lives until destroy_model;
 * everything else that it points at lives for the call.
 */
typedef struct rung_provider_model {
    uint32_t struct_size;
    uint32_t version;
    uint32_t flags;          /**< RUNG_PROVIDER_STRICT */
    uint32_t threads;        /**< of one run on the processor, at least 1 */
    const void *graph;       /**< the payload of the model file */
    uint64_t graph_bytes;    /**< at least 1 */
    const char *name;        /**< of the model, such as "centerface" */
    const char *digest;      /**< SHA-256 of the payload, 64 hexadecimal digits: a key for what was
                                  compiled of it */
    const char *device;      /**< the id of the first device that enumerate_devices told; NULL
                                  without that function */
    rung_artifact_kind kind; /**< RUNG_ARTIFACT_ONNX */
    rung_role role;
    rung_form form; /**< of the graph */
    /** What its numbers are to be computed in. It names the results, and an embedder's may only be
     * f32, so another one is refused, not taken in silence. */
    rung_form precision;
    /** What the file declares, and what must go in and come out, by name: the library compares. */
    const rung_provider_tensor *input;
    const rung_provider_tensor *outputs; /**< output_count of them */
    uint32_t output_count;               /**< 1..16 */
    uint32_t reserved_0;
    uint64_t reserved[8];
} rung_provider_model;

/** Flags of rung_provider_answer. */
enum {
    /** The provider can run the model; without it `reason` says why not. */
    RUNG_PROVIDER_CAN_RUN = 1u << 0,
    /** Only a part of it would run on the device, the rest elsewhere; `reason` says which. */
    RUNG_PROVIDER_PARTIAL = 1u << 1,
    /** create_model compiles before it can run, which may take minutes. */
    RUNG_PROVIDER_COMPILES = 1u << 2,
    /** What it would compile is there already, from another time. */
    RUNG_PROVIDER_ENGINE_PRESENT = 1u << 3
};

/** Memory of others that a provider could take frames from (rung_surface_import): bits. */
enum {
    RUNG_PROVIDER_SURFACE_SHARED = 1u << 0, /**< shared memory by a file descriptor */
    RUNG_PROVIDER_SURFACE_DMABUF = 1u << 1
};

/** What a provider says of one model. The library sets size and version and zeroes the rest; the
 * members of `memory` are RUNG_PROVIDER_UNKNOWN. */
typedef struct rung_provider_answer {
    uint32_t struct_size;
    uint32_t version;
    uint32_t flags;                             /**< RUNG_PROVIDER_CAN_RUN, … */
    rung_form precision;                        /**< what it would compute in; 0: as asked */
    char reason[RUNG_PROVIDER_TEXT_BYTES];      /**< a sentence; "" when there is nothing to say */
    char executed_by[RUNG_PROVIDER_TEXT_BYTES]; /**< what would execute it, in reports; "": the
                                                     device's text, else the provider's name */
    rung_provider_tensor input;
    rung_provider_tensor outputs[RUNG_PROVIDER_OUTPUTS_MAX]; /**< in the provider's order */
    uint32_t output_count;
    uint32_t surfaces;        /**< RUNG_PROVIDER_SURFACE_* that can be imported */
    uint32_t copied_surfaces; /**< those of them that are copied on the way */
    uint32_t reserved_0;
    rung_provider_memory memory; /**< that the model and one context would take */
    uint64_t reserved[8];
} rung_provider_answer;

/**
 * The memory that a context runs on: the provider's, from create_context to destroy_context, as
 * long and as aligned as query_model said. The library zeroes all of it at first, writes the input
 * before a run and reads the outputs after it. It sets size and version and zeroes the rest here.
 */
typedef struct rung_provider_buffers {
    uint32_t struct_size;
    uint32_t version;
    void *input;
    uint64_t input_bytes;
    void *outputs[RUNG_PROVIDER_OUTPUTS_MAX]; /**< in the order of the answer's */
    uint64_t output_bytes[RUNG_PROVIDER_OUTPUTS_MAX];
    uint64_t reserved[4];
} rung_provider_buffers;

/** Flags of rung_provider. */
enum {
    /** A run takes one thread, whatever it is offered. */
    RUNG_PROVIDER_ONE_THREAD = 1u << 0
};

/**
 * A provider: a table of its functions.
 *
 * Threads. Functions that take `user` or a model may be called from several threads at once, also
 * for one model. Those of a context are called from one thread at a time, not always the same one,
 * but for `cancel` and `memory_stats`, which may come at any moment from any thread. No function
 * may call back into the instance that it is registered with.
 *
 * Order. query_model, create_model, create_context … destroy_context, destroy_model; every
 * create that succeeded is followed by one destroy, every submit that succeeded by one end of the
 * run, before anything else of that context but cancel and memory_stats. From submit to that end
 * nothing is allocated by the library, nor any lock taken; a provider that does waits for itself
 * alone.
 *
 * Results. Each function may give OK, BACKEND, DEVICE_LOST and NO_MEMORY, and those that it names;
 * any other is reported as BACKEND. One that fails calls rung_provider_fail with a sentence on the
 * thread that it returns to. DEVICE_LOST of a run ends the use of the context: only destroy_context
 * is called for it, and rung_context_rebuild loads the model anew. Of a create it is reported as
 * BACKEND.
 */
typedef struct rung_provider {
    uint32_t struct_size; /**< sizeof(rung_provider) */
    uint32_t version;     /**< RUNG_STRUCT_VERSION */
    uint32_t flags;       /**< RUNG_PROVIDER_ONE_THREAD */
    uint32_t forms;       /**< of models that it takes: bits 1 << rung_form; 0: all */
    /** What it computes models in f32 in; 0: in f32. Models in other forms are computed in those.
     */
    rung_form precision;
    uint32_t reserved_0;
    const char *name; /**< its rung's id: 1 to 31 of a-z, 0-9 and -, not beginning with - */
    const char *text; /**< what it is, one line of at most 200 bytes, for rung explain */
    void *user;       /**< given to the functions */

    /**
     * Tells device `index`, from 0, the best first; NOT_FOUND past the last one. The first is the
     * one that is used. Called whenever the rungs are looked at, so it should be quick. NULL: it
     * needs no device but the processor. Also: NOT_FOUND.
     */
    rung_result (*enumerate_devices)(void *user, uint32_t index, rung_provider_device *device);

    /**
     * Says of a model what would become of it, without loading it: called before create_model with
     * the same request. A model that it cannot run is OK, an answer without RUNG_PROVIDER_CAN_RUN
     * and with a reason. Not NULL.
     */
    rung_result (*query_model)(void *user, const rung_provider_model *request,
                               rung_provider_answer *answer);

    /**
     * Loads: checks, packs, compiles. It may take its time; nothing is compiled later. `*model` is
     * set on success. Not NULL. Also: UNSUPPORTED, INTEGRITY (the graph is none).
     */
    rung_result (*create_model)(void *user, const rung_provider_model *request, void **model);

    /** Ends a model, which has no context left. Not NULL. */
    void (*destroy_model)(void *model);

    /**
     * Allocates all that runs need, and gives the memory of input and outputs. `*context` is set on
     * success. Not NULL.
     */
    rung_result (*create_context)(void *model, rung_provider_buffers *buffers, void **context);

    /** Ends a context, in which nothing runs. Not NULL. */
    void (*destroy_context)(void *context);

    /**
     * Begins a run of the input, and may return before it is done; the library leaves input and
     * outputs alone until it has ended. After a failure nothing runs, and no other function is
     * called for it. Not NULL.
     */
    rung_result (*submit)(void *context);

    /**
     * OK when the run has ended, well or not; BUSY while it goes on. Called every 50 µs where there
     * is no `wait`. NULL: `wait` or `collect` waits. Also: BUSY. A failure is the end of the run,
     * and it is not collected.
     */
    rung_result (*poll)(void *context);

    /**
     * Waits for the end of the run; OK as poll, TIMEOUT after `timeout_ns` (UINT64_MAX: it waits as
     * long as it takes). NULL: it is polled, or `collect` waits. Also: TIMEOUT. A failure as poll.
     */
    rung_result (*wait)(void *context, uint64_t timeout_ns);

    /**
     * Ends the run and says what became of it, after waiting where neither `wait` nor `poll` is
     * there. OK: the outputs are written, and stay until the next submit. Not NULL. Also:
     * CANCELLED.
     */
    rung_result (*collect)(void *context);

    /**
     * Asks the run to end early: it is waited for and collected as always, as CANCELLED when it was
     * heard. Called once at most for a run, from any thread, behind the return of submit and before
     * that of collect; the run may just have ended. It must not wait. NULL: runs end by themselves.
     */
    void (*cancel)(void *context);

    /**
     * Brings a context back to where a run may be submitted, after one that did not end with OK or
     * CANCELLED. NULL: it is always there. After a failure the context runs nothing more.
     */
    rung_result (*reset)(void *context);

    /**
     * Returns when the device has done with all that the context gave it. Called before
     * destroy_context, and before reset. NULL: what has ended leaves nothing behind.
     */
    rung_result (*synchronize)(void *context);

    /**
     * Tells what a context and its model hold by now; all members are RUNG_PROVIDER_UNKNOWN before.
     * Quick, and allowed during a run. NULL, or a failure: what query_model said stands.
     */
    rung_result (*memory_stats)(const void *context, rung_provider_memory *memory);

    uint64_t reserved[8];
} rung_provider;

/**
 * Registers a provider with an instance: one more rung, with its name, at the end of the table
 * (docs/ladder.md).
 *
 * It serves the models that name it (rung_model_options.rung, RUNG_RUNG), and stands in
 * rung_instance_explain. It is never chosen unasked, as a probe runs in processes that do not have
 * it. The table and its texts are copied; the functions and `user` must last until
 * rung_instance_destroy has returned. Registration belongs to the making of an instance: no other
 * call of that instance may run meanwhile on any thread, and it closes when the first model is
 * opened or probed, or engines are begun to be built, whatever comes of that. Results: OK,
 * INVALID_ARGUMENT (a function or a text is missing, or out of range; the detail names it),
 * VERSION, ALREADY_EXISTS (a rung or a provider has the name), STATE (a model was opened), CAPACITY
 * (there are as many rungs as there may be), NO_MEMORY.
 */
RUNG_API rung_result rung_instance_register_provider(rung_instance *instance,
                                                     const rung_provider *provider);

/**
 * For a provider's functions: sets what rung_last_error says on this thread to `reason`, and
 * returns `result`, so that one that fails ends with
 * `return rung_provider_fail(RUNG_BACKEND, "the queue does not answer: …")`. The library puts the
 * provider's name before it. `reason` is copied, up to 700 bytes; NULL reads as "". Safe from any
 * thread. Results: `result`.
 */
RUNG_API rung_result rung_provider_fail(rung_result result, const char *reason);

#ifdef __cplusplus
}
#endif

#endif
