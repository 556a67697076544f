/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_PLAN_H
#define RUNG_CLI_PLAN_H

/**
 * Reads what --plan names, a file or JSON itself. Once, before plan_text is used. An exit status,
 * after a message.
 */
int plan_read(void);

/** The plan as JSON, NULL without --plan. It lives until the program ends. */
const char *plan_text(void);

#endif
