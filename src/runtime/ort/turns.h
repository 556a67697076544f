/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_ORT_TURNS_H
#define RUNG__RUNTIME_ORT_TURNS_H

#include "runtime/ort/ort.h"

/*
 * ONNX Runtime lets one thread at a time run a session of a provider that cannot do with more, but
 * copies an input that is bound without asking, and the sessions of such a provider share its
 * device. So whatever touches the device is done in turns, by all sessions of the process.
 */

/** True for a provider whose device is one thread's at a time. */
bool rung__ort_takes_turns(const char *provider);

/** Both do nothing for a session that takes no turns. They do not nest. */
void rung__ort_turn_begin(const struct rung__ort_session *session);
void rung__ort_turn_end(const struct rung__ort_session *session);

#endif
