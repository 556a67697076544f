/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RUNG_STANDIN: entries KEY=VALUE with ";" between them. What is not understood ends the process.
 * In a list of values "," stands between them; a fault may have "@N" behind it.
 */
#include "standin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLOW_MS        200
#define SLOW_MS_MAX    60000
#define STEERING_BYTES 8192

struct steering standin_steering;

static const char *const place_names[PLACES] = {
    [PLACE_LOAD] = "load",       [PLACE_ENVIRONMENT] = "environment", [PLACE_APPEND] = "append",
    [PLACE_SESSION] = "session", [PLACE_ENGINE] = "engine",           [PLACE_RUN] = "run",
};

const char *standin_place_name(enum place place)
{
    return place_names[place];
}

static void complain(const char *format, va_list list)
{
    fputs("stand-in: ", stderr);
    (void)vfprintf(stderr, format, list);
    fputc('\n', stderr);
}

void standin_die(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    complain(format, list);
    va_end(list);
    _exit(STANDIN_MISUSED);
}

static unsigned long read_number(const char *text, unsigned long most)
{
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || number > most)
        standin_die("RUNG_STANDIN: \"%s\" is no number of at most %lu", text, most);
    return number;
}

static void add_fault(struct steering *to, enum place place, char *item)
{
    char known[512];
    char *at = strchr(item, '@');
    if (at)
        *at++ = '\0';
    const struct order order = {
        .fault = standin_find_fault(item, strlen(item), place),
        .at = at ? read_number(at, ULONG_MAX) : 0,
    };
    standin_list_faults(place, known, sizeof known);
    if (!order.fault)
        standin_die("RUNG_STANDIN: there is no fault \"%s\" at %s; there are%s", item,
                    place_names[place], known);
    if (at && !order.at)
        standin_die("RUNG_STANDIN: calls are counted from 1, not from 0");
    if (to->order_count[place] == ORDERS_MAX)
        standin_die("RUNG_STANDIN: more than %d faults at %s", ORDERS_MAX, place_names[place]);
    to->orders[place][to->order_count[place]++] = order;
}

static void add_provider(struct steering *to, char *item)
{
    if (to->provider_count == PROVIDERS_MAX)
        standin_die("RUNG_STANDIN: more than %d providers", PROVIDERS_MAX);
    if (!*item)
        standin_die("RUNG_STANDIN: a provider has no name");
    to->providers[to->provider_count++] = item;
}

static void set_providers(struct steering *to, char *value)
{
    for (char *item; (item = strsep(&value, ","));)
        add_provider(to, item);
}

static void set_version(struct steering *to, char *value)
{
    to->version = value;
}

static void set_trace(struct steering *to, char *value)
{
    to->trace = value;
}

static void set_slow(struct steering *to, char *value)
{
    to->slow_ms = (unsigned)read_number(value, SLOW_MS_MAX);
}

static void set_null(struct steering *to, char *value)
{
    for (char *item; (item = strsep(&value, ","));)
        to->null_slots[read_number(item, SLOTS - 1)] = true;
}

static const struct {
    const char *name;
    void (*set)(struct steering *to, char *value);
} keys[] = {
    {"providers", set_providers}, {"version", set_version}, {"trace", set_trace},
    {"slow-ms", set_slow},        {"null", set_null},
};
#define KEYS (sizeof keys / sizeof *keys)

/** Sets what an entry says; gives the number of its key. */
static size_t set(struct steering *to, const char *key, char *value)
{
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(key, keys[i].name) == 0) {
            keys[i].set(to, value);
            return i;
        }
    for (enum place place = 0; place < PLACES; place++)
        if (strcmp(key, place_names[place]) == 0) {
            for (char *item; (item = strsep(&value, ","));)
                add_fault(to, place, item);
            return KEYS + place;
        }
    standin_die("RUNG_STANDIN: \"%s\" is neither a place nor another key of README.md", key);
}

void standin_steer(const char *own_folder)
{
    static struct steering of_others;
    static char copy[STEERING_BYTES]; /* the steering points into it */
    const char *text = getenv("RUNG_STANDIN");
    char *rest = copy;
    bool mine = true, named = false, somebody_named = false;
    unsigned given = 0;
    if (!text)
        standin_die("RUNG_STANDIN is not set; empty, it asks for no fault");
    if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy)
        standin_die("RUNG_STANDIN is longer than %d bytes", STEERING_BYTES - 1);
    standin_steering.slow_ms = SLOW_MS;
    if (!*rest)
        return;
    for (char *value, *key; (key = strsep(&rest, ";"));) {
        value = strchr(key, '=');
        if (!value)
            standin_die("RUNG_STANDIN: \"%s\" is no entry KEY=VALUE", key);
        *value++ = '\0';
        if (strcmp(key, "for") == 0) {
            mine = strcmp(value, own_folder) == 0;
            named = named || mine;
            somebody_named = true;
            given = 0;
            continue;
        }
        if (!mine) /* of_others starts anew, so that its lists do not fill */
            of_others = (struct steering){0};
        const unsigned bit = 1u << set(mine ? &standin_steering : &of_others, key, value);
        if (given & bit)
            standin_die("RUNG_STANDIN: \"%s\" is given twice", key);
        given |= bit;
    }
    if (somebody_named && !named)
        standin_die(
            "RUNG_STANDIN names folders, and \"%s\", where this copy lies, is not among them",
            own_folder);
}

static void trace(enum place place, unsigned long call, const struct fault *fault)
{
    if (!standin_steering.trace)
        return;
    const int file = open(standin_steering.trace, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 ||
        dprintf(file, "%s %lu %s\n", place_names[place], call, fault ? fault->name : "-") < 0)
        standin_die("cannot write %s: %s", standin_steering.trace, strerror(errno));
    (void)close(file);
}

const struct fault *standin_due(enum place place)
{
    static atomic_ulong calls[PLACES];
    const unsigned long call = atomic_fetch_add(&calls[place], 1) + 1;
    const struct fault *due = NULL;
    for (size_t i = 0; i < standin_steering.order_count[place] && !due; i++) {
        const struct order *order = &standin_steering.orders[place][i];
        if (!order->at || order->at == call)
            due = order->fault;
    }
    trace(place, call, due);
    return due;
}

rung__ort_result standin_meet(enum place place)
{
    const struct fault *fault = standin_due(place);
    return fault && fault->instead ? fault->instead(place_names[place]) : NULL;
}
