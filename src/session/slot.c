/* SPDX-License-Identifier: Apache-2.0 */
#include "session/slot.h"

#include "base/wait.h"
#include "session/tickets.h"

/* Sequentially consistent, as is rung__slot_wait: either it sees that somebody sleeps, or who is
 * about to sleep sees the word. */
static void notify(struct rung__slot *slot, enum rung__phase phase)
{
    static const bool is_news[] = {
        [RUNG__SLOT_FREE] = true,      [RUNG__SLOT_COMPLETE] = true,  [RUNG__SLOT_FAILED] = true,
        [RUNG__SLOT_CANCELLED] = true, [RUNG__SLOT_RETIRING] = false,
    };
    if (is_news[phase] && atomic_exchange(&slot->waited, 0) == 1)
        rung__wake_all(&slot->waited);
}

bool rung__slot_move(struct rung__slot *slot, uint64_t generation, enum rung__phase from,
                     enum rung__phase to)
{
    uint64_t expected = rung__slot_word(generation, from);
    if (!atomic_compare_exchange_strong(&slot->word, &expected, rung__slot_word(generation, to)))
        return false;
    notify(slot, to);
    return true;
}

void rung__slot_set(struct rung__slot *slot, uint64_t generation, enum rung__phase phase)
{
    atomic_store(&slot->word, rung__slot_word(generation, phase));
    notify(slot, phase);
}

bool rung__slot_wait(struct rung__slot *slot, uint64_t word, uint64_t deadline)
{
    atomic_store(&slot->waited, 1);
    if (atomic_load(&slot->word) != word)
        return true;
    return rung__wait(&slot->waited, 1, deadline);
}

void rung__slot_retire(struct rung__slot *slot)
{
    struct {
        void (*release)(void *user, const void *pixels);
        void *user;
        const void *pixels;
    } frames[RUNG__REQUEST_FRAMES_MAX];
    const uint32_t count = slot->frame_count;
    for (uint32_t i = 0; i < count; i++) {
        frames[i].release = slot->frames[i].release;
        frames[i].user = slot->frames[i].release_user;
        frames[i].pixels = slot->frames[i].pixels;
    }
    rung__slot_set(slot, 0, RUNG__SLOT_FREE);
    for (uint32_t i = 0; i < count; i++)
        if (frames[i].release)
            frames[i].release(frames[i].user, frames[i].pixels);
}
