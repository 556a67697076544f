/* SPDX-License-Identifier: Apache-2.0 */
/* What the device is, for explanations. */
#include "session/device.h"

#include <stdlib.h>

#include "base/error.h"
#include "hardware/describe.h"
#include "hardware/fingerprint.h"

/** Too much for the stack of a caller's thread. */
struct work {
    struct rung__hardware hardware;
    struct rung__fingerprint fingerprint;
};

static rung_result explain(struct work *work, const char *root, json_t *to, bool *failed)
{
    char digest[2 * RUNG__SHA256_BYTES + 1];
    rung_result result = rung__hardware_read(root, &work->hardware);
    if (result == RUNG_OK)
        result =
            rung__fingerprint_text(&work->hardware, RUNG__FINGERPRINT_VERDICT, &work->fingerprint);
    if (result == RUNG_OK)
        result = rung__fingerprint_digest(&work->fingerprint, digest);
    if (result != RUNG_OK)
        return result;
    rung__json_set(to, "device", rung__hardware_json(&work->hardware, failed), failed);
    rung__json_set(to, "fingerprint", json_string(digest), failed);
    return RUNG_OK;
}

rung_result rung__explain_device(const struct rung_instance *instance, json_t *to, bool *failed)
{
    struct work *work = malloc(sizeof *work);
    if (!work)
        return rung__fail(RUNG_NO_MEMORY, "no memory to explain");
    const rung_result result = explain(work, rung__instance_hardware_root(instance), to, failed);
    free(work);
    return result;
}
