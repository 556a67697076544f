/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs of systems on a chip, which no bus announces: each is known by its driver. */
#include <string.h>

#include "base/text.h"
#include "hardware/parts.h"

#define FOLDER_LIMIT 64

struct platform_gpu {
    const char *driver, *name;
    uint16_t vendor;
    const char *presence;   /**< a device's folder; or, ending in '/', a driver's folder */
    const char *model_file; /**< or NULL */
    const char *node;       /**< below /dev */
};

static const struct platform_gpu rows[] = {
    {"mali_kbase", "Mali", RUNG__VENDOR_ARM, "/sys/class/misc/mali0",
     "/sys/class/misc/mali0/device/gpuinfo", "mali0"},
    {"panfrost", "Mali", RUNG__VENDOR_ARM, "/sys/bus/platform/drivers/panfrost/", NULL,
     "dri/renderD128"},
    {"panthor", "Mali", RUNG__VENDOR_ARM, "/sys/bus/platform/drivers/panthor/", NULL,
     "dri/renderD128"},
    {"kgsl", "Adreno", RUNG__VENDOR_QUALCOMM, "/sys/class/kgsl/kgsl-3d0",
     "/sys/class/kgsl/kgsl-3d0/gpu_model", "kgsl-3d0"},
    {"msm", "Adreno", RUNG__VENDOR_QUALCOMM, "/sys/bus/platform/drivers/adreno/", NULL,
     "dri/renderD128"},
    {"nvgpu", "Tegra", RUNG__VENDOR_NVIDIA, "/sys/bus/platform/drivers/gk20a/", NULL, "nvhost-gpu"},
};

/** In a driver's folder a bound device is a link, its name with a dot ("fb000000.gpu"). */
static rung_result has_bound_device(struct rung__machine *machine, const char *path, bool *out)
{
    struct rung__folder folder;
    *out = false;
    const rung_result result = rung__machine_list(machine, path, FOLDER_LIMIT, &folder);
    for (size_t i = 0; i < folder.count; i++)
        *out |= strchr(folder.names[i], '.') != NULL;
    rung__folder_finish(&folder);
    return result;
}

static rung_result is_there(struct rung__machine *machine, const struct platform_gpu *row,
                            bool *out)
{
    *out = rung__machine_has(machine, row->presence);
    if (!*out || row->presence[strlen(row->presence) - 1] != '/')
        return RUNG_OK;
    return has_bound_device(machine, row->presence, out);
}

static void add(struct rung__machine *machine, const struct platform_gpu *row,
                struct rung__hardware *out)
{
    struct rung__device *device = rung__hardware_add_device(out);
    if (!device)
        return;
    device->vendor = row->vendor;
    (void)rung__text_format(device->driver, sizeof device->driver, "%s", row->driver);
    (void)rung__text_format(device->node, sizeof device->node, "%s", row->node);
    if (!row->model_file ||
        !rung__machine_line(machine, row->model_file, device->name, sizeof device->name))
        (void)rung__text_format(device->name, sizeof device->name, "%s", row->name);
    rung__hardware_complete(machine, out, device);
}

rung_result rung__hardware_read_platform(struct rung__machine *machine, struct rung__hardware *out)
{
    rung_result result = RUNG_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && result == RUNG_OK; i++) {
        bool there;
        result = is_there(machine, &rows[i], &there);
        if (result == RUNG_OK && there)
            add(machine, &rows[i], out);
    }
    return result;
}
