/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/attempts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "base/text.h"

#define SCHEMA       1
#define FOLDER       "attempts"
#define FILE_LIMIT   4096u
#define FILE_MODE    0600u
#define DIGEST_SHOWN 32 /* characters of the model's in the file's name */

/** What is in a file. */
struct record {
    bool running;
    uint32_t strikes;
    char fingerprint[2 * RUNG__SHA256_BYTES + 1];
    char boot[RUNG__BOOT_BYTES];
};

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for the record of a try");
}

static rung_result digest_of(const char *fingerprint, char hex[2 * RUNG__SHA256_BYTES + 1])
{
    uint8_t digest[RUNG__SHA256_BYTES];
    rung_result result = rung__sha256_of(fingerprint, strlen(fingerprint), digest);
    if (result == RUNG_OK)
        rung__text_hex(hex, digest, sizeof digest);
    return result;
}

static rung_result parse(struct rung__bytes text, struct record *to)
{
    json_t *json = NULL;
    struct rung__json_reader reader;
    rung_result result = rung__json_parse(text, "the record of a try", &json);
    if (result != RUNG_OK)
        return result;
    rung__json_reader_init(&reader, json, "the record of a try");
    (void)rung__json_u64(&reader, "schema", SCHEMA, SCHEMA, true, SCHEMA);
    (void)rung__json_text(&reader, "rung", true);
    (void)rung__json_text(&reader, "model", true);
    (void)rung__json_u64(&reader, "pid", 0, INT64_MAX, true, 0);
    (void)rung__json_u64(&reader, "time", 0, INT64_MAX, true, 0);
    to->running = rung__json_bool(&reader, "running", true, false);
    to->strikes = (uint32_t)rung__json_u64(&reader, "strikes", 0, UINT16_MAX, true, 0);
    const char *fingerprint = rung__json_text(&reader, "fingerprint", true);
    const char *boot = rung__json_text(&reader, "boot", true);
    result = rung__json_reader_end(&reader);
    if (result == RUNG_OK) {
        (void)rung__text_format(to->fingerprint, sizeof to->fingerprint, "%s", fingerprint);
        (void)rung__text_format(to->boot, sizeof to->boot, "%s", boot);
    }
    json_decref(json);
    return result;
}

/** What earlier tries left: strikes of this fingerprint. A file that cannot be read says nothing.
 */
static rung_result count_strikes(struct rung__attempt *attempt)
{
    struct rung__buffer text = {0};
    struct record record = {0};
    char boot[RUNG__BOOT_BYTES];
    if (rung__path_kind(attempt->path) == RUNG__PATH_MISSING)
        return RUNG_OK;
    rung_result result = rung__file_load(attempt->path, FILE_LIMIT, &text);
    if (result == RUNG_OK)
        result = parse(rung__buffer_bytes(&text), &record);
    rung__buffer_finish(&text);
    if (result != RUNG_OK)
        return result == RUNG_NO_MEMORY ? result : RUNG_OK;
    if (strcmp(record.fingerprint, attempt->fingerprint) != 0)
        return RUNG_OK;
    attempt->strikes = record.strikes;
    rung__process_boot(boot);
    if (record.running && strcmp(record.boot, boot) != 0)
        attempt->strikes++;
    return RUNG_OK;
}

static rung_result write_record(const struct rung__attempt *attempt, bool running)
{
    char boot[RUNG__BOOT_BYTES], text[FILE_LIMIT];
    size_t size = 0;
    rung__process_boot(boot);
    json_t *json =
        json_pack("{s:i,s:s,s:s,s:b,s:i,s:s,s:s,s:I,s:I}", "schema", SCHEMA, "rung", attempt->rung,
                  "model", attempt->model, "running", running, "strikes", (int)attempt->strikes,
                  "fingerprint", attempt->fingerprint, "boot", boot, "pid",
                  (json_int_t)rung__process_id(), "time", (json_int_t)time(NULL));
    rung_result result =
        json ? rung__json_write(json, (rung_span){text, sizeof text}, &size) : no_memory();
    json_decref(json);
    if (result != RUNG_OK)
        return result;
    text[size - 1] = '\n'; /* in place of the zero */
    return rung__file_save(attempt->path, (struct rung__bytes){(const uint8_t *)text, size},
                           FILE_MODE, true);
}

static rung_result name_file(const char *folder, struct rung__attempt *attempt)
{
    char *attempts = rung__path_join(folder, FOLDER);
    if (!attempts)
        return no_memory();
    rung_result result = rung__folder_make(attempts);
    if (result == RUNG_OK)
        result = rung__folder_check_private(attempts);
    if (result == RUNG_OK) {
        attempt->path = rung__text_new("%s/%s-%.*s.json", attempts, attempt->rung, DIGEST_SHOWN,
                                       attempt->model);
        result = attempt->path ? RUNG_OK : no_memory();
    }
    free(attempts);
    return result;
}

rung_result rung__attempt_begin(const char *folder, const char *fingerprint, const char *rung,
                                const char *model, struct rung__attempt *out)
{
    *out = (struct rung__attempt){0};
    (void)rung__text_format(out->rung, sizeof out->rung, "%s", rung);
    (void)rung__text_format(out->model, sizeof out->model, "%s", model);
    rung_result result = digest_of(fingerprint, out->fingerprint);
    if (result == RUNG_OK)
        result = name_file(folder, out);
    if (result == RUNG_OK)
        result = count_strikes(out);
    if (result != RUNG_OK)
        return result;
    out->refused = out->strikes >= RUNG__STRIKES_MOST;
    return write_record(out, !out->refused);
}

rung_result rung__attempt_end(struct rung__attempt *attempt, bool died)
{
    rung_result result = RUNG_OK;
    if (attempt->path && !attempt->refused) {
        attempt->strikes += died;
        if (died)
            result = write_record(attempt, false);
        else if (!rung__file_remove(attempt->path) &&
                 rung__path_kind(attempt->path) != RUNG__PATH_MISSING)
            result = rung__fail(RUNG_IO, "cannot remove %s", attempt->path);
    }
    free(attempt->path);
    *attempt = (struct rung__attempt){0};
    return result;
}
