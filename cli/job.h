/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_JOB_H
#define RUNG_CLI_JOB_H

#include "common.h"
#include "photo.h"
#include "sources.h"

/*
 * What detect, embed and segment share: pictures are decoded ahead in threads of their own,
 * sessions work on them side by side, and the results come out in the order of the sources. At most
 * a few pictures are in memory at a time, in buffers that later pictures use again.
 */

struct role_session;

/** One picture on its way through a job. */
struct job_item {
    size_t index; /**< its place among the sources */
    const struct source *source;
    struct photo photo;         /**< decoded; a session may draw on it */
    double begin_ms, decode_ms; /**< when decoding began, and how long it took */
    json_t *line;               /**< the result, made by a session; NULL: none */
    struct photo_error error;   /**< why there is none */
    int status;                 /**< EXIT_DONE, or what the failure means */
};

/** The threads of a job. */
struct job_plan {
    uint32_t sessions; /**< side by side */
    uint32_t threads;  /**< of one session's run */
};

/**
 * What a command does in a job: `run` on threads of its own, one for each session, and everything
 * else on the main thread. What may be NULL says so.
 */
struct job_work {
    /**
     * Opens models of the job's instance, while the first pictures are being decoded. An exit
     * status, after a message.
     */
    int (*open)(void *user, rung_instance *instance, const struct job_plan *plan);
    /** Undoes it, also after it has failed. The instance is ended afterwards. */
    void (*close)(void *user);
    /** What served, for the summary, such as "centerface on ort-cpu". */
    void (*describe)(void *user, char *to, size_t size);
    /**
     * Members that results have in common, `identity` and `artifact` among them, where a line has
     * none of its own: contexts of one identity may be on different rungs. A file of results is
     * resumed only where they are the same. NULL without memory.
     */
    json_t *(*settings)(void *user);

    /** Makes what one thread needs. */
    rung_result (*session_new)(void *user, void **session);
    void (*session_free)(void *session);
    /** Sets the line of an item (report_new_line), or its error and status (job_item_fail). NULL
     * where a picture is one run of one model, which the next two are for. */
    void (*run)(void *user, void *session, struct job_item *item);
    /** What the session's pictures run on. */
    struct role_session *(*session_of)(void *session);
    /** Sets the line of an item from the packet of that, or its error and status. */
    void (*answer)(void *user, void *session, struct job_item *item, const rung_run_info *info);

    /** Begins what `write` needs. An exit status, after a message. May be NULL. */
    int (*begin)(void *user, const struct sources *sources);
    /**
     * Makes of a result what the command makes beside JSON: rows, other files; in the order of the
     * sources, and before them for the results of a file that is resumed. `index` is the place
     * among the sources, or JOB_NO_INDEX. An exit status, after a message: then the job ends.
     */
    int (*write)(void *user, size_t index, const json_t *line);
    /** The same for the line of an error, of a picture that was tried now. May be NULL. */
    int (*note_failure)(void *user, const json_t *line);
    /** Completes what `write` wrote, also of a job that was interrupted. May be NULL. */
    int (*finish)(void *user);

    const char *counted; /**< the member of a line that is an array of things found, or NULL */
    const char *noun;    /**< one of those things, such as "target" */
};

/** The place of a result in a resumed file whose source was not named now. */
#define JOB_NO_INDEX SIZE_MAX

/** Says why an item has no result: the library's last error. */
void job_item_fail(struct job_item *item, rung_result result);
/** The same for want of memory. */
void job_item_fail_memory(struct job_item *item);

/** Milliseconds on a clock that only goes forward. */
double job_now_ms(void);

/** Runs a command on what the operands name. Gives the exit status. */
int job_run(const struct job_work *work, void *user, int count, char **operands);

/** The options that every job takes, the last of its table. */
#define ROWS_JOB                                                                                   \
    ROW_JSON,                                                                                      \
        {.name = "resume",                                                                         \
         .argument = "FILE",                                                                       \
         .text = "write JSON Lines to FILE, and go on where it stops: what it holds is not "       \
                 "done again",                                                                     \
         .kind = OPTION_TEXT,                                                                      \
         .value = VALUE_FILE,                                                                      \
         .target = &common.resume},                                                                \
        {.name = "hint",                                                                           \
         .argument = "HINT",                                                                       \
         .text = "several pictures side by side with one thread each, as is done for more than "   \
                 "one, or one picture with all threads",                                           \
         .kind = OPTION_CHOICE,                                                                    \
         .target = &common.hint,                                                                   \
         .choices = job_hints},                                                                    \
        ROW_THREADS("threads that run models (default: the physical cores that may be used)"),     \
        {.name = "max-pixels",                                                                     \
         .argument = "N",                                                                          \
         .text = "refuse larger pictures before decoding them (default: 200000000)",               \
         .kind = OPTION_NUMBER64,                                                                  \
         .target = &common.max_pixels,                                                             \
         .least = 1,                                                                               \
         .most = 65535ull * 65535},                                                                \
        {.letter = '0',                                                                            \
         .name = "null",                                                                           \
         .text = "names in the list on standard input end with NUL, not with a line end",          \
         .target = &common.null_separated},                                                        \
        ROW_PROBE, ROW_PLAN, ROW_RUNG, ROW_REQUIRE, ROW_LADDER, ROWS_INSTANCE

extern const char *const job_hints[];

#endif
