/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_RUNGS_H
#define RUNG__LADDER_RUNGS_H

#include "hardware/hardware.h"
#include "provider/provider.h"

/* The rungs of this version as data: whatever knows a rung apart from another reads it here. */

/** An option that a rung is run with. */
struct rung__rung_option {
    const char *name;
    /** `{threads}` stands for the threads of one run, `{engines}` for the folder that keeps what
     * was compiled for this model and precision alone. */
    const char *value;
};

/** Platforms, as the bits of rung__rung.platforms. */
enum {
    RUNG__PLATFORM_LINUX = 1u << 0,
    RUNG__PLATFORM_WINDOWS = 1u << 1,
    RUNG__PLATFORM_MACOS = 1u << 2,
    RUNG__PLATFORM_ANDROID = 1u << 3,
    RUNG__PLATFORM_ANY = RUNG__PLATFORM_LINUX | RUNG__PLATFORM_WINDOWS | RUNG__PLATFORM_MACOS |
                         RUNG__PLATFORM_ANDROID
};

/** How good it is to have a library for it, other things unknown: what decides between libraries
 * before anything was measured. */
enum rung__rank {
    RUNG__RANK_CPU,
    RUNG__RANK_ANY_GPU,
    RUNG__RANK_INTEL,
    RUNG__RANK_VENDOR /**< of the device's own vendor */
};

/** One way to run a model. */
struct rung__rung {
    const char *id;
    const char *text;                      /**< one sentence */
    const struct rung__provider *provider; /**< NULL: this version lists it and cannot run it */
    bool automatic;                        /**< taken without being named */
    bool floor;         /**< what its answers are is what those of others are compared with */
    bool compiling;     /**< it makes an engine for the device before it can run */
    uint32_t platforms; /**< RUNG__PLATFORM_* */
    const char *device; /**< what it is for, as in "an NVIDIA GPU"; NULL: it needs none */
    bool (*matches)(const struct rung__hardware *); /**< that device is here; NULL with `device` */
    enum rung__rank rank;                           /**< of the library that it needs */
    const char *executed_by; /**< the execution provider of ONNX Runtime, NULL: none of those */
    const char *model_form;  /**< which form of a model it takes */
    const char *precision;   /**< what it computes in */
    const char *fallback;    /**< the rung below it; NULL: it is the last */
    /** Of ONNX Runtime's session, beside those of every session (runtime/ort/session.c). */
    const struct rung__rung_option *session;
    const struct rung__rung_option *options; /**< the execution provider's; both end with NULL */
};

/** The rungs, best first, and their number. */
extern const struct rung__rung rung__rungs[];
extern const uint32_t rung__rung_count;

/** The rung of an id, or NULL. */
const struct rung__rung *rung__rung_named(const char *id);

/** What stands between a rung and running here, before anything is built on it. */
enum rung__obstacle {
    RUNG__OBSTACLE_NONE,
    RUNG__OBSTACLE_ABSENT,    /**< something that it needs is not here */
    RUNG__OBSTACLE_UNMEASURED /**< all is here but the code that would run it */
};

/**
 * Compares a rung with this platform, with the machine, and with what the loaded ONNX Runtime
 * offers (NULL: none is loaded); `reason`, of `size` bytes, says in words what is missing.
 */
enum rung__obstacle rung__rung_obstacle(const struct rung__rung *rung,
                                        const struct rung__hardware *hardware,
                                        const struct rung__runtime_description *ort, char *reason,
                                        size_t size);

#endif
