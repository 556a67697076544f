/* SPDX-License-Identifier: Apache-2.0 */
#include "filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define Q8_PER_Q3    32 /* the coordinates of a packet are multiples of it */
#define LISTED_BYTES 160

/* ---- targets ------------------------------------------------------------------------------ */

static uint64_t overlap(int32_t a, int32_t a_length, int32_t b, int32_t b_length)
{
    const int32_t begin = a > b ? a : b;
    const int32_t a_end = a + a_length, b_end = b + b_length;
    const int32_t end = a_end < b_end ? a_end : b_end;
    return end > begin ? (uint64_t)(end - begin) / Q8_PER_Q3 : 0;
}

static uint64_t area(const rung_target *target)
{
    return (uint64_t)(target->w / Q8_PER_Q3) * (uint64_t)(target->h / Q8_PER_Q3);
}

/** I > 0 and I · 65535 ≥ U · iou, in the units of selection, where 64 bits are enough. */
static bool overlaps(const rung_target *a, const rung_target *b, uint32_t iou)
{
    const uint64_t both = overlap(a->x, a->w, b->x, b->w) * overlap(a->y, a->h, b->y, b->h);
    return both > 0 && both * 65535 >= (area(a) + area(b) - both) * iou;
}

static bool is_suppressed(const struct filter *filter, const rung_target *kept, uint32_t count,
                          const rung_target *target)
{
    for (uint32_t i = 0; filter->iou && i < count; i++)
        if ((!filter->per_class || kept[i].class_id == target->class_id) &&
            overlaps(&kept[i], target, filter->iou))
            return true;
    return false;
}

static bool stays(const struct filter *filter, const rung_target *kept, uint32_t count,
                  const rung_target *target)
{
    if (target->confidence < filter->confidence || (filter->most && count >= filter->most))
        return false;
    if (filter->by_class &&
        (target->class_id >= FILTER_CLASSES || !filter->classes[target->class_id]))
        return false;
    return !is_suppressed(filter, kept, count, target);
}

void filter_packet(const struct filter *filter, rung_packet_header *packet)
{
    rung_target *targets = (rung_target *)((char *)packet + packet->targets_offset);
    const uint32_t all = packet->count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all; i++)
        if (stays(filter, targets, count, &targets[i])) {
            targets[count] = targets[i];
            targets[count].order = count;
            count++;
        }
    /* Attachments follow the records without gaps; each moves down, or stays. */
    const char *from = (const char *)(targets + all);
    char *to = (char *)(targets + count);
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        const size_t bytes = targets[i].attachment_bytes;
        memmove(to + used, from + (size_t)8 * targets[i].attachment_offset, bytes);
        targets[i].attachment_offset = (uint16_t)(bytes ? used / 8 : 0);
        used += bytes;
    }
    packet->count = count;
    packet->total_size = (uint64_t)(to + used - (char *)packet);
}

/* ---- classes ------------------------------------------------------------------------------ */

/** The class of a label or a number; FILTER_CLASSES: the model has none such. */
static uint32_t class_of(const char *name, size_t length, const rung_model *model,
                         uint32_t class_count)
{
    char *end;
    const char *label;
    for (uint32_t i = 0; i < class_count; i++)
        if (rung_model_get_label(model, i, &label) == RUNG_OK && strlen(label) == length &&
            strncasecmp(label, name, length) == 0)
            return i;
    if (length == 0 || strspn(name, "0123456789") < length)
        return FILTER_CLASSES;
    const unsigned long number = strtoul(name, &end, 10);
    const unsigned long limit = class_count ? class_count : FILTER_CLASSES;
    return number < limit ? (uint32_t)number : FILTER_CLASSES;
}

/** The labels, as many as fit. */
static void list_labels(const rung_model *model, uint32_t class_count, char to[LISTED_BYTES])
{
    size_t used = 0;
    const char *label;
    to[0] = '\0';
    for (uint32_t i = 0; i < class_count; i++) {
        if (rung_model_get_label(model, i, &label) != RUNG_OK)
            continue;
        if (used + strlen(label) + 8 > LISTED_BYTES) {
            memcpy(to + used, ", …", sizeof ", …");
            return;
        }
        used += (size_t)snprintf(to + used, LISTED_BYTES - used, "%s%s", used ? ", " : "", label);
    }
}

bool filter_read_classes(struct filter *filter, const char *list, const rung_model *model,
                         uint32_t class_count, char *why, size_t why_size)
{
    char labels[LISTED_BYTES];
    filter->by_class = true;
    for (const char *at = list;; at++) {
        at += strspn(at, " ");
        const size_t whole = strcspn(at, ",");
        size_t length = whole;
        while (length > 0 && at[length - 1] == ' ')
            length--;
        const uint32_t id = class_of(at, length, model, class_count);
        if (id == FILTER_CLASSES) {
            list_labels(model, class_count, labels);
            snprintf(why, why_size, "the model has no class \"%.*s\"; it has %s", (int)length, at,
                     labels[0] ? labels : "numbers only");
            return false;
        }
        filter->classes[id] = true;
        at += whole;
        if (!*at)
            return true;
    }
}
