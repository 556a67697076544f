/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_PROBE_PROBE_H
#define RUNG_PROBE_PROBE_H

#include <jansson.h>

#include <rung/result.h>

#include "base/bytes.h"

/** What a subcommand adds to its answer. */
struct answer {
    json_t *members;             /**< an object; NULL: none */
    struct rung__buffer outputs; /**< bytes behind the line */
};

/**
 * A subcommand. It does its work with the operands behind its name and with what standard input
 * gave, and returns; the sentence of a failure is rung_last_error().
 */
struct command {
    const char *name;
    int operands;
    rung_result (*run)(char **operands, struct rung__bytes input, struct answer *answer);
};

rung_result background(char **operands, struct rung__bytes task, struct answer *answer);
rung_result build_engine(char **operands, struct rung__bytes file, struct answer *answer);
rung_result describe(char **operands, struct rung__bytes input, struct answer *answer);
rung_result tract_load(char **operands, struct rung__bytes model, struct answer *answer);
rung_result validate(char **operands, struct rung__bytes task, struct answer *answer);
rung_result run_rung(char **operands, struct rung__bytes file, struct answer *answer);

#endif
