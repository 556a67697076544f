/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/ort/turns.h"

#include <string.h>

#include "base/thread.h"

static struct rung__mutex turn = RUNG__MUTEX_INITIALIZER;

bool rung__ort_takes_turns(const char *provider)
{
    return strcmp(provider, "WebGpuExecutionProvider") == 0 ||
           strcmp(provider, "DmlExecutionProvider") == 0;
}

void rung__ort_turn_begin(const struct rung__ort_session *session)
{
    if (session->takes_turns)
        rung__mutex_lock(&turn);
}

void rung__ort_turn_end(const struct rung__ort_session *session)
{
    if (session->takes_turns)
        rung__mutex_unlock(&turn);
}
