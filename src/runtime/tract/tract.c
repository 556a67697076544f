/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/tract/tract.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/library.h"
#include "base/text.h"
#include "base/thread.h"

/* "One per process, never unloaded" is a fact of the process, not of an instance. */
static struct {
    struct rung__mutex mutex;
    struct rung__tract *loaded;
} process = {.mutex = RUNG__MUTEX_INITIALIZER};

rung_result rung__tract_check(const struct rung__tract *tract, rung__tract_result status,
                              const char *what)
{
    if (status == 0)
        return RUNG_OK;
    const char *message = tract->call.get_last_error();
    if (!message)
        message = "nothing";
    return rung__fail(RUNG_BACKEND, "%s: tract %s says: %.*s", what, tract->version,
                      (int)strcspn(message, "\r\n"), message);
}

/** True for 0.23.6, 0.23.7 …; a version with a tail, such as 0.23.9-pre, has no known interface. */
static bool is_known_version(const char *text)
{
    const size_t series = sizeof RUNG__TRACT_SERIES - 1;
    char *end;
    if (strncmp(text, RUNG__TRACT_SERIES, series) != 0 || text[series] < '0' || text[series] > '9')
        return false;
    unsigned long patch = strtoul(text + series, &end, 10);
    return *end == '\0' && patch >= RUNG__TRACT_PATCH_LEAST;
}

static rung_result check_version(const struct rung__library *library, struct rung__tract *tract)
{
    const char *(*get_version)(void);
    void *symbol = rung__library_symbol(library, "tract_version");
    if (!symbol)
        return rung__fail(RUNG_UNSUPPORTED, "%s is no tract: it has no tract_version", tract->path);
    memcpy(&get_version, &symbol, sizeof get_version);
    const char *version = get_version();
    if (!version || !is_known_version(version))
        return rung__fail(RUNG_UNSUPPORTED,
                          "%s is tract \"%.31s\"; Rung knows " RUNG__TRACT_SERIES
                          "x from x = %u on, and other series have another interface",
                          tract->path, version ? version : "", RUNG__TRACT_PATCH_LEAST);
    (void)rung__text_format(tract->version, sizeof tract->version, "%s", version);
    return RUNG_OK;
}

static rung_result take_symbols(const struct rung__library *library, struct rung__tract *tract)
{
    static const struct {
        const char *symbol;
        size_t offset;
    } rows[] = {
#define ROW(name, result, arguments) {"tract_" #name, offsetof(struct rung__tract_calls, name)},
        RUNG__TRACT_CALLS(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *symbol = rung__library_symbol(library, rows[i].symbol);
        if (!symbol)
            return rung__fail(RUNG_UNSUPPORTED, "%s (tract %s) has no %s", tract->path,
                              tract->version, rows[i].symbol);
        memcpy((char *)&tract->call + rows[i].offset, &symbol, sizeof symbol);
    }
    return RUNG_OK;
}

static rung_result load(const char *path, struct rung__tract **out)
{
    struct rung__library library;
    rung_result result = rung__library_open(path, &library);
    if (result != RUNG_OK)
        return result;

    struct rung__tract *tract = calloc(1, sizeof *tract);
    void *symbol = rung__library_symbol(&library, "tract_version");
    char *found = symbol ? rung__library_path_of(symbol) : NULL;
    if (tract)
        tract->path = found ? found : rung__text_new("%s", path);
    if (!tract || !tract->path) {
        free(found);
        free(tract);
        return rung__fail(RUNG_NO_MEMORY, "no memory to load %s", path);
    }
    result = check_version(&library, tract);
    if (result == RUNG_OK)
        result = take_symbols(&library, tract);
    if (result != RUNG_OK) {
        free(tract->path);
        free(tract);
        return result;
    }
    *out = tract;
    return RUNG_OK;
}

rung_result rung__tract_open(const char *path, const struct rung__tract **out)
{
    rung_result result = RUNG_OK;
    rung__mutex_lock(&process.mutex);
    if (!process.loaded)
        result = load(path, &process.loaded);
    *out = process.loaded;
    rung__mutex_unlock(&process.mutex);
    return result;
}

const struct rung__tract *rung__tract_loaded(void)
{
    rung__mutex_lock(&process.mutex);
    const struct rung__tract *loaded = process.loaded;
    rung__mutex_unlock(&process.mutex);
    return loaded;
}
