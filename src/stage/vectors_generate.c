/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/vectors.h"

#include <string.h>

#include "artifact/tensors.h"
#include "base/error.h"
#include "kernel/exact.h"

/* What a case only describes: every generator is x = x·1664525 + 1013904223 mod 2^32. */
struct lcg {
    uint32_t x;
};

static uint32_t step(struct lcg *lcg)
{
    lcg->x = lcg->x * 1664525u + 1013904223u;
    return lcg->x;
}

rung_result rung__vectors_make_surface(const struct rung__vectors_preprocess *preprocess,
                                       uint8_t *pixels)
{
    struct lcg lcg = {preprocess->seed};
    uint8_t digest[RUNG__SHA256_BYTES];
    for (uint64_t i = 0; i < preprocess->surface_bytes; i++)
        pixels[i] = (uint8_t)(step(&lcg) >> 24);
    const rung_result result = rung__sha256_of(pixels, (size_t)preprocess->surface_bytes, digest);
    if (result == RUNG_OK && memcmp(digest, preprocess->surface_digest, sizeof digest) != 0)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "the surface is not the one whose digest the case gives");
    return result;
}

static void generate(const struct rung__vectors_values *description,
                     const struct rung__tensor *tensor, float *values, size_t count)
{
    struct lcg lcg = {description->seed};
    const uint32_t axis = description->axis;
    size_t below = 1; /* elements from one index of the axis to the next */
    for (uint32_t d = axis + 1; d < tensor->rank; d++)
        below *= tensor->dims[d];
    for (size_t i = 0; i < count; i++) {
        const size_t index = i / below % tensor->dims[axis];
        const uint32_t last = description->entry_count - 1;
        const struct rung__vectors_element *element =
            &description->entries[index < last ? index : last];
        const int64_t number = element->low + (int64_t)(step(&lcg) >> (32 - element->bits));
        const float unit = rung__f32_from_bits((127 - element->q) << 23); /* 2^-q */
        values[i] = (float)number * unit;
    }
}

void rung__vectors_make_output(const struct rung__vectors_decode *decode, uint32_t output,
                               float *values)
{
    const struct rung__tensor *tensor = &decode->tensors.outputs[output];
    const struct rung__vectors_values *description = &decode->values[output];
    const size_t count = (size_t)rung__tensor_elements(tensor);
    if (!description->bytes)
        generate(description, tensor, values, count);
    for (size_t i = 0; description->bytes && i < count; i++)
        values[i] = rung__get_f32(description->bytes + 4 * i);
    for (size_t i = 0; i < decode->injection_count; i++) {
        const struct rung__vectors_injection *injection = &decode->injections[i];
        if (injection->output == output)
            memcpy(&values[injection->element], &injection->bits, sizeof *values);
    }
}

static struct rung__candidate candidate_at(const uint8_t *at)
{
    return (struct rung__candidate){
        .x = rung__get_u16(at),
        .y = rung__get_u16(at + 2),
        .w = rung__get_u16(at + 4),
        .h = rung__get_u16(at + 6),
        .confidence = rung__get_u16(at + 8),
        .class_id = at[10],
        .source_bits = at[11],
        .flags = rung__get_u16(at + 12),
        .payload = rung__get_u16(at + 14),
    };
}

static struct rung__candidate generate_candidate(const struct rung__vectors_candidates *candidates,
                                                 struct lcg *lcg, uint32_t i)
{
    uint16_t v[7];
    for (size_t f = 0; f < 7; f++)
        v[f] = (uint16_t)(candidates->ranges[f][0] + (step(lcg) >> 16) % candidates->ranges[f][1]);
    return (struct rung__candidate){
        .x = v[0],
        .y = v[1],
        .w = v[2],
        .h = v[3],
        .confidence = v[4],
        .class_id = (uint8_t)v[5],
        .source_bits = RUNG__SOURCE_NEURAL,
        .flags = v[6],
        .payload = (uint16_t)(candidates->is_indexed ? i : RUNG__NO_PAYLOAD),
    };
}

void rung__vectors_make_candidates(const struct rung__vectors_candidates *candidates,
                                   struct rung__candidate *to)
{
    struct lcg lcg = {candidates->seed};
    for (uint32_t i = 0; i < candidates->count; i++)
        to[i] = candidates->bytes ? candidate_at(candidates->bytes + (size_t)i * sizeof *to)
                                  : generate_candidate(candidates, &lcg, i);
}

void rung__vectors_make_points(const struct rung__vectors_points *points, uint32_t count,
                               uint32_t *first, int32_t *values)
{
    struct lcg lcg = {points->seed};
    first[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        first[i + 1] = first[i] + points->per[i % points->per_count];
    for (size_t i = 0; i < (size_t)points->pairs * 2; i++)
        values[i] = (int32_t)(step(&lcg) >> 8) - (1 << 23);
}
