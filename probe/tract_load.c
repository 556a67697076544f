/* SPDX-License-Identifier: Apache-2.0 */
/* rung-probe tract-load LIBRARY <MODEL: everything that loading and running it here would do. */
#include "probe.h"
#include "provider/provider.h"
#include "runtime/tract/tract.h"

static rung_result run_on_zeros(const struct rung__tract_session *session)
{
    struct rung__model_memory memory;
    struct rung__model_report report = {
        .input = session->input,
        .input_count = session->input_count,
        .output_count = session->output_count,
    };
    for (uint32_t i = 0; i < session->output_count; i++)
        report.outputs[i] = session->outputs[i];
    rung_result result = rung__model_memory_create(&report, &memory);
    if (result != RUNG_OK)
        return result;
    result = rung__tract_run_once(session, memory.input, memory.outputs);
    rung__model_memory_finish(&memory);
    return result;
}

rung_result tract_load(char **operands, struct rung__bytes model, struct answer *answer)
{
    (void)answer;
    const struct rung__tract *tract = NULL;
    struct rung__tract_session session;
    rung_result result = rung__tract_open(operands[0], &tract);
    if (result == RUNG_OK)
        result = rung__tract_session_create(tract, model, &session);
    if (result != RUNG_OK)
        return result;
    result = run_on_zeros(&session);
    rung__tract_session_finish(&session);
    return result;
}
