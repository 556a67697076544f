/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helper.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/library.h"
#include "base/process.h"
#include "base/text.h"

#define ARGUMENTS_MAX 16
#define OUTPUT_LIMIT  (64u << 10)
#define COMPLAINT     400 /* bytes of a dying child's last words that are told */

static char *existing(const char *folder, const char *relative)
{
    char *path = rung__path_join(folder, relative);
    if (path && rung__path_kind(path) == RUNG__PATH_FILE)
        return path;
    free(path);
    return NULL;
}

char *rung__helper_find(void)
{
    static const char anchor;
    char *own = rung__library_path_of(&anchor);
    char *folder = own ? rung__path_folder(own) : NULL;
    char *found = folder ? existing(folder, RUNG_HELPER_FROM_LIBRARY) : NULL;
    char *build = folder && !found ? existing(folder, "../build.ninja") : NULL;
    if (build)
        found = existing(folder, "../probe/rung-probe");
    free(build);
    free(folder);
    free(own);
    return found;
}

/** Copies the first two lines that say something: a panic tells where in one and why in the next.
 */
static void last_words(const struct rung__buffer *errors, char to[COMPLAINT])
{
    size_t used = 0;
    to[0] = '\0';
    for (size_t at = 0, lines = 0; at < errors->size && lines < 2;) {
        const char *line = (const char *)errors->data + at;
        const char *end = memchr(line, '\n', errors->size - at);
        size_t length = end ? (size_t)(end - line) : errors->size - at;
        at += length + 1;
        if (length == 0)
            continue;
        (void)rung__text_format(to + used, COMPLAINT - used, "%s%.*s", lines++ ? " " : ": ",
                                (int)length, line);
        used += strlen(to + used);
    }
}

static rung_result tell_death(const struct rung__process_outcome *outcome)
{
    char end[128], words[COMPLAINT];
    rung__process_describe(outcome, end, sizeof end);
    last_words(&outcome->errors, words);
    return rung__fail(RUNG_BACKEND, "the trial process %s%s", end, words);
}

/** What came from a process that handled hostile bytes is itself not believed unread. */
static rung_result read_answer(const struct rung__process_outcome *outcome)
{
    json_t *answer = NULL;
    struct rung__json_reader reader;
    const json_t *number;
    const char *detail;
    if (rung__json_parse(rung__buffer_bytes(&outcome->output), "the answer", &answer) != RUNG_OK)
        return rung__fail(RUNG_BACKEND, "the trial process gave no answer (%s)", rung_last_error());
    rung__json_reader_init(&reader, answer, "the answer");
    number = rung__json_member(&reader, RUNG__HELPER_RESULT);
    detail = rung__json_text(&reader, RUNG__HELPER_DETAIL, true);

    rung_result result;
    if (!json_is_integer(number) || !detail)
        result = rung__fail(RUNG_BACKEND, "the trial process gave no answer that can be read");
    else if (json_integer_value(number) == RUNG_OK)
        result = RUNG_OK;
    else if (json_integer_value(number) == RUNG_INTEGRITY)
        result = rung__fail(RUNG_INTEGRITY, "%s", detail);
    else if (json_integer_value(number) == RUNG_NO_MEMORY)
        result = rung__fail(RUNG_NO_MEMORY, "%s", detail);
    else
        result = rung__fail(RUNG_BACKEND, "%s", detail);
    json_decref(answer);
    return result;
}

rung_result rung__helper_run(const struct rung__helper_task *task)
{
    const char *arguments[ARGUMENTS_MAX] = {task->helper};
    struct rung__process_outcome outcome;
    for (size_t i = 0; task->arguments[i] && i + 2 < ARGUMENTS_MAX; i++)
        arguments[i + 1] = task->arguments[i];
    const struct rung__process_options options = {
        .arguments = arguments,
        .input = task->input,
        .output_limit = OUTPUT_LIMIT,
        .deadline = rung__clock_now() + task->time_limit_ns,
    };
    rung_result result = rung__process_run(&options, &outcome);
    if (result == RUNG_NO_MEMORY)
        return result;
    if (result != RUNG_OK)
        return rung__fail(RUNG_UNSUPPORTED, "the helper program could not be run: %s",
                          rung_last_error());
    if (outcome.end == RUNG__PROCESS_EXITED && outcome.code == 0)
        result = read_answer(&outcome);
    else
        result = tell_death(&outcome);
    rung__process_finish(&outcome);
    return result;
}
