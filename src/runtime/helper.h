/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_HELPER_H
#define RUNG__RUNTIME_HELPER_H

#include <jansson.h>

#include <rung/result.h>

#include "base/bytes.h"
#include "base/process.h"

/*
 * The helper program rung-probe does in a process of its own what may kill a process. It ends with
 * status 0 and one line of JSON on standard output, {"result":-6,"detail":"…"}, whether it could do
 * what it was asked or not; every other end is a death. A subcommand may add members, and bytes
 * behind the line.
 */

/** Members of the answer. */
#define RUNG__HELPER_RESULT "result" /**< a rung_result */
#define RUNG__HELPER_DETAIL "detail" /**< the sentence of a failure, "" without */

/**
 * The newly allocated path of the installed helper beside this library, in a build tree the one of
 * that tree; never one of PATH. NULL: there is none, or no memory.
 */
char *rung__helper_find(void);

/** A piece of work for the helper. */
struct rung__helper_task {
    const char *helper;           /**< its path */
    const char *const *arguments; /**< behind the program's name, NULL-ended, at most 14 */
    struct rung__bytes input;     /**< given on standard input */
    uint64_t time_limit_ns;
    size_t more_output; /**< bytes that may follow the line of the answer */
    bool low_priority;
    const atomic_bool *cancel; /**< once it is true the helper is killed; NULL: never */
};

/** What came of it. */
struct rung__helper_answer {
    enum rung__process_end end;
    bool answered;              /**< `json` holds, whatever the result */
    json_t *json;               /**< the line, an object */
    struct rung__bytes more;    /**< what followed it */
    struct rung__buffer output; /**< holds `more` */
};

/**
 * Runs it and waits. Results: what the helper answers, with its sentence; BACKEND when it died, ran
 * out of time (the sentence begins "the trial process …") or answered nothing; UNSUPPORTED when it
 * could not be started; NO_MEMORY.
 */
rung_result rung__helper_run(const struct rung__helper_task *task);

/** The same, and hands over what was answered. End with rung__helper_answer_finish, also after a
 * failure. */
rung_result rung__helper_ask(const struct rung__helper_task *task, struct rung__helper_answer *out);
void rung__helper_answer_finish(struct rung__helper_answer *answer);

#endif
