/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__LADDER_POLICY_H
#define RUNG__LADDER_POLICY_H

#include <rung/instance.h>

#include "artifact/names.h"

/** What each policy but DEFAULT is called in options and variables. */
extern const struct rung__names rung__policy_names;

/**
 * The policy of a probe that nobody asked for, where nobody named one either: all rungs while the
 * load of the machine below `root` is under half a process for each CPU that may be used, else the
 * first.
 */
rung_probe_policy rung__policy_by_load(const char *root);

#endif
