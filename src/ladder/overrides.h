/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_OVERRIDES_H
#define RUNG__LADDER_OVERRIDES_H

#include <rung/result.h>

#include "ladder/store.h"

/*
 * The rung that a user wants, kept in override.json of the state folder. It has nothing to do with
 * verdicts and strikes, and stays when the device, the libraries or the version change.
 */

#define RUNG__OVERRIDE_FILE "override.json"

/** Reads it; "" without one. Results: OK, PERMISSION (the folder is not the user's alone),
 * INTEGRITY (it is no override), IO, NO_MEMORY. */
rung_result rung__override_read(const char *folder, char rung[RUNG__RUNG_ID_BYTES]);

/** Keeps one, or for NULL forgets it. The folder is made, 0700. Results: OK, PERMISSION, IO,
 * NO_MEMORY. */
rung_result rung__override_write(const char *folder, const char *rung);

#endif
