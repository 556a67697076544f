/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_WATCH_FEED_PARTS_H
#define RUNG_CLI_WATCH_FEED_PARTS_H

#include "feed.h"

/* What the thread of a feed needs of feed.c. */

/** The thread itself. */
void *feed_run(void *feed);

/** False when the feed is to stop. */
bool feed_wait_until(struct feed *feed, uint64_t deadline_ns);

/** A free slot, which is waited for; NULL when the feed is to stop. */
struct feed_slot *feed_take_slot(struct feed *feed);
void feed_give_back(struct feed_slot *slot);

/** The same for a frame that the scene had (rung_frame.release); `slot` is one. */
void feed_release(void *slot, const void *pixels);

void feed_set_state(struct feed *feed, enum feed_state state, const char *sentence);

/** A frame cannot be had. */
void feed_note_broken(struct feed *feed, const struct photo_error *error);

/** No more frames can be had; `lacks`: for want of something, not by their fault. */
void feed_fail(struct feed *feed, const struct photo_error *error, bool lacks);

#endif
