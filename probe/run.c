/* SPDX-License-Identifier: Apache-2.0 */
/* rung-probe run RUNG LIBRARY THREADS <MODEL FILE: a real session on one rung, timed. */
#include <stdlib.h>

#include "artifact/view.h"
#include "base/error.h"
#include "ladder/probe.h"
#include "ladder/trial.h"
#include "probe.h"

/** The file was admitted by the one who asks; here it is only taken apart again. */
static rung_result read_file(struct rung__bytes file, struct rung__artifact_view *view)
{
    struct rung__layout layout;
    rung_result result = rung__layout_read(file, file.size, &layout);
    return result == RUNG_OK ? rung__view_read(file, &layout, view) : result;
}

static rung_result open_runtime(const struct rung__rung *rung, char **operands)
{
    if (!rung)
        return rung__fail(RUNG_UNSUPPORTED, "there is no rung \"%s\"", operands[0]);
    const struct rung__runtime *runtime = rung->provider->runtime;
    return runtime ? runtime->open(operands[1]) : RUNG_OK;
}

static rung_result report(const struct rung__outcome *figures, struct answer *answer)
{
    answer->members =
        json_pack("{s:s,s:I,s:I,s:I,s:I,s:i}", RUNG__PROBE_EXECUTED_BY, figures->executed_by,
                  RUNG__PROBE_BUILD_NS, (json_int_t)figures->build_ns, RUNG__PROBE_FIRST_NS,
                  (json_int_t)figures->first_ns, RUNG__PROBE_MEDIAN_NS,
                  (json_int_t)figures->median_ns, RUNG__PROBE_PEAK_BYTES,
                  (json_int_t)figures->peak_bytes, RUNG__PROBE_RUNS, (int)figures->runs);
    return answer->members ? RUNG_OK : rung__fail(RUNG_NO_MEMORY, "no memory for an answer");
}

rung_result run_rung(char **operands, struct rung__bytes file, struct answer *answer)
{
    struct rung__artifact_view view;
    struct rung__outcome figures = {0};
    struct rung__trial_request request = {
        .rung = rung__rung_named(operands[0]),
        .artifact = &view,
        .threads = (uint32_t)strtoul(operands[2], NULL, 10),
        .expendable = true,
    };
    rung_result result = read_file(file, &view);
    if (result == RUNG_OK)
        result = open_runtime(request.rung, operands);
    if (result == RUNG_OK)
        result = rung__trial_run(&request, &figures, &answer->outputs);
    return result == RUNG_OK ? report(&figures, answer) : result;
}
