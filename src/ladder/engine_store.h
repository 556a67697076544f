/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_ENGINE_STORE_H
#define RUNG__LADDER_ENGINE_STORE_H

#include "base/file.h"
#include "ladder/engine_record.h"

/*
 * The engines of a user lie in `cache`/engines, each in a folder that its key names. Names with a
 * dot in front are not engines: `.build.lock` and `.lock` are locks, `.part-*` is an engine in the
 * making, `.use-*` a copy that a process runs on. All of it may be deleted at any time.
 */

#define RUNG__ENGINE_BYTES_DEFAULT (UINT64_C(4) << 30)

/** Where the engines of a user are, and how much they may take. */
struct rung__engine_store {
    const char *cache; /**< the user's own cache folder */
    uint64_t most_bytes;
};

/* ---- use ---- */

/**
 * An engine in use. Providers write into their folders, and replace what they do not like there, so
 * each gets a copy of its own of what was verified: what is stored only ever changes as a whole.
 */
struct rung__engine_use {
    char *folder; /**< of the copy */
    struct rung__file_lock lock;
    char *lock_path; /**< held as long as the copy is in use */
};

/**
 * Verifies an engine while it is copied. One that is not as it was built is removed. Results: OK,
 * NOT_FOUND (there is none), INTEGRITY (there was a damaged one; the sentence tells), PERMISSION
 * (the folder is not the user's alone), IO, NO_MEMORY. End with rung__engine_use_finish.
 */
rung_result rung__engine_use(const struct rung__engine_store *store,
                             const struct rung__engine_key *key, struct rung__engine_use *out);
void rung__engine_use_finish(struct rung__engine_use *use);

/** True when there is one, right or not. */
bool rung__engine_exists(const struct rung__engine_store *store,
                         const struct rung__engine_key *key);

/* ---- making ---- */

/** An engine in the making. All zero is none. */
struct rung__engine_part {
    char *root, *name; /**< of the engines, and of the part below it */
    char *folder;      /**< what the provider is given */
    struct rung__file_lock lock;
};

/**
 * Begins an engine that is not there yet, with the lock of builds, which is waited for until
 * `deadline` (monotonic ns; 0: not at all), and clears up what dead builds left. Results: OK,
 * ALREADY_EXISTS (it is there, and right), BUSY or TIMEOUT (another build goes on), PERMISSION, IO,
 * NO_MEMORY. End with rung__engine_part_keep or _drop; after a failure there is nothing to end.
 */
rung_result rung__engine_part_begin(const struct rung__engine_store *store,
                                    const struct rung__engine_key *key, uint64_t deadline,
                                    struct rung__engine_part *out);

/**
 * Notes what was made, puts it in its place, whole, and removes those least recently used where all
 * together take more than they may. Results: OK, INTEGRITY (nothing was made, or what no engine may
 * hold), CAPACITY (it alone takes more), IO, NO_MEMORY. Ends the part.
 */
rung_result rung__engine_part_keep(const struct rung__engine_store *store,
                                   const struct rung__engine_key *key,
                                   struct rung__engine_part *part);
void rung__engine_part_drop(struct rung__engine_part *part);

/** Tells whether more could be written beside what a build left: one that failed on a full disk is
 * no failure of the rung. Results: OK, IO, NO_MEMORY. */
rung_result rung__engine_part_check_room(const struct rung__engine_part *part);

/* ---- all of them ---- */

/** One that is there. */
struct rung__engine_entry {
    const char *name;
    const struct rung__engine_record *record; /**< of a damaged one maybe empty */
    int64_t used_ns;                          /**< since 1970 */
    rung_result result;                       /**< INTEGRITY: damaged */
    const char *reason;                       /**< "" when OK */
};
typedef void (*rung__engine_callback)(void *user, const struct rung__engine_entry *entry);

enum rung__engine_care {
    RUNG__ENGINES_LOOK,  /**< read the records alone */
    RUNG__ENGINES_VERIFY /**< read everything, and remove what is damaged */
};

/** Tells of each engine in the order of their names. Results: OK, PERMISSION, TIMEOUT (the lock),
 * IO, NO_MEMORY. */
rung_result rung__engine_list(const struct rung__engine_store *store, enum rung__engine_care care,
                              rung__engine_callback callback, void *user);

/** Removes all of them, but not what is in use or in the making. Results: as for listing. */
rung_result rung__engine_clear(const struct rung__engine_store *store, uint32_t *count,
                               uint64_t *bytes);

/* ---- what these are made of ---- */

/** The folder of the engines, newly allocated. NULL without memory. */
char *rung__engine_root(const struct rung__engine_store *store);

/** The lock of short work in the folder of the engines. Results: those of rung__file_lock_take. */
rung_result rung__engine_lock(const char *root, struct rung__file_lock *out);

/** A new name with a prefix such as ".part-", newly allocated. Results: OK, IO, NO_MEMORY. */
rung_result rung__engine_new_name(const char *prefix, char **out);

/** Removes copies whose processes are gone, and with `parts` what dead builds left. What cannot be
 * removed stays. */
void rung__engine_sweep(const char *root, bool parts);

/** Removes an engine that is not as it was built, under the lock. Results: INTEGRITY (it was, and
 * is gone), NOT_FOUND, ALREADY_EXISTS (it is right after all), IO, TIMEOUT, NO_MEMORY. */
rung_result rung__engine_discard(const char *root, const struct rung__engine_key *key);

/** Removes those least recently used but `spared`, under the lock, until the rest takes no more
 * than it may. What cannot be removed stays. */
void rung__engine_evict(const char *root, uint64_t most_bytes, const char *spared);

#endif
