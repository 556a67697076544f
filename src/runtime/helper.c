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

/** The line of JSON and what follows it. */
static rung_result split_answer(struct rung__helper_answer *answer)
{
    const struct rung__buffer *output = &answer->output;
    const uint8_t *end = output->size ? memchr(output->data, '\n', output->size) : NULL;
    const size_t line = end ? (size_t)(end - output->data) : output->size;
    const size_t from = end ? line + 1 : line;
    answer->more = (struct rung__bytes){output->data + from, output->size - from};
    rung_result result =
        rung__json_parse((struct rung__bytes){output->data, line}, "the answer", &answer->json);
    if (result == RUNG_OK || result == RUNG_NO_MEMORY)
        return result;
    return rung__fail(RUNG_BACKEND, "the trial process gave no answer (%s)", rung_last_error());
}

/** What came from a process that handled hostile bytes is itself not believed unread. */
static rung_result read_answer(struct rung__helper_answer *answer)
{
    struct rung__json_reader reader;
    const json_t *number;
    const char *detail;
    rung_result result = split_answer(answer);
    if (result != RUNG_OK)
        return result;
    rung__json_reader_init(&reader, answer->json, "the answer");
    number = rung__json_member(&reader, RUNG__HELPER_RESULT);
    detail = rung__json_text(&reader, RUNG__HELPER_DETAIL, true);
    if (!json_is_integer(number) || !detail)
        return rung__fail(RUNG_BACKEND, "the trial process gave no answer that can be read");
    answer->answered = true;
    switch (json_integer_value(number)) {
    case RUNG_OK:
        return RUNG_OK;
    case RUNG_INTEGRITY:
        return rung__fail(RUNG_INTEGRITY, "%s", detail);
    case RUNG_NO_MEMORY:
        return rung__fail(RUNG_NO_MEMORY, "%s", detail);
    default:
        return rung__fail(RUNG_BACKEND, "%s", detail);
    }
}

rung_result rung__helper_ask(const struct rung__helper_task *task, struct rung__helper_answer *out)
{
    const char *arguments[ARGUMENTS_MAX] = {task->helper};
    struct rung__process_outcome outcome;
    *out = (struct rung__helper_answer){0};
    for (size_t i = 0; task->arguments[i] && i + 2 < ARGUMENTS_MAX; i++)
        arguments[i + 1] = task->arguments[i];
    const struct rung__process_options options = {
        .arguments = arguments,
        .input = task->input,
        .output_limit = OUTPUT_LIMIT + task->more_output,
        .deadline = rung__clock_now() + task->time_limit_ns,
        .low_priority = task->low_priority,
        .cancel = task->cancel,
    };
    rung_result result = rung__process_run(&options, &outcome);
    if (result == RUNG_NO_MEMORY)
        return result;
    if (result != RUNG_OK)
        return rung__fail(RUNG_UNSUPPORTED, "the helper program could not be run: %s",
                          rung_last_error());
    out->end = outcome.end;
    out->output = outcome.output;
    outcome.output = (struct rung__buffer){0};
    if (outcome.end == RUNG__PROCESS_EXITED && outcome.code == 0)
        result = read_answer(out);
    else
        result = tell_death(&outcome);
    rung__process_finish(&outcome);
    return result;
}

void rung__helper_answer_finish(struct rung__helper_answer *answer)
{
    json_decref(answer->json);
    rung__buffer_finish(&answer->output);
    *answer = (struct rung__helper_answer){0};
}

rung_result rung__helper_run(const struct rung__helper_task *task)
{
    struct rung__helper_answer answer;
    rung_result result = rung__helper_ask(task, &answer);
    rung__helper_answer_finish(&answer);
    return result;
}
