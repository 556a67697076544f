/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "kernel/exact.h"
#include "vectors_internal.h"

#define ELEMENTS_MAX   (1u << 24)
#define CANDIDATES_MAX 65536u
#define PER_MAX        16u
#define INJECTIONS_MAX 65536u

rung_result vectors_make_surface(const struct vectors_preprocess *preprocess, uint8_t *pixels)
{
    struct lcg lcg = {preprocess->seed};
    uint8_t digest[RUNG__SHA256_BYTES];
    for (uint64_t i = 0; i < preprocess->surface_bytes; i++)
        pixels[i] = (uint8_t)(lcg_step(&lcg) >> 24);
    const rung_result result = rung__sha256_of(pixels, (size_t)preprocess->surface_bytes, digest);
    if (result == RUNG_OK && memcmp(digest, preprocess->surface_digest, sizeof digest) != 0)
        return rung__fail(RUNG_INVALID_ARGUMENT, "the digest of the surface is another");
    return result;
}

/* ---- candidates ------------------------------------------------------------------------------ */

void vectors_make_candidates(struct vectors_case *vector, struct rung__json_reader *reader)
{
    static const char *const fields[] = {"x", "y", "w", "h", "conf", "class", "flags"};
    static const char *const payloads[] = {"none", "index", NULL};
    struct rung__json_reader inner;
    uint32_t range[7][2] = {{0}};
    vectors_enter(reader, "generator", &inner);
    const uint32_t count = (uint32_t)rung__json_u64(&inner, "n", 0, CANDIDATES_MAX, true, 0);
    struct lcg lcg = {(uint32_t)rung__json_u64(&inner, "seed", 0, UINT32_MAX, true, 0)};
    const bool indexed = vectors_word(&inner, "payload", payloads) == 1;
    for (size_t f = 0; f < 7; f++) {
        const uint32_t most = f == 5 ? UINT8_MAX : UINT16_MAX; /* 5: the class */
        vectors_u32s(&inner, fields[f], 65536, range[f], 2);
        if (range[f][1] == 0 || range[f][0] + range[f][1] - 1 > most)
            rung__json_refuse(&inner, "the span of \"%s\" is empty or leaves the field", fields[f]);
    }
    struct rung__candidate *candidates = vectors_own(vector, &inner, count, sizeof *candidates);
    for (uint32_t i = 0; candidates && i < count; i++) {
        uint32_t v[7];
        for (size_t f = 0; f < 7; f++)
            v[f] = range[f][0] + (lcg_step(&lcg) >> 16) % range[f][1];
        candidates[i] = (struct rung__candidate){
            (uint16_t)v[0],      (uint16_t)v[1], (uint16_t)v[2],
            (uint16_t)v[3],      (uint16_t)v[4], (uint8_t)v[5],
            RUNG__SOURCE_NEURAL, (uint16_t)v[6], (uint16_t)(indexed ? i : RUNG__NO_PAYLOAD)};
    }
    vector->select.candidates = candidates;
    vector->select.candidate_count = count;
    vectors_leave(reader, &inner);
}

void vectors_make_points(struct vectors_case *vector, struct rung__json_reader *reader,
                         uint32_t count)
{
    struct rung__json_reader inner;
    vectors_enter(reader, "points", &inner);
    struct lcg lcg = {(uint32_t)rung__json_u64(&inner, "seed", 0, UINT32_MAX, true, 0)};
    const json_t *per = vectors_array(&inner, "per", 1, PER_MAX);
    uint32_t *first = vectors_own(vector, &inner, (size_t)count + 1, sizeof *first);
    for (uint32_t i = 0; first && i < count; i++)
        first[i + 1] =
            first[i] + (uint32_t)vectors_item(&inner, "per", per, i % json_array_size(per), 1, 255);
    const uint32_t pairs = first ? first[count] : 0;
    int32_t *values = vectors_own(vector, &inner, (size_t)pairs * 2, sizeof *values);
    for (size_t i = 0; values && i < (size_t)pairs * 2; i++)
        values[i] = (int32_t)(lcg_step(&lcg) >> 8) - (1 << 23);
    vector->select.packet.points = (struct rung__points){values, first, 0, count};
    vectors_leave(reader, &inner);
}

/* ---- tensors --------------------------------------------------------------------------------- */

/** One entry of `params`: an element is (low + the top `bits` of a step) / 2^q. */
struct element {
    int32_t low;
    uint32_t bits, q;
};

static struct element read_element(struct rung__json_reader *reader, const json_t *array)
{
    return (struct element){
        .low = (int32_t)vectors_item(reader, "params", array, 0, -(1 << 24), 1 << 24),
        .bits = (uint32_t)vectors_item(reader, "params", array, 1, 1, 24),
        .q = (uint32_t)vectors_item(reader, "params", array, 2, 0, 64),
    };
}

