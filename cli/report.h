/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_REPORT_H
#define RUNG_CLI_REPORT_H

#include <jansson.h>

#include <rung/rung.h>

#include "job.h"
#include "targets.h"

/** What is known of one picture when a detector is done with it. */
struct report {
    const struct job_item *item;
    const rung_packet_header *packet; /**< rung_packet_check found it good */
    const rung_run_info *info;
    const rung_model *model;
};

/**
 * Begins a line of JSON about a source. Names are bytes, JSON is UTF-8: what is no UTF-8 is
 * replaced, and the bytes are added in base64.
 */
json_t *report_new_line(const char *source, bool *complete);

/** Prints the source of a line as it is, whatever its bytes. */
void report_print_source(const json_t *line);

/** Prints a line and ends it. False without memory: then nothing was printed. */
bool report_print_line(json_t *line, bool complete);

/** The same as report_new_line for a picture that was decoded, with its size. */
json_t *report_new_picture(const struct job_item *item, bool *complete);

/** Adds what ran an item just now, and its times. */
void report_run(json_t *line, const struct job_item *item, const rung_run_info *info,
                bool *complete);

/** One target of a packet. */
json_t *report_target(const rung_packet_header *packet, const rung_target *target,
                      const rung_model *model, bool *complete);

/** A detector's result; NULL without memory. */
json_t *report_line(const struct report *report);
/** What there is in place of a result; NULL without memory. */
json_t *report_error_line(const char *source, const struct photo_error *error);

/** Rows of a table on standard output. The source comes last: its width is not known before. */
void report_table_head(void);
void report_table(const json_t *line);

/** The same as comma-separated values (RFC 4180, lines end with a line feed). */
void report_csv_head(void);
void report_csv(const json_t *line);

#endif
