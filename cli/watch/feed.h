/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_WATCH_FEED_H
#define RUNG_CLI_WATCH_FEED_H

#include <pthread.h>

#include "kind.h"

/*
 * A source of `rung watch`: a thread of its own that reads frames at the source's rate into a small
 * pool and offers each to the scene, which gives it back through the frame's release.
 */

/** One that is pending, one that the scene works on, one that is read, and one to spare. */
#define FEED_SLOTS 4

#define FEED_SENTENCE_BYTES 640

enum feed_state {
    FEED_STARTING, /**< nothing is known of its frames */
    FEED_PLAYING,
    FEED_STALLED, /**< nothing has come for a while */
    FEED_ENDED,   /**< all were read */
    FEED_FAILED   /**< there will be no more frames, against the wish */
};

struct feed;

/** A frame of the pool. */
struct feed_slot {
    struct picture picture;
    struct feed *feed;
    bool is_taken;
};

/** What is known of a feed. */
struct feed_report {
    enum feed_state state;
    uint32_t width, height; /**< of the first frame; 0: not known yet */
    uint64_t frames;        /**< that the scene took */
    uint64_t broken;        /**< that could not be read, or that the scene did not take */
    uint64_t last_ns;       /**< when the last one was offered, or playing began */
    bool lacks;             /**< memory, or libvips: what went wrong is no fault of the frames */
    /** The last thing that went wrong, or how it ended; "": nothing. */
    char sentence[FEED_SENTENCE_BYTES];
};

struct feed_wishes {
    uint32_t fps; /**< 0: the source's own, or FEED_FPS_DEFAULT where it has none */
    bool loop;
};

#define FEED_FPS_DEFAULT 30u

struct feed {
    const char *name; /**< the operand */
    uint64_t id;      /**< source id in the scene */
    const struct kind *kind;
    void *state;
    struct feed_wishes wishes;
    uint64_t period_ns; /**< 0: frames come when they come */
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t lock;   /* holds all that follows */
    pthread_cond_t changed; /* a slot was given back, or one of the flags was set */
    bool is_stopping, has_scene;
    rung_scene *scene;
    rung_desktop_rect place;
    uint64_t begin_ns; /* when the first frame is due */
    struct feed_slot slots[FEED_SLOTS];
    struct feed_report report;
    uint64_t released; /**< frames that came back from the scene */
};

/** Opens an operand; nothing is read yet. An exit status, after a message. */
int feed_open(struct feed *feed, const char *operand, uint64_t id,
              const struct kind_options *options, const struct feed_wishes *wishes);

/** Begins to read. False without a thread. */
bool feed_start(struct feed *feed);

/** Waits until the size of the frames is known, or there are none, or `deadline_ns`. */
void feed_await_size(struct feed *feed, uint64_t deadline_ns);

/** Lets it offer its frames, which are shown in that place of the desktop, the first one at
 * `begin_ns`. */
void feed_play(struct feed *feed, rung_scene *scene, rung_desktop_rect place, uint64_t begin_ns);

/** What it is now; `now_ns` tells whether it has stalled. */
struct feed_report feed_look(struct feed *feed, uint64_t now_ns);

/** "starting", "playing", "stalled", "ended", "failed". */
const char *feed_state_name(enum feed_state state);

/** Ends its thread. The stop file must be at its end by then. */
void feed_stop(struct feed *feed);

/** After feed_stop and the end of the scene. False when a frame did not come back from it. */
bool feed_close(struct feed *feed);

#endif
