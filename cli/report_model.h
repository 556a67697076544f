/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_REPORT_MODEL_H
#define RUNG_CLI_REPORT_MODEL_H

#include <jansson.h>

/** The report of a context (docs/report.md), for people. */
void report_model_print(const json_t *report);

#endif
