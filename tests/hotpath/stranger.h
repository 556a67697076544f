/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TEST_STRANGER_H
#define RUNG_TEST_STRANGER_H

/** Has libc allocate once, frees that, and locks and unlocks a mutex. */
void stranger_works(void);

#endif
