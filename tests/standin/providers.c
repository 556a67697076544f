/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Providers that the real library does not have: they are offered and appended as if they were
 * there. The session runs on the CPU, and says that it runs on them.
 */
#include "standin.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NOTES_MAX 256

static const char ending[] = "ExecutionProvider";

/* ---- notes ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct note notes[NOTES_MAX];

static struct note *find(const void *of)
{
    for (size_t i = 0; i < NOTES_MAX; i++)
        if (notes[i].of == of)
            return &notes[i];
    return NULL;
}

struct note *standin_find_note(const void *of)
{
    pthread_mutex_lock(&mutex);
    struct note *note = find(of);
    pthread_mutex_unlock(&mutex);
    return note;
}

struct note *standin_make_note(const void *of)
{
    pthread_mutex_lock(&mutex);
    struct note *note = find(of);
    if (!note) {
        note = find(NULL);
        if (!note)
            standin_die("more than %d sets of options and sessions at once", NOTES_MAX);
        *note = (struct note){.of = of};
    }
    pthread_mutex_unlock(&mutex);
    return note;
}

const char *standin_provider_of(const struct note *note)
{
    return note && note->provider[0] ? note->called : CPU_PROVIDER;
}

static void forget(const void *of)
{
    pthread_mutex_lock(&mutex);
    struct note *note = of ? find(of) : NULL;
    if (note)
        note->of = NULL;
    pthread_mutex_unlock(&mutex);
}

static void release_options(struct rung__ort_options *options)
{
    forget(options);
    standin_real.release_options(options);
}

static void release_session(struct rung__ort_handle *session)
{
    forget(session);
    standin_real.release_session(session);
}

/* ---- what is offered ---- */

static rung__ort_result get_providers(char ***names, int *count)
{
    const size_t number = standin_steering.provider_count;
    if (!number)
        return standin_real.get_providers(names, count);
    char **list = calloc(number, sizeof *list);
    if (!list)
        standin_die("no memory");
    for (size_t i = 0; i < number; i++)
        list[i] = standin_steering.providers[i];
    *names = list;
    *count = (int)number;
    return NULL;
}

static rung__ort_result release_providers(char **names, int count)
{
    if (!standin_steering.provider_count)
        return standin_real.release_providers(names, count);
    free(names);
    return NULL;
}

bool standin_is_provider(const char *offered, const char *name)
{
    const size_t length = strcspn(name, "."), whole = strcspn(offered, ".");
    const size_t ends = length + strlen(ending);
    return length && strncasecmp(offered, name, length) == 0 &&
           (whole == length ||
            (whole == ends && strncmp(offered + length, ending, ends - length) == 0));
}

bool standin_is_named(const char *called, const char *name)
{
    const char *device = name + strcspn(name, ".");
    return standin_is_provider(called, name) &&
           (!*device || strcmp(called + strcspn(called, "."), device) == 0);
}

static bool real_has(const char *name)
{
    char **names = NULL;
    int count = 0;
    bool found = false;
    if (standin_real.get_providers(&names, &count))
        standin_die("the real library lists no providers");
    for (int i = 0; i < count; i++)
        found = found || standin_is_named(names[i], name);
    (void)standin_real.release_providers(names, count);
    return found;
}

/** The full name of a provider that is offered and is not there; else NULL. */
static const char *pretended(const char *name)
{
    for (size_t i = 0; i < standin_steering.provider_count; i++)
        if (standin_is_named(standin_steering.providers[i], name))
            return real_has(name) ? NULL : standin_steering.providers[i];
    return NULL;
}

/* ---- what is appended ---- */

/** The settings of a provider that is not there. */
struct settings {
    char cache[PATH_MAX];
    char device[16];
};

/** The folder for engines, whatever its name: "cache_dir", "trt_engine_cache_path"… */
static bool names_a_cache(const char *key)
{
    const char *word = strstr(key, "cache");
    return word && (strstr(word, "_dir") || strstr(word, "_path"));
}

static void read_settings(struct settings *to, const char *const *keys, const char *const *values,
                          size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (names_a_cache(keys[i]))
            (void)snprintf(to->cache, sizeof to->cache, "%s", values[i]);
        else if (strcmp(keys[i], "device_type") == 0)
            (void)snprintf(to->device, sizeof to->device, "%s", values[i]);
}

/** Notes it, unless it is to be left to the real library: then `mine` is false. */
static rung__ort_result append(struct rung__ort_options *options, const char *name,
                               const struct settings *settings, bool *mine)
{
    const char *provider = pretended(name);
    const char *device = settings ? settings->device : "";
    char called[96];
    (void)snprintf(called, sizeof called, "%s%s%s", provider ? provider : name, *device ? "." : "",
                   device);
    const struct fault *fault = standin_due(PLACE_APPEND, called);
    rung__ort_result status =
        fault && fault->instead ? fault->instead(standin_place_name(PLACE_APPEND)) : NULL;
    *mine = status || provider;
    if (status || !provider)
        return status;
    struct note *note = standin_make_note(options);
    if (note->provider[0]) /* the first one that was appended takes it all */
        return NULL;
    (void)snprintf(note->provider, sizeof note->provider, "%s", provider);
    (void)snprintf(note->called, sizeof note->called, "%s", called);
    (void)snprintf(note->cache, sizeof note->cache, "%s", settings ? settings->cache : "");
    note->runs_on_cpu = standin_is(fault, "cpu");
    return NULL;
}

