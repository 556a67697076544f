/* SPDX-License-Identifier: Apache-2.0 */
#include "session/own_device.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/device.h"
#include "base/error.h"
#include "base/text.h"
#include "ladder/pins.h"
#include "session/recall.h"

#define CHANGES_TOLD  3u
#define CHANGES_BYTES 900u

static bool is_engine(const struct rung__artifact *artifact)
{
    return artifact->view.header.kind == RUNG_ARTIFACT_ENGINE;
}

static rung_result check_rung(const struct rung__rung *rung,
                              const struct rung__engine_device *device,
                              const struct rung__artifact *artifact)
{
    if (!rung || !rung->compiled)
        return rung__fail(RUNG_UNSUPPORTED,
                          "%s: it was compiled for %s, and this version has no such rung that "
                          "loads engines from a file",
                          artifact->path, device->rung);
    const char *here = rung__precision_text(rung__rung_precision(rung, &artifact->view.header));
    if (strcmp(device->precision, here) != 0)
        return rung__fail(RUNG_UNSUPPORTED,
                          "%s: it was compiled in %s, and %s computes in %s on this device",
                          artifact->path, device->precision, rung->id, here);
    return RUNG_OK;
}

/** The first differences between that device and this one, in words. */
static void name_changes(const char *before, const char *now, char text[CHANGES_BYTES])
{
    struct rung__fingerprint_change changes[CHANGES_TOLD];
    const size_t count = rung__fingerprint_changes(before, now, changes, CHANGES_TOLD);
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && i < CHANGES_TOLD; i++) {
        (void)rung__text_format(text + used, CHANGES_BYTES - used, "%s%s", i ? "; " : "",
                                changes[i].text);
        used += strlen(text + used);
    }
    if (count > CHANGES_TOLD)
        (void)rung__text_format(text + used, CHANGES_BYTES - used, "; %zu more",
                                count - CHANGES_TOLD);
}

static rung_result check_fingerprint(struct rung_instance *instance,
                                     const struct rung__engine_device *device, const char *path)
{
    char *now = NULL, changes[CHANGES_BYTES];
    rung_result result = rung__instance_fingerprint(instance, RUNG__FINGERPRINT_ENGINES, &now);
    if (result == RUNG_OK && strcmp(now, device->depends_on) != 0) {
        name_changes(device->depends_on, now, changes);
        result = rung__fail(RUNG_UNSUPPORTED,
                            "%s: it was compiled for another device, or for other drivers or "
                            "libraries (there → here: %s); compile the model for this one",
                            path, changes);
    }
    free(now);
    return result;
}

rung_result rung__own_device_check(struct rung_instance *instance,
                                   const struct rung__artifact *artifact,
                                   const struct rung__rung **out)
{
    struct rung__engine_device device;
    *out = NULL;
    if (!is_engine(artifact))
        return RUNG_OK;
    rung_result result = rung__device_parse(artifact->view.sections[RUNG__SECTION_DEVICE], &device);
    const struct rung__rung *rung = rung__table_find(&instance->table, device.rung);
    if (result == RUNG_OK)
        result = check_rung(rung, &device, artifact);
    if (result == RUNG_OK)
        result = check_fingerprint(instance, &device, artifact->path);
    if (result == RUNG_OK)
        *out = rung;
    rung__device_finish(&device);
    return result;
}

rung_result rung__own_device_refuse(const struct rung__artifact *artifact)
{
    if (!is_engine(artifact))
        return RUNG_OK;
    return rung__fail(RUNG_UNSUPPORTED,
                      "%s: it is an engine, compiled for one rung on one device: it serves there "
                      "as it is, and is neither measured nor compiled",
                      artifact->path);
}
