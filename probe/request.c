/* SPDX-License-Identifier: Apache-2.0 */
#include "request.h"

#include <stdlib.h>

#include "artifact/view.h"
#include "ladder/table.h"

static rung_result read_file(struct rung__bytes file, struct rung__artifact_view *view)
{
    struct rung__layout layout;
    rung_result result = rung__layout_read(file, file.size, &layout);
    return result == RUNG_OK ? rung__view_read(file, &layout, view) : result;
}

rung_result request_read(struct rung__bytes file, char **operands, struct rung__artifact_view *view,
                         struct rung__trial_request *out)
{
    static struct rung__table table; /* what the rung points at, as long as this process */
    *out = (struct rung__trial_request){
        .artifact = view,
        .plugin = *operands[2] ? operands[2] : NULL,
        .threads = (uint32_t)strtoul(operands[3], NULL, 10),
        .expendable = true,
    };
    rung_result result = rung__rung_heard(operands[0], &table, &out->rung);
    if (result != RUNG_OK)
        return result;
    const struct rung__runtime *runtime = out->rung->provider->runtime;
    result = read_file(file, view);
    return result == RUNG_OK && runtime ? runtime->open(operands[1]) : result;
}
