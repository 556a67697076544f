/* SPDX-License-Identifier: Apache-2.0 */
#include "signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include <rung/probe.h>

static atomic_bool interrupted;
static void (*_Atomic at_end)(void);

/** It is the default's again (SA_RESETHAND), and comes when this returns. */
static void end(int number)
{
    void (*const last)(void) = at_end;
    if (last)
        last();
    rung_cancel_tries();
    raise(number);
}

void signals_at_end(void (*last)(void))
{
    at_end = last;
}

void signals_end_process(int number)
{
    const struct sigaction ending = {.sa_handler = end, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &ending, NULL);
}

static void interrupt(int number)
{
    interrupted = true;
    signals_end_process(number);
}

void signals_catch(void)
{
    const struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool signals_caught(void)
{
    return interrupted;
}
