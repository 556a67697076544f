/* SPDX-License-Identifier: Apache-2.0 */
/* Two frames at once: one is prepared while the other one runs. */
#include "stage/buffer/buffer.h"
#include "stage/implementations.h"

const struct rung__implementation rung__buffer_ring = {
    RUNG__ON_ANY_CPU,
    .id = "ring-v1",
    .stage = RUNG__STAGE_BUFFER,
    .components = RUNG__COMPONENT_IMPORT,
    .scenarios = RUNG__SCENARIO_SERIES,
    .for_others = true,
    .fallback = "import-v1",
    .per_model = true,
    .supports_concurrency = true,
    .output = "two inputs of the runtime in turns, made in place",
    .stream = "done when it returns",
    .operations = &rung__buffer_in_place,
};

uint32_t rung__buffer_slots(const struct rung__implementation *implementation)
{
    return implementation == &rung__buffer_ring ? RUNG__BUFFER_SLOTS : 1;
}
