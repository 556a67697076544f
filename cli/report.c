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

json_t *report_new_line(const char *source)
{
    json_t *line = json_pack("{s:i}", "schema", 1);
    char *text = g_utf8_make_valid(source, -1);
    json_object_set_new(line, "source", json_string(text));
    if (strcmp(text, source) != 0) {
        char *base64 = g_base64_encode((const guchar *)source, strlen(source));
        json_object_set_new(line, "source_base64", json_string(base64));
        g_free(base64);
    }
    g_free(text);
    return line;
}

static json_t *target_json(const rung_packet_header *packet, const rung_target *target,
                           const rung_model *model)
{
    char number[REPORT_CLASS_BYTES];
    json_t *keypoints = json_array();
    const int32_t *points = report_points(packet, target);
    for (size_t i = 0; points && i < target->attachment_bytes / 8u; i++)
        json_array_append_new(keypoints,
                              json_pack("[o,o]", pixels(points[2 * i]), pixels(points[2 * i + 1])));
    return json_pack("{s:s,s:i,s:f,s:[o,o,o,o],s:o}", "class",
                     report_class(model, target->class_id, number), "class_id", target->class_id,
                     "score", rounded(target->confidence / 65535.0, 1e5), "box", pixels(target->x),
                     pixels(target->y), pixels(target->w), pixels(target->h), "keypoints",
                     keypoints);
}

void report_json(const struct report *report, const rung_model *model)
{
    json_t *line = report_new_line(report->source), *targets = json_array();
    const rung_target *records = report_targets(report->packet);
    for (uint32_t i = 0; i < report->packet->count; i++)
        json_array_append_new(targets, target_json(report->packet, &records[i], model));
    const rung_run_info *info = report->info;
    json_t *ms =
        json_pack("{s:f,s:o,s:o,s:o,s:f}", "decode", rounded(report->decode_ms, 1e3), "preprocess",
                  ms_of(info->preprocess_ns), "run", ms_of(info->run_ns), "postprocess",
                  ms_of(info->postprocess_ns), "total", rounded(report->total_ms, 1e3));
    json_t *rest =
        json_pack("{s:i,s:i,s:o,s:b,s:s,s:s,s:s,s:o}", "width", (int)report->width, "height",
                  (int)report->height, "targets", targets, "incomplete",
                  (report->packet->flags & RUNG_PACKET_INCOMPLETE) != 0, "identity", info->identity,
                  "rung", info->rung, "artifact", info->artifact, "ms", ms);
    json_object_update(line, rest);
    json_decref(rest);
    print_json(line);
    json_decref(line);
}

void report_json_error(const char *source, const struct photo_error *error)
{
    json_t *line = report_new_line(source);
    char *text = g_utf8_make_valid(error->message, -1);
    json_object_set_new(line, "error",
                        json_pack("{s:s,s:s}", "code", error->code, "message", text));
    print_json(line);
    g_free(text);
    json_decref(line);
}

void report_table_head(void)
{
    printf("%-16s %7s %9s %9s %9s %9s  %s\n", "CLASS", "SCORE", "X", "Y", "WIDTH", "HEIGHT",
           "SOURCE");
}

void report_table(const struct report *report, const rung_model *model)
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
}
