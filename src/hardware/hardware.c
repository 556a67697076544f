/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware/hardware.h"

#include <string.h>

#include "base/text.h"
#include "hardware/parts.h"

const char *rung__vendor_name(uint32_t vendor)
{
    static const struct {
        uint32_t vendor;
        const char *name;
    } rows[] = {
        {RUNG__VENDOR_AMD, "AMD"},
        {RUNG__VENDOR_NVIDIA, "NVIDIA"},
        {0x106b, "Apple"},
        {0x1234, "QEMU"},
        {RUNG__VENDOR_ARM, "Arm"},
        {0x1414, "Microsoft"},
        {0x15ad, "VMware"},
        {0x1a03, "ASPEED"},
        {RUNG__VENDOR_VIRTIO, "virtio"},
        {0x1b36, "Red Hat"},
        {RUNG__VENDOR_QUALCOMM, "Qualcomm"},
        {RUNG__VENDOR_INTEL, "Intel"},
        {0x102b, "Matrox"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].vendor == vendor)
            return rows[i].name;
    return NULL;
}

struct rung__device *rung__hardware_add_device(struct rung__hardware *hardware)
{
    if (hardware->device_count == RUNG__DEVICES) {
        hardware->devices_left_out++;
        return NULL;
    }
    struct rung__device *device = &hardware->devices[hardware->device_count++];
    *device = (struct rung__device){0};
    return device;
}

/** Whether a word of a driver's banner is a version: digits with at least one dot between. */
static bool is_version(const char *word, size_t length)
{
    return length > 2 && strspn(word, "0123456789.") == length && *word != '.' &&
           word[length - 1] != '.' && memchr(word, '.', length) != NULL;
}

/** "550.90.07" of "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May …". */
static bool nvidia_version(struct rung__machine *machine, char *to, size_t size)
{
    char line[4 * RUNG__HARDWARE_LINE];
    if (!rung__machine_line(machine, "/proc/driver/nvidia/version", line, sizeof line))
        return false;
    for (const char *word = line; *word;) {
        const size_t length = strcspn(word, " ");
        if (is_version(word, length))
            return rung__text_format(to, size, "%.*s", (int)length, word);
        word += length + (word[length] == ' ');
    }
    return false;
}

/** The version file of a module; the file system names it with '_' where the driver has '-'. */
static bool module_version(struct rung__machine *machine, const char *driver, char *to, size_t size)
{
    char module[RUNG__HARDWARE_NAME], path[128];
    (void)rung__text_format(module, sizeof module, "%s", driver);
    for (char *at = module; *at; at++)
        if (*at == '-')
            *at = '_';
    return rung__text_format(path, sizeof path, "/sys/module/%s/version", module) &&
           rung__machine_line(machine, path, to, size);
}

static void find_version(struct rung__machine *machine, const struct rung__hardware *hardware,
                         struct rung__device *device)
{
    char *to = device->version;
    if (!*device->driver)
        return;
    if (strcmp(device->driver, "nvidia") == 0 &&
        nvidia_version(machine, to, sizeof device->version))
        return;
    if (module_version(machine, device->driver, to, sizeof device->version))
        return;
    *to = '\0';
    /* A driver of the kernel's own tree changes with the kernel. */
    if (*hardware->kernel)
        (void)rung__text_format(to, sizeof device->version, "kernel %s", hardware->kernel);
}

void rung__hardware_complete(struct rung__machine *machine, const struct rung__hardware *hardware,
                             struct rung__device *device)
{
    char path[RUNG__HARDWARE_NAME + sizeof "/dev/"];
    find_version(machine, hardware, device);
    device->has_node = *device->node &&
                       rung__text_format(path, sizeof path, "/dev/%s", device->node) &&
                       rung__machine_has(machine, path);
}

rung_result rung__hardware_read(const char *root, struct rung__hardware *out)
{
    struct rung__machine machine = {.root = root};
    *out = (struct rung__hardware){0};
    (void)rung__machine_line(&machine, "/proc/sys/kernel/osrelease", out->kernel,
                             sizeof out->kernel);
    rung__cpus_count(&machine, &out->cpus);
    rung__hardware_read_cpu(&machine, out);
    rung__hardware_read_soc(&machine, out);
    out->has_kfd = rung__machine_has(&machine, "/dev/kfd");

    rung_result result = rung__hardware_read_pci(&machine, out);
    if (result == RUNG_OK)
        result = rung__hardware_read_platform(&machine, out);
    if (result == RUNG_OK)
        result = rung__hardware_read_opencl(&machine, out);
    out->unread = machine.unread;
    if (result != RUNG_OK)
        *out = (struct rung__hardware){0};
    return result;
}
