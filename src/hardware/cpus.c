/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware/cpus.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/text.h"

#define SMALL_FILE_BYTES 4096
#define PATH_BYTES       512

static bool read_small(const char *root, const char *path, char text[SMALL_FILE_BYTES])
{
    char full[PATH_BYTES];
    if (!rung__text_format(full, sizeof full, "%s%s", root, path))
        return false;
    /* A stream: files of sysfs and procfs say size 0, and rung__file_load would believe it. */
    FILE *file = fopen(full, "re");
    if (!file)
        return false;
    size_t size = fread(text, 1, SMALL_FILE_BYTES - 1, file);
    (void)fclose(file);
    text[size] = '\0';
    return size > 0;
}

/** Of the CPUs that share a core only the lowest counts. */
static bool is_first_of_its_core(const char *root, int cpu)
{
    char path[PATH_BYTES], text[SMALL_FILE_BYTES];
    if (!rung__text_format(path, sizeof path,
                           "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu) ||
        !read_small(root, path, text))
        return true;
    return strtol(text, NULL, 10) == cpu;
}

/** quota / period rounded up, 0 without a limit. */
static uint32_t quota_cpus(long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return 0;
    long long cpus = (quota + period - 1) / period;
    return cpus > UINT16_MAX ? 0 : (uint32_t)cpus;
}

/** The cgroup v2 folder of this process, "" for the root; false without cgroup v2. */
static bool cgroup2_folder(const char *root, char folder[PATH_BYTES])
{
    char text[SMALL_FILE_BYTES];
    if (!read_small(root, "/proc/self/cgroup", text))
        return false;
    const char *line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
    if (!line)
        return false;
    line = strstr(line, "0::") + 3;
    return rung__text_format(folder, PATH_BYTES, "%.*s", (int)strcspn(line, "\n"), line);
}

static uint32_t cgroup2_limit(const char *root)
{
    char folder[PATH_BYTES], path[PATH_BYTES], text[SMALL_FILE_BYTES];
    uint32_t least = 0;
    if (!cgroup2_folder(root, folder))
        return 0;
    /* A limit anywhere above counts too: walk up to the root of the mount. */
    for (;;) {
        if (rung__text_format(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", folder) &&
            read_small(root, path, text)) {
            char *end;
            long long quota = strtoll(text, &end, 10); /* "max" reads as 0: no limit */
            uint32_t cpus = quota_cpus(quota, strtoll(end, NULL, 10));
            if (cpus && (!least || cpus < least))
                least = cpus;
        }
        char *slash = strrchr(folder, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

static uint32_t cgroup1_limit(const char *root)
{
    char quota[SMALL_FILE_BYTES], period[SMALL_FILE_BYTES];
    if (!read_small(root, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota) ||
        !read_small(root, "/sys/fs/cgroup/cpu/cpu.cfs_period_us", period))
        return 0;
    return quota_cpus(strtoll(quota, NULL, 10), strtoll(period, NULL, 10));
}

void rung__cpus_read(const char *root, struct rung__cpus *out)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    *out = (struct rung__cpus){0};
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        CPU_SET(0, &set);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &set))
            continue;
        out->logical++;
        out->physical += is_first_of_its_core(root, cpu);
    }
    /* The lowest sibling may lie outside the mask. */
    if (out->physical == 0)
        out->physical = 1;

    uint32_t limit = cgroup2_limit(root);
    if (!limit)
        limit = cgroup1_limit(root);
    if (limit && limit < out->logical)
        out->logical = limit;
    if (out->physical > out->logical)
        out->physical = out->logical;
}

uint32_t rung__cpus_default_threads(const struct rung__cpus *cpus)
{
    if (cpus->logical == 1)
        return 1;
    return cpus->physical > 4 ? cpus->physical - 2 : cpus->physical;
}
