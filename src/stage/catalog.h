/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__STAGE_CATALOG_H
#define RUNG__STAGE_CATALOG_H

#include "base/json.h"
#include "stage/contract.h"

/**
 * The inventory: for each stage the implementations that there are, NULL behind the last. Of two
 * that both may be taken the one that stands first is; base stands last. It decides nothing.
 */
struct rung__catalog {
    const struct rung__implementation *const *stages[RUNG__STAGES];
};

/** The library's own. */
extern const struct rung__catalog rung__catalog;

/** An implementation by its id, or NULL. */
const struct rung__implementation *rung__catalog_find(const struct rung__catalog *catalog,
                                                      enum rung__stage stage, const char *id);

/** Metadata as JSON, without constructing anything; NULL without memory. */
json_t *rung__implementation_json(const struct rung__implementation *implementation);

/** All of the catalog, an array; NULL without memory. */
json_t *rung__catalog_json(const struct rung__catalog *catalog);

#endif
