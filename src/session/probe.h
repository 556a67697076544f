/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_PROBE_H
#define RUNG__SESSION_PROBE_H

#include <stdbool.h>

#include <rung/probe.h>

/** Says whether no probe is on its way. Results: OK, BUSY, NO_MEMORY. */
rung_result rung__probe_check_free(rung_instance *instance);

/**
 * rung_model_probe that nobody asked for: it waits for no other one (BUSY), measures nothing where
 * a verdict holds by now, and stores none without a floor that answers: on a busy machine that says
 * nothing of the rungs. The caller forgets the tries (ladder/retry.h) when what follows is done
 * too.
 */
rung_result rung__probe_unasked(rung_instance *instance, const char *path,
                                const rung_probe_options *options);

/**
 * The same for a form of a model that was probed; unasked it is passed over where a verdict of it
 * holds by now. Results: those of rung_model_probe, BUSY (unasked), TIMEOUT (also where a rung
 * stays on a thread of this process).
 */
rung_result rung__probe_form(rung_instance *instance, const char *path,
                             const rung_probe_options *options, bool unasked);

/**
 * Probes the forms of a model that passed their gate on some rung, one after the other. It comes
 * behind the verdict of the model itself, which it changes nothing of: what goes wrong is a line in
 * the log. False when a rung stays on a thread of this process: nothing more is to be tried.
 */
bool rung__probe_forms(rung_instance *instance, const char *path, const rung_probe_options *options,
                       bool unasked);

#endif
