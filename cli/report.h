/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_REPORT_H
#define RUNG_CLI_REPORT_H

#include <jansson.h>

#include <rung/rung.h>

#include "photo.h"

#define REPORT_CLASS_BYTES 16

/** What is known of one source when it is done. */
struct report {
    const char *source;
    uint32_t width, height;           /**< of the upright picture */
    const rung_packet_header *packet; /**< rung_packet_check found it good */
    const rung_run_info *info;
    double decode_ms, total_ms;
};

/** The records of a checked packet, and the key points of one (NULL: none). */
const rung_target *report_targets(const rung_packet_header *packet);
const int32_t *report_points(const rung_packet_header *packet, const rung_target *target);

/** The label of a class, or its number written into `number`. */
const char *report_class(const rung_model *model, uint16_t class_id,
                         char number[REPORT_CLASS_BYTES]);

/**
 * Begins a line of JSON about a source. Names are bytes, JSON is UTF-8: what is no UTF-8 is
 * replaced, and the bytes are added in base64.
 */
json_t *report_new_line(const char *source, bool *complete);
/** Prints a line and ends it. False without memory: then nothing was printed. */
bool report_print_line(json_t *line, bool complete);

/** A line of JSON on standard output: a result, or an error. False without memory for it. */
bool report_json(const struct report *report, const rung_model *model);
bool report_json_error(const char *source, const struct photo_error *error);

/** Rows of a table on standard output. The source comes last: its width is not known before. */
void report_table_head(void);
/** Always true. */
bool report_table(const struct report *report, const rung_model *model);

#endif
