/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_THREAD_TYPES_H
#define RUNG__BASE_THREAD_TYPES_H

/* A HANDLE, an SRWLOCK and a CONDITION_VARIABLE, which are one pointer each: <windows.h> stays out
 * of the other layers. */

struct rung__thread {
    void *handle;
};

struct rung__mutex {
    void *handle;
};

#define RUNG__MUTEX_INITIALIZER                                                                    \
    {                                                                                              \
        0                                                                                          \
    }

struct rung__condition {
    void *handle;
};

#endif
