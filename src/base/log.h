/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_LOG_H
#define RUNG__BASE_LOG_H

#include <rung/instance.h>

/** Where text goes. All zero is silent. */
struct rung__log {
    rung_log_callback callback;
    void *user;
    int32_t level; /**< least level that is passed on */
};

/** Passes one line on when its level is high enough; control characters become spaces. */
__attribute__((format(printf, 3, 4))) void rung__log_write(const struct rung__log *log,
                                                           int32_t level, const char *format, ...);

#endif
