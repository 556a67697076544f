/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a provider that compiles leaves in its folder. An engine is written in place, as vendors'
 * providers write theirs; one of another size is made again; one of the right size is believed,
 * and where its bytes are others, the session's numbers are wrong.
 */
#include "standin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ENGINE_BYTES 4096

struct engine {
    char path[PATH_MAX + 128];
    uint8_t bytes[ENGINE_BYTES];
};

/** FNV-1a: an engine belongs to its model and its provider. */
static uint64_t digest(uint64_t start, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        start = (start ^ bytes[i]) * 0x100000001b3u;
    return start;
}

static void make(struct engine *engine, const struct note *note, const void *model, size_t size)
{
    uint64_t state = digest(0xcbf29ce484222325u, note->provider, strlen(note->provider));
    state = digest(state, model, size);
    (void)snprintf(engine->path, sizeof engine->path, "%s/%s_%016llx.engine", note->cache,
                   note->provider, (unsigned long long)state);
    for (size_t i = 0; i < ENGINE_BYTES; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u; /* Knuth's, of MMIX */
        engine->bytes[i] = (uint8_t)(state >> 56);
    }
}

/** True when one of the right size is there. */
static bool read_stored(const char *path, uint8_t stored[ENGINE_BYTES])
{
    uint8_t more;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool whole =
        read(file, stored, ENGINE_BYTES) == ENGINE_BYTES && read(file, &more, 1) == 0;
    (void)close(file);
    return whole;
}

static rung__ort_result refuse(const char *path)
{
    char text[PATH_MAX + 256];
    (void)snprintf(text, sizeof text, "cannot write %s: %s", path, strerror(errno));
    return standin_refuse(text);
}

static rung__ort_result store(const struct engine *engine, const struct note *note)
{
    const size_t half = ENGINE_BYTES / 2;
    const struct fault *fault = standin_due(PLACE_ENGINE, standin_provider_of(note));
    rung__ort_result status = NULL;
    if (standin_is(fault, "unwritten"))
        return NULL;
    const int file = open(engine->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return refuse(engine->path);
    bool written = write(file, engine->bytes, half) == (ssize_t)half;
    if (fault && fault->instead)
        status = fault->instead(standin_place_name(PLACE_ENGINE));
    if (!status && !standin_is(fault, "torn"))
        written = written && write(file, engine->bytes + half, half) == (ssize_t)half;
    if (!status && !written)
        status = refuse(engine->path);
    (void)close(file);
    return status;
}

rung__ort_result standin_prepare_engine(struct note *note, const void *model, size_t size)
{
    struct engine engine;
    uint8_t stored[ENGINE_BYTES];
    make(&engine, note, model, size);
    if (!read_stored(engine.path, stored))
        return store(&engine, note);
    note->damaged = memcmp(stored, engine.bytes, ENGINE_BYTES) != 0;
    return NULL;
}
