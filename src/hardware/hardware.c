/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware/hardware.h"

#include <string.h>

#include "base/text.h"
#include "hardware/parts.h"

#define NODES_LIMIT 256

struct vendor {
    uint32_t number;
    const char *name;
    bool is_virtual; /**< its GPUs are those of virtual machines */
};

static const struct vendor *find_vendor(uint32_t number)
{
    static const struct vendor rows[] = {
        {RUNG__VENDOR_AMD, "AMD", false},
        {0x102b, "Matrox", false},
        {0x106b, "Apple", false},
        {RUNG__VENDOR_NVIDIA, "NVIDIA", false},
        {0x1234, "QEMU", true},
        {RUNG__VENDOR_ARM, "Arm", false},
        {0x1414, "Microsoft", true}, /* Hyper-V */
        {0x15ad, "VMware", true},
        {0x1a03, "ASPEED", false},
        {RUNG__VENDOR_VIRTIO, "virtio", true},
        {0x1b36, "Red Hat", true}, /* QXL */
        {RUNG__VENDOR_QUALCOMM, "Qualcomm", false},
        {RUNG__VENDOR_INTEL, "Intel", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number == number)
            return &rows[i];
    return NULL;
}

const char *rung__vendor_name(uint32_t vendor)
{
    const struct vendor *row = find_vendor(vendor);
    return row ? row->name : NULL;
}

bool rung__vendor_is_virtual(uint32_t vendor)
{
    const struct vendor *row = find_vendor(vendor);
    return row && row->is_virtual;
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

rung_result rung__hardware_find_node(struct rung__machine *machine, struct rung__device *device,
                                     const char *folder, const char *beginning, const char *below)
{
    struct rung__folder names;
    if (*device->node || !rung__machine_has(machine, folder))
        return RUNG_OK;
    const rung_result result = rung__machine_list(machine, folder, NODES_LIMIT, &names);
    for (size_t i = 0; i < names.count && !*device->node; i++)
        if (strncmp(names.names[i], beginning, strlen(beginning)) == 0 &&
            rung__machine_name_is_plain(names.names[i]) &&
            !rung__text_format(device->node, sizeof device->node, "%s/%s", below, names.names[i]))
            device->node[0] = '\0';
    rung__folder_finish(&names);
    return result;
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
