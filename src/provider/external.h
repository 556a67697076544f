/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__PROVIDER_EXTERNAL_H
#define RUNG__PROVIDER_EXTERNAL_H

#include "provider/provider.h"
#include "provider/running.h"

/*
 * A provider that was registered from outside (rung/provider.h), behind the table that all have.
 * Nothing that it says is believed: what it answers is checked before it counts.
 */

/** It is its own table. */
struct rung__external {
    struct rung__provider provider; /**< first: functions are given this */
    rung_provider theirs;           /**< as it was registered, but for its texts */
    char *name, *text;
    struct rung__external *next; /**< of the same instance */
};

/** Takes over a table whose rules hold (session/providers.c). NULL: no memory. */
struct rung__external *rung__external_new(const rung_provider *theirs);

/** Ends it and all behind it. NULL is allowed. */
void rung__external_destroy(struct rung__external *external);

/* ---- the parts of the adapter ---- */

/** The external one of a table. */
static inline const struct rung__external *rung__external_of(const struct rung__provider *provider)
{
    return (const struct rung__external *)provider;
}

/** A call of one of its functions, which is made between begin and end. */
struct rung__external_call {
    const struct rung__external *external;
    const char *function;
    uint32_t errors; /**< of this thread, before it */
};

struct rung__external_call rung__external_begin(const struct rung__external *external,
                                                const char *function);

/** A result as a bit. */
#define RUNG__MAY(result) (1u << -(result))

/**
 * What its result comes to: a failure has a sentence with the provider's name, and one that the
 * function may not give is BACKEND. All may give BACKEND, DEVICE_LOST and NO_MEMORY; `also` are the
 * others.
 */
rung_result rung__external_end(const struct rung__external_call *call, rung_result result,
                               uint32_t also);

/** To what is not made yet a lost device is a failure like others. */
rung_result rung__external_unmade(rung_result result);

rung_result rung__external_find_device(const struct rung__provider *provider);
rung_result rung__external_create_model(const struct rung__provider *provider,
                                        const struct rung__model_request *request, void **model);
void rung__external_destroy_model(void *model);
rung_result rung__external_query_model(const void *model, struct rung__model_report *report);
rung_result rung__external_create_context(void *model, struct rung__model_memory *memory,
                                          void **context);
void rung__external_destroy_context(void *context);
rung_result rung__external_run(void *context);
void rung__external_cancel(void *context);
void rung__external_memory_stats(const void *context, rung_provider_memory *memory);

/** A model that it loaded. */
struct rung__external_model {
    const struct rung__external *external;
    void *theirs;
    struct rung__model_report report;
    rung_provider_memory memory; /**< that it said it would take */
};

#endif
