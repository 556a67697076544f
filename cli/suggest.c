/* SPDX-License-Identifier: Apache-2.0 */
#include "suggest.h"

#include <string.h>

/* Longer words than this are no slips of the finger. */
#define WORD_MAX 32

#define FAR 3u

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/** The number of letters to change, add, take away or swap with a neighbour. */
static unsigned distance_of(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[WORD_MAX + 1][WORD_MAX + 1];
    if (a_length > WORD_MAX || b_length > WORD_MAX)
        return FAR;
    for (unsigned i = 0; i <= a_length; i++)
        rows[i][0] = i;
    for (unsigned j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        for (size_t j = 1; j <= b_length; j++) {
            const unsigned changed = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            rows[i][j] = least(changed, least(rows[i - 1][j], rows[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                rows[i][j] = least(rows[i][j], rows[i - 2][j - 2] + 1);
        }
    }
    return rows[a_length][b_length];
}

struct suggestion suggestion_begin(const char *typed, size_t length)
{
    /* Of a short word two other letters leave too little. */
    const unsigned limit = length > 4 ? FAR : length > 1 ? FAR - 1 : 0;
    return (struct suggestion){.typed = typed, .length = length, .distance = limit};
}

void suggestion_offer(struct suggestion *suggestion, const char *word)
{
    const unsigned distance =
        distance_of(suggestion->typed, suggestion->length, word, strlen(word));
    if (distance >= suggestion->distance)
        return;
    suggestion->distance = distance;
    suggestion->best = word;
}
