/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/golden.h"

#include "artifact/tensors.h"
#include "base/error.h"

#define GOLDEN_VERSION 1u
#define PREFIX_BYTES   24u
#define SIZE_BYTES     8u

/* Offsets inside the prefix. */
enum { AT_VERSION = 0, AT_INPUT_KIND = 4, AT_TOLERANCE = 8, AT_OUTPUTS = 12, AT_INPUT_BYTES = 16 };

static rung_result check_input(const struct rung__golden *golden, uint64_t input_bytes,
                               const struct rung__tensors *tensors)
{
    uint64_t wanted = 0;
    if (golden->input_kind == RUNG__GOLDEN_STORED)
        wanted = rung__tensor_size(&tensors->input);
    else if (golden->input_kind != RUNG__GOLDEN_GENERATED)
        return rung__fail(RUNG_INTEGRITY, "golden: the kind of input is %u, not 1 or 2",
                          golden->input_kind);
    if (input_bytes != wanted)
        return rung__fail(RUNG_INTEGRITY, "golden: the input has %llu bytes, not %llu",
                          (unsigned long long)input_bytes, (unsigned long long)wanted);
    return RUNG_OK;
}

static rung_result read_prefix(struct rung__bytes section, const struct rung__tensors *tensors,
                               struct rung__golden *out)
{
    if (section.size < PREFIX_BYTES || rung__get_u32(section.data) != GOLDEN_VERSION)
        return rung__fail(RUNG_INTEGRITY, "golden: the section is not of version %u",
                          GOLDEN_VERSION);
    out->input_kind = rung__get_u32(section.data + AT_INPUT_KIND);
    out->tolerance = rung__get_f32(section.data + AT_TOLERANCE);
    out->output_count = rung__get_u32(section.data + AT_OUTPUTS);
    if (!(out->tolerance > 0.0f && out->tolerance <= 1.0f))
        return rung__fail(RUNG_INTEGRITY, "golden: tolerance is %.9g, not above 0 and at most 1",
                          (double)out->tolerance);
    if (out->output_count != tensors->output_count)
        return rung__fail(RUNG_INTEGRITY, "golden: there are %u outputs, but the model has %u",
                          out->output_count, tensors->output_count);
    return check_input(out, rung__get_u64(section.data + AT_INPUT_BYTES), tensors);
}

rung_result rung__golden_parse(struct rung__bytes section, const struct rung__tensors *tensors,
                               struct rung__golden *out)
{
    rung_result result = read_prefix(section, tensors, out);
    if (result != RUNG_OK)
        return result;

    struct rung__bytes sizes;
    uint64_t at = PREFIX_BYTES + (uint64_t)out->output_count * SIZE_BYTES;
    const uint64_t input_bytes = rung__get_u64(section.data + AT_INPUT_BYTES);
    if (!rung__bytes_slice(section, PREFIX_BYTES, at - PREFIX_BYTES, &sizes) ||
        !rung__bytes_slice(section, at, input_bytes, &out->input))
        return rung__fail(RUNG_INTEGRITY, "golden: the section is cut short");
    at += input_bytes;

    for (uint32_t i = 0; i < out->output_count; i++) {
        const uint64_t wanted = rung__tensor_size(&tensors->outputs[i]);
        const uint64_t bytes = rung__get_u64(sizes.data + (size_t)i * SIZE_BYTES);
        if (bytes != wanted || !rung__bytes_slice(section, at, bytes, &out->outputs[i]))
            return rung__fail(RUNG_INTEGRITY, "golden: output \"%s\" has not its %llu bytes",
                              tensors->outputs[i].name, (unsigned long long)wanted);
        at += bytes;
    }
    if (at != section.size)
        return rung__fail(RUNG_INTEGRITY, "golden: the section has %zu bytes, not %llu",
                          section.size, (unsigned long long)at);
    return RUNG_OK;
}

rung_result rung__golden_encode(const struct rung__golden *golden, struct rung__buffer *to)
{
    uint8_t prefix[PREFIX_BYTES + RUNG__OUTPUTS_MAX * SIZE_BYTES];
    rung__put_u32(prefix + AT_VERSION, GOLDEN_VERSION);
    rung__put_u32(prefix + AT_INPUT_KIND, golden->input_kind);
    rung__put_f32(prefix + AT_TOLERANCE, golden->tolerance);
    rung__put_u32(prefix + AT_OUTPUTS, golden->output_count);
    rung__put_u64(prefix + AT_INPUT_BYTES, golden->input.size);
    for (uint32_t i = 0; i < golden->output_count; i++)
        rung__put_u64(prefix + PREFIX_BYTES + (size_t)i * SIZE_BYTES, golden->outputs[i].size);

    rung_result result =
        rung__buffer_append(to, prefix, PREFIX_BYTES + golden->output_count * SIZE_BYTES);
    if (result == RUNG_OK && golden->input.size)
        result = rung__buffer_append(to, golden->input.data, golden->input.size);
    for (uint32_t i = 0; i < golden->output_count && result == RUNG_OK; i++)
        result = rung__buffer_append(to, golden->outputs[i].data, golden->outputs[i].size);
    return result;
}
