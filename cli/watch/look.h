/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_WATCH_LOOK_H
#define RUNG_CLI_WATCH_LOOK_H

#include "watch.h"

/** Takes what there is to know after a tick, and lets the output say what is new of a source. */
rung_result look(struct watch *watch, const struct watch_output *output, bool *is_published);

/** Takes sources out of the scene that came to their end, once their last frame was served. */
void look_remove_ended(struct watch *watch);

/** True when no source will offer anything any more, and nothing that a tick could do is left.
 * `aborted_before` is the counter of aborted ticks before the last one. */
bool look_is_over(const struct watch *watch, uint64_t aborted_before);

/** Rates over all the time there was. */
void look_at_end(struct watch *watch);

#endif
