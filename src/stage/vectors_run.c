/* SPDX-License-Identifier: Apache-2.0 */
#include <rung/vectors.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "kernel/cpu_flags.h"
#include "stage/vectors_check.h"

#define FILE_BYTES_MAX ((size_t)16 << 20)

/** One file with one implementation. */
struct tally {
    rung_vectors_outcome outcome;
    char reason[RUNG__ERROR_BYTES], failure[RUNG__ERROR_BYTES];
    char failed_case[RUNG__VECTORS_ID_MAX + 1];
};

static void count_failure(struct tally *tally, const struct rung__vectors_case *vector)
{
    if (tally->outcome.failed++ > 0)
        return;
    /* By way of the detail, which is made fit to be shown. */
    rung__fail(RUNG_INTEGRITY, "%s: %s: %s", vector->where, tally->outcome.implementation,
               rung_last_error());
    rung__text_format(tally->failure, sizeof tally->failure, "%s", rung_last_error());
    rung__text_format(tally->failed_case, sizeof tally->failed_case, "%s", vector->id);
    rung__text_clean(tally->failed_case);
}

static void count_not_applicable(struct tally *tally)
{
    if (tally->outcome.not_applicable++ == 0)
        rung__text_format(tally->reason, sizeof tally->reason, "%s", rung_last_error());
}

/** Results: OK (counted), or what keeps the file from being run. */
static rung_result run_case(const struct rung__vectors *vectors, size_t i,
                            const struct rung__cpu_level *level, struct tally *tally)
{
    struct rung__vectors_case vector;
    rung_result result = rung__vectors_read(vectors, i, &vector);
    if (result == RUNG_OK) {
        result = rung__vectors_check(&vector, level->flags, &rung__vectors_heap);
        tally->outcome.passed += result == RUNG_OK;
        if (result == RUNG_INTEGRITY)
            count_failure(tally, &vector);
        else if (result == RUNG_NOT_FOUND)
            count_not_applicable(tally);
        else if (result != RUNG_OK)
            rung__fail(result, "%s: %s", vector.where, rung_last_error());
    }
    rung__vectors_case_finish(&vector);
    return result == RUNG_INTEGRITY || result == RUNG_NOT_FOUND ? RUNG_OK : result;
}

static rung_result run_set(const struct rung__vectors *vectors, const struct rung__cpu_level *level,
                           struct tally *tally)
{
    rung_result result = RUNG_OK;
    *tally = (struct tally){.outcome = {
                                .struct_size = sizeof tally->outcome,
                                .version = RUNG_STRUCT_VERSION,
                                .implementation = level->name,
                                .group = vectors->group,
                                .cases = (uint32_t)vectors->count,
                            }};
    tally->outcome.reason = tally->reason;
    tally->outcome.failed_case = tally->failed_case;
    tally->outcome.failure = tally->failure;
    for (size_t i = 0; i < vectors->count && result == RUNG_OK; i++)
        result = run_case(vectors, i, level, tally);
    return result;
}

static rung_result run_sets(const struct rung__vectors *vectors, rung_vectors_callback callback,
                            void *user)
{
    char first[RUNG__ERROR_BYTES] = "";
    const struct rung__cpu_level *level;
    for (size_t i = 0; (level = rung__cpu_level(i)); i++) {
        struct tally tally;
        const rung_result result = run_set(vectors, level, &tally);
        if (result != RUNG_OK)
            return result;
        if (tally.outcome.failed > 0 && !first[0])
            rung__text_format(first, sizeof first, "%s", tally.failure);
        if (callback)
            callback(user, &tally.outcome);
    }
    return first[0] ? rung__fail(RUNG_INTEGRITY, "%s", first) : RUNG_OK;
}

rung_result rung_vectors_run(const char *path, rung_vectors_callback callback, void *user)
{
    struct rung__buffer text = {0};
    struct rung__vectors vectors = {0};
    if (!path)
        return rung__fail(RUNG_INVALID_ARGUMENT, "a path is needed");
    rung_result result = rung__file_load(path, FILE_BYTES_MAX, &text);
    if (result == RUNG_OK)
        result = rung__vectors_parse(rung__buffer_bytes(&text), path, &vectors);
    rung__buffer_finish(&text);
    if (result == RUNG_OK)
        result = run_sets(&vectors, callback, user);
    rung__vectors_finish(&vectors);
    return result;
}
