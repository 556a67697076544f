/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include <rung/vectors.h>

#include "common.h"
#include "report.h"

/** One file on its way. */
struct progress {
    const char *path;
    bool failed, no_memory;
};

/** "none" is no verdict: nothing was run. */
static const char *verdict_of(const rung_vectors_outcome *outcome)
{
    if (outcome->failed)
        return "wrong";
    return outcome->passed ? "ok" : "none";
}

static void print_outcome(const char *path, const rung_vectors_outcome *outcome)
{
    printf("%s: %s: %s: %u of %u cases", verdict_of(outcome), path, outcome->implementation,
           outcome->passed, outcome->cases);
    if (outcome->not_applicable)
        printf("; %u not applicable, the first because %s", outcome->not_applicable,
               outcome->reason);
    putchar('\n');
    fflush(stdout);
    if (outcome->failed)
        fprintf(stderr, "rung: %s\n", outcome->failure);
}

static bool print_outcome_json(const char *path, const rung_vectors_outcome *outcome)
{
    bool complete = true;
    json_t *line = report_new_line(path, &complete);
    set_member(line, "group", json_string(outcome->group), &complete);
    set_member(line, "implementation", json_string(outcome->implementation), &complete);
    set_member(line, "verdict", json_string(verdict_of(outcome)), &complete);
    set_member(line, "cases", json_integer(outcome->cases), &complete);
    set_member(line, "passed", json_integer(outcome->passed), &complete);
    set_member(line, "failed", json_integer(outcome->failed), &complete);
    set_member(line, "not_applicable", json_integer(outcome->not_applicable), &complete);
    if (outcome->not_applicable)
        set_member(line, "reason", json_string(outcome->reason), &complete);
    if (outcome->failed)
        set_member(
            line, "failure",
            json_pack("{s:s,s:s}", "case", outcome->failed_case, "message", outcome->failure),
            &complete);
    return report_print_line(line, complete);
}

static void take_outcome(void *user, const rung_vectors_outcome *outcome)
{
    struct progress *progress = user;
    progress->failed |= outcome->failed > 0;
    if (common.json)
        progress->no_memory |= !print_outcome_json(progress->path, outcome);
    else
        print_outcome(progress->path, outcome);
}

/** A file that could not be run to its end. */
static int refuse(const char *path, rung_result result)
{
    if (!common.json)
        return fail_with(result);
    bool complete = true;
    json_t *line = report_new_line(path, &complete);
    set_member(
        line, "error",
        json_pack("{s:s,s:s}", "code", rung_result_name(result), "message", rung_last_error()),
        &complete);
    return report_print_line(line, complete) ? exit_of(result) : fail_memory();
}

static int run_file(const char *path)
{
    struct progress progress = {.path = path};
    const rung_result result = rung_vectors_run(path, take_outcome, &progress);
    const bool is_complete = result == RUNG_OK || result == RUNG_INTEGRITY;
    int status = is_complete ? EXIT_DONE : refuse(path, result);
    if (progress.no_memory)
        status = fail_memory();
    return progress.failed ? EXIT_VERDICT : status;
}

static int run(int count, char **operands)
{
    int status = EXIT_DONE;
    for (int i = 0; i < count; i++) {
        const int one = run_file(operands[i]);
        /* Of several, a wrong byte counts more than a file that cannot be read. */
        if (status == EXIT_DONE || one == EXIT_VERDICT)
            status = one;
    }
    return status;
}

static const struct option_row options[] = {ROW_JSON, ROW_END};

const struct command command_vectors = {
    .name = "vectors",
    .operands = "FILE…",
    .operand = VALUE_FILE,
    .text = "Check on this device that every implementation gives the expected bytes",
    .more = "Runs each file of test vectors with every implementation of the exact arithmetic that "
            "this machine\n"
            "can run, and prints one line for each. A case that an implementation has no decoder "
            "for counts as\n"
            "not applicable, never as passed.",
    .verdict = "a byte that is wrong; the message says which one",
    .options = options,
    .run = run,
    .least_operands = 1,
    .most_operands = -1,
};
