/* SPDX-License-Identifier: Apache-2.0 */
#include "request.h"

#include <stdlib.h>

#include "artifact/view.h"
#include "base/error.h"

static rung_result read_file(struct rung__bytes file, struct rung__artifact_view *view)
{
    struct rung__layout layout;
    rung_result result = rung__layout_read(file, file.size, &layout);
    return result == RUNG_OK ? rung__view_read(file, &layout, view) : result;
}

rung_result request_read(struct rung__bytes file, char **operands, struct rung__artifact_view *view,
                         struct rung__trial_request *out)
{
    *out = (struct rung__trial_request){
        .rung = rung__rung_named(operands[0]),
        .artifact = view,
        .threads = (uint32_t)strtoul(operands[2], NULL, 10),
        .expendable = true,
    };
    if (!out->rung)
        return rung__fail(RUNG_UNSUPPORTED, "there is no rung \"%s\"", operands[0]);
    const struct rung__runtime *runtime = out->rung->provider->runtime;
    rung_result result = read_file(file, view);
    return result == RUNG_OK && runtime ? runtime->open(operands[1]) : result;
}
