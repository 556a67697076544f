/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "common.h"

const rung_target *report_targets(const rung_packet_header *packet)
{
    return (const rung_target *)((const char *)packet + packet->targets_offset);
}

const int32_t *report_points(const rung_packet_header *packet, const rung_target *target)
{
    const char *attachments =
        (const char *)packet + packet->targets_offset + (size_t)packet->count * packet->stride;
    if (!target->attachment_bytes)
        return NULL;
    return (const int32_t *)(attachments + (size_t)8 * target->attachment_offset);
}

const char *report_class(const rung_model *model, uint16_t class_id,
                         char number[REPORT_CLASS_BYTES])
{
    const char *label;
    if (rung_model_get_label(model, class_id, &label) == RUNG_OK && label[0])
        return label;
    snprintf(number, REPORT_CLASS_BYTES, "%u", class_id);
    return number;
}

/** Q8 is exact in a double. */
static json_t *pixels(int32_t q8)
{
    return json_real(q8 / 256.0);
}

static double rounded(double value, double steps)
{
    return round(value * steps) / steps;
}

static json_t *ms_of(uint64_t ns)
{
    return json_real(rounded((double)ns / 1e6, 1e3));
}

/** Without memory jansson makes NULL, and refuses to take it: that is noted. */
static void set(json_t *object, const char *key, json_t *value, bool *complete)
{
    if (json_object_set_new(object, key, value))
        *complete = false;
}

static void append(json_t *array, json_t *value, bool *complete)
{
    if (json_array_append_new(array, value))
        *complete = false;
}

/**
 * Names are bytes, JSON is UTF-8: what is no UTF-8 is replaced, and the bytes are added in base64.
 */
static json_t *new_line(const char *source, bool *complete)
{
    json_t *line = json_object();
    char *text = g_utf8_make_valid(source, -1);
    set(line, "schema", json_integer(1), complete);
    set(line, "source", json_string(text), complete);
    if (strcmp(text, source) != 0) {
        char *base64 = g_base64_encode((const guchar *)source, strlen(source));
        set(line, "source_base64", json_string(base64), complete);
        g_free(base64);
    }
    g_free(text);
    return line;
}

static bool print_line(json_t *line, bool complete)
{
    bool printed = complete && print_json(line);
    json_decref(line);
    return printed;
}

static json_t *pair_json(const int32_t q8[2], bool *complete)
{
    json_t *pair = json_array();
    append(pair, pixels(q8[0]), complete);
    append(pair, pixels(q8[1]), complete);
    return pair;
}

static json_t *box_json(const rung_target *target, bool *complete)
{
    const int32_t sides[] = {target->x, target->y, target->w, target->h};
    json_t *box = json_array();
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        append(box, pixels(sides[i]), complete);
    return box;
}

static json_t *points_json(const rung_packet_header *packet, const rung_target *target,
                           bool *complete)
{
    json_t *keypoints = json_array();
    const int32_t *points = report_points(packet, target);
    for (unsigned i = 0; points && i < target->attachment_bytes / 8u; i++)
        append(keypoints, pair_json(points + (size_t)2 * i, complete), complete);
    return keypoints;
}

static json_t *target_json(const rung_packet_header *packet, const rung_target *target,
                           const rung_model *model, bool *complete)
{
    char number[REPORT_CLASS_BYTES];
    json_t *json = json_object();
    set(json, "class", json_string(report_class(model, target->class_id, number)), complete);
    set(json, "class_id", json_integer(target->class_id), complete);
    set(json, "score", json_real(rounded(target->confidence / 65535.0, 1e5)), complete);
    set(json, "box", box_json(target, complete), complete);
    set(json, "keypoints", points_json(packet, target, complete), complete);
    return json;
}

static json_t *times_json(const struct report *report, bool *complete)
{
    const rung_run_info *info = report->info;
    json_t *ms = json_object();
    set(ms, "decode", json_real(rounded(report->decode_ms, 1e3)), complete);
    set(ms, "preprocess", ms_of(info->preprocess_ns), complete);
    set(ms, "run", ms_of(info->run_ns), complete);
    set(ms, "postprocess", ms_of(info->postprocess_ns), complete);
    set(ms, "total", json_real(rounded(report->total_ms, 1e3)), complete);
    return ms;
}

bool report_json(const struct report *report, const rung_model *model)
{
    bool complete = true;
    json_t *line = new_line(report->source, &complete), *targets = json_array();
    const rung_target *records = report_targets(report->packet);
    const rung_run_info *info = report->info;
    for (uint32_t i = 0; i < report->packet->count; i++)
        append(targets, target_json(report->packet, &records[i], model, &complete), &complete);
    set(line, "width", json_integer(report->width), &complete);
    set(line, "height", json_integer(report->height), &complete);
    set(line, "targets", targets, &complete);
    set(line, "incomplete", json_boolean(report->packet->flags & RUNG_PACKET_INCOMPLETE),
        &complete);
    set(line, "identity", json_string(info->identity), &complete);
    set(line, "rung", json_string(info->rung), &complete);
    set(line, "artifact", json_string(info->artifact), &complete);
    set(line, "ms", times_json(report, &complete), &complete);
    return print_line(line, complete);
}

bool report_json_error(const char *source, const struct photo_error *error)
{
    bool complete = true;
    json_t *line = new_line(source, &complete), *json = json_object();
    char *text = g_utf8_make_valid(error->message, -1);
    set(json, "code", json_string(error->code), &complete);
    set(json, "message", json_string(text), &complete);
    set(line, "error", json, &complete);
    g_free(text);
    return print_line(line, complete);
}

void report_table_head(void)
{
    printf("%-16s %7s %9s %9s %9s %9s  %s\n", "CLASS", "SCORE", "X", "Y", "WIDTH", "HEIGHT",
           "SOURCE");
}

bool report_table(const struct report *report, const rung_model *model)
{
    const rung_target *targets = report_targets(report->packet);
    for (uint32_t i = 0; i < report->packet->count; i++) {
        const rung_target *target = &targets[i];
        char number[REPORT_CLASS_BYTES];
        printf("%-16s %7.3f %9.1f %9.1f %9.1f %9.1f  %s\n",
               report_class(model, target->class_id, number), target->confidence / 65535.0,
               target->x / 256.0, target->y / 256.0, target->w / 256.0, target->h / 256.0,
               report->source);
    }
    if (report->packet->count == 0)
        printf("%-16s %7s %9s %9s %9s %9s  %s\n", "-", "-", "-", "-", "-", "-", report->source);
    fflush(stdout);
    return true;
}
