/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/attempts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/json.h"
#include "base/process.h"
#include "base/text.h"
#include "hardware/fingerprint.h"

#define SCHEMA       1
#define FOLDER       "attempts"
#define WHAT         "the record of a try"
#define RECORD_END   ".json"
#define LOCK_END     ".lock"
#define FILE_LIMIT   4096u
#define FILE_MODE    0600u
#define FOLDER_LIMIT 1024u
#define DIGEST_SHOWN 32 /* characters of the model's in the file's name */
#define NAME_BYTES   (RUNG__RUNG_ID_BYTES + DIGEST_SHOWN + 16)

/** What is in a file. */
struct record {
    struct rung__strike strike; /**< without a number */
    char boot[RUNG__BOOT_BYTES];
};

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for " WHAT);
}

/* ---- the record -------------------------------------------------------------------------- */

static rung_result parse(struct rung__bytes text, struct record *to)
{
    json_t *json = NULL;
    uint32_t kind = 0;
    struct rung__json_reader reader;
    rung_result result = rung__json_parse(text, WHAT, &json);
    if (result != RUNG_OK)
        return result;
    rung__json_reader_init(&reader, json, WHAT);
    (void)rung__json_u64(&reader, "schema", SCHEMA, SCHEMA, true, SCHEMA);
    rung__json_copy_text(&reader, "rung", to->strike.rung, sizeof to->strike.rung);
    rung__json_copy_text(&reader, "model", to->strike.model, sizeof to->strike.model);
    rung__json_copy_text(&reader, "fingerprint", to->strike.fingerprint,
                         sizeof to->strike.fingerprint);
    rung__json_copy_text(&reader, "boot", to->boot, sizeof to->boot);
    const char *what = rung__json_text(&reader, "what", true);
    if (what && !rung__name_value(&rung__try_names, what, &kind))
        rung__json_refuse(&reader, "there is no such try");
    to->strike.kind = (enum rung__try_kind)kind;
    (void)rung__json_u64(&reader, "pid", 0, INT64_MAX, true, 0);
    (void)rung__json_u64(&reader, "time", 0, INT64_MAX, true, 0);
    result = rung__json_reader_end(&reader);
    json_decref(json);
    return result;
}

