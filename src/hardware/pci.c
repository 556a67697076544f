/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs and neural processors on PCI. */
#include <string.h>

#include "base/text.h"
#include "hardware/parts.h"

#define BUS        "/sys/bus/pci/devices"
#define BUS_LIMIT  8192 /* the largest servers have a few hundred */
#define PATH_BYTES 128

#define CLASS_DISPLAY     0x03
#define CLASS_ACCELERATOR 0x12

static bool is_address(const char *name)
{
    return strlen(name) < RUNG__HARDWARE_NAME && name[strspn(name, "0123456789abcdef:.")] == '\0';
}

static bool read_number(struct rung__machine *machine, const char *address, const char *file,
                        uint32_t most, uint32_t *out)
{
    char path[PATH_BYTES];
    return rung__text_format(path, sizeof path, BUS "/%s/%s", address, file) &&
           rung__machine_number(machine, path, most, out);
}

/** AMD's and NVIDIA's accelerators without a display are GPUs, whatever class they give. */
static enum rung__device_kind kind_of(const struct rung__device *device)
{
    const bool makes_gpus =
        device->vendor == RUNG__VENDOR_AMD || device->vendor == RUNG__VENDOR_NVIDIA;
    return device->class >> 16 == CLASS_DISPLAY || makes_gpus ? RUNG__DEVICE_GPU : RUNG__DEVICE_NPU;
}

static rung_result find_node(struct rung__machine *machine, struct rung__device *device,
                             const char *kind, const char *beginning, const char *below)
{
    char folder[PATH_BYTES];
    (void)rung__text_format(folder, sizeof folder, BUS "/%s/%s", device->address, kind);
    return rung__hardware_find_node(machine, device, folder, beginning, below);
}

static rung_result complete(struct rung__machine *machine, const struct rung__hardware *hardware,
                            struct rung__device *device)
{
    char path[PATH_BYTES];
    (void)rung__text_format(path, sizeof path, BUS "/%s/driver", device->address);
    (void)rung__machine_link(machine, path, device->driver, sizeof device->driver);
    /* Its own node does without a module for displays. */
    if (strcmp(device->driver, "nvidia") == 0)
        (void)rung__text_format(device->node, sizeof device->node, "nvidiactl");
    rung_result result = find_node(machine, device, "accel", "accel", "accel");
    if (result == RUNG_OK)
        result = find_node(machine, device, "drm", "renderD", "dri");
    rung__hardware_complete(machine, hardware, device);
    return result;
}

static rung_result read_one(struct rung__machine *machine, const char *address,
                            struct rung__hardware *out)
{
    uint32_t class, vendor, number;
    if (!is_address(address) || !read_number(machine, address, "class", 0xffffff, &class) ||
        (class >> 16 != CLASS_DISPLAY && class >> 16 != CLASS_ACCELERATOR) ||
        !read_number(machine, address, "vendor", UINT16_MAX, &vendor) ||
        !read_number(machine, address, "device", UINT16_MAX, &number))
        return RUNG_OK;
    struct rung__device *device = rung__hardware_add_device(out);
    if (!device)
        return RUNG_OK;
    device->class = class;
    device->vendor = (uint16_t)vendor;
    device->device = (uint16_t)number;
    device->kind = kind_of(device);
    device->is_virtual = rung__vendor_is_virtual(device->vendor);
    (void)rung__text_format(device->address, sizeof device->address, "%s", address);
    return complete(machine, out, device);
}

rung_result rung__hardware_read_pci(struct rung__machine *machine, struct rung__hardware *out)
{
    struct rung__folder folder;
    rung_result result = rung__machine_list(machine, BUS, BUS_LIMIT, &folder);
    for (size_t i = 0; i < folder.count && result == RUNG_OK; i++)
        result = read_one(machine, folder.names[i], out);
    rung__folder_finish(&folder);
    return result;
}
