/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_HEAP_H
#define RUNG_CLI_HEAP_H

/** Puts the memory of this process on large pages, where the system has them. Never fails. */
void heap_prepare(void);

#endif
