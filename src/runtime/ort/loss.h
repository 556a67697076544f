/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_ORT_LOSS_H
#define RUNG__RUNTIME_ORT_LOSS_H

#include <stdbool.h>

/*
 * ONNX Runtime has no code for a device that is gone: what the driver said is in the message. These
 * are the words of errors after which nothing runs on that device any more, until it is made anew.
 */

/** True for the message of a run that says so. */
bool rung__ort_tells_of_loss(const char *message);

#endif
