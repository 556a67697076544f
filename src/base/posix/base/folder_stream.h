/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_FOLDER_STREAM_H
#define RUNG__BASE_FOLDER_STREAM_H

#include <dirent.h>

#include "base/file.h"

/** Adds the names of a stream, which it closes, to a folder. Results: those of rung__folder_list.
 */
rung_result rung__folder_read_stream(DIR *stream, const char *path, size_t limit,
                                     struct rung__folder *out);

#endif
