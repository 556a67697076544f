/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_SIGNALS_H
#define RUNG_CLI_SIGNALS_H

#include <stdbool.h>

/** Lets a signal end the process as it would by itself, but for the records of tries, which go
 * (rung_cancel_tries). One that is ignored stays so. Safe in a signal handler. */
void signals_end_process(int number);

/** Calls this too before a signal ends the process: it must be safe in a signal handler. */
void signals_at_end(void (*last)(void));

/** From now on the first Ctrl-C or TERM lets what is at hand finish; a second one ends the process.
 */
void signals_catch(void);

/** True when one came. Any thread may ask. */
bool signals_caught(void);

#endif
