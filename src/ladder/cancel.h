/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_CANCEL_H
#define RUNG__LADDER_CANCEL_H

/*
 * A process that ends in an orderly way in the middle of a try takes the record of the try with it:
 * only a death is a strike. Neither exit() nor a signal handler has an argument, so the records
 * that would go are known here, for the whole process.
 */

#define RUNG__CANCEL_NONE (-1)

/** Notes a record that goes when this process exits. Gives its number, or RUNG__CANCEL_NONE: there
 * is no room, and the record would stay. */
int rung__cancel_note(const char *path);

/** Forgets it; RUNG__CANCEL_NONE is allowed. */
void rung__cancel_forget(int number);

/** Removes all that are noted. Safe in a signal handler. */
void rung__cancel_all(void);

#endif
