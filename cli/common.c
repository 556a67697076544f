/* SPDX-License-Identifier: Apache-2.0 */
#include "common.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "photo.h"
#include "watch/screen.h"

#define WRITES_MAX 8

struct common_options common = {.max_pixels = PHOTO_PIXELS_DEFAULT};

uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int exit_of(rung_result result)
{
    switch (result) {
    case RUNG_OK:
        return EXIT_DONE;
    case RUNG_INVALID_ARGUMENT:
        return EXIT_USAGE;
    case RUNG_INTEGRITY:
    case RUNG_PERMISSION:
    case RUNG_VERSION:
    case RUNG_IDENTITY:
        return EXIT_INTEGRITY;
    case RUNG_IO:
    case RUNG_NOT_FOUND:
    case RUNG_ALREADY_EXISTS:
        return EXIT_IO;
    case RUNG_CAPACITY:
    case RUNG_STALE:
    case RUNG_STATE:
        return EXIT_DEFECT;
    default:
        return EXIT_BACKEND;
    }
}

int fail_with(rung_result result)
{
    const char *detail = rung_last_error();
    fprintf(stderr, "rung: %s\n", detail[0] ? detail : rung_result_text(result));
    return exit_of(result);
}

int fail_to_open(rung_result result)
{
    if (!common.require || (result != RUNG_UNSUPPORTED && result != RUNG_BACKEND))
        return fail_with(result);
    fprintf(stderr, "rung: %s, which is required, cannot serve: %s\n", common.require,
            rung_last_error());
    return EXIT_VERDICT;
}

static void print_log(void *user, int32_t level, const char *text)
{
    static const char *const names[] = {"", "debug: ", "", "warning: ", "error: "};
    (void)user;
    const char *name = level >= 1 && level <= 4 ? names[level] : "";
    if (!screen_say_later(name, text))
        fprintf(stderr, "rung: %s%s\n", name, text);
}

bool program_folder(char *folder, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", folder, size);
    if (length <= 0 || (size_t)length == size) /* cut off */
        return false;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

/**
 * Where the build or the installation keeps the keys it trusts, relative to the program: whoever
 * can write there can replace the program as well. "" when the program's place is unknown.
 */
static void own_trust_folder(char *to, size_t size)
{
    char program[PATH_MAX];
    /* A list: the build tree's, and the installation's. */
    if (!program_folder(program, sizeof program) || strchr(program, ':') ||
        snprintf(to, size, "%s/../trust:%s/../share/rung/trust", program, program) >= (int)size)
        to[0] = '\0';
}

static const char policy_off[] = "off", policy_first[] = "first", policy_all[] = "all";
const char *const probe_policies[] = {policy_off, policy_first, policy_all, NULL};
const char *const asked_policies[] = {policy_first, policy_all, NULL};

rung_probe_policy probe_policy(const char *name)
{
    return name == policy_off     ? RUNG_PROBE_OFF
           : name == policy_first ? RUNG_PROBE_FIRST
           : name == policy_all   ? RUNG_PROBE_ALL
                                  : RUNG_PROBE_DEFAULT;
}

static rung_log_level log_level(void)
{
    return common.verbose ? RUNG_LOG_DEBUG : common.tells ? RUNG_LOG_INFO : RUNG_LOG_WARNING;
}

rung_result open_instance(rung_instance **out)
{
    char own[2 * PATH_MAX + 64], trust[4 * PATH_MAX];
    own_trust_folder(own, sizeof own);
    if (snprintf(trust, sizeof trust, "%s%s%s", common.trust ? common.trust : "",
                 common.trust && own[0] ? ":" : "", own) >= (int)sizeof trust) {
        fprintf(stderr, "rung: --trust is longer than %zu bytes\n", sizeof trust);
        return RUNG_INVALID_ARGUMENT;
    }
    const rung_instance_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .flags = common.allow_unsigned ? RUNG_INSTANCE_ALLOW_UNSIGNED : 0,
        .log_level = log_level(),
        .log = print_log,
        .runtime_path = common.runtime,
        .ladder_path = common.ladder,
        .trust_path = trust[0] ? trust : NULL,
        .probe = probe_policy(common.probe),
    };
    return rung_instance_create(&options, out);
}

static bool is_path(const char *model)
{
    size_t length = strlen(model);
    return strchr(model, '/') || (length > 5 && strcmp(model + length - 5, ".rung") == 0);
}

rung_result find_model(rung_instance *instance, const char *model, char *path, size_t size)
{
    if (!is_path(model))
        return rung_model_find(instance, model, (rung_span){path, size}, NULL);
    if (snprintf(path, size, "%s", model) < (int)size)
        return RUNG_OK;
    fprintf(stderr, "rung: the path of the model is longer than %zu bytes\n", size - 1);
    return RUNG_INVALID_ARGUMENT;
}

rung_result open_model(rung_instance *instance, const char *model, uint32_t threads,
                       rung_model **out)
{
    char found[PATH_MAX];
    const char *path = model;
    const rung_model_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .threads = threads,
        .rung = common.require ? common.require : common.rung,
    };
    if (!is_path(path)) {
        rung_result result =
            rung_model_find(instance, path, (rung_span){found, sizeof found}, NULL);
        if (result != RUNG_OK)
            return result;
        path = found;
    }
    return rung_model_open(instance, path, &options, out);
}

json_t *load_json(const char *text, size_t length, bool *is_json)
{
    json_t *first = json_loadb(text, length, 0, NULL), *second = json_loadb(text, length, 0, NULL);
    const bool same = first && second && json_equal(first, second);
    *is_json = first || second;
    json_decref(second);
    if (same)
        return first;
    json_decref(first);
    return NULL;
}

int read_json(rung_result (*write)(void *user, rung_span to, size_t *needed), void *user,
              json_t **out)
{
    size_t needed = 0;
    char *text = NULL;
    rung_result result = write(user, (rung_span){NULL, 0}, &needed);
    /* More than once where what it tells of, files for example, changed between the calls. */
    for (int i = 0; result == RUNG_CAPACITY && i < WRITES_MAX; i++) {
        free(text);
        const size_t size = needed;
        text = malloc(size);
        result = text ? write(user, (rung_span){text, size}, &needed) : RUNG_NO_MEMORY;
    }
    bool is_json;
    *out = result == RUNG_OK && text ? load_json(text, strlen(text), &is_json) : NULL;
    free(text);
    if (result != RUNG_OK)
        return fail_with(result);
    return *out ? EXIT_DONE : fail_memory();
}

int fail_memory(void)
{
    fprintf(stderr, "rung: there is no memory to report the result\n");
    return EXIT_BACKEND;
}

void set_member(json_t *object, const char *key, json_t *value, bool *complete)
{
    if (json_object_set_new(object, key, value))
        *complete = false;
}

void append_item(json_t *array, json_t *item, bool *complete)
{
    if (json_array_append_new(array, item))
        *complete = false;
}

json_t *json_if(json_t *json, bool complete)
{
    if (complete)
        return json;
    json_decref(json);
    return NULL;
}

/* Not json_dumps: where its buffer cannot grow it leaves a key out, and says nothing. */
char *json_text(const json_t *json, size_t flags)
{
    size_t size = json ? json_dumpb(json, NULL, 0, flags) : 0;
    char *text = size ? malloc(size + 1) : NULL;
    if (text && json_dumpb(json, text, size, flags) == size) {
        text[size] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

bool print_json(const json_t *json)
{
    char *text = json_text(json, REPORT_JSON_FLAGS);
    if (text)
        puts(text);
    free(text);
    fflush(stdout);
    return text != NULL;
}

const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}
