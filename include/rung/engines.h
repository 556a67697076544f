/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_ENGINES_H
#define RUNG_ENGINES_H

#include <rung/export.h>
#include <rung/instance.h>
#include <rung/result.h>
#include <rung/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Some rungs compile a model for the device before they can run it (docs/ladder.md). What they
 * make, an engine, is kept in $XDG_CACHE_HOME/rung/engines (default ~/.cache/rung/engines); until
 * it is there a model is served by the next rung down. That folder may be deleted at any time: only
 * time is lost.
 */

/** Flags of rung_engines_options. */
enum {
    /** Also build what failed before and would be left alone. */
    RUNG_ENGINES_AGAIN = 1u << 0
};

/** How engines are built. All zero (but for size and version) is a good default. */
typedef struct rung_engines_options {
    uint32_t struct_size;   /**< sizeof(rung_engines_options) */
    uint32_t version;       /**< RUNG_STRUCT_VERSION */
    uint32_t flags;         /**< RUNG_ENGINES_*; others are refused */
    uint32_t threads;       /**< threads of one run; 0: the usable physical cores */
    uint32_t time_limit_ms; /**< of each engine; 0: 600000 */
    uint32_t reserved_0;
    const char *rung; /**< the rung that they are for; NULL: the one that a probe chose for each */
    uint64_t reserved[6];
} rung_engines_options;

/** How far it is. The strings live for the callback, and none is NULL. */
typedef struct rung_engines_progress {
    uint32_t struct_size; /**< sizeof(rung_engines_progress), set by the library */
    uint32_t version;     /**< RUNG_STRUCT_VERSION, set by the library */
    uint32_t flags;       /**< 0 */
    uint32_t done, total; /**< models that are through, and all of them */
    rung_result result;   /**< of this model: OK unless it is "failed" or "refused" */
    const char *path;     /**< its file */
    const char *rung;     /**< that it is for; "" when that is not known */
    /** "building"; then "built", "ready" (it was there), "failed", "refused" (its process died
     * twice with this model) or "none" (the rung compiles nothing). */
    const char *state;
    const char *reason; /**< one line; "" when there is nothing to say */
    uint64_t reserved[6];
} rung_engines_progress;

/** Receives the progress: each model once as "building" if it is, and once with its end. */
typedef void (*rung_engines_progress_callback)(void *user, const rung_engines_progress *progress);

/**
 * Builds the engines of `count` model files that are not there yet, the smallest file first, and
 * waits for them.
 *
 * Each is built in a child process of low priority under a time limit; one at a time is built for a
 * user, others wait for it, and what another process has built meanwhile is taken. An engine
 * appears whole, with the digest of each of its files. What cannot be built is remembered with the
 * reason, and not tried again until the model, the device, a driver or a library changes.
 *
 * `options` may be NULL, `callback` too; it is called on the calling thread. Safe from any thread.
 * Results: OK (every model is through, whatever became of it: the callback tells),
 * INVALID_ARGUMENT, VERSION, UNSUPPORTED (there is no helper program), NOT_FOUND (no such rung),
 * PERMISSION and IO (no engine can be kept: the cache folder is not the user's alone, or cannot be
 * written), NO_MEMORY.
 */
RUNG_API rung_result rung_engines_build(rung_instance *instance, const char *const *paths,
                                        uint32_t count, const rung_engines_options *options,
                                        rung_engines_progress_callback callback, void *user);

/**
 * The same in the background: returns at once. What is asked for while it goes on comes to what is
 * left. The callback is called on a thread of the library's until every model is through, but not
 * after rung_instance_destroy, which gives up what is on its way; it must not call back into the
 * library. `paths` are copied. Safe from any thread. Results: OK, INVALID_ARGUMENT, VERSION,
 * UNSUPPORTED, NOT_FOUND, NO_MEMORY.
 */
RUNG_API rung_result rung_engines_start(rung_instance *instance, const char *const *paths,
                                        uint32_t count, const rung_engines_options *options,
                                        rung_engines_progress_callback callback, void *user);

