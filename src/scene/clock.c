/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/clock.h"

#include "base/clock.h"
#include "base/wait.h"

static uint64_t now(void *user)
{
    (void)user;
    return rung__clock_now();
}

static void wait_until(void *user, uint64_t deadline)
{
    atomic_uint *woken = user;
    while (!atomic_exchange(woken, 0) && rung__clock_now() < deadline)
        (void)rung__wait(woken, 0, deadline);
}

static void wake(void *user)
{
    atomic_uint *woken = user;
    atomic_store(woken, 1);
    rung__wake_all(woken);
}

rung_scene_clock rung__scene_system_clock(atomic_uint *woken)
{
    return (rung_scene_clock){
        .struct_size = sizeof(rung_scene_clock),
        .version = RUNG_STRUCT_VERSION,
        .user = woken,
        .now = now,
        .wait_until = wait_until,
        .wake = wake,
    };
}
