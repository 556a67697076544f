/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_SUGGEST_H
#define RUNG_CLI_SUGGEST_H

#include <stddef.h>

/** Looking for what somebody may have meant. */
struct suggestion {
    const char *typed;
    size_t length;
    const char *best; /**< the nearest word that was offered; NULL: none is near enough */
    unsigned distance;
};

struct suggestion suggestion_begin(const char *typed, size_t length);

/** Takes `word` when it is nearer than those before: one or two letters wrong, missing, too many or
 * swapped. */
void suggestion_offer(struct suggestion *suggestion, const char *word);

#endif
