/* SPDX-License-Identifier: Apache-2.0 */
#include "targets.h"

#include <stdio.h>

const rung_target *targets_of(const rung_packet_header *packet)
{
    return (const rung_target *)((const char *)packet + packet->targets_offset);
}

const int32_t *target_points(const rung_packet_header *packet, const rung_target *target)
{
    const char *attachments =
        (const char *)packet + packet->targets_offset + (size_t)packet->count * packet->stride;
    if (!target->attachment_bytes)
        return NULL;
    return (const int32_t *)(attachments + (size_t)8 * target->attachment_offset);
}

const char *target_class(const rung_model *model, uint16_t class_id,
                         char number[TARGET_CLASS_BYTES])
{
    const char *label;
    if (rung_model_get_label(model, class_id, &label) == RUNG_OK && label[0])
        return label;
    snprintf(number, TARGET_CLASS_BYTES, "%u", class_id);
    return number;
}
