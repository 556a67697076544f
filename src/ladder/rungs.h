/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_RUNGS_H
#define RUNG__LADDER_RUNGS_H

#include "hardware/hardware.h"
#include "provider/provider.h"

/* The rungs of this version as data: whatever knows a rung apart from another reads it here. */

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

/** Forms of a model, as the bits of rung__rung.forms: bit 1 << rung_form. */
enum {
    RUNG__FORMS_F32 = 1u << RUNG_FORM_F32,
    RUNG__FORMS_QUANTISED = 1u << RUNG_FORM_INT8 | 1u << RUNG_FORM_A16W8 | 1u << RUNG_FORM_A16W16,
    RUNG__FORMS_ANY = RUNG__FORMS_F32 | 1u << RUNG_FORM_F16 | RUNG__FORMS_QUANTISED
};

/** A rung that computes in what the model is in. */
#define RUNG__PRECISION_OF_MODEL 0u

/** One way to run a model. */
struct rung__rung {
    const char *id;
    const char *text; /**< one sentence */
    const struct rung__provider *provider;
    bool automatic;     /**< taken without being named */
    bool floor;         /**< what its answers are is what those of others are compared with */
    bool compiling;     /**< it makes an engine for the device before it can run */
    uint32_t platforms; /**< RUNG__PLATFORM_* */
    const char *device; /**< what it is for, as in "an NVIDIA GPU"; NULL: it needs none */
    bool (*matches)(const struct rung__hardware *); /**< that device is here; NULL with `device` */
    enum rung__rank rank;                           /**< of the library that it needs */
    const char *executed_by; /**< the execution provider of ONNX Runtime, NULL: none of those */
    uint32_t forms;          /**< of a model that it takes: RUNG__FORMS_* */
    uint32_t precision;      /**< what it computes in: a rung_form, or RUNG__PRECISION_OF_MODEL */
    const char *fallback;    /**< the rung below it; NULL: it is the last */
    /** The file of its engine that is a model of its own and is loaded in place of the first; NULL:
     * the engine is read by the provider itself. */
    const char *compiled;
    /** Of ONNX Runtime's session, beside those of every session (runtime/ort/session.c), and the
     * execution provider's. Values as execution.h reads them. */
    const struct rung__option *session, *options;
    const char *told; /**< of a ladder file: its entry (ladder/table.h); else NULL */
};

/** The rungs, best first, and their number. */
extern const struct rung__rung rung__rungs[];
extern const uint32_t rung__rung_count;

/** The rung of an id, or NULL. */
const struct rung__rung *rung__rung_named(const char *id);

/**
 * True when all is here that a rung needs: this platform, its device in the machine, a provider
 * that the ONNX Runtime at hand offers (NULL: there is none), or that a plugin brings to it. Else
 * `reason`, of `size` bytes, says in words what is missing.
 */
bool rung__rung_is_present(const struct rung__rung *rung, const struct rung__hardware *hardware,
                           const struct rung__runtime_description *ort, bool has_plugin,
                           char *reason, size_t size);

#endif
