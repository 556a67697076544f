/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_INSTANCE_H
#define RUNG_INSTANCE_H

#include <rung/export.h>
#include <rung/result.h>
#include <rung/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Importance of a log line, rising. */
typedef enum rung_log_level {
    RUNG_LOG_DEBUG = 1,
    RUNG_LOG_INFO = 2,
    RUNG_LOG_WARNING = 3,
    RUNG_LOG_ERROR = 4
} rung_log_level;

/**
 * Receives what the library and the runtime below it have to say; the library prints nothing.
 * `text` is one line of UTF-8 without a line end and lives for the call. Called from any thread,
 * possibly from several at once; it must not call back into the library.
 */
typedef void (*rung_log_callback)(void *user, int32_t level, const char *text);

/** Flags of rung_instance_options. */
enum {
    /** Admit model files without a signature; every report of such a model says so. */
    RUNG_INSTANCE_ALLOW_UNSIGNED = 1u << 0,
    /** Read no environment variable. It is implied when the process has elevated privileges. */
    RUNG_INSTANCE_NO_ENVIRONMENT = 1u << 1,
    /**
     * Make no process, for a host that may make none: the helper program is not run. What would be
     * tried in a process of its own is then tried on a thread of this one, or not at all: rungs of
     * other runtimes than the one that is loaded, and tract.
     */
    RUNG_INSTANCE_NO_CHILDREN = 1u << 2
};

/** Which rungs are measured (docs/ladder.md). */
typedef enum rung_probe_policy {
    RUNG_PROBE_DEFAULT = 0,
    RUNG_PROBE_OFF = 1,   /**< none: nothing is measured unasked */
    RUNG_PROBE_FIRST = 2, /**< those in order, until the first that beats the floor */
    RUNG_PROBE_ALL = 3    /**< all that can run here; the fastest is chosen */
} rung_probe_policy;

/** How an instance is made. All zero (but for size and version) is a good default. */
typedef struct rung_instance_options {
    uint32_t struct_size; /**< sizeof(rung_instance_options) */
    uint32_t version;     /**< RUNG_STRUCT_VERSION */
    uint32_t flags;       /**< RUNG_INSTANCE_*; others are refused */
    int32_t log_level;    /**< least level that is reported; 0: RUNG_LOG_WARNING */
    rung_log_callback log;
    void *log_user;
    /**
     * Where inference runtimes are looked for, before everything else: a library file, a folder
     * that holds one, or a folder of such folders; several are separated by ':' (';' on Windows).
     * NULL: RUNG_RUNTIME_PATH, then what is installed beside the library, then the system's.
     */
    const char *runtime_path;
    /**
     * Public keys (PEM files or folders of `*.pem`) whose models are trusted, separated like
     * runtime_path. They are added to RUNG_TRUST_PATH and to the user's folder
     * ($XDG_CONFIG_HOME/rung/trust, default ~/.config/rung/trust).
     */
    const char *trust_path;
    /**
     * The helper program rung-probe, a file: it tries in a process of its own what may kill a
     * process. NULL: the one that was installed with the library; it is never looked for in PATH.
     */
    const char *helper_path;
    /**
     * Which rungs are measured unasked: after the first answer of a process that finds no verdict
     * of this device, a process of the lowest priority does what rung_model_probe does, once, and
     * goes on where this one ends. Without the helper program a thread of this process does, and
     * rung_instance_destroy waits for what it is just trying, at most ten seconds. DEFAULT:
     * RUNG_PROBE, else all when the machine is idle, the first when it is not.
     */
    rung_probe_policy probe;
    uint32_t reserved_0;
    uint64_t engine_cache_bytes; /**< that the user's engines may take on the disk (rung/engines.h):
                                      those least recently used go first; 0:
                                      RUNG_ENGINE_CACHE_BYTES, else 4 GiB */
    /**
     * A ladder file (docs/ladder.md), which adds, removes or reorders rungs. NULL: RUNG_LADDER,
     * else the rungs of this version.
     */
    const char *ladder_path;
    uint64_t reserved[4];
} rung_instance_options;

