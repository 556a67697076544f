/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware/describe.h"

#include "base/text.h"

/** Leaves unknown texts out. */
static void set_text(json_t *object, const char *key, const char *text, bool *failed)
{
    if (*text)
        rung__json_set(object, key, json_string(text), failed);
}

static json_t *describe_cpu(const struct rung__hardware *hardware, bool *failed)
{
    const char *name;
    json_t *features = json_array();
    for (uint32_t bit = 0; (name = rung__cpu_feature_name(bit)); bit++)
        if (hardware->cpu_features >> bit & 1)
            rung__json_append(features, json_string(name), failed);
    json_t *cpu = json_pack("{s:i,s:i}", "usable", (int)hardware->cpus.logical, "cores",
                            (int)hardware->cpus.physical);
    set_text(cpu, "model", hardware->cpu_model, failed);
    rung__json_set(cpu, "features", features, failed);
    return cpu;
}

static json_t *describe_device(const struct rung__device *device, bool *failed)
{
    char id[RUNG__HARDWARE_NAME];
    const char *vendor = rung__vendor_name(device->vendor);
    (void)rung__text_format(id, sizeof id, "%04x:%04x", device->vendor, device->device);
    json_t *object =
        json_pack("{s:s,s:s,s:s,s:b}", "kind", device->kind == RUNG__DEVICE_GPU ? "gpu" : "npu",
                  "vendor", vendor ? vendor : "unknown", "id", id, "virtual", device->is_virtual);
    set_text(object, "address", device->address, failed);
    set_text(object, "name", device->name, failed);
    set_text(object, "driver", device->driver, failed);
    set_text(object, "version", device->version, failed);
    set_text(object, "node", device->node, failed);
    if (*device->node)
        rung__json_set(object, "has_node", json_boolean(device->has_node), failed);
    return object;
}

static json_t *describe_soc(const struct rung__soc *soc, bool *failed)
{
    json_t *object = json_pack("{s:b}", "fastrpc", soc->has_fastrpc);
    set_text(object, "machine", soc->machine, failed);
    set_text(object, "family", soc->family, failed);
    set_text(object, "compatible", soc->compatible, failed);
    if (soc->id)
        rung__json_set(object, "id", json_integer(soc->id), failed);
    if (soc->hexagon)
        rung__json_set(object, "hexagon", json_integer(soc->hexagon), failed);
    return object;
}

static json_t *describe_opencl(const struct rung__opencl *opencl)
{
    const char *vendor = rung__vendor_name(opencl->vendor);
    return json_pack("{s:s,s:s?}", "library", opencl->library, "vendor", vendor);
}

json_t *rung__hardware_json(const struct rung__hardware *hardware, bool *failed)
{
    json_t *devices = json_array(), *opencl = json_array(), *object = json_object();
    for (uint32_t i = 0; i < hardware->device_count; i++)
        rung__json_append(devices, describe_device(&hardware->devices[i], failed), failed);
    for (uint32_t i = 0; i < hardware->opencl_count; i++)
        rung__json_append(opencl, describe_opencl(&hardware->opencl[i]), failed);
    rung__json_set(object, "cpu", describe_cpu(hardware, failed), failed);
    set_text(object, "kernel", hardware->kernel, failed);
    rung__json_set(object, "devices", devices, failed);
    rung__json_set(object, "kfd", json_boolean(hardware->has_kfd), failed);
    if (*hardware->soc.machine || *hardware->soc.compatible)
        rung__json_set(object, "soc", describe_soc(&hardware->soc, failed), failed);
    rung__json_set(object, "opencl", opencl, failed);
    rung__json_set(object, "devices_left_out", json_integer(hardware->devices_left_out), failed);
    rung__json_set(object, "unread", json_integer(hardware->unread), failed);
    return object;
}
