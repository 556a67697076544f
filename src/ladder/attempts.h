/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_ATTEMPTS_H
#define RUNG__LADDER_ATTEMPTS_H

#include "base/file.h"
#include "ladder/cancel.h"
#include "ladder/strikes.h"

/*
 * A rung that kills its process, or the machine, twice in a row with a model is not tried a third
 * time. Each try has a record in the folder "attempts" of the user's state folder while it runs,
 * and holds a lock beside it, which the system takes from the dead: a record that nobody holds the
 * lock of is one that nobody came back to.
 */

/** Why it is refused; with the path of its record of strikes. */
#define RUNG__REFUSED_TEXT                                                                         \
    "its process died twice in a row with this model; it is not tried again until a library or a " \
    "driver changes, or %s is deleted"

/** What is tried. The texts need to live for the call alone. */
struct rung__try {
    const char *folder;      /**< the user's state folder */
    const char *fingerprint; /**< its text; strikes of another one do not count */
    const char *rung;
    const char *model; /**< content digest */
    enum rung__try_kind kind;
};

/** A try on its way. All zero is none. */
struct rung__attempt {
    char *path, *lock_path; /**< of the record and of its lock */
    char *strike_path;
    struct rung__strike strike; /**< whose it is; `strikes` so far */
    struct rung__file_lock lock;
    int number;   /**< of rung__cancel_note */
    bool noted;   /**< there is a record */
    bool refused; /**< there are too many strikes: it must not be tried */
};

/**
 * Begins a try, or refuses it. Where another one of the same rung and model is on its way, it goes
 * on without a record of its own. Results: OK, PERMISSION (the folder is not the user's alone), IO,
 * NO_MEMORY. End with rung__attempt_end, also after a failure.
 */
rung_result rung__attempt_begin(const struct rung__try *what, struct rung__attempt *out);

/** Ends it: a death (of a child) is a strike, anything else forgets those before. Results: OK,
 * PERMISSION, IO, NO_MEMORY. */
rung_result rung__attempt_end(struct rung__attempt *attempt, bool died);

/**
 * Counts what the dead left in a state folder. A build that nobody came back to is a strike; a
 * probe is one when the machine was started again since: it went down in the middle. On a machine
 * that ran on, the one who waited for the child was ended, which says nothing of the rung. Results:
 * OK, PERMISSION, IO, CAPACITY, NO_MEMORY.
 */
rung_result rung__attempts_settle(const char *folder);

#endif
