/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/ort/ort.h"

#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/library.h"
#include "base/text.h"
#include "base/thread.h"

#define LISTENERS_MAX  64
#define LOG_TAIL_BYTES 512

/*
 * The one piece of state outside an instance: "one build per process, never unloaded" is a fact of
 * the process, not of an instance.
 */
static struct {
    struct rung__mutex mutex;
    struct rung__ort *loaded;
    const struct rung__log *listeners[LISTENERS_MAX];
    uint32_t listener_count;
    char log_tail[LOG_TAIL_BYTES]; /* the last warning since a status was last turned into an error
                                    */
} process = {.mutex = RUNG__MUTEX_INITIALIZER};

static int32_t level_of(int severity)
{
    if (severity >= RUNG__ORT_ERROR)
        return RUNG_LOG_ERROR;
    return severity == RUNG__ORT_WARNING ? RUNG_LOG_WARNING : RUNG_LOG_DEBUG;
}

static void receive_log(void *user, int severity, const char *category, const char *logger,
                        const char *location, const char *message)
{
    (void)user, (void)category, (void)logger, (void)location;
    if (!message)
        return;
    rung__mutex_lock(&process.mutex);
    if (severity >= RUNG__ORT_WARNING)
        (void)rung__text_format(process.log_tail, sizeof process.log_tail, "%.*s",
                                (int)strcspn(message, "\r\n"), message);
    for (uint32_t i = 0; i < process.listener_count; i++)
        rung__log_write(process.listeners[i], level_of(severity), "ONNX Runtime: %s", message);
    rung__mutex_unlock(&process.mutex);
}

rung_result rung__ort_listen(const struct rung__log *log)
{
    rung_result result = RUNG_OK;
    rung__mutex_lock(&process.mutex);
    if (process.listener_count == LISTENERS_MAX)
        result = rung__fail(RUNG_CAPACITY, "more than %d instances listen to ONNX Runtime's log",
                            LISTENERS_MAX);
    else
        process.listeners[process.listener_count++] = log;
    rung__mutex_unlock(&process.mutex);
    return result;
}

void rung__ort_unlisten(const struct rung__log *log)
{
    rung__mutex_lock(&process.mutex);
    for (uint32_t i = 0; i < process.listener_count; i++) {
        if (process.listeners[i] != log)
            continue;
        process.listeners[i] = process.listeners[--process.listener_count];
        break;
    }
    rung__mutex_unlock(&process.mutex);
}

rung_result rung__ort_check(const struct rung__ort *ort, rung__ort_result status, const char *what)
{
    char tail[LOG_TAIL_BYTES];
    if (!status)
        return RUNG_OK;
    rung__mutex_lock(&process.mutex);
    memcpy(tail, process.log_tail, sizeof tail);
    process.log_tail[0] = '\0';
    rung__mutex_unlock(&process.mutex);

    const char *message = ort->call.get_error_message(status);
    rung_result result = rung__fail(RUNG_BACKEND, "%s: ONNX Runtime %s says: %.*s%s%s%s", what,
                                    ort->version, (int)strcspn(message, "\r\n"), message,
                                    tail[0] ? " (its log: " : "", tail, tail[0] ? ")" : "");
    ort->call.release_status(status);
    return result;
}

void rung__ort_forget_log(void)
{
    rung__mutex_lock(&process.mutex);
    process.log_tail[0] = '\0';
    rung__mutex_unlock(&process.mutex);
}

/** 24 of "1.24.1"; 0 for anything else. */
static uint32_t minor_version(const char *text)
{
    unsigned long minor;
    char *end;
    if (strncmp(text, "1.", 2) != 0 || text[2] < '0' || text[2] > '9')
        return 0;
    minor = strtoul(text + 2, &end, 10);
    return (*end == '.' || *end == '\0') && minor < 10000 ? (uint32_t)minor : 0;
}

/**
 * The table of the highest version that both sides know. Asking too high makes the library print,
 * so its version string is believed first; a library that was built without the newest table is
 * walked down.
 */
static const void *negotiate(const struct rung__ort_api_base *base, uint32_t minor,
                             uint32_t *version)
{
    uint32_t most = minor < RUNG__ORT_API_MOST ? minor : RUNG__ORT_API_MOST;
    for (uint32_t v = most; v >= RUNG__ORT_API_LEAST; v--) {
        const void *table = base->get_api(v);
        if (table) {
            *version = v;
            return table;
        }
    }
    return NULL;
}

/** Proves that the slots are the functions we take them for: makes an error and reads it back. */
static bool table_behaves(const struct rung__ort_calls *call)
{
    static const char text[] = "rung checks the table";
    rung__ort_result status = call->create_status(RUNG__ORT_ERROR_FAIL, text);
    if (!status)
        return false;
    bool same = call->get_error_code(status) == RUNG__ORT_ERROR_FAIL &&
                strcmp(call->get_error_message(status), text) == 0;
    call->release_status(status);
    return same;
}

