/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

void rung__record_environment(const struct rung__implementation *implementation,
                              const struct rung__stage_context *context,
                              char to[RUNG__ENVIRONMENT_BYTES])
{
    char workers[32] = "";
    if (implementation->components & RUNG__COMPONENT_THREADS)
        (void)rung__text_format(workers, sizeof workers, "; %u workers", context->workers);
    (void)rung__text_format(to, RUNG__ENVIRONMENT_BYTES, "%s; %s; %s; rung %s; version %s%s%s%s",
                            context->device, context->device_id, context->level, RUNG_VERSION_TEXT,
                            implementation->version, workers, implementation->per_model ? "; " : "",
                            implementation->per_model ? context->model : "");
}

static struct rung__record *find(const struct rung__records *records, enum rung__stage stage,
                                 const char *id, const char *environment)
{
    for (uint32_t i = 0; i < records->count; i++)
        if (records->rows[i].stage == stage && strcmp(records->rows[i].id, id) == 0 &&
            strcmp(records->rows[i].environment, environment) == 0)
            return &records->rows[i];
    return NULL;
}

const struct rung__record *rung__records_find(const struct rung__records *records,
                                              const struct rung__implementation *implementation,
                                              const struct rung__stage_context *context)
{
    char environment[RUNG__ENVIRONMENT_BYTES];
    rung__record_environment(implementation, context, environment);
    return find(records, implementation->stage, implementation->id, environment);
}

bool rung__record_is_shipped(const struct rung__implementation *implementation,
                             const struct rung__stage_context *context)
{
    const struct rung__shipped_record *shipped = implementation->shipped;
    return shipped && (shipped->cpu_flags == 0 || shipped->cpu_flags & context->cpu_flags);
}

static void take_out(struct rung__records *records, const struct rung__record *row)
{
    const size_t at = (size_t)(row - records->rows);
    records->count--;
    memmove(records->rows + at, records->rows + at + 1,
            (records->count - at) * sizeof *records->rows);
}

rung_result rung__records_put(struct rung__records *records, const struct rung__record *record)
{
    struct rung__record *older = find(records, record->stage, record->id, record->environment);
    if (older) {
        *older = *record;
        return RUNG_OK;
    }
    if (records->count == RUNG__RECORDS_MAX)
        take_out(records, records->rows);
    struct rung__record *rows = realloc(records->rows, ((size_t)records->count + 1) * sizeof *rows);
    if (!rows)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a validation record");
    records->rows = rows;
    rows[records->count++] = *record;
    return RUNG_OK;
}

void rung__records_drop(struct rung__records *records, const struct rung__record *like)
{
    const struct rung__record *row = find(records, like->stage, like->id, like->environment);
    if (row)
        take_out(records, row);
}

void rung__records_finish(struct rung__records *records)
{
    free(records->rows);
    *records = (struct rung__records){0};
}
