/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TEST_HALVES_H
#define RUNG_TEST_HALVES_H

#include "stage/contract.h"

extern const struct rung__implementation rung__pre_halves;

#endif
