/* SPDX-License-Identifier: Apache-2.0 */
#include "signals.h"

#include <signal.h>
#include <stddef.h>

#include <rung/probe.h>

/** It is the default's again (SA_RESETHAND), and comes when this returns. */
static void end(int number)
{
    rung_cancel_tries();
    raise(number);
}

void signals_end_process(int number)
{
    const struct sigaction ending = {.sa_handler = end, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &ending, NULL);
}