/** One user of the library: its configuration, trust, runtime and models. Opaque. */
typedef struct rung_instance rung_instance;

/**
 * Makes an instance. Environment variables are read here and nowhere else; no runtime is loaded
 * yet.
 *
 * `options` may be NULL for the defaults; it is not kept. `*out` is set on success and belongs to
 * the caller, who ends it with rung_instance_destroy after the models made from it. Safe from any
 * thread; several instances may live in one process, but all of them share the one ONNX Runtime
 * and the one tract that the first of them loaded. Results: OK, INVALID_ARGUMENT (also for a
 * RUNG_PROBE that says nothing known, and a ladder file that is none), VERSION, IO (a ladder file
 * that cannot be read), NO_MEMORY.
 */
RUNG_API rung_result rung_instance_create(const rung_instance_options *options,
                                          rung_instance **out);

/** Ends an instance whose models are all destroyed, on any thread, while no other call of it is
 * under way. NULL is allowed. The runtimes stay loaded. */
RUNG_API void rung_instance_destroy(rung_instance *instance);

/**
 * Writes a JSON object that tells what this device is, which rungs there are, which one is taken,
 * and why: `{"schema":1,"device":{…},"chosen":{"rung":…,"reason":…},"rungs":[…],…}`
 * (docs/explain.md). It loads one of each runtime if none is.
 *
 * `json` receives UTF-8 with a terminating zero. `*needed` (may be NULL) is set to the size with
 * that zero, also when it does not fit. Safe from any thread. Results: OK, INVALID_ARGUMENT,
 * CAPACITY, NO_MEMORY.
 */
RUNG_API rung_result rung_instance_explain(rung_instance *instance, rung_span json, size_t *needed);

/**
 * Writes the same in one line for people, for the settings of an application: "centerface runs on
 * ort-cpu (ONNX Runtime 1.31.1, 45 ms): nothing here is faster". The words may change with the
 * version; what a program wants to know it reads in rung_instance_explain.
 *
 * `line` receives UTF-8 with a terminating zero, at most 1024 bytes; `*needed` as above. Safe from
 * any thread. Results: OK, INVALID_ARGUMENT, CAPACITY, NO_MEMORY.
 */
RUNG_API rung_result rung_instance_summary(rung_instance *instance, rung_span line, size_t *needed);

/**
 * Keeps the rung that the user wants in place of what a probe chooses, in the user's state folder
 * ($XDG_STATE_HOME/rung, default ~/.local/state/rung), for this and every later program of the
 * user; NULL forgets it.
 *
 * It stays when the device, the libraries or the version change. rung_model_options.rung and
 * RUNG_RUNG go before it. Where it cannot serve a model, that goes to the next rung down, and a
 * warning says so. `rung` is not kept. Safe from any thread. Results: OK, INVALID_ARGUMENT,
 * NOT_FOUND (no such rung), UNSUPPORTED (one for tests, or there is no state folder), PERMISSION
 * (the folder is not the user's alone), IO, NO_MEMORY.
 */
RUNG_API rung_result rung_instance_use(rung_instance *instance, const char *rung);

/** One environment variable that the library reads. */
typedef struct rung_environment_variable {
    const char *name;
    const char *text; /**< one sentence */
} rung_environment_variable;

/**
 * The environment variables that rung_instance_create reads, in the order of their names.
 * `index` counts from 0. The strings are static. Safe from any thread. Results: OK,
 * INVALID_ARGUMENT, NOT_FOUND (past the end).
 */
RUNG_API rung_result rung_environment_variable_get(uint32_t index, rung_environment_variable *out);

/**
 * The threads that one run takes when nothing else is said: the physical cores that this process
 * may use, minus two on machines with more than four. At least 1. Safe from any thread.
 */
RUNG_API uint32_t rung_default_threads(void);

/** The version of the library, such as "0.1.0". Static. Safe from any thread. */
RUNG_API const char *rung_version(void);

#ifdef __cplusplus
}
#endif

#endif
