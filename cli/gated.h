/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_GATED_H
#define RUNG_CLI_GATED_H

#include "common.h"

/**
 * Prints what a gate record comes to, the member `gated` of rung_artifact_inspect's report, as rows
 * whose label is `width` wide. A model in f32 that nobody measured has none, nor has NULL.
 */
void gated_print(const json_t *gated, int width);

/**
 * That member of the file that serves when `model` is asked for: of the file of that name or path,
 * or of one beside it, whichever has the payload of that digest. NULL when none has.
 */
json_t *gated_find(rung_instance *instance, const char *model, const char *artifact);

#endif
