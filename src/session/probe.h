/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_PROBE_H
#define RUNG__SESSION_PROBE_H

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

#endif
