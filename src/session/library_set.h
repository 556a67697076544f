/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_LIBRARY_SET_H
#define RUNG__SESSION_LIBRARY_SET_H

#include "base/json.h"

/**
 * What lies beside a library in the folder of its set, as an object: "folder", "bytes", "files",
 * "licences" (names of the texts). Of a library that is among the system's own it is that file
 * alone. NULL: there is no such file; what lacked memory shows in `*failed`.
 */
json_t *rung__library_set_json(const char *file, bool *failed);

#endif
