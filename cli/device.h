/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_DEVICE_H
#define RUNG_CLI_DEVICE_H

#include <jansson.h>

/** The "device" and "fingerprint" of an explanation. */
void print_device(const json_t *explanation);

#endif
