/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_TARGETS_H
#define RUNG_CLI_TARGETS_H

#include <rung/rung.h>

#define TARGET_CLASS_BYTES 16

/** The records of a checked packet, and the key points of one (NULL: none). */
const rung_target *targets_of(const rung_packet_header *packet);
const int32_t *target_points(const rung_packet_header *packet, const rung_target *target);

/** The label of a class, or its number written into `number`. */
const char *target_class(const rung_model *model, uint16_t class_id,
                         char number[TARGET_CLASS_BYTES]);

#endif
