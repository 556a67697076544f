/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_SECTIONS_H
#define RUNG__ARTIFACT_SECTIONS_H

#include "artifact/format.h"

#define RUNG__SECTION_ALIGNMENT   64u
#define RUNG__SECTION_ENTRY_BYTES ((size_t)24)

/** Kinds from here on are for others; they are signed with the rest and otherwise ignored. */
#define RUNG__SECTION_FOREIGN 0x8000u

/** The header and the longest section table: what has to be read before anything is known. */
#define RUNG__HEAD_BYTES_MAX (RUNG__HEADER_BYTES + RUNG__SECTIONS_MAX * RUNG__SECTION_ENTRY_BYTES)

struct rung__section {
    uint32_t kind;
    uint64_t offset, bytes;
};

struct rung__section_table {
    struct rung__section rows[RUNG__SECTIONS_MAX];
    uint32_t count;
};

/**
 * Reads the table behind the header and checks where every section lies, and which there are.
 * `head` needs to reach no further than the table. Results: OK, INTEGRITY.
 */
rung_result rung__section_table_parse(struct rung__bytes head, const struct rung__header *header,
                                      struct rung__section_table *out);

/** Between sections, and behind the last one, there are zeros only. Results: OK, INTEGRITY. */
rung_result rung__section_gaps_check(struct rung__bytes file, const struct rung__header *header,
                                     const struct rung__section_table *table);

/** The section of a kind, NULL when the file has none. */
const struct rung__section *rung__section_find(const struct rung__section_table *table,
                                               uint32_t kind);

/** Writes count entries of RUNG__SECTION_ENTRY_BYTES. */
void rung__section_table_encode(const struct rung__section_table *table, uint8_t *to);

#endif
