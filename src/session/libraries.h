/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_LIBRARIES_H
#define RUNG__SESSION_LIBRARIES_H

#include "base/file.h"
#include "base/library.h"
#include "runtime/describe.h"
#include "runtime/search.h"

/* The libraries that an instance may load. What each is was found out in a process of its own, and
 * is remembered while the file stays the same. */

#define RUNG__LIBRARY_DIGEST (2 * RUNG__SHA256_BYTES + 1)

struct rung__known_library {
    const struct rung__runtime *runtime;
    char *path;         /**< a file, or a bare name that the system looks up */
    const char *origin; /**< who named it */
    bool described;     /**< false: nothing is known of it, as there is no helper program */
    struct rung__library_facts facts;
    struct rung__file_stamp stamp;     /**< of facts.file; all zero: there is none */
    char digest[RUNG__LIBRARY_DIGEST]; /**< of that file's content, "": not read */
    char places[RUNG__LIBRARY_PLACES]; /**< rung__library_places at that time, where it matters */
    bool fresh;                        /**< found out just now, and worth remembering */
};

/** In search order, those of one runtime after those of another. */
struct rung__libraries {
    struct rung__known_library *items;
    size_t count;
};

/** What they are found with. */
struct rung__library_finder {
    struct rung__runtime_places places;
    const char *helper;          /**< NULL: there is none */
    const char *state;           /**< the folder of what is remembered; NULL: none */
    uint32_t at_once;            /**< processes side by side, at least 1 */
    const struct rung__log *log; /**< told when nothing can be remembered */
};

/**
 * Lists the libraries of every runtime, with what is remembered of each, which costs a look at its
 * file. Results: OK, NO_MEMORY. End with rung__libraries_finish, also after a failure.
 */
rung_result rung__libraries_find(const struct rung__library_finder *finder,
                                 struct rung__libraries *out);

/**
 * Describes those of a runtime of which nothing is known yet, each in a process of its own, and
 * remembers. One that does not load is no failure; without a helper nothing is done. Results: OK,
 * NO_MEMORY.
 */
rung_result rung__libraries_describe(const struct rung__library_finder *finder,
                                     const struct rung__runtime *runtime,
                                     struct rung__libraries *libraries);

/** Reads the whole of those whose digest is not known yet, and remembers. Results: OK, NO_MEMORY.
 */
rung_result rung__libraries_digest(const struct rung__library_finder *finder,
                                   struct rung__libraries *libraries);
void rung__libraries_finish(struct rung__libraries *libraries);

/** True for one that was described and loads. */
bool rung__library_is_usable(const struct rung__known_library *library);

/** True for a file that has the name of a plugin and is none, as a build's own providers. */
bool rung__library_is_no_plugin(const struct rung__known_library *library);

#endif
