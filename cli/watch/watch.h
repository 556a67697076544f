/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_WATCH_WATCH_H
#define RUNG_CLI_WATCH_WATCH_H

#include "feed.h"
#include "filter.h"
#include "roles.h"
#include "thresholds.h"

/* What `rung watch` knows after each tick, and who shows it. */

/** A source, with what its frames became. */
struct watched {
    struct feed feed;
    rung_desktop_rect place;
    struct feed_report report;           /**< as it was after the tick */
    rung_scene_source in_scene;          /**< in the scene that was published last */
    rung_scene_source_counters counters; /**< the last ones there were: it may be removed */
    bool is_removed;                     /**< it ended, and its last frame was served */
    uint32_t targets;                    /**< that it has in that scene, behind the filter */
    double rate;                         /**< scenes a second with a frame of it, lately */
    uint64_t rated;                      /**< those that there were when it was taken */
    uint64_t late;                       /**< scenes that were published without a frame of it */
    enum feed_state told;                /**< what was said of it */
    bool told_broken, told_failed;
    char said[FEED_SENTENCE_BYTES]; /**< last; "": nothing */
};

struct watch {
    struct watched sources[RUNG_SCENE_SOURCES_MAX];
    size_t count;
    struct role_model detector;
    const struct thresholds *thresholds; /**< that the filter and the options are made of */
    struct filter filter;
    rung_context_options options; /**< with what is overridden */
    rung_context *context;
    rung_scene *scene;
    uint32_t rate; /**< Hz */
    const char *policy;
    uint64_t begin_ns, now_ns, rated_ns;
    rung_scene_counters counters;
    rung_scene_view view;       /**< published last; its sequence is 0 before */
    rung_packet_header *packet; /**< of it, behind the filter */
    size_t packet_bytes;
    uint64_t targets; /**< of all scenes together */
};

/** Who shows it. Each gives an exit status, after a message; what may be NULL says so. */
struct watch_output {
    int (*begin)(const struct watch *watch);
    /** A scene was published. May be NULL. */
    int (*publish)(const struct watch *watch);
    /** A tick is over, or there was none for a while. May be NULL. */
    int (*tick)(const struct watch *watch);
    /** Something is to be said of a source. May be NULL. */
    void (*tell)(const struct watched *source, const char *sentence);
    /** The end, also after a failure; `begin` was called. */
    int (*finish)(const struct watch *watch);
};

extern const struct watch_output watch_json, watch_table, watch_plain;

/** What `rung watch` has done, for people, on standard output of so many columns; 0: any number. */
void watch_print_end(const struct watch *watch, int columns);

/** Says it on standard error. */
void watch_tell(const struct watched *source, const char *sentence);

#endif
