/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_PLAN_H
#define RUNG_CLI_PLAN_H

#define PLAN_BYTES 4096 /**< five names and a flag have room in it */

/**
 * Reads what --plan names, a file or JSON itself. Once, before plan_text is used. An exit status,
 * after a message.
 */
int plan_read(void);

/** The plan as JSON, NULL without --plan. It lives until the program ends. */
const char *plan_text(void);

/** Reads what another option names, given without its dashes. */
int plan_read_other(const char *option, const char *value, char to[PLAN_BYTES]);

#endif
