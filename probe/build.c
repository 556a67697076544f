/* SPDX-License-Identifier: Apache-2.0 */
/* rung-probe build RUNG LIBRARY PLUGIN THREADS FOLDER <MODEL FILE: a session that leaves what it
 * compiled in the folder. */
#include "input.h"
#include "probe.h"
#include "session.h"

rung_result build_engine(char **operands, struct rung__bytes file, struct answer *answer)
{
    struct rung__artifact_view view;
    struct session session;
    (void)answer;
    rung_result result = session_open(file, operands, operands[4], &view, &session);
    if (result != RUNG_OK)
        return result;
    /* What some drivers compile they compile when it is run. */
    fill_input(&view, &session.memory);
    return session.provider->run(session.context);
}
