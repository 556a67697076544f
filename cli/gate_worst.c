/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures on which a form is furthest from f32. */
#include "gate.h"

#include <string.h>

static bool is_worse(const struct gate_worst *a, const struct gate_worst *b)
{
    return a->apart > b->apart || (a->apart == b->apart && a->picture < b->picture);
}

void gate_keep_if_worst(struct gate_tally *tally, struct gate_worst row)
{
    size_t at = tally->worst_count;
    while (at > 0 && is_worse(&row, &tally->worst[at - 1]))
        at--;
    if (at == GATE_WORST || !(row.apart > 0))
        return;
    if (tally->worst_count < GATE_WORST)
        tally->worst_count++;
    memmove(&tally->worst[at + 1], &tally->worst[at],
            (tally->worst_count - 1 - at) * sizeof *tally->worst);
    tally->worst[at] = row;
}
