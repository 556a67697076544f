/* SPDX-License-Identifier: Apache-2.0 */
#include "session/slot.h"

#include "base/wait.h"
#include "session/tickets.h"

/* Sequentially consistent, as is rung__slot_wait: either it sees that somebody sleeps, or who is
 * about to sleep sees the word. The number that is waited for never takes a value once more, so
 * that one who waits for the next ticket cannot put to sleep who was late for this one. */
static void notify(struct rung__slot *slot, enum rung__phase phase)
{
    static const bool is_news[] = {
        [RUNG__SLOT_FREE] = true,      [RUNG__SLOT_COMPLETE] = true,  [RUNG__SLOT_FAILED] = true,
        [RUNG__SLOT_CANCELLED] = true, [RUNG__SLOT_RETIRING] = false,
    };
    if (!is_news[phase] || atomic_load(&slot->sleepers) == 0)
        return;
    atomic_fetch_add(&slot->news, 1);
    rung__wake_all(&slot->news);
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
    bool in_time = true;
    atomic_fetch_add(&slot->sleepers, 1);
    const uint32_t news = atomic_load(&slot->news);
    if (atomic_load(&slot->word) == word)
        in_time = rung__wait(&slot->news, news, deadline);
    atomic_fetch_sub(&slot->sleepers, 1);
    return in_time;
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
