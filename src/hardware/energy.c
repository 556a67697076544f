/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware/energy.h"

#include <string.h>

#include "base/text.h"
#include "hardware/machine.h"

#define FOLDER      "/sys/class/powercap"
#define ZONE        "intel-rapl:" /* AMD's packages are zones of that name too */
#define ZONES_LIMIT 256
#define PATH_BYTES  96

/* No package takes more for long: within the time that its range lasts then, a counter goes round
 * at most once. */
#define WATTS_MOST 500u

static const char none[] = "the system has no energy counter of a processor package";
static const char no_memory[] = "there was no memory to read the energy counters";
static const char unreadable[] =
    "the energy counters below /sys/class/powercap cannot be read; on most systems only root may";
static const char changed[] = "the processor packages are not those that the measurement began on";
static const char too_long[] = "the measurement is longer than the energy counters can tell";

/** The number of a top zone: "intel-rapl:0", not "intel-rapl:0:0", which is a part of it, nor
 * "intel-rapl-mmio:0", which counts the same energy again. */
static bool zone_number(const char *name, uint32_t *out)
{
    const size_t beginning = sizeof ZONE - 1;
    if (strncmp(name, ZONE, beginning) != 0)
        return false;
    const char *digits = name + beginning;
    const size_t length = strlen(digits);
    if (length < 1 || length > 4 || strspn(digits, "0123456789") != length)
        return false;
    *out = 0;
    for (; *digits; digits++)
        *out = *out * 10 + (uint32_t)(*digits - '0');
    return true;
}

/** The whole platform ("psys") is a top zone as well. */
static bool is_package(struct rung__machine *machine, uint32_t zone)
{
    char path[PATH_BYTES], name[64];
    return rung__text_format(path, sizeof path, FOLDER "/" ZONE "%u/name", zone) &&
           rung__machine_line(machine, path, name, sizeof name) &&
           strncmp(name, "package-", sizeof "package-" - 1) == 0;
}

static bool read_file(struct rung__machine *machine, uint32_t zone, const char *name, uint64_t *out)
{
    char path[PATH_BYTES];
    return rung__text_format(path, sizeof path, FOLDER "/" ZONE "%u/%s", zone, name) &&
           rung__machine_number64(machine, path, out);
}

static bool read_package(struct rung__machine *machine, uint32_t zone,
                         struct rung__package_energy *out)
{
    out->zone = zone;
    return read_file(machine, zone, "energy_uj", &out->uj) &&
           read_file(machine, zone, "max_energy_range_uj", &out->range_uj) &&
           out->uj <= out->range_uj;
}

void rung__energy_read(const char *root, struct rung__energy *out)
{
    struct rung__machine machine = {.root = root};
    struct rung__folder zones;
    *out = (struct rung__energy){.why = none};
    if (rung__machine_list(&machine, FOLDER, ZONES_LIMIT, &zones) != RUNG_OK) {
        out->why = no_memory;
        return;
    }
    bool complete = true;
    for (size_t i = 0; i < zones.count; i++) {
        uint32_t zone;
        if (!zone_number(zones.names[i], &zone) || !is_package(&machine, zone))
            continue;
        complete = complete && out->count < RUNG__PACKAGES &&
                   read_package(&machine, zone, &out->packages[out->count]);
        out->count += complete;
        out->why = complete ? NULL : unreadable;
    }
    if (!complete)
        out->count = 0; /* of some alone it would be too little */
    rung__folder_finish(&zones);
}

bool rung__energy_between(const struct rung__energy *begin, const struct rung__energy *end,
                          uint64_t ns, uint64_t *uj, const char **why)
{
    uint64_t sum = 0;
    *why = begin->why ? begin->why : end->why;
    if (*why)
        return false;
    *why = changed;
    if (begin->count != end->count)
        return false;
    for (uint32_t i = 0; i < begin->count; i++) {
        const struct rung__package_energy *from = &begin->packages[i], *to = &end->packages[i];
        if (from->zone != to->zone || from->range_uj != to->range_uj)
            return false;
        if (ns / 1000 > from->range_uj / WATTS_MOST) { /* one watt is one microjoule in a µs */
            *why = too_long;
            return false;
        }
        sum += to->uj >= from->uj ? to->uj - from->uj : from->range_uj - from->uj + to->uj;
    }
    *uj = sum;
    *why = NULL;
    return true;
}