static void generate_values(struct rung__json_reader *reader, const struct rung__tensor *tensor,
                            float *values, size_t count)
{
    struct rung__json_reader inner;
    struct element elements[PER_MAX] = {{0}};
    vectors_enter(reader, "generator", &inner);
    struct lcg lcg = {(uint32_t)rung__json_u64(&inner, "seed", 0, UINT32_MAX, true, 0)};
    const uint32_t axis = (uint32_t)rung__json_u64(&inner, "axis", 0, tensor->rank - 1, true, 0);
    const json_t *params = vectors_array(&inner, "params", 1, PER_MAX);
    const size_t kinds = json_array_size(params);
    for (size_t i = 0; i < kinds; i++)
        elements[i] = read_element(&inner, json_array_get(params, i));
    size_t below = 1; /* elements from one index of the axis to the next */
    for (uint32_t i = axis + 1; i < tensor->rank; i++)
        below *= tensor->dims[i];
    for (size_t i = 0; inner.result == RUNG_OK && i < count; i++) {
        const size_t index = i / below % tensor->dims[axis];
        const struct element *element = &elements[index < kinds ? index : kinds - 1];
        const int64_t number = element->low + (int64_t)(lcg_step(&lcg) >> (32 - element->bits));
        const float unit = rung__f32_from_bits((127 - element->q) << 23); /* 2^-q */
        values[i] = (float)number * unit;
    }
    vectors_leave(reader, &inner);
}

static void read_shape(struct rung__json_reader *reader, struct rung__tensor *tensor, size_t *count)
{
    const json_t *shape = vectors_array(reader, "shape", 1, RUNG__TENSOR_RANK_MAX);
    *count = 1;
    for (size_t i = 0; i < json_array_size(shape); i++) {
        tensor->dims[i] = (uint32_t)vectors_item(reader, "shape", shape, i, 0, ELEMENTS_MAX);
        *count *= tensor->dims[i];
        if (*count > ELEMENTS_MAX) {
            rung__json_refuse(reader, "a tensor has more than %u elements", ELEMENTS_MAX);
            *count = 0;
        }
    }
    tensor->rank = shape ? (uint32_t)json_array_size(shape) : 1;
}

void vectors_read_tensor(struct vectors_case *vector, struct rung__json_reader *reader,
                         const char *name, uint32_t purpose)
{
    struct vectors_decode *decode = &vector->decode;
    struct rung__tensor *tensor = &decode->tensors.outputs[purpose];
    struct rung__json_reader inner;
    size_t count, size = 0;
    vectors_enter(reader, name, &inner);
    *tensor = (struct rung__tensor){.purpose = purpose, .dtype = RUNG_DTYPE_F32};
    strncpy(tensor->name, name, sizeof tensor->name - 1);
    read_shape(&inner, tensor, &count);
    float *values = vectors_own(vector, &inner, count, sizeof *values);
    if (values && rung__json_member(&inner, "generator"))
        generate_values(&inner, tensor, values, count);
    else if (values) {
        const uint8_t *bytes =
            vectors_base64(vector, &inner, "f32le_base64", count * sizeof *values, &size);
        if (size != count * sizeof *values)
            rung__json_refuse(&inner, "%zu bytes for %zu elements", size, count);
        for (size_t i = 0; inner.result == RUNG_OK && i < count; i++)
            values[i] = rung__get_f32(bytes + 4 * i);
    }
    decode->data[purpose] = values;
    if (decode->tensors.output_count <= purpose)
        decode->tensors.output_count = purpose + 1;
    vectors_leave(reader, &inner);
}

static float *element_at(const struct vectors_decode *decode, const char *name, size_t element)
{
    for (uint32_t i = 0; i < decode->tensors.output_count; i++) {
        const struct rung__tensor *tensor = &decode->tensors.outputs[i];
        size_t count = 1;
        for (uint32_t d = 0; d < tensor->rank; d++)
            count *= tensor->dims[d];
        if (strcmp(tensor->name, name) == 0 && element < count)
            return decode->data[i] + element;
    }
    return NULL;
}

void vectors_inject(struct vectors_case *vector, struct rung__json_reader *reader)
{
    const json_t *list = vectors_array(reader, "inject", 0, INJECTIONS_MAX);
    for (size_t i = 0; reader->result == RUNG_OK && i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *name = json_string_value(json_array_get(item, 0));
        const int64_t element = vectors_item(reader, "inject", item, 1, 0, ELEMENTS_MAX);
        const uint64_t bits = vectors_bits_of(reader, "inject", json_array_get(item, 2), 8);
        float *at = name && reader->result == RUNG_OK
                        ? element_at(&vector->decode, name, (size_t)element)
                        : NULL;
        if (at)
            memcpy(at, &(uint32_t){(uint32_t)bits}, sizeof *at);
        else
            rung__json_refuse(reader, "\"inject\"[%zu] names no element", i);
    }
}
