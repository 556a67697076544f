/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs of systems on a chip, which no bus announces: each is known by its driver. */
#include <string.h>

#include "base/text.h"
#include "hardware/parts.h"

#define FOLDER_LIMIT 64
#define PATH_BYTES   256

struct platform_gpu {
    const char *driver, *name;
    uint16_t vendor;
    const char *presence;   /**< the device's folder; or, ending in '/', the driver's */
    const char *model_file; /**< or NULL */
    const char *node;       /**< below /dev; NULL: the device's render node, if it has one */
};

static const struct platform_gpu rows[] = {
    {"mali_kbase", "Mali", RUNG__VENDOR_ARM, "/sys/class/misc/mali0",
     "/sys/class/misc/mali0/device/gpuinfo", "mali0"},
    {"panfrost", "Mali", RUNG__VENDOR_ARM, "/sys/bus/platform/drivers/panfrost/", NULL, NULL},
    {"panthor", "Mali", RUNG__VENDOR_ARM, "/sys/bus/platform/drivers/panthor/", NULL, NULL},
    {"kgsl", "Adreno", RUNG__VENDOR_QUALCOMM, "/sys/class/kgsl/kgsl-3d0",
     "/sys/class/kgsl/kgsl-3d0/gpu_model", "kgsl-3d0"},
    {"msm", "Adreno", RUNG__VENDOR_QUALCOMM, "/sys/bus/platform/drivers/adreno/", NULL, NULL},
    {"nvgpu", "Tegra", RUNG__VENDOR_NVIDIA, "/sys/bus/platform/drivers/gk20a/", NULL, NULL},
};

/** In a driver's folder a bound device is a link, its name with a dot ("fb000000.gpu"). The first
 * one's folder, or "". */
static rung_result find_bound(struct rung__machine *machine, const char *drivers,
                              char folder[PATH_BYTES])
{
    struct rung__folder names;
    *folder = '\0';
    const rung_result result = rung__machine_list(machine, drivers, FOLDER_LIMIT, &names);
    for (size_t i = 0; i < names.count && !*folder; i++)
        if (strchr(names.names[i], '.') &&
            !rung__text_format(folder, PATH_BYTES, "%s%s", drivers, names.names[i]))
            *folder = '\0';
    rung__folder_finish(&names);
    return result;
}

/** The folder of a row's device, or "" when there is none. */
static rung_result find_device(struct rung__machine *machine, const struct platform_gpu *row,
                               char folder[PATH_BYTES])
{
    *folder = '\0';
    if (!rung__machine_has(machine, row->presence))
        return RUNG_OK;
    if (row->presence[strlen(row->presence) - 1] == '/')
        return find_bound(machine, row->presence, folder);
    (void)rung__text_format(folder, PATH_BYTES, "%s", row->presence);
    return RUNG_OK;
}

static rung_result add(struct rung__machine *machine, const struct platform_gpu *row,
                       const char *folder, struct rung__hardware *out)
{
    char nodes[PATH_BYTES + sizeof "/drm"];
    struct rung__device *device = rung__hardware_add_device(out);
    if (!device)
        return RUNG_OK;
    device->vendor = row->vendor;
    (void)rung__text_format(device->driver, sizeof device->driver, "%s", row->driver);
    if (row->node)
        (void)rung__text_format(device->node, sizeof device->node, "%s", row->node);
    if (!row->model_file ||
        !rung__machine_line(machine, row->model_file, device->name, sizeof device->name))
        (void)rung__text_format(device->name, sizeof device->name, "%s", row->name);
    (void)rung__text_format(nodes, sizeof nodes, "%s/drm", folder);
    const rung_result result = rung__hardware_find_node(machine, device, nodes, "renderD", "dri");
    rung__hardware_complete(machine, out, device);
    return result;
}

rung_result rung__hardware_read_platform(struct rung__machine *machine, struct rung__hardware *out)
{
    char folder[PATH_BYTES];
    rung_result result = RUNG_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && result == RUNG_OK; i++) {
        result = find_device(machine, &rows[i], folder);
        if (result == RUNG_OK && *folder)
            result = add(machine, &rows[i], folder, out);
    }
    return result;
}
