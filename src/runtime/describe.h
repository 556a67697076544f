/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_DESCRIBE_H
#define RUNG__RUNTIME_DESCRIBE_H

#include "base/json.h"
#include "runtime/runtime.h"

/*
 * What a library is, found out by loading it in a process of its own: one that crashes, hangs or
 * ends its process while it loads costs that process alone. The helper's subcommand takes the name
 * of the runtime and the library; the line of its answer has the members below.
 */
#define RUNG__DESCRIBE           "describe"
#define RUNG__DESCRIBE_FILE      "file"
#define RUNG__DESCRIBE_VERSION   "version"
#define RUNG__DESCRIBE_API       "api"
#define RUNG__DESCRIBE_PROVIDERS "providers"

#define RUNG__LIBRARY_PROVIDERS 64u /* more are not believed */
#define RUNG__LIBRARY_VERSION   32u /* bytes */
#define RUNG__LIBRARY_TIME_NS   (UINT64_C(5) * 1000000000)

/** What a library says of itself. All zero holds nothing. */
struct rung__library_facts {
    char *file; /**< the library itself: what a bare name led to; NULL: unknown */
    char version[RUNG__LIBRARY_VERSION];
    uint32_t api; /**< 0: it has no numbered interface */
    char **providers;
    uint32_t provider_count;
    rung_result result; /**< of loading it: OK, NOT_FOUND, BACKEND, UNSUPPORTED */
    char *reason;       /**< when that is not OK */
};

/**
 * Describes the library at `path`, a file or a bare name. That it does not load is in `out`.
 * Results: OK, UNSUPPORTED (there is no process to load it in), NO_MEMORY. End with
 * rung__library_facts_finish, also after a failure.
 */
rung_result rung__runtime_describe(const char *helper, const struct rung__runtime *runtime,
                                   const char *path, struct rung__library_facts *out);
void rung__library_facts_finish(struct rung__library_facts *facts);

/**
 * Takes the members above, which may be of anybody's making; the reader notes what is wrong with
 * them. Results: OK, NO_MEMORY.
 */
rung_result rung__library_facts_read(struct rung__json_reader *reader,
                                     struct rung__library_facts *out);

/** An object of the members above, NULL without memory. */
json_t *rung__library_facts_json(const struct rung__library_facts *facts);

bool rung__library_offers(const struct rung__library_facts *facts, const char *provider);

#endif
