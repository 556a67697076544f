/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

/* The system counts in hundredths of a second: in less than this a count says nothing. */
#define SECONDS_LEAST 0.5

/** The columns of /proc/stat (proc(5)). */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };

/** The first line is of all processors. */
static bool read_columns(unsigned long long columns[COLUMNS])
{
    static const char name[] = "cpu ";
    char text[512];
    FILE *file = fopen("/proc/stat", "re");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    bool complete = strncmp(text, name, strlen(name)) == 0;
    char *at = text + (complete ? strlen(name) : 0);
    for (int i = 0; i < COLUMNS && complete; i++) {
        char *const begin = at;
        columns[i] = strtoull(begin, &at, 10);
        complete = at > begin;
    }
    if (file)
        fclose(file);
    return complete;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

struct load_times load_now(void)
{
    unsigned long long columns[COLUMNS];
    struct rusage usage;
    struct load_times times = {0};
    const double ticks = (double)sysconf(_SC_CLK_TCK);
    if (!read_columns(columns) || getrusage(RUSAGE_SELF, &usage) != 0)
        return times;
    times.known = true;
    for (int i = 0; i < COLUMNS; i++) {
        times.all += (double)columns[i] / ticks;
        if (i != IDLE && i != IOWAIT)
            times.busy += (double)columns[i] / ticks;
    }
    times.stolen = (double)columns[STEAL] / ticks;
    times.own = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    return times;
}

static double part(double some, double all)
{
    return some < 0 ? 0 : some > all ? 1 : some / all;
}

struct load load_between(const struct load_times *begin, const struct load_times *end)
{
    const double all = end->all - begin->all, own = end->own - begin->own;
    if (!begin->known || !end->known || all < SECONDS_LEAST)
        return (struct load){.known = false};
    return (struct load){
        .known = true,
        .own = part(own, all),
        .others = part(end->busy - begin->busy - own, all),
        .stolen = part(end->stolen - begin->stolen, all),
    };
}

uint64_t load_peak_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}