static rung__ort_result append_by_name(struct rung__ort_options *options, const char *name,
                                       const char *const *keys, const char *const *values,
                                       size_t count)
{
    struct settings settings = {0};
    bool mine;
    read_settings(&settings, keys, values, count);
    rung__ort_result status = append(options, name, &settings, &mine);
    return mine ? status : standin_real.append_by_name(options, name, keys, values, count);
}

static rung__ort_result append_migraphx(struct rung__ort_options *options, const void *settings)
{
    bool mine;
    rung__ort_result status = append(options, "MIGraphX", NULL, &mine);
    return mine ? status : standin_real.append_migraphx(options, settings);
}

static rung__ort_result create_settings(void **out)
{
    *out = calloc(1, sizeof(struct settings));
    if (!*out)
        standin_die("no memory");
    return NULL;
}

/** The four calls of a provider whose settings are an object of the library. */
#define SETTINGS_CALLS(name, field)                                                                \
    static rung__ort_result create_##field##_settings(void **out)                                  \
    {                                                                                              \
        return pretended(name) ? create_settings(out)                                              \
                               : standin_real.create_##field##_settings(out);                      \
    }                                                                                              \
    static rung__ort_result update_##field##_settings(void *settings, const char *const *keys,     \
                                                      const char *const *values, size_t count)     \
    {                                                                                              \
        if (!pretended(name))                                                                      \
            return standin_real.update_##field##_settings(settings, keys, values, count);          \
        read_settings(settings, keys, values, count);                                              \
        return NULL;                                                                               \
    }                                                                                              \
    static void release_##field##_settings(void *settings)                                         \
    {                                                                                              \
        if (pretended(name))                                                                       \
            free(settings);                                                                        \
        else                                                                                       \
            standin_real.release_##field##_settings(settings);                                     \
    }                                                                                              \
    static rung__ort_result append_##field(struct rung__ort_options *options,                      \
                                           const void *settings)                                   \
    {                                                                                              \
        bool mine;                                                                                 \
        rung__ort_result status = append(options, name, pretended(name) ? settings : NULL, &mine); \
        return mine ? status : standin_real.append_##field(options, settings);                     \
    }

SETTINGS_CALLS("CUDA", cuda)
SETTINGS_CALLS("Tensorrt", tensorrt)

/* ---- where a session runs ---- */

/** QNN's engine is a file that an option of the session names. */
static rung__ort_result take_context(struct note *note, const char *key, const char *value)
{
    const char *end = strrchr(value, '/');
    if (strcmp(key, "ep.context_file_path") == 0 && end)
        (void)snprintf(note->cache, sizeof note->cache, "%.*s", (int)(end - value), value);
    return NULL;
}

static rung__ort_result set_config(struct rung__ort_options *options, const char *key,
                                   const char *value)
{
    struct note *note = standin_find_note(options);
    if (note && note->provider[0] && strncmp(key, "ep.context_", 11) == 0)
        return take_context(note, key, value);
    if (strcmp(key, "session.disable_cpu_ep_fallback") != 0)
        return standin_real.set_config(options, key, value);
    /* Whether that is an error is known when the session is made. */
    standin_make_note(options)->forbids_fallback = strcmp(value, "1") == 0;
    return NULL;
}

static rung__ort_result get_assignment(const struct rung__ort_handle *session,
                                       const void *const **parts, size_t *count)
{
    rung__ort_result status = standin_real.get_assignment(session, parts, count);
    struct note *note = status ? NULL : standin_find_note(session);
    if (note) {
        note->parts = *parts;
        note->part_count = *count;
    }
    return status;
}

static bool has_part(const struct note *note, const void *part)
{
    for (size_t i = 0; note->of && note->provider[0] && i < note->part_count; i++)
        if (note->parts[i] == part)
            return true;
    return false;
}

static rung__ort_result get_part_provider(const void *part, const char **name)
{
    rung__ort_result status = standin_real.get_part_provider(part, name);
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < NOTES_MAX && !status; i++)
        if (has_part(&notes[i], part) && !notes[i].runs_on_cpu)
            *name = notes[i].provider;
    pthread_mutex_unlock(&mutex);
    return status;
}

void standin_take_provider_slots(standin_slot *table)
{
    table[95] = (standin_slot)release_session;
    table[100] = (standin_slot)release_options;
    table[125] = (standin_slot)get_providers;
    table[126] = (standin_slot)release_providers;
    table[130] = (standin_slot)set_config;
    table[170] = (standin_slot)append_tensorrt;
    table[171] = (standin_slot)create_tensorrt_settings;
    table[172] = (standin_slot)update_tensorrt_settings;
    table[174] = (standin_slot)release_tensorrt_settings;
    table[204] = (standin_slot)append_cuda;
    table[205] = (standin_slot)create_cuda_settings;
    table[206] = (standin_slot)update_cuda_settings;
    table[208] = (standin_slot)release_cuda_settings;
    table[209] = (standin_slot)append_migraphx;
    table[216] = (standin_slot)append_by_name;
    table[407] = (standin_slot)get_assignment;
    table[408] = (standin_slot)get_part_provider;
}
