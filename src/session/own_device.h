/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_OWN_DEVICE_H
#define RUNG__SESSION_OWN_DEVICE_H

#include "artifact/artifact.h"
#include "session/instance.h"

/* A model file that holds an engine serves where that was compiled, and nowhere else. */

/**
 * The rung that such a file is for, NULL for a model of another kind. Results: OK, UNSUPPORTED (of
 * another device, other drivers or libraries, or of a rung that is not here: the sentence names
 * what differs), INTEGRITY, NO_MEMORY.
 */
rung_result rung__own_device_check(struct rung_instance *instance,
                                   const struct rung__artifact *artifact,
                                   const struct rung__rung **out);

/** UNSUPPORTED, with a sentence, for one that is to be measured or compiled. */
rung_result rung__own_device_refuse(const struct rung__artifact *artifact);

#endif
