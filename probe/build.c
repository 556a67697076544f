/* SPDX-License-Identifier: Apache-2.0 */
/* rung-probe build RUNG LIBRARY PLUGIN THREADS FOLDER <MODEL FILE: a session that leaves what it
 * compiled in the folder. */
#include "ladder/trial_input.h"
#include "probe.h"
#include "request.h"

rung_result build_engine(char **operands, struct rung__bytes file, struct answer *answer)
{
    struct rung__artifact_view view;
    struct rung__trial_request request;
    struct rung__trial_session session;
    (void)answer;
    rung_result result = request_read(file, operands, &view, &request);
    request.engines = operands[4];
    if (result == RUNG_OK)
        result = rung__trial_open(&request, &session);
    if (result == RUNG_OK)
        result = rung__trial_fill_input(&view, &session.memory);
    /* What some drivers compile they compile when it is run. */
    return result == RUNG_OK ? session.provider->run(session.context) : result;
}
