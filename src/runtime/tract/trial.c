/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/tract/trial.h"

#include <string.h>

#include "base/error.h"
#include "base/sha256.h"
#include "base/thread.h"
#include "runtime/helper.h"

#define REMEMBERED 64u

/* Of the process, like the library: what one instance has seen come through is good for all. */
static struct {
    struct rung__mutex mutex;
    uint8_t digests[REMEMBERED][RUNG__SHA256_BYTES];
    uint32_t count; /* in all; the newest overwrite the oldest */
} passed = {.mutex = RUNG__MUTEX_INITIALIZER};

static bool has_passed(const uint8_t digest[RUNG__SHA256_BYTES])
{
    bool found = false;
    rung__mutex_lock(&passed.mutex);
    for (uint32_t i = 0; i < passed.count && i < REMEMBERED && !found; i++)
        found = memcmp(passed.digests[i], digest, RUNG__SHA256_BYTES) == 0;
    rung__mutex_unlock(&passed.mutex);
    return found;
}

static void remember(const uint8_t digest[RUNG__SHA256_BYTES])
{
    rung__mutex_lock(&passed.mutex);
    memcpy(passed.digests[passed.count++ % REMEMBERED], digest, RUNG__SHA256_BYTES);
    if (passed.count == 2 * REMEMBERED)
        passed.count = REMEMBERED; /* full stays full; the place stays the same */
    rung__mutex_unlock(&passed.mutex);
}

rung_result rung__tract_try(const struct rung__tract *tract, const char *helper,
                            struct rung__bytes model, uint64_t time_limit_ns)
{
    uint8_t digest[RUNG__SHA256_BYTES];
    const char *const arguments[] = {RUNG__TRACT_TRIAL, tract->path, NULL};
    rung_result result = rung__sha256_of(model.data, model.size, digest);
    if (result != RUNG_OK || has_passed(digest))
        return result;
    if (!helper)
        return rung__fail(RUNG_UNSUPPORTED,
                          "the helper program rung-probe is missing beside the library; without it "
                          "tract loads nothing, because a panic of tract ends its process");
    result = rung__helper_run(&(struct rung__helper_task){
        .helper = helper,
        .arguments = arguments,
        .input = model,
        .time_limit_ns = time_limit_ns,
    });
    if (result == RUNG_OK)
        remember(digest);
    return result;
}
