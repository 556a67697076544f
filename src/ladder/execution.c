/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/execution.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "hardware/cpus.h"

/** What stands for what. */
struct stand_in {
    const char *name, *value; /* NULL: there is none, and the option is left out */
};

/** The first of them in a value, and where; NULL without one. */
static const struct stand_in *find(const char *value, const struct stand_in *all,
                                   const char **where)
{
    for (; all->name; all++) {
        *where = strstr(value, all->name);
        if (*where)
            return all;
    }
    return NULL;
}

/** NULL in `*out`: it is left out. A value of the table has one stand-in at most. */
static rung_result fill(const char *value, const struct stand_in *all, char **out)
{
    const char *where;
    const struct stand_in *found = find(value, all, &where);
    *out = NULL;
    if (found && !found->value)
        return RUNG_OK;
    if (found)
        *out = rung__text_new("%.*s%s%s", (int)(where - value), value, found->value,
                              where + strlen(found->name));
    else
        *out = rung__text_new("%s", value);
    return *out ? RUNG_OK : rung__fail(RUNG_NO_MEMORY, "no memory for the options of a rung");
}

static rung_result fill_list(const struct rung__option *from, const struct stand_in *all,
                             struct rung__option *to)
{
    rung_result result = RUNG_OK;
    for (uint32_t count = 0; from->name && count < RUNG__EXECUTION_OPTIONS && result == RUNG_OK;
         from++) {
        char *value;
        result = fill(from->value, all, &value);
        if (value)
            to[count++] = (struct rung__option){from->name, value};
    }
    return result;
}

/** The compiled model in the folder; NULL in `*out`: there is none. */
static rung_result find_compiled(const struct rung__rung *rung, const char *engines, char **out)
{
    *out = NULL;
    if (!rung->compiled || !engines)
        return RUNG_OK;
    char *path = rung__path_join(engines, rung->compiled);
    if (!path)
        return rung__fail(RUNG_NO_MEMORY, "no memory for the options of a rung");
    if (rung__path_kind(path) == RUNG__PATH_FILE)
        *out = path;
    else
        free(path);
    return RUNG_OK;
}

/** As many runs as the usable cores have room for. */
static uint32_t count_streams(uint32_t threads)
{
    struct rung__cpus cpus;
    rung__cpus_read("", &cpus);
    return cpus.physical > threads ? cpus.physical / threads : 1;
}

rung_result rung__rung_execution_make(const struct rung__rung *rung, uint32_t threads,
                                      const char *engines, struct rung__rung_execution *out)
{
    char number[16], streams[16], whole[16];
    *out = (struct rung__rung_execution){0};
    /* What is on the runtime's own CPU code is given nothing. */
    if (rung->floor || !rung->executed_by)
        return RUNG_OK;
    rung_result result = find_compiled(rung, engines, &out->compiled);
    if (result != RUNG_OK)
        return result;
    out->execution = (struct rung__execution){
        .provider = rung->executed_by,
        .compiled = out->compiled,
        .options = out->options,
        .session = out->session,
    };
    const char *to_write = out->compiled ? NULL : engines;
    const struct stand_in for_provider[] = {{"{threads}", number},
                                            {"{streams}", streams},
                                            {"{all_threads}", whole},
                                            {"{engines}", engines},
                                            {"{cached}", engines ? "1" : NULL},
                                            {0}};
    const struct stand_in for_session[] = {
        {"{threads}", number}, {"{engines}", to_write}, {"{cached}", to_write ? "1" : NULL}, {0}};
    const uint32_t side_by_side = count_streams(threads);
    (void)rung__text_format(number, sizeof number, "%u", threads);
    (void)rung__text_format(streams, sizeof streams, "%u", side_by_side);
    (void)rung__text_format(whole, sizeof whole, "%u", threads * side_by_side);
    result = fill_list(rung->options, for_provider, out->options);
    return result == RUNG_OK ? fill_list(rung->session, for_session, out->session) : result;
}

static void finish_list(struct rung__option *options)
{
    for (; options->name; options++) {
        free((char *)options->value);
        *options = (struct rung__option){0};
    }
}

void rung__rung_execution_finish(struct rung__rung_execution *execution)
{
    finish_list(execution->options);
    finish_list(execution->session);
    free(execution->compiled);
    *execution = (struct rung__rung_execution){0};
}
