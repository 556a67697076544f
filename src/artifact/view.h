/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_VIEW_H
#define RUNG__ARTIFACT_VIEW_H

#include "artifact/format.h"
#include "artifact/sections.h"

/** What has to be known of a file before it is hashed: who it says it is and where things lie. */
struct rung__layout {
    struct rung__header header;
    struct rung__section_table table;
};

/**
 * Reads header and section table from the first bytes of a file (RUNG__HEAD_BYTES_MAX, or all of a
 * smaller one). Results: OK, INTEGRITY, VERSION, UNSUPPORTED.
 */
rung_result rung__layout_read(struct rung__bytes head, uint64_t file_bytes,
                              struct rung__layout *out);

/**
 * Reads all sections but the payload's weights, and checks them against each other and the graph.
 * Meant for bytes that were verified: it parses JSON. Results: OK, INTEGRITY, UNSUPPORTED,
 * NO_MEMORY.
 */
rung_result rung__view_read(struct rung__bytes file, const struct rung__layout *layout,
                            struct rung__artifact_view *out);

/**
 * The part of it that needs no file: reads section 2 into `tensors`, and checks all sections but
 * the payload, given header and sections. Results: OK, INTEGRITY, UNSUPPORTED, NO_MEMORY.
 */
rung_result rung__view_check_sections(struct rung__artifact_view *view);

#endif
