/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_THREAD_TYPES_H
#define RUNG__BASE_THREAD_TYPES_H

#include <pthread.h>

struct rung__thread {
    pthread_t handle;
};

struct rung__mutex {
    pthread_mutex_t handle;
};

#define RUNG__MUTEX_INITIALIZER                                                                    \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER                                                                  \
    }

struct rung__condition {
    pthread_cond_t handle;
};

#endif
