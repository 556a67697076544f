/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <stdio.h>
#include <string.h>

#include "common.h"

static int number_of(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

static const char *or_else(const char *text, const char *otherwise)
{
    return *text ? text : otherwise;
}

static void print_cpu(const json_t *cpu)
{
    const int usable = number_of(cpu, "usable"), cores = number_of(cpu, "cores");
    printf("  %-10s %s; %d usable on %d core%s\n", "cpu", or_else(text_of(cpu, "model"), "unknown"),
           usable, cores, cores == 1 ? "" : "s");
}

static void print_driver(const json_t *device)
{
    const char *version = text_of(device, "version");
    if (!*text_of(device, "driver"))
        printf(", no driver");
    else
        printf(", driver %s%s%s", text_of(device, "driver"), *version ? " " : "", version);
    if (json_is_false(json_object_get(device, "has_node")))
        printf(", /dev/%s is missing", text_of(device, "node"));
}

static void print_one(const json_t *device)
{
    const bool on_bus = *text_of(device, "address") != '\0';
    printf("  %-10s %s %s", text_of(device, "kind"), text_of(device, "vendor"),
           on_bus ? text_of(device, "id") : text_of(device, "name"));
    print_driver(device);
    printf("%s\n", json_is_true(json_object_get(device, "virtual")) ? " (virtual)" : "");
}

static void print_soc(const json_t *soc)
{
    const int hexagon = number_of(soc, "hexagon");
    printf("  %-10s %s", "chip", or_else(text_of(soc, "machine"), text_of(soc, "compatible")));
    if (hexagon)
        printf(", Hexagon V%d", hexagon);
    printf("\n");
}

/** /dev/kfd matters only beside an AMD GPU. */
static void print_kfd(const json_t *device)
{
    size_t index;
    json_t *item;
    bool amd = false;
    json_array_foreach(json_object_get(device, "devices"), index, item)
    {
        amd |= strcmp(text_of(item, "vendor"), "AMD") == 0;
    }
    if (amd && json_is_false(json_object_get(device, "kfd")))
        printf("  %-10s is missing, and ROCm needs it\n", "/dev/kfd");
}

static void print_opencl(const json_t *drivers)
{
    size_t index;
    json_t *item;
    json_array_foreach(drivers, index, item)
    {
        const char *vendor = text_of(item, "vendor");
        printf("  %-10s %s%s%s\n", "opencl", text_of(item, "library"), *vendor ? ", for " : "",
               vendor);
    }
}

void print_device(const json_t *explanation)
{
    const json_t *device = json_object_get(explanation, "device");
    size_t index;
    json_t *item;
    printf("device     fingerprint %.16s…\n", text_of(explanation, "fingerprint"));
    print_cpu(json_object_get(device, "cpu"));
    if (json_object_get(device, "soc"))
        print_soc(json_object_get(device, "soc"));
    json_array_foreach(json_object_get(device, "devices"), index, item)
    {
        print_one(item);
    }
    print_kfd(device);
    print_opencl(json_object_get(device, "opencl"));
    if (number_of(device, "unread"))
        printf("  %-10s %d files about it could not be read\n", "unknown",
               number_of(device, "unread"));
}
