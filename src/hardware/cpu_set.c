/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware/cpu_set.h"

#include <stdlib.h>

uint32_t rung__cpu_set_count(const struct rung__cpu_set *set)
{
    uint32_t count = 0;
    for (uint32_t cpu = 0; cpu < RUNG__CPUS_MOST; cpu++)
        count += rung__cpu_set_has(set, cpu);
    return count;
}

bool rung__cpu_set_keep(struct rung__cpu_set *set, const struct rung__cpu_set *other)
{
    struct rung__cpu_set both = *set;
    for (uint32_t i = 0; i < RUNG__CPUS_MOST / 64; i++)
        both.words[i] &= other->words[i];
    if (rung__cpu_set_count(&both) == 0)
        return false;
    *set = both;
    return true;
}

static bool parse_number(const char **at, uint32_t *out)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    const unsigned long number = strtoul(*at, &end, 10);
    *at = end;
    *out = (uint32_t)number;
    return number < RUNG__CPUS_MOST;
}

static bool parse_range(const char **at, struct rung__cpu_set *out)
{
    uint32_t first, last;
    if (!parse_number(at, &first))
        return false;
    last = first;
    if (**at == '-') {
        ++*at;
        if (!parse_number(at, &last) || last < first)
            return false;
    }
    for (uint32_t cpu = first; cpu <= last; cpu++)
        rung__cpu_set_add(out, cpu);
    return true;
}

bool rung__cpu_set_parse(const char *text, struct rung__cpu_set *out)
{
    *out = (struct rung__cpu_set){0};
    for (const char *at = text;; at++) {
        if (!parse_range(&at, out))
            break;
        if (*at == '\0' || *at == '\n')
            return true;
        if (*at != ',')
            break;
    }
    *out = (struct rung__cpu_set){0};
    return false;
}