/**
 * Holds all building of an instance, in the background or not, until rung_engines_resume: on
 * battery, or while the application is not seen. The one on its way is given up at once, and begun
 * again after. Both may be called more often than needed, from any thread.
 */
RUNG_API void rung_engines_pause(rung_instance *instance);
RUNG_API void rung_engines_resume(rung_instance *instance);

/** One engine. The strings live for the callback, and none is NULL. */
typedef struct rung_engine {
    uint32_t struct_size; /**< sizeof(rung_engine), set by the library */
    uint32_t version;     /**< RUNG_STRUCT_VERSION, set by the library */
    uint32_t flags;       /**< 0 */
    rung_result result;   /**< OK; INTEGRITY: damaged, then what follows may be "" or 0; BACKEND:
                               unbuilt; else what happened when it was to be read */
    /** "current"; "outdated": of another device, or other drivers or libraries; "damaged";
     * "unreadable"; "unbuilt": no engine, as it could not be built. */
    const char *state;
    const char *reason; /**< one line; "" when there is nothing to say */
    const char *name;   /**< of its folder */
    const char *model, *rung, *precision;
    const char *artifact; /**< content digest of the model: 64 hexadecimal digits */
    uint64_t bytes;
    int64_t built_s; /**< seconds since 1970 */
    int64_t used_s;  /**< the same, of its last use */
    uint32_t files, reserved_0;
    uint64_t reserved[6];
} rung_engine;

/** Receives the engines one after the other, on the calling thread. */
typedef void (*rung_engine_callback)(void *user, const rung_engine *engine);

/**
 * Tells of each engine that is there, in the order of the names of their folders, and then of those
 * that could not be built. Nothing but their records is read. Safe from any thread. Results: OK,
 * INVALID_ARGUMENT, PERMISSION (the cache folder is not the user's alone), IO, NO_MEMORY.
 */
RUNG_API rung_result rung_engines_list(rung_instance *instance, rung_engine_callback callback,
                                       void *user);

/**
 * Reads all of them, tells of each that is there, and removes those that are not as they were
 * built. Every engine is verified when it is used in any case. Safe from any thread. Results: those
 * of rung_engines_list, and TIMEOUT (another process holds the folder).
 */
RUNG_API rung_result rung_engines_verify(rung_instance *instance, rung_engine_callback callback,
                                         void *user);

/**
 * Removes all engines, but not what is in use or in the making, and forgets what could not be
 * built. `*count` and `*bytes` (may be NULL) tell what is gone. Safe from any thread. Results:
 * those of rung_engines_verify.
 */
RUNG_API rung_result rung_engines_clear(rung_instance *instance, uint32_t *count, uint64_t *bytes);

/** Which engine goes into which file. */
typedef struct rung_engine_export_options {
    uint32_t struct_size;    /**< sizeof(rung_engine_export_options) */
    uint32_t version;        /**< RUNG_STRUCT_VERSION */
    const char *model_path;  /**< the model file that the engine was made of */
    const char *output_path; /**< written whole or not at all; replaced when it exists */
    const char *key_path;    /**< private PEM; NULL: the file is unsigned */
    const char *rung;        /**< that it is for; NULL: the first whose engine is one file */
    uint64_t reserved[4];
} rung_engine_export_options;

/**
 * Makes a model file of kind 3 of an engine that is built: with everything that the model's own
 * file has but its graph, and with what it was compiled for. rung_model_open takes it on that very
 * device, with the same drivers and libraries, and serves it on that rung alone.
 *
 * Safe from any thread. Results: OK, INVALID_ARGUMENT, VERSION, NOT_FOUND (the engine is not built,
 * or no such rung), UNSUPPORTED (no rung makes one file of it), those of rung_artifact_verify for
 * the model, BACKEND (signing failed), IO, NO_MEMORY.
 */
RUNG_API rung_result rung_engine_export(rung_instance *instance,
                                        const rung_engine_export_options *options);

#ifdef __cplusplus
}
#endif

#endif
