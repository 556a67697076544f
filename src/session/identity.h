/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_IDENTITY_H
#define RUNG__SESSION_IDENTITY_H

#include <rung/identity.h>

#include "ladder/rungs.h"

/** The identity of a model's results on a rung, newly allocated; NULL without memory. */
char *rung__identity_new(const struct rung__header *header, const struct rung__rung *rung);

#endif
