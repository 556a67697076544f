/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/retry.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/text.h"

#define SCHEMA     1
#define FILE_LIMIT 1024u
#define FILE_MODE  0600u
#define TRIES_MOST 99u

/* How long the first pause is, how much longer each next one, and the longest, in seconds. */
#define PAUSE_FIRST  INT64_C(3600)
#define PAUSE_FACTOR 4
#define PAUSE_MOST   (INT64_C(7) * 24 * 3600)

/** What is in the file. */
struct note {
    char fingerprint[2 * RUNG__SHA256_BYTES + 1]; /**< the digest of its text */
    uint32_t tries;                               /**< in a row */
    int64_t time;                                 /**< of the last one, seconds since 1970 */
};

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for the note of a probe");
}

static rung_result parse(struct rung__bytes text, struct note *to)
{
    json_t *json = NULL;
    struct rung__json_reader reader;
    rung_result result = rung__json_parse(text, "the note of a probe", &json);
    if (result != RUNG_OK)
        return result;
    rung__json_reader_init(&reader, json, "the note of a probe");
    (void)rung__json_u64(&reader, "schema", SCHEMA, SCHEMA, true, SCHEMA);
    const char *fingerprint = rung__json_text(&reader, "fingerprint", true);
    to->tries = (uint32_t)rung__json_u64(&reader, "tries", 1, TRIES_MOST, true, 0);
    to->time = (int64_t)rung__json_u64(&reader, "time", 0, INT64_MAX, true, 0);
    result = rung__json_reader_end(&reader);
    if (result == RUNG_OK)
        (void)rung__text_format(to->fingerprint, sizeof to->fingerprint, "%s", fingerprint);
    json_decref(json);
    return result;
}

/** All zero: there is none that can be read. Results: OK, NO_MEMORY. */
static rung_result read_note(const char *path, struct note *out)
{
    struct rung__buffer text = {0};
    *out = (struct note){0};
    if (rung__path_kind(path) == RUNG__PATH_MISSING)
        return RUNG_OK;
    rung_result result = rung__file_load(path, FILE_LIMIT, &text);
    if (result == RUNG_OK)
        result = parse(rung__buffer_bytes(&text), out);
    rung__buffer_finish(&text);
    if (result != RUNG_OK)
        *out = (struct note){0};
    return result == RUNG_NO_MEMORY ? result : RUNG_OK;
}

static rung_result write_note(const char *path, const struct note *note)
{
    char text[FILE_LIMIT];
    size_t size = 0;
    json_t *json =
        json_pack("{s:i,s:s,s:i,s:I}", "schema", SCHEMA, "fingerprint", note->fingerprint, "tries",
                  (int)note->tries, "time", (json_int_t)note->time);
    rung_result result =
        json ? rung__json_write(json, (rung_span){text, sizeof text}, &size) : no_memory();
    json_decref(json);
    if (result != RUNG_OK)
        return result;
    text[size - 1] = '\n'; /* in place of the zero */
    return rung__file_save(path, (struct rung__bytes){(const uint8_t *)text, size}, FILE_MODE,
                           true);
}

/** A note of the future was made by a clock that was wrong then or is now: it does not count. */
static bool is_due(const struct note *note, int64_t now)
{
    int64_t pause = PAUSE_FIRST;
    for (uint32_t i = 1; i < note->tries && pause < PAUSE_MOST; i++)
        pause *= PAUSE_FACTOR;
    if (pause > PAUSE_MOST)
        pause = PAUSE_MOST;
    return note->tries == 0 || note->time > now || now - note->time >= pause;
}

static rung_result begin(const char *path, const char *digest, bool *due)
{
    struct note note;
    const int64_t now = (int64_t)time(NULL);
    rung_result result = read_note(path, &note);
    if (strcmp(note.fingerprint, digest) != 0)
        note = (struct note){0};
    *due = is_due(&note, now);
    if (result != RUNG_OK || !*due)
        return result;
    (void)rung__text_format(note.fingerprint, sizeof note.fingerprint, "%s", digest);
    note.tries += note.tries < TRIES_MOST;
    note.time = now;
    return write_note(path, &note);
}

rung_result rung__retry_begin(const char *folder, const char *fingerprint, bool *due)
{
    uint8_t digest[RUNG__SHA256_BYTES];
    char hex[2 * sizeof digest + 1];
    *due = false;
    rung_result result = rung__folder_make(folder);
    if (result == RUNG_OK)
        result = rung__folder_check_private(folder);
    if (result == RUNG_OK)
        result = rung__sha256_of(fingerprint, strlen(fingerprint), digest);
    if (result != RUNG_OK)
        return result;
    rung__text_hex(hex, digest, sizeof digest);
    char *path = rung__path_join(folder, RUNG__RETRY_FILE);
    result = path ? begin(path, hex, due) : no_memory();
    free(path);
    return result;
}

void rung__retry_forget(const char *folder)
{
    char *path = rung__path_join(folder, RUNG__RETRY_FILE);
    if (path)
        (void)rung__file_remove(path);
    free(path);
}
