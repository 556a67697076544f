/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_CONTRACT_H
#define RUNG__STAGE_CONTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include "artifact/format.h"
#include "stage/ledger.h"

/*
 * The steps around the model, each of which has several implementations (docs/stages.md). What an
 * implementation says of itself is a const table entry; what it does is behind four operations. The
 * model's forward pass is none of them.
 */

enum rung__stage {
    RUNG__STAGE_PREPROCESS,
    RUNG__STAGE_BUFFER,
    RUNG__STAGE_SCHEDULE,
    RUNG__STAGE_POSTPROCESS,
    RUNG__STAGE_ENGINE,
};

#define RUNG__STAGES          5u
#define RUNG__STAGE_ID_BYTES  32u
#define RUNG__STAGE_WHY_BYTES 256u

/** The implementation that every stage has, and whose bytes are right by definition. */
#define RUNG__STAGE_BASE "base"

/** How frames come: one at a time, or in a series, the next of which is at hand early. */
enum rung__scenario { RUNG__SCENARIO_FRAME = 1u << 0, RUNG__SCENARIO_SERIES = 1u << 1 };

/** What an implementation may need beyond the processor. */
enum rung__component {
    RUNG__COMPONENT_THREADS = 1u << 0, /**< more than one for preprocessing */
    RUNG__COMPONENT_IMPORT = 1u << 1,  /**< the runtime reads memory of ours */
    RUNG__COMPONENT_VULKAN = 1u << 2,
    RUNG__COMPONENT_CUDA = 1u << 3,
};

/** Where stages run, and for what: fixed when a context is made. */
struct rung__stage_context {
    const char *device;          /**< its kind: "cpu" */
    const char *device_id;       /**< which one, such as the processor's model */
    uint64_t cpu_flags;          /**< what kernels may use (kernel/cpu_flags.h) */
    const char *level;           /**< its name */
    uint32_t scenario;           /**< one of rung__scenario */
    uint32_t components;         /**< those that are there */
    uint32_t workers;            /**< threads that preprocessing may use, at least 1 */
    const char *model;           /**< the rung, its threads and the artifact that it runs, or "" */
    void *stream;                /**< of the device; NULL: the calling thread */
    struct rung__ledger *ledger; /**< that objects enter what they take in; NULL: none */
    const struct rung__canvas *canvas; /**< the resolved axes, type and layout; NULL: any model */
    const struct rung__selection *selection; /**< of a detector, else NULL */
    uint32_t head;
};

/** Why something cannot be, as one sentence. */
struct rung__why {
    char text[RUNG__STAGE_WHY_BYTES];
};

struct rung__stage_operations {
    /**
     * Can it serve here (`request` NULL, when a context is made), or this request? False with the
     * reason. Asked after what the metadata rule out; NULL: always. Constructs nothing.
     */
    bool (*check)(const struct rung__stage_context *context, const void *request,
                  struct rung__why *why);
    /** Makes the object, which holds all state; `*object` may stay NULL. OK, NO_MEMORY. */
    rung_result (*create)(const struct rung__stage_context *context, void **object);
    /** Allocates what a request like this one needs, so that `run` need not; NULL: nothing.
     * Results: OK, NO_MEMORY. */
    rung_result (*reserve)(void *object, const void *request);
    /** Does it. The request is the stage's own structure, named in stage/<stage>/<stage>.h. */
    rung_result (*run)(void *object, void *request);
    void (*destroy)(void *object); /**< NULL is allowed */
};

/** Evidence that comes with the library: parity runs of its own on processors of a level. */
struct rung__shipped_record {
    uint64_t cpu_flags; /**< at least one of these; 0: every processor */
};

/** What an implementation says of itself, readable without constructing it. */
struct rung__implementation {
    const char *id;
    const char *version;
    enum rung__stage stage;
    const char *device;                       /**< the kind it runs on: "cpu" */
    uint64_t cpu_flags;                       /**< at least one of these is needed; 0: none */
    uint32_t components;                      /**< all of these are needed */
    uint32_t scenarios;                       /**< those it is for alone; 0: all */
    uint32_t most_width, most_height;         /**< of the canvas */
    uint32_t dtypes, layouts;                 /**< of the canvas, bits 1 << number */
    const struct rung__implementation *needs; /**< of another stage, or NULL */
    bool for_others;      /**< of use only to what needs it: auto does not take it by itself */
    const char *fallback; /**< an id of the same stage; NULL: there is none */
    bool per_model;       /**< its use depends on the model: records hold for one */
    bool changes_numerics;
    bool supports_concurrency;                  /**< one object may serve several threads at once */
    const char *output;                         /**< what comes out, in words */
    const char *numerics;                       /**< "exact", or the bound */
    const char *stream;                         /**< when its work is done, in words */
    const struct rung__shipped_record *shipped; /**< NULL: records are earned on the device */
    const struct rung__stage_operations *operations;
};

#define RUNG__ALL_DTYPES                                                                           \
    (1u << RUNG_DTYPE_F32 | 1u << RUNG_DTYPE_F16 | 1u << RUNG_DTYPE_I8 | 1u << RUNG_DTYPE_U8)
#define RUNG__ALL_LAYOUTS                                                                          \
    (1u << RUNG_LAYOUT_PLANAR | 1u << RUNG_LAYOUT_INTERLEAVED | 1u << RUNG_LAYOUT_BGRA)

/** The members of metadata that every implementation of host memory without limits shares. */
#define RUNG__ON_ANY_CPU                                                                           \
    .version = "1", .device = "cpu", .most_width = RUNG__SIDE_MAX, .most_height = RUNG__SIDE_MAX,  \
    .dtypes = RUNG__ALL_DTYPES, .layouts = RUNG__ALL_LAYOUTS, .numerics = "exact"

/** True for the reference. */
bool rung__is_base(const struct rung__implementation *implementation);

/** "preprocess" and so on, as in catalogs and messages. */
const char *rung__stage_name(enum rung__stage stage);

/** The name of a component; NULL past the last bit. */
const char *rung__component_name(uint32_t bit);

/** Sets the sentence and returns false. */
__attribute__((format(printf, 2, 3))) bool rung__why_not(struct rung__why *why, const char *format,
                                                         ...);

/** What the metadata rule out, then what the implementation's own check does. */
bool rung__implementation_check(const struct rung__implementation *implementation,
                                const struct rung__stage_context *context, const void *request,
                                struct rung__why *why);

#endif
