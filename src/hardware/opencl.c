/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL drivers: who looks for "a GPU" through OpenCL may be given another vendor's. */
#include <string.h>

#include "base/text.h"
#include "hardware/parts.h"

#define VENDORS      "/etc/OpenCL/vendors"
#define FOLDER_LIMIT 256
#define PATH_BYTES   (256 + sizeof VENDORS)

/* A part of the library's name; Intel's libintelocl drives CPUs and is none of them. */
static const struct {
    const char *part;
    uint16_t vendor;
} rows[] = {
    {"nvidia-opencl", RUNG__VENDOR_NVIDIA}, {"igdrcl", RUNG__VENDOR_INTEL},
    {"amdocl", RUNG__VENDOR_AMD},           {"libmali", RUNG__VENDOR_ARM},
    {"adreno", RUNG__VENDOR_QUALCOMM},
};

static uint16_t vendor_of(const char *library)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(library, rows[i].part))
            return rows[i].vendor;
    return 0;
}

static bool is_announcement(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".icd") == 0;
}

rung_result rung__hardware_read_opencl(struct rung__machine *machine, struct rung__hardware *out)
{
    char path[PATH_BYTES];
    struct rung__folder folder;
    const rung_result result = rung__machine_list(machine, VENDORS, FOLDER_LIMIT, &folder);
    for (size_t i = 0; i < folder.count && out->opencl_count < RUNG__OPENCL_DRIVERS; i++) {
        struct rung__opencl *driver = &out->opencl[out->opencl_count];
        if (!is_announcement(folder.names[i]) ||
            !rung__text_format(path, sizeof path, VENDORS "/%s", folder.names[i]) ||
            !rung__machine_line(machine, path, driver->library, sizeof driver->library))
            continue;
        driver->vendor = vendor_of(driver->library);
        out->opencl_count++;
    }
    rung__folder_finish(&folder);
    return result;
}
