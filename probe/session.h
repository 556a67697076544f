/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_PROBE_SESSION_H
#define RUNG_PROBE_SESSION_H

#include "provider/provider.h"

/** A session being tried; it ends with the process. */
struct session {
    const struct rung__provider *provider;
    struct rung__model_report report;
    void *model, *context;
    struct rung__model_memory memory;
};

/**
 * Loads a model file, which the one who asks has admitted, as the operands RUNG LIBRARY
 * PLUGIN THREADS say. `engines` is the folder for what is compiled, NULL: nothing is kept. `view`
 * is what the file says. Results: those of rung__provider_load.
 */
rung_result session_open(struct rung__bytes file, char **operands, const char *engines,
                         struct rung__artifact_view *view, struct session *session);

#endif
