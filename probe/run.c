/* SPDX-License-Identifier: Apache-2.0 */
/* rung-probe run RUNG LIBRARY PLUGIN THREADS <MODEL FILE: a real session on one rung, timed. */
#include "base/error.h"
#include "ladder/probe.h"
#include "probe.h"
#include "request.h"

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
    struct rung__trial_request request;
    struct rung__outcome figures = {0};
    rung_result result = request_read(file, operands, &view, &request);
    if (result == RUNG_OK)
        result = rung__trial_run(&request, &figures, &answer->outputs);
    return result == RUNG_OK ? report(&figures, answer) : result;
}
