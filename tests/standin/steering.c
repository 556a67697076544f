/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RUNG_STANDIN: entries KEY=VALUE with ";" between them. What is not understood ends the process.
 * In a list of values "," stands between them; a fault may be "FAULT:PROVIDER@N", and a provider
 * "PROVIDER.DEVICE".
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

/** Cuts the text at the mark; gives what stands behind it, NULL where there is no mark. */
static char *cut(char *text, char mark)
{
    char *behind = strchr(text, mark);
    if (behind)
        *behind++ = '\0';
    return behind;
}

static void add_fault(struct steering *to, enum place place, char *item)
{
    char known[512];
    const char *at = cut(item, '@');
    const char *provider = cut(item, ':');
    const struct order order = {
        .fault = standin_find_fault(item, place),
        .provider = provider,
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
    for (char *item; (item = strsep(&value, ","));) {
        const char *provider = cut(item, ':');
        if (provider && to->slow_count == PROVIDERS_MAX)
            standin_die("RUNG_STANDIN: more than %d times of providers", PROVIDERS_MAX - 1);
        to->slow[provider ? to->slow_count++ : 0] =
            (struct slowness){provider, (unsigned)read_number(item, SLOW_MS_MAX)};
    }
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

static void check_provider(const struct steering *steering, const char *provider)
{
    bool known = standin_is_provider(CPU_PROVIDER, provider);
    for (size_t i = 0; i < steering->provider_count; i++)
        known = known || standin_is_provider(steering->providers[i], provider);
    if (!known)
        standin_die("RUNG_STANDIN: \"%s\" is not among the providers", provider);
}

static void check_place(const struct steering *steering, enum place place)
{
    for (size_t i = 0; i < steering->order_count[place]; i++) {
        const char *provider = steering->orders[place][i].provider;
        if (provider && (place == PLACE_LOAD || place == PLACE_ENVIRONMENT))
            standin_die("RUNG_STANDIN: no provider has its own %s", place_names[place]);
        if (provider)
            check_provider(steering, provider);
    }
}

/** What can be told only when all of it is read. */
static void check(const struct steering *steering)
{
    for (enum place place = 0; place < PLACES; place++)
        check_place(steering, place);
    for (size_t i = 1; i < steering->slow_count; i++)
        check_provider(steering, steering->slow[i].provider);
}

/** What was read so far: for all copies, and for those of the folder named last. */
struct reading {
    struct steering common, section;
    const char *folder; /* NULL: none was named yet */
    unsigned given;     /* bits of the keys since then */
};

static void begin_section(struct reading *reading, const char *folder)
{
    reading->section = reading->common;
    reading->folder = folder;
    reading->given = 0;
}

/** True when what was read since the last folder is for this copy. */
static bool end_section(const struct reading *reading, const char *own_folder)
{
    if (!reading->folder)
        return false;
    check(&reading->section);
    if (strcmp(reading->folder, own_folder) != 0)
        return false;
    standin_steering = reading->section;
    return true;
}

static void read_entry(struct reading *reading, const char *key, char *value)
{
    const unsigned bit =
        1u << set(reading->folder ? &reading->section : &reading->common, key, value);
    if (reading->given & bit)
        standin_die("RUNG_STANDIN: \"%s\" is given twice", key);
    reading->given |= bit;
}

static void read_text(char *text, const char *own_folder)
{
    static struct reading reading = {.common = {.slow = {{NULL, SLOW_MS}}, .slow_count = 1}};
    bool mine = false;
    for (char *key; (key = strsep(&text, ";"));) {
        char *value = cut(key, '=');
        if (!value)
            standin_die("RUNG_STANDIN: \"%s\" is no entry KEY=VALUE", key);
        if (strcmp(key, "for") != 0) {
            read_entry(&reading, key, value);
            continue;
        }
        mine = end_section(&reading, own_folder) || mine;
        begin_section(&reading, value);
    }
    mine = end_section(&reading, own_folder) || mine;
    if (reading.folder && !mine)
        standin_die("RUNG_STANDIN names folders, and \"%s\", where this copy lies, is not one",
                    own_folder);
    if (reading.folder)
        return;
    check(&reading.common);
    standin_steering = reading.common;
}

void standin_steer(const char *own_folder)
{
    static char copy[STEERING_BYTES]; /* the steering points into it */
    const char *text = getenv("RUNG_STANDIN");
    if (!text)
        standin_die("RUNG_STANDIN is not set; empty, it asks for no fault");
    if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy)
        standin_die("RUNG_STANDIN is longer than %d bytes", STEERING_BYTES - 1);
    if (*text)
        read_text(copy, own_folder);
}

static void trace(enum place place, unsigned long call, const struct fault *fault,
                  const char *provider)
{
    if (!standin_steering.trace)
        return;
    const int file = open(standin_steering.trace, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || dprintf(file, "%s %lu %s %s\n", place_names[place], call,
                            fault ? fault->name : "-", provider ? provider : "-") < 0)
        standin_die("cannot write %s: %s", standin_steering.trace, strerror(errno));
    (void)close(file);
}

/** Counts a call for the order, if it is one of its provider's. */
static bool is_due(const struct order *order, atomic_ulong *met, const char *provider)
{
    if (order->provider && (!provider || !standin_is_named(provider, order->provider)))
        return false;
    const unsigned long call = atomic_fetch_add(met, 1) + 1;
    return !order->at || order->at == call;
}

static _Thread_local unsigned slow_ms;

unsigned standin_slow_ms(void)
{
    return slow_ms;
}

static unsigned slowness_of(const char *provider)
{
    for (size_t i = 1; i < standin_steering.slow_count && provider; i++)
        if (standin_is_named(provider, standin_steering.slow[i].provider))
            return standin_steering.slow[i].ms;
    return standin_steering.slow[0].ms;
}

const struct fault *standin_due(enum place place, const char *provider)
{
    static atomic_ulong calls[PLACES], met[PLACES][ORDERS_MAX];
    const struct fault *due = NULL;
    for (size_t i = 0; i < standin_steering.order_count[place]; i++) {
        const struct order *order = &standin_steering.orders[place][i];
        const bool comes = is_due(order, &met[place][i], provider);
        if (comes && !due)
            due = order->fault;
    }
    slow_ms = slowness_of(provider);
    trace(place, atomic_fetch_add(&calls[place], 1) + 1, due, provider);
    return due;
}

rung__ort_result standin_meet(enum place place, const char *provider)
{
    const struct fault *fault = standin_due(place, provider);
    return fault && fault->instead ? fault->instead(place_names[place]) : NULL;
}
