/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process.h"

#include "base/error.h"
#include "base/text.h"

/* A job object that ends with its last handle is what a process group is elsewhere; until a child
 * is run in one, none is run at all. */
rung_result rung__process_run(const struct rung__process_options *options,
                              struct rung__process_outcome *outcome)
{
    *outcome = (struct rung__process_outcome){0};
    return rung__fail(RUNG_UNSUPPORTED, "cannot run %s: this build runs no processes on Windows",
                      options->arguments[0]);
}

void rung__process_finish(struct rung__process_outcome *outcome)
{
    rung__buffer_finish(&outcome->output);
    rung__buffer_finish(&outcome->errors);
}

void rung__process_describe(const struct rung__process_outcome *outcome, char *to, size_t size)
{
    if (outcome->end == RUNG__PROCESS_TIMEOUT)
        (void)rung__text_format(to, size, "did not end in time and was killed");
    else
        (void)rung__text_format(to, size, "ended with status %d", outcome->code);
}
