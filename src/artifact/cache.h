/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__ARTIFACT_CACHE_H
#define RUNG__ARTIFACT_CACHE_H

#include <rung/result.h>

/**
 * Makes `below`, a folder in the user's own cache folder, ready to be written in: both are made
 * when they are missing, must be the user's alone, and the cache folder is marked so that backup
 * programs leave it out. Results: OK, PERMISSION, IO, NO_MEMORY.
 */
rung_result rung__cache_prepare(const char *cache, const char *below);

#endif
