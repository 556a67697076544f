/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TEST_ADDING_H
#define RUNG_TEST_ADDING_H

#include <stdatomic.h>

#include <rung/provider.h>

#include "artifact/format.h"

/*
 * A provider from outside: it takes any graph, and each context has a thread of its own, which adds
 * up the input's bytes: number n of an output is (sum + n) modulo 256, in 256ths. It can be told to
 * fail and to lie.
 */

struct adding {
    const char *fails;   /**< the names of the functions that fail; NULL: none */
    rung_result with;    /**< what that answers */
    bool silent;         /**< and gives no reason */
    atomic_bool holds;   /**< runs go on until they are cancelled */
    bool no_device;      /**< none of its devices is here */
    uint32_t misaligned; /**< by which its input is, bytes */
    uint32_t shorter;    /**< by which its input is, bytes */
    void (*lie)(rung_provider_answer *answer);
    void (*look)(const rung_provider_model *request); /**< what it is asked for; NULL: at nothing */
    atomic_int models, contexts;                      /**< that are there */
    atomic_int runs, cancels, resets, synchronizations;
};

/** Its table, with `adding` as its user. */
rung_provider adding_table(struct adding *adding);

/** What number `index` of an output is for an input of these bytes. */
float adding_number(const void *input, uint64_t bytes, uint64_t index);

#endif
