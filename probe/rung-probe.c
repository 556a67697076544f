/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The helper program of the library (runtime/helper.h), never called by hand: it tries in a process
 * of its own what may kill a process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <jansson.h>

#include "base/error.h"
#include "ladder/engine_build.h"
#include "ladder/probe.h"
#include "probe.h"
#include "runtime/describe.h"
#include "runtime/helper.h"
#include "runtime/tract/trial.h"
#include "session/background.h"
#include "session/validate.h"

enum { STATUS_ANSWERED = 0, STATUS_USAGE = 2, STATUS_MUTE = 70 };

static const struct command commands[] = {
    {RUNG__BACKGROUND, 0, background},     {RUNG__DESCRIBE, 2, describe},
    {RUNG__TRACT_TRIAL, 1, tract_load},    {RUNG__PROBE_TRIAL, 4, run_rung},
    {RUNG__ENGINE_BUILD, 5, build_engine}, {RUNG__VALIDATE, 0, validate},
};

/** A death is told by its signal; the memory of the dead is of no use to anybody. */
static void leave_no_core(void)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
}

static rung_result read_input(struct rung__buffer *to)
{
    uint8_t part[65536];
    size_t got;
    rung_result result = RUNG_OK;
    while (result == RUNG_OK && (got = fread(part, 1, sizeof part, stdin)) > 0)
        result = rung__buffer_append(to, part, got);
    if (result == RUNG_OK && ferror(stdin))
        result = rung__fail(RUNG_IO, "cannot read standard input");
    return result;
}

/** Whatever a library prints goes where complaints go: standard output is the answer's alone. */
static FILE *take_output(void)
{
    int own = dup(STDOUT_FILENO);
    if (own < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return NULL;
    return fdopen(own, "w");
}

static int tell(FILE *to, rung_result result, const struct answer *answer)
{
    json_t *json = json_pack("{s:i,s:s}", RUNG__HELPER_RESULT, (int)result, RUNG__HELPER_DETAIL,
                             result == RUNG_OK ? "" : rung_last_error());
    const struct rung__buffer *outputs = &answer->outputs;
    bool told = json && (!answer->members || json_object_update(json, answer->members) == 0) &&
                json_dumpf(json, to, JSON_COMPACT) == 0 && putc('\n', to) != EOF &&
                (!outputs->size || fwrite(outputs->data, outputs->size, 1, to) == 1) &&
                fflush(to) == 0;
    json_decref(json);
    return told ? STATUS_ANSWERED : STATUS_MUTE;
}

int main(int count, char **arguments)
{
    const struct command *command = NULL;
    struct rung__buffer input = {0};
    for (size_t i = 0; count > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, arguments[1]) == 0 && commands[i].operands == count - 2)
            command = &commands[i];
    if (!command) {
        fprintf(stderr, "rung-probe is run by librung, not by hand\n");
        return STATUS_USAGE;
    }
    leave_no_core();
    FILE *to = take_output();
    if (!to)
        return STATUS_MUTE;
    struct answer answer = {0};
    rung_result result = read_input(&input);
    if (result == RUNG_OK)
        result = command->run(arguments + 2, rung__buffer_bytes(&input), &answer);
    /* The answer is given; nothing that a library does at the end of a process can change it. */
    _exit(tell(to, result, &answer));
}
