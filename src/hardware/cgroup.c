/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware/cgroup.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define GROUPS_BYTES 4096 /* of /proc/self/cgroup: version 1 has a dozen lines */
#define FOLDER_BYTES 512
#define LIST_BYTES   4096 /* of a list of CPUs */
#define QUOTA_BYTES  64

/** Microseconds above which a quota is absurd: 31 years of CPU time a period. */
#define QUOTA_MOST INT64_C(1000000000000000)

/** quota / period rounded up, 0 without a limit. */
static uint32_t quota_cpus(long long quota, long long period)
{
    if (quota <= 0 || period <= 0 || quota > QUOTA_MOST || period > QUOTA_MOST)
        return 0;
    const long long cpus = (quota + period - 1) / period;
    return cpus > RUNG__CPUS_MOST ? 0 : (uint32_t)cpus;
}

static uint32_t lesser_limit(uint32_t left, uint32_t right)
{
    return left && (!right || left < right) ? left : right;
}

/** Whether "cpu,cpuacct" names a controller. */
static bool list_names(const char *list, size_t length, const char *controller)
{
    const size_t wanted = strlen(controller);
    for (const char *at = list, *end = list + length; at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const size_t part = (size_t)((comma ? comma : end) - at);
        if (part == wanted && strncmp(at, controller, part) == 0)
            return true;
        at += part + 1;
    }
    return length == wanted && wanted == 0;
}

/**
 * The folder of this process for a controller of version 1, or "" for version 2, from lines like
 * "4:cpu,cpuacct:/app". Where the process lies outside of what it can see the kernel writes "..",
 * and the root of the mount is the nearest.
 */
static void find_folder(const char *groups, const char *controller, char folder[FOLDER_BYTES])
{
    *folder = '\0';
    for (const char *line = groups; *line;) {
        const size_t length = strcspn(line, "\n");
        const char *names = memchr(line, ':', length);
        const char *path =
            names ? memchr(names + 1, ':', length - (size_t)(names + 1 - line)) : NULL;
        if (path && list_names(names + 1, (size_t)(path - names - 1), controller)) {
            const int size = (int)(length - (size_t)(path + 1 - line));
            if (!rung__text_format(folder, FOLDER_BYTES, "%.*s", size, path + 1) ||
                folder[0] != '/' || strstr(folder, "/.."))
                *folder = '\0';
            return;
        }
        line += length + (line[length] == '\n');
    }
}

/** Cuts the last name off; false when there is none left. */
static bool go_up(char folder[FOLDER_BYTES])
{
    char *slash = strrchr(folder, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

static bool read_in(struct rung__machine *machine, const char *mount, const char *folder,
                    const char *name, char *to, size_t size)
{
    char path[FOLDER_BYTES + QUOTA_BYTES];
    return rung__text_format(path, sizeof path, "/sys/fs/cgroup%s%s/%s", mount, folder, name) &&
           rung__machine_text(machine, path, to, size);
}

static uint32_t quota_2(struct rung__machine *machine, const char *folder)
{
    char text[QUOTA_BYTES], *end;
    if (!read_in(machine, "", folder, "cpu.max", text, sizeof text))
        return 0;
    const long long quota = strtoll(text, &end, 10); /* "max" reads as 0: no limit */
    return quota_cpus(quota, strtoll(end, NULL, 10));
}

static uint32_t quota_1(struct rung__machine *machine, const char *folder)
{
    char quota[QUOTA_BYTES], period[QUOTA_BYTES];
    if (!read_in(machine, "/cpu", folder, "cpu.cfs_quota_us", quota, sizeof quota) ||
        !read_in(machine, "/cpu", folder, "cpu.cfs_period_us", period, sizeof period))
        return 0;
    return quota_cpus(strtoll(quota, NULL, 10), strtoll(period, NULL, 10));
}

/** The least quota of a group and all those above it: each of them limits. */
static uint32_t least_quota(struct rung__machine *machine, const char *groups,
                            const char *controller,
                            uint32_t (*read)(struct rung__machine *, const char *))
{
    char folder[FOLDER_BYTES];
    uint32_t least = 0;
    find_folder(groups, controller, folder);
    do
        least = lesser_limit(least, read(machine, folder));
    while (go_up(folder));
    return least;
}

/** Keeps what the nearest group that says something allows: it heeds those above it. */
static void keep_cpuset(struct rung__machine *machine, const char *groups, const char *controller,
                        const char *mount, const char *name, struct rung__cpu_set *allowed)
{
    char folder[FOLDER_BYTES], text[LIST_BYTES];
    struct rung__cpu_set set;
    find_folder(groups, controller, folder);
    do {
        if (!read_in(machine, mount, folder, name, text, sizeof text))
            continue;
        if (rung__cpu_set_parse(text, &set))
            (void)rung__cpu_set_keep(allowed, &set);
        return;
    } while (go_up(folder));
}

uint32_t rung__cgroup_limit(struct rung__machine *machine, struct rung__cpu_set *allowed)
{
    char groups[GROUPS_BYTES];
    if (!rung__machine_text(machine, "/proc/self/cgroup", groups, sizeof groups))
        *groups = '\0';
    keep_cpuset(machine, groups, "", "", "cpuset.cpus.effective", allowed);
    keep_cpuset(machine, groups, "cpuset", "/cpuset", "cpuset.effective_cpus", allowed);
    return lesser_limit(least_quota(machine, groups, "", quota_2),
                        least_quota(machine, groups, "cpu", quota_1));
}
