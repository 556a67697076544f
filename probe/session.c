/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <stdlib.h>

#include "artifact/view.h"
#include "base/error.h"
#include "ladder/execution.h"
#include "ladder/rungs.h"

static rung_result read_file(struct rung__bytes file, struct rung__artifact_view *view)
{
    struct rung__layout layout;
    rung_result result = rung__layout_read(file, file.size, &layout);
    return result == RUNG_OK ? rung__view_read(file, &layout, view) : result;
}

static rung_result load(const struct rung__artifact_view *view, const struct rung__rung *rung,
                        const char *plugin, uint32_t threads, const char *engines,
                        struct session *session)
{
    struct rung__rung_execution execution;
    rung_result result = rung__rung_execution_make(rung, threads, engines, &execution);
    execution.execution.plugin = *plugin ? plugin : NULL;
    if (result == RUNG_OK)
        result = rung__provider_load(rung->provider,
                                     &(struct rung__model_request){
                                         .artifact = view,
                                         .execution = &execution.execution,
                                         .threads = threads,
                                         .expendable = true,
                                     },
                                     &session->model, &session->report);
    rung__rung_execution_finish(&execution);
    return result;
}

rung_result session_open(struct rung__bytes file, char **operands, const char *engines,
                         struct rung__artifact_view *view, struct session *session)
{
    const struct rung__rung *rung = rung__rung_named(operands[0]);
    const uint32_t threads = (uint32_t)strtoul(operands[3], NULL, 10);
    *session = (struct session){0};
    if (!rung)
        return rung__fail(RUNG_UNSUPPORTED, "there is no rung \"%s\"", operands[0]);
    session->provider = rung->provider;
    rung_result result = read_file(file, view);
    if (result == RUNG_OK && rung->provider->runtime)
        result = rung->provider->runtime->open(operands[1]);
    if (result == RUNG_OK)
        result = load(view, rung, operands[2], threads, engines, session);
    if (result == RUNG_OK)
        result =
            rung->provider->create_context(session->model, &session->memory, &session->context);
    return result;
}
