/* SPDX-License-Identifier: Apache-2.0 */
/* rung-probe validate <TASK: earns records for the stages around a model, and tells which. */
#include "session/validate.h"

#include "base/error.h"
#include "probe.h"
#include "task.h"

rung_result validate(char **operands, struct rung__bytes input, struct answer *answer)
{
    struct task task = {0};
    rung_instance *instance;
    char told[RUNG__VALIDATE_TOLD_BYTES] = "";
    (void)operands;
    rung_result result = task_read(input, &task);
    if (result == RUNG_OK)
        result = task_instance(&task, &instance);
    if (result == RUNG_OK)
        result = rung__validate_here(instance, task.model, NULL, told);
    if (result != RUNG_OK)
        return result;
    answer->members = json_pack("{s:s}", RUNG__VALIDATE_TOLD, told);
    return answer->members ? RUNG_OK : rung__fail(RUNG_NO_MEMORY, "no memory for an answer");
}
