/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_RUNTIME_H
#define RUNG__RUNTIME_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include <rung/result.h>

/** What a loaded runtime tells of itself. It all lives as long as the process. */
struct rung__runtime_description {
    const char *path, *version;
    uint32_t api; /**< 0: it has no numbered interface */
    char *const *providers;
    uint32_t provider_count;
};

/** A kind of inference library: how its files are named, and how one is loaded. */
struct rung__runtime {
    const char *name; /**< in reports */
    const char *text; /**< in sentences */
    struct {
        const char *prefix, *suffix;
    } files[3];                  /**< a file of it has one of these names; NULL prefix: no more */
    const char *system_names[3]; /**< looked up by the system, NULL-ended */
    bool by_name;                /**< the one that RUNG_RUNTIME names */
    bool strict;                 /**< no file of another name is taken for one of it */
    /** Loads the library, or takes the one that this process has loaded already. Safe from any
     * thread. */
    rung_result (*open)(const char *path);
    /** False while none is loaded. */
    bool (*describe)(struct rung__runtime_description *out);
};

enum {
    RUNG__RUNTIME_ORT,
    RUNG__RUNTIME_TRACT,
    RUNG__RUNTIME_PLUGIN, /**< of ONNX Runtime (ort/plugin_library.h); opened to be described only
                           */
    RUNG__RUNTIMES
};

/** One row a runtime, by the numbers above. */
extern const struct rung__runtime rung__runtimes[RUNG__RUNTIMES];

#endif
