/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/devices.h"

enum { HEXAGON_LEAST = 68, HEXAGON_MOST = 81 };

#define ANY_VENDOR 0u

static bool has(const struct rung__hardware *hardware, enum rung__device_kind kind, uint32_t vendor)
{
    for (uint32_t i = 0; i < hardware->device_count; i++) {
        const struct rung__device *device = &hardware->devices[i];
        if (device->kind == kind && device->has_node && !device->is_virtual &&
            (vendor == ANY_VENDOR || device->vendor == vendor))
            return true;
    }
    return false;
}

bool rung__has_nvidia_gpu(const struct rung__hardware *hardware)
{
    return has(hardware, RUNG__DEVICE_GPU, RUNG__VENDOR_NVIDIA);
}

bool rung__has_rocm_gpu(const struct rung__hardware *hardware)
{
    return hardware->has_kfd && has(hardware, RUNG__DEVICE_GPU, RUNG__VENDOR_AMD);
}

bool rung__has_intel_gpu(const struct rung__hardware *hardware)
{
    return has(hardware, RUNG__DEVICE_GPU, RUNG__VENDOR_INTEL);
}

bool rung__has_intel_npu(const struct rung__hardware *hardware)
{
    return has(hardware, RUNG__DEVICE_NPU, RUNG__VENDOR_INTEL);
}

bool rung__has_hexagon(const struct rung__hardware *hardware)
{
    return hardware->soc.has_fastrpc && hardware->soc.hexagon >= HEXAGON_LEAST &&
           hardware->soc.hexagon <= HEXAGON_MOST;
}

bool rung__has_gpu(const struct rung__hardware *hardware)
{
    return has(hardware, RUNG__DEVICE_GPU, ANY_VENDOR);
}

/** What this was compiled for is what it runs on. */
bool rung__has_x86_cpu(const struct rung__hardware *hardware)
{
    (void)hardware;
#if defined(__x86_64__) || defined(__i386__)
    return true;
#else
    return false;
#endif
}
