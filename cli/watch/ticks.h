/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_WATCH_TICKS_H
#define RUNG_CLI_WATCH_TICKS_H

#include "watch.h"

/** When it is enough; 0: never. */
struct tick_limits {
    uint64_t scenes; /**< that were published */
    uint32_t seconds;
};

/** Runs tick after tick until it is enough, nothing is left to do, or a signal comes. An exit
 * status, after a message. */
int ticks_run(struct watch *watch, const struct watch_output *output,
              const struct tick_limits *limits);

#endif
