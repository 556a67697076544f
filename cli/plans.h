/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_PLANS_H
#define RUNG_CLI_PLANS_H

/** The plan that an option gives (rung/plan.h): JSON as it stands, or a file that holds it. Newly
 * allocated. An exit status, after a message. */
int plan_read(const char *given, char **out);

/** Reads that of the option that all jobs share (ROW_PLAN), if it is given. An exit status, after a
 * message. */
int plan_take(void);

/** What plan_take read, NULL without one. */
const char *plan_text(void);

#endif