static rung_result write_record(const struct rung__attempt *attempt)
{
    char boot[RUNG__BOOT_BYTES], text[FILE_LIMIT];
    size_t size = 0;
    rung__process_boot(boot);
    json_t *json = json_pack("{s:i,s:s,s:s,s:s,s:s,s:s,s:I,s:I}", "schema", SCHEMA, "rung",
                             attempt->strike.rung, "model", attempt->strike.model, "what",
                             rung__name_text(&rung__try_names, attempt->strike.kind), "fingerprint",
                             attempt->strike.fingerprint, "boot", boot, "pid",
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

static rung_result remove_file(const char *path)
{
    if (rung__file_remove(path) || rung__path_kind(path) == RUNG__PATH_MISSING)
        return RUNG_OK;
    return rung__fail(RUNG_IO, "cannot remove %s", path);
}

/* ---- what the dead left ------------------------------------------------------------------ */

static bool is_strike(const struct record *record)
{
    char boot[RUNG__BOOT_BYTES];
    rung__process_boot(boot);
    return record->strike.kind == RUNG__TRY_BUILD || strcmp(record->boot, boot) != 0;
}

/** A record whose lock is ours: who wrote it is dead. One that cannot be read says nothing. */
static rung_result settle(const char *path, const char *strike_path)
{
    struct rung__buffer text = {0};
    struct record record = {0};
    if (rung__path_kind(path) == RUNG__PATH_MISSING)
        return RUNG_OK;
    rung_result result = rung__file_load(path, FILE_LIMIT, &text);
    if (result == RUNG_OK)
        result = parse(rung__buffer_bytes(&text), &record);
    rung__buffer_finish(&text);
    if (result == RUNG_NO_MEMORY)
        return result;
    result = result == RUNG_OK && is_strike(&record) ? rung__strike_add(strike_path, &record.strike)
                                                     : RUNG_OK;
    return result == RUNG_OK ? remove_file(path) : result;
}

/** The paths of a try whose files are called `name`. */
static rung_result name_files(const char *folder, const char *name, struct rung__attempt *to)
{
    to->path = rung__text_new("%s/" FOLDER "/%s" RECORD_END, folder, name);
    to->lock_path = rung__text_new("%s/" FOLDER "/%s" LOCK_END, folder, name);
    char *record = rung__text_new("%s" RECORD_END, name);
    to->strike_path = record ? rung__strike_path(folder, record) : NULL;
    free(record);
    return to->path && to->lock_path && to->strike_path ? RUNG_OK : no_memory();
}

/** Lets go of the lock; its file goes first, while nobody else has it. */
static void unlock(struct rung__attempt *attempt)
{
    if (attempt->lock.handle)
        (void)rung__file_remove(attempt->lock_path);
    rung__file_lock_release(&attempt->lock);
}

static void finish(struct rung__attempt *attempt)
{
    unlock(attempt);
    free(attempt->path);
    free(attempt->lock_path);
    free(attempt->strike_path);
    *attempt = (struct rung__attempt){0};
}

/** Takes the lock and counts what was left. BUSY: the try is on its way elsewhere. */
static rung_result take_over(struct rung__attempt *attempt)
{
    rung_result result = rung__file_lock_take(&attempt->lock, attempt->lock_path, 0);
    return result == RUNG_OK ? settle(attempt->path, attempt->strike_path) : result;
}

static rung_result settle_name(const char *folder, const char *file)
{
    struct rung__attempt left = {0};
    const size_t length = strlen(file), end = strlen(RECORD_END);
    if (length <= end || strcmp(file + length - end, RECORD_END) != 0)
        return RUNG_OK;
    char *name = rung__text_new("%.*s", (int)(length - end), file);
    rung_result result = name ? name_files(folder, name, &left) : no_memory();
    if (result == RUNG_OK)
        result = take_over(&left);
    free(name);
    finish(&left);
    return result == RUNG_BUSY ? RUNG_OK : result;
}

rung_result rung__attempts_settle(const char *folder)
{
    struct rung__folder files = {0};
    char *attempts = rung__path_join(folder, FOLDER);
    if (!attempts)
        return no_memory();
    rung_result result = RUNG_OK;
    if (rung__path_kind(attempts) != RUNG__PATH_MISSING)
        result = rung__folder_check_private(attempts);
    if (result == RUNG_OK)
        result = rung__folder_list(attempts, FOLDER_LIMIT, &files);
    free(attempts);
    if (result != RUNG_OK)
        return result == RUNG_NOT_FOUND ? RUNG_OK : result;
    for (size_t i = 0; i < files.count && result == RUNG_OK; i++)
        result = settle_name(folder, files.names[i]);
    rung__folder_finish(&files);
    return result;
}

/* ---- a try ------------------------------------------------------------------------------- */

static rung_result make_folder(const char *folder)
{
    char *attempts = rung__path_join(folder, FOLDER);
    rung_result result = attempts ? rung__folder_make(attempts) : no_memory();
    if (result == RUNG_OK)
        result = rung__folder_check_private(attempts);
    free(attempts);
    return result;
}

/** Sums up the strikes of this fingerprint. */
static rung_result count_strikes(struct rung__attempt *attempt)
{
    struct rung__strike before;
    const rung_result result = rung__strike_read(attempt->strike_path, &before);
    if (result == RUNG_OK && strcmp(before.fingerprint, attempt->strike.fingerprint) == 0)
        attempt->strike.strikes = before.strikes;
    attempt->refused = attempt->strike.strikes >= RUNG__STRIKES_MOST;
    return result;
}

static rung_result prepare(const struct rung__try *what, struct rung__attempt *out)
{
    char name[NAME_BYTES];
    *out = (struct rung__attempt){.strike.kind = what->kind, .number = RUNG__CANCEL_NONE};
    (void)rung__text_format(out->strike.rung, sizeof out->strike.rung, "%s", what->rung);
    (void)rung__text_format(out->strike.model, sizeof out->strike.model, "%s", what->model);
    (void)rung__text_format(name, sizeof name, "%s-%.*s", out->strike.rung, DIGEST_SHOWN,
                            what->model);
    rung_result result = rung__fingerprint_digest_of(what->fingerprint, out->strike.fingerprint);
    if (result == RUNG_OK)
        result = name_files(what->folder, name, out);
    return result == RUNG_OK ? make_folder(what->folder) : result;
}

rung_result rung__attempt_begin(const struct rung__try *what, struct rung__attempt *out)
{
    rung_result result = prepare(what, out);
    if (result == RUNG_OK)
        result = take_over(out);
    const bool elsewhere = result == RUNG_BUSY;
    if (result == RUNG_OK || elsewhere)
        result = count_strikes(out);
    if (result != RUNG_OK || out->refused || elsewhere)
        return result;
    out->number = rung__cancel_note(out->path);
    result = write_record(out);
    out->noted = result == RUNG_OK;
    if (!out->noted) /* it may be there all the same, where it could not be synced */
        (void)rung__file_remove(out->path);
    return result;
}

rung_result rung__attempt_end(struct rung__attempt *attempt, bool died)
{
    rung_result result = RUNG_OK;
    /* In an order in which a death in between counts no more than there was. */
    if (attempt->noted && died)
        result = rung__strike_add(attempt->strike_path, &attempt->strike);
    if (attempt->noted) {
        const rung_result removed = remove_file(attempt->path);
        result = result == RUNG_OK ? removed : result;
    }
    if (attempt->noted && !died && result == RUNG_OK)
        result = remove_file(attempt->strike_path);
    rung__cancel_forget(attempt->number);
    finish(attempt);
    return result;
}