static rung_result start_environment(struct rung__ort *ort)
{
    const struct rung__ort_calls *call = &ort->call;
    int count = 0;
    rung_result result = rung__ort_check(
        ort, call->create_env_with_logger(receive_log, NULL, RUNG__ORT_WARNING, "rung", &ort->env),
        "starting the environment");
    if (result == RUNG_OK)
        result = rung__ort_check(ort, call->disable_telemetry(ort->env), "turning telemetry off");
    if (result == RUNG_OK)
        result =
            rung__ort_check(ort,
                            call->create_cpu_memory(RUNG__ORT_DEVICE_ALLOCATOR,
                                                    RUNG__ORT_MEMORY_DEFAULT, &ort->cpu_memory),
                            "describing memory");
    if (result == RUNG_OK)
        result = rung__ort_check(ort, call->get_allocator(&ort->allocator), "taking the allocator");
    if (result == RUNG_OK)
        result =
            rung__ort_check(ort, call->get_providers(&ort->providers, &count), "listing providers");
    ort->provider_count = count > 0 ? (uint32_t)count : 0;
    return result;
}

/** False when a call is missing that the table's version has. */
static bool take_calls(struct rung__ort *ort, const void *table)
{
    void (*const *slots)(void) = table;
    bool complete = true;
#define TAKE_SLOT(slot, field, result, arguments)                                                  \
    ort->call.field = (result(*) arguments)slots[slot];                                            \
    complete = complete && ort->call.field;
    RUNG__ORT_CALLS(TAKE_SLOT)
    RUNG__ORT_PROVIDER_CALLS(TAKE_SLOT)
    if (ort->api >= 22) {
        RUNG__ORT_CALLS_OF_22(TAKE_SLOT)
    }
    if (ort->api >= 24) {
        RUNG__ORT_CALLS_OF_24(TAKE_SLOT)
    }
#undef TAKE_SLOT
    return complete;
}

/** Takes the table, proves it, and starts the environment. */
static rung_result start(struct rung__ort *ort, const struct rung__ort_api_base *base)
{
    const char *version = base->get_version_string();
    uint32_t minor = version ? minor_version(version) : 0;
    if (minor < RUNG__ORT_API_LEAST)
        return rung__fail(RUNG_UNSUPPORTED,
                          "%s is ONNX Runtime \"%.31s\"; Rung needs version 1.%u or newer",
                          ort->path, version ? version : "", RUNG__ORT_API_LEAST);
    (void)rung__text_format(ort->version, sizeof ort->version, "%s", version);

    const void *table = negotiate(base, minor, &ort->api);
    if (!table)
        return rung__fail(RUNG_UNSUPPORTED, "%s (ONNX Runtime %s) offers no API version of %u..%u",
                          ort->path, ort->version, RUNG__ORT_API_LEAST, RUNG__ORT_API_MOST);
    if (!take_calls(ort, table) || !table_behaves(&ort->call))
        return rung__fail(RUNG_UNSUPPORTED,
                          "%s (ONNX Runtime %s) does not behave like its declared C interface",
                          ort->path, ort->version);
    return start_environment(ort);
}

/**
 * Builds with telemetry make a device id and a database in the user's cache folder, and have sent
 * their first event, before the call that turns telemetry off can be made. Only this variable, read
 * when the library starts, prevents all of it; it stays set, for child processes too.
 */
static rung_result forbid_telemetry(void)
{
    return rung__environment_set("ORT_DISABLE_TELEMETRY", "1");
}

static rung_result load(const char *path, struct rung__ort **out)
{
    struct rung__library library;
    rung_result result = forbid_telemetry();
    if (result == RUNG_OK)
        result = rung__library_open(path, &library);
    if (result != RUNG_OK)
        return result;

    const struct rung__ort_api_base *(*get_base)(void);
    void *symbol = rung__library_symbol(&library, "OrtGetApiBase");
    if (!symbol)
        return rung__fail(RUNG_UNSUPPORTED, "%s is no ONNX Runtime: it has no OrtGetApiBase", path);
    memcpy(&get_base, &symbol, sizeof get_base);
    const struct rung__ort_api_base *base = get_base();
    if (!base)
        return rung__fail(RUNG_BACKEND, "%s: OrtGetApiBase gives nothing", path);

    struct rung__ort *ort = calloc(1, sizeof *ort);
    char *found = rung__library_path_of(symbol);
    if (ort)
        ort->path = found ? found : rung__text_new("%s", path);
    if (!ort || !ort->path) {
        free(found);
        free(ort);
        return rung__fail(RUNG_NO_MEMORY, "no memory to load %s", path);
    }
    result = start(ort, base);
    if (result != RUNG_OK) {
        /* What the library made stays with it: it is not used again, and never unloaded. */
        free(ort->path);
        free(ort);
        return result;
    }
    *out = ort;
    return RUNG_OK;
}

rung_result rung__ort_open(const char *path, const struct rung__ort **out)
{
    static struct rung__mutex loading =
        RUNG__MUTEX_INITIALIZER; /* held while the log may be used */
    rung_result result = RUNG_OK;
    rung__mutex_lock(&loading);
    const struct rung__ort *present = rung__ort_loaded();
    if (!present) {
        struct rung__ort *fresh = NULL;
        result = load(path, &fresh);
        rung__mutex_lock(&process.mutex);
        process.loaded = fresh;
        rung__mutex_unlock(&process.mutex);
        present = fresh;
    }
    rung__mutex_unlock(&loading);
    *out = present;
    return result;
}

const struct rung__ort *rung__ort_loaded(void)
{
    rung__mutex_lock(&process.mutex);
    const struct rung__ort *loaded = process.loaded;
    rung__mutex_unlock(&process.mutex);
    return loaded;
}
