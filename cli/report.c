/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "common.h"

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

json_t *report_new_line(const char *source, bool *complete)
{
    json_t *line = json_object();
    char *text = g_utf8_make_valid(source, -1);
    set_member(line, "schema", json_integer(1), complete);
    set_member(line, "source", json_string(text), complete);
    if (strcmp(text, source) != 0) {
        char *base64 = g_base64_encode((const guchar *)source, strlen(source));
        set_member(line, "source_base64", json_string(base64), complete);
        g_free(base64);
    }
    g_free(text);
    return line;
}

bool report_print_line(json_t *line, bool complete)
{
    bool printed = complete && print_json(line);
    json_decref(line);
    return printed;
}

json_t *report_new_picture(const struct job_item *item, bool *complete)
{
    json_t *line = report_new_line(item->source->path, complete);
    set_member(line, "width", json_integer(item->photo.width), complete);
    set_member(line, "height", json_integer(item->photo.height), complete);
    return line;
}

static json_t *pair_json(const int32_t q8[2], bool *complete)
{
    json_t *pair = json_array();
    append_item(pair, pixels(q8[0]), complete);
    append_item(pair, pixels(q8[1]), complete);
    return pair;
}

static json_t *box_json(const rung_target *target, bool *complete)
{
    const int32_t sides[] = {target->x, target->y, target->w, target->h};
    json_t *box = json_array();
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        append_item(box, pixels(sides[i]), complete);
    return box;
}

static json_t *points_json(const rung_packet_header *packet, const rung_target *target,
                           bool *complete)
{
    json_t *keypoints = json_array();
    const int32_t *points = target_points(packet, target);
    for (unsigned i = 0; points && i < target->attachment_bytes / 8u; i++)
        append_item(keypoints, pair_json(points + (size_t)2 * i, complete), complete);
    return keypoints;
}

json_t *report_target(const rung_packet_header *packet, const rung_target *target,
                      const rung_model *model, bool *complete)
{
    char number[TARGET_CLASS_BYTES];
    json_t *json = json_object();
    set_member(json, "class", json_string(target_class(model, target->class_id, number)), complete);
    set_member(json, "class_id", json_integer(target->class_id), complete);
    set_member(json, "score", json_real(rounded(target->confidence / 65535.0, 1e5)), complete);
    set_member(json, "box", box_json(target, complete), complete);
    set_member(json, "keypoints", points_json(packet, target, complete), complete);
    return json;
}

void report_run(json_t *line, const struct job_item *item, const rung_run_info *info,
                bool *complete)
{
    json_t *ms = json_object();
    set_member(line, "rung", json_string(info->rung), complete);
    set_member(ms, "decode", json_real(rounded(item->decode_ms, 1e3)), complete);
    set_member(ms, "preprocess", ms_of(info->preprocess_ns), complete);
    set_member(ms, "run", ms_of(info->run_ns), complete);
    set_member(ms, "postprocess", ms_of(info->postprocess_ns), complete);
    set_member(ms, "total", json_real(rounded(job_now_ms() - item->begin_ms, 1e3)), complete);
    set_member(line, "ms", ms, complete);
}

json_t *report_line(const struct report *report)
{
    bool complete = true;
    json_t *line = report_new_picture(report->item, &complete), *targets = json_array();
    const rung_target *records = targets_of(report->packet);
    for (uint32_t i = 0; i < report->packet->count; i++)
        append_item(targets, report_target(report->packet, &records[i], report->model, &complete),
                    &complete);
    set_member(line, "targets", targets, &complete);
    set_member(line, "incomplete", json_boolean(report->packet->flags & RUNG_PACKET_INCOMPLETE),
               &complete);
    report_run(line, report->item, report->info, &complete);
    return json_if(line, complete);
}

json_t *report_error_line(const char *source, const struct photo_error *error)
{
    bool complete = true;
    json_t *line = report_new_line(source, &complete), *json = json_object();
    char *text = g_utf8_make_valid(error->message, -1);
    set_member(json, "code", json_string(error->code), &complete);
    set_member(json, "message", json_string(text), &complete);
    set_member(line, "error", json, &complete);
    g_free(text);
    return json_if(line, complete);
}

/* ---- rows --------------------------------------------------------------------------------- */

void report_table_head(void)
{
    printf("%-16s %7s %9s %9s %9s %9s  %s\n", "CLASS", "SCORE", "X", "Y", "WIDTH", "HEIGHT",
           "SOURCE");
}

static double side_of(const json_t *target, size_t i)
{
    return json_real_value(json_array_get(json_object_get(target, "box"), i));
}

void report_print_source(const json_t *line)
{
    const char *base64 = json_string_value(json_object_get(line, "source_base64"));
    if (!base64) {
        fputs(text_of(line, "source"), stdout);
        return;
    }
    gsize size;
    guchar *bytes = g_base64_decode(base64, &size);
    fwrite(bytes, 1, size, stdout);
    g_free(bytes);
}

void report_table(const json_t *line)
{
    const json_t *targets = json_object_get(line, "targets"), *target;
    size_t i;
    json_array_foreach(targets, i, target)
    {
        printf("%-16s %7.3f %9.1f %9.1f %9.1f %9.1f  ", text_of(target, "class"),
               json_real_value(json_object_get(target, "score")), side_of(target, 0),
               side_of(target, 1), side_of(target, 2), side_of(target, 3));
        report_print_source(line);
        putchar('\n');
    }
    if (json_array_size(targets) == 0) {
        printf("%-16s %7s %9s %9s %9s %9s  ", "-", "-", "-", "-", "-", "-");
        report_print_source(line);
        putchar('\n');
    }
    fflush(stdout);
}

void report_csv_head(void)
{
    puts("source,width,height,class,class_id,score,x,y,w,h");
}

/** In quotes where it has to be. */
static void print_field(const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

void report_csv(const json_t *line)
{
    const json_t *target;
    size_t i;
    json_array_foreach(json_object_get(line, "targets"), i, target)
    {
        print_field(text_of(line, "source"));
        printf(",%" JSON_INTEGER_FORMAT ",%" JSON_INTEGER_FORMAT ",",
               json_integer_value(json_object_get(line, "width")),
               json_integer_value(json_object_get(line, "height")));
        print_field(text_of(target, "class"));
        printf(",%" JSON_INTEGER_FORMAT ",%.5f,%.2f,%.2f,%.2f,%.2f\n",
               json_integer_value(json_object_get(target, "class_id")),
               json_real_value(json_object_get(target, "score")), side_of(target, 0),
               side_of(target, 1), side_of(target, 2), side_of(target, 3));
    }
    fflush(stdout);
}
