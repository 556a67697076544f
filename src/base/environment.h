/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_ENVIRONMENT_H
#define RUNG__BASE_ENVIRONMENT_H

#include <stdbool.h>

#include <rung/instance.h>

#define RUNG__LADDER_VARIABLE "RUNG_LADDER"

/** One row a variable: field, name, text for `rung help environment`. Kept in the order of names.
 */
#define RUNG__ENVIRONMENT(X)                                                                       \
    X(home, "HOME", "where the user's folders are when no XDG variable says otherwise")            \
    X(buffer, "RUNG_BUFFER",                                                                       \
      "the implementation of the stage buffer; this one and those of the other stages count "      \
      "where no plan is given (rung plan lists them)")                                             \
    X(cpu_flags, "RUNG_CPU_FLAGS",                                                                 \
      "for tests and diagnosis: the highest level of instructions that kernels may use, scalar, "  \
      "avx2, avx512 or neon (default: the best that the processor runs)")                          \
    X(engine_cache_bytes, "RUNG_ENGINE_CACHE_BYTES",                                               \
      "how much the engines of the user may take on the disk (default 4294967296)")                \
    X(hardware_root, "RUNG_HARDWARE_ROOT",                                                         \
      "for tests and diagnosis: a folder with another machine's /sys, /proc, /dev and /etc, read " \
      "in the place of this one's")                                                                \
    X(ladder, RUNG__LADDER_VARIABLE,                                                               \
      "a file that adds, removes or reorders rungs, where no option names one")                    \
    X(model_path, "RUNG_MODEL_PATH", "folders in which models are looked up by name")              \
    X(postprocessor, "RUNG_POSTPROCESSOR", "the implementation of the stage postprocess")          \
    X(preprocessor, "RUNG_PREPROCESSOR", "the implementation of the stage preprocess")             \
    X(preprocessor_max_workers, "RUNG_PREPROCESSOR_MAX_WORKERS",                                   \
      "threads that one frame may be preprocessed on, 1..64 (default 4)")                          \
    X(probe, "RUNG_PROBE",                                                                         \
      "which rungs are measured unasked: off, first (until one beats the floor), or all "          \
      "(default: all on an idle machine, else first)")                                             \
    X(rung, "RUNG_RUNG", "the only rung allowed, such as ort-cpu, where no option names one")      \
    X(runtime, "RUNG_RUNTIME",                                                                     \
      "the one ONNX Runtime to load, a file; no other one is tried (tract is looked for as ever)") \
    X(runtime_path, "RUNG_RUNTIME_PATH",                                                           \
      "where runtimes are looked for: library files, folders, or folders of folders")              \
    X(scheduler, "RUNG_SCHEDULER", "the implementation of the stage schedule")                     \
    X(trust_path, "RUNG_TRUST_PATH",                                                               \
      "public keys (PEM files or folders) whose models are trusted")                               \
    X(xdg_cache_home, "XDG_CACHE_HOME",                                                            \
      "the user's cache folder; engines are in its rung/engines, private copies of bundles in "    \
      "its "                                                                                       \
      "rung/bundles (default ~/.cache)")                                                           \
    X(xdg_config_home, "XDG_CONFIG_HOME",                                                          \
      "the user's configuration folder; trusted keys are in its rung/trust (default ~/.config)")   \
    X(xdg_data_home, "XDG_DATA_HOME",                                                              \
      "the user's data folder; models are looked up in its rung/models (default ~/.local/share)")  \
    X(xdg_state_home, "XDG_STATE_HOME",                                                            \
      "the user's state folder; in its rung are the verdicts of probes, what libraries are, and "  \
      "the choice of rung use (default ~/.local/state)")

/** The values read at instance creation, each owned, NULL when unset or empty. */
struct rung__environment {
#define RUNG__ENVIRONMENT_FIELD(field, name, text) char *field;
    RUNG__ENVIRONMENT(RUNG__ENVIRONMENT_FIELD)
#undef RUNG__ENVIRONMENT_FIELD
};

/**
 * Reads all of them. Nothing is read when `ignore` is set or the process runs with privileges that
 * its user does not have. Results: OK, NO_MEMORY. End with rung__environment_finish.
 */
rung_result rung__environment_read(struct rung__environment *environment, bool ignore);
void rung__environment_finish(struct rung__environment *environment);

/** True when the process runs with more rights than the user who started it (base/<platform>/). */
bool rung__environment_is_elevated(void);

/** A newly allocated copy of one variable, NULL when unset or empty (base/<platform>/). Results:
 * OK, NO_MEMORY. */
rung_result rung__environment_get(const char *name, char **out);

/**
 * Sets a variable of this process, for a library that can be told in no other way; where it has the
 * value already, nothing is touched. Whoever reads the environment on another thread in that moment
 * races with it. Results: OK, NO_MEMORY.
 */
rung_result rung__environment_set(const char *name, const char *value);

#endif
