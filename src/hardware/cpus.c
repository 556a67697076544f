/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware/cpus.h"

#include <sched.h>
#include <string.h>

#include "base/text.h"
#include "hardware/cgroup.h"
#include "hardware/cpu_set.h"
#include "hardware/machine.h"

#define LIST_BYTES   4096
#define STATUS_BYTES 8192
#define PATH_BYTES   128

static void own_affinity(struct rung__cpu_set *out)
{
    cpu_set_t sets[RUNG__CPUS_MOST / CPU_SETSIZE] = {0};
    *out = (struct rung__cpu_set){0};
    if (sched_getaffinity(0, sizeof sets, sets) == 0)
        for (uint32_t cpu = 0; cpu < RUNG__CPUS_MOST; cpu++)
            if (CPU_ISSET_S(cpu, sizeof sets, sets))
                rung__cpu_set_add(out, cpu);
    if (rung__cpu_set_count(out) == 0)
        rung__cpu_set_add(out, 0);
}

/** The affinity that another machine's tree tells. */
static bool told_affinity(struct rung__machine *machine, struct rung__cpu_set *out)
{
    static const char key[] = "\nCpus_allowed_list:";
    char text[STATUS_BYTES];
    if (!*machine->root || !rung__machine_text(machine, "/proc/self/status", text, sizeof text))
        return false;
    const char *line = strstr(text, key);
    if (!line)
        return false;
    line += sizeof key - 1;
    return rung__cpu_set_parse(line + strspn(line, " \t"), out);
}

/** Of the usable CPUs that share a core only the lowest counts. */
static bool is_first_of_its_core(struct rung__machine *machine, const struct rung__cpu_set *usable,
                                 uint32_t cpu)
{
    char path[PATH_BYTES], text[LIST_BYTES];
    struct rung__cpu_set siblings;
    if (!rung__text_format(path, sizeof path,
                           "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu) ||
        !rung__machine_text(machine, path, text, sizeof text) ||
        !rung__cpu_set_parse(text, &siblings) || !rung__cpu_set_has(&siblings, cpu))
        return true;
    for (uint32_t lower = 0; lower < cpu; lower++)
        if (rung__cpu_set_has(&siblings, lower) && rung__cpu_set_has(usable, lower))
            return false;
    return true;
}

void rung__cpus_count(struct rung__machine *machine, struct rung__cpus *out)
{
    struct rung__cpu_set usable;
    if (!told_affinity(machine, &usable))
        own_affinity(&usable);
    const uint32_t limit = rung__cgroup_limit(machine, &usable);
    *out = (struct rung__cpus){.logical = rung__cpu_set_count(&usable)};
    for (uint32_t cpu = 0; cpu < RUNG__CPUS_MOST; cpu++)
        if (rung__cpu_set_has(&usable, cpu))
            out->physical += is_first_of_its_core(machine, &usable, cpu);
    if (limit && limit < out->logical)
        out->logical = limit;
    if (out->physical > out->logical)
        out->physical = out->logical;
}

void rung__cpus_read(const char *root, struct rung__cpus *out)
{
    struct rung__machine machine = {.root = root};
    rung__cpus_count(&machine, out);
}

uint32_t rung__cpus_default_threads(const struct rung__cpus *cpus)
{
    if (cpus->logical == 1)
        return 1;
    return cpus->physical > 4 ? cpus->physical - 2 : cpus->physical;
}
