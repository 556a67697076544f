/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_SPEC_PARTS_H
#define RUNG__ARTIFACT_SPEC_PARTS_H

#include "artifact/names.h"
#include "artifact/spec.h"

/* How the files that read a spec together see it; nobody else includes this. */

/** The room for the beginning of a sentence, such as "spec.json: outputs[2]". */
#define RUNG__WHERE_BYTES 512u

/** What is being read. */
struct rung__spec_source {
    const char *folder;
    struct rung__spec *spec;
};

/** A member that names a value of an enumeration; `fallback` when it is missing, required or not.
 */
uint32_t rung__spec_value(struct rung__json_reader *reader, const char *key,
                          const struct rung__names *names, bool required, uint32_t fallback);

/** Reads "input", "outputs" and "parameters" into section 2. Failures are noted in `reader`. */
void rung__spec_read_tensors(struct rung__json_reader *reader,
                             const struct rung__spec_source *source);

/** Reads the members that become the other sections. */
void rung__spec_read_sections(struct rung__json_reader *reader,
                              const struct rung__spec_source *source);

/** Carries the failure of a reader of a part, or of another function, over to the whole's. */
void rung__spec_note(struct rung__json_reader *reader, rung_result result);

#endif
