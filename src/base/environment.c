/* SPDX-License-Identifier: Apache-2.0 */
#include "base/environment.h"

#include <stdlib.h>

rung_result rung__environment_read(struct rung__environment *environment, bool ignore)
{
    rung_result result = RUNG_OK;
    *environment = (struct rung__environment){0};
    if (ignore || rung__environment_is_elevated())
        return RUNG_OK;

#define READ(field, name, text)                                                                    \
    if (!result)                                                                                   \
        result = rung__environment_get(name, &environment->field);
    RUNG__ENVIRONMENT(READ)
#undef READ

    if (result)
        rung__environment_finish(environment);
    return result;
}

void rung__environment_finish(struct rung__environment *environment)
{
#define FREE(field, name, text) free(environment->field);
    RUNG__ENVIRONMENT(FREE)
#undef FREE
    *environment = (struct rung__environment){0};
}
