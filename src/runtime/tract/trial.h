/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_TRACT_TRIAL_H
#define RUNG__RUNTIME_TRACT_TRIAL_H

#include "runtime/tract/tract.h"

/* The helper's subcommand; the library's path follows, the model comes on standard input. */
#define RUNG__TRACT_TRIAL "tract-load"

/** Long enough for a model of 2^31 bytes on a slow machine, short enough not to seem dead. */
#define RUNG__TRACT_TRIAL_NS (UINT64_C(120) * 1000000000)

/**
 * Loads the model in a child process with the same library and runs it once there, because a panic
 * of tract ends its process. Only a model that came through may be loaded here. That is remembered
 * for the bytes of the model as long as the process lives, so it costs once.
 *
 * `helper` is the path of rung-probe, NULL where there is none. Results: OK, BACKEND (tract refused
 * it, died or took too long, in a sentence that says which), INTEGRITY, UNSUPPORTED (no helper: an
 * untried model is not loaded), NO_MEMORY. Safe from any thread.
 */
rung_result rung__tract_try(const struct rung__tract *tract, const char *helper,
                            struct rung__bytes model, uint64_t time_limit_ns);

#endif
