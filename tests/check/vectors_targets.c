/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/heads.h"
#include "vectors_internal.h"

static uint16_t read_u16(struct rung__json_reader *reader, const char *key)
{
    return (uint16_t)rung__json_u64(reader, key, 0, UINT16_MAX, true, 0);
}

static void read_thresholds(struct rung__json_reader *reader, struct rung__selection *out)
{
    out->min_confidence = read_u16(reader, "min_confidence");
    out->band_min = read_u16(reader, "band_min");
    out->band_max = read_u16(reader, "band_max");
    out->band_confidence = read_u16(reader, "band_confidence");
}

/* ---- decoding -------------------------------------------------------------------------------- */

uint32_t vectors_head(const struct vectors *vectors, size_t i)
{
    const char *name =
        json_string_value(json_object_get(json_array_get(vectors->cases, i), "head"));
    const struct rung__head_contract *contract = name ? rung__head_contract_named(name) : NULL;
    return contract ? contract->head : RUNG_HEAD_NONE;
}

static void add_parameter(struct vectors_case *vector, struct rung__json_reader *reader,
                          uint32_t key, uint32_t value)
{
    struct rung__tensors *tensors = &vector->decode.tensors;
    uint8_t *bytes = vectors_own(vector, reader, 1, 4);
    if (!bytes)
        return;
    rung__put_u32(bytes, value);
    tensors->parameters[tensors->parameter_count++] =
        (struct rung__parameter){key, RUNG__PARAMETER_U32, 1, {bytes, 4}};
}

static void read_parameters(struct vectors_case *vector, struct rung__json_reader *reader,
                            const struct rung__head_contract *contract)
{
    struct rung__json_reader inner;
    vectors_enter(reader, "parameters", &inner);
    add_parameter(vector, &inner, RUNG__PARAMETER_LOGITS,
                  rung__json_bool(&inner, "logits", true, false));
    if (contract && contract->required & 1u << RUNG__PARAMETER_STRIDES)
        add_parameter(vector, &inner, RUNG__PARAMETER_STRIDES,
                      (uint32_t)rung__json_u64(&inner, "stride", 1, RUNG__SIDE_MAX, true, 1));
    vectors_leave(reader, &inner);
}

/** Decoders rely on shapes that were checked. */
static void check_shapes(const struct vectors_decode *decode, struct rung__json_reader *reader,
                         const struct rung__head_contract *contract)
{
    const struct rung__header header = {
        .role = RUNG_ROLE_DETECTOR, .head = decode->head, .canvas = decode->place.canvas};
    if (contract && reader->result == RUNG_OK)
        reader->result = contract->check(&header, &decode->tensors);
}

/** Everything of a decode case but its expectation and thresholds. */
static void read_decode_input(struct vectors_case *vector, struct rung__json_reader *reader)
{
    struct vectors_decode *decode = &vector->decode;
    struct rung__json_reader tensors;
    const char *name = rung__json_text(reader, "head", true);
    const struct rung__head_contract *contract = name ? rung__head_contract_named(name) : NULL;
    if (!contract)
        rung__json_refuse(reader, "this version has no such head");
    vectors_read_place(reader, true, &decode->place);
    vectors_read_placement(reader, &decode->placement);
    decode->k = vectors_u32(reader, "k");
    read_parameters(vector, reader, contract);
    vectors_enter(reader, "tensors", &tensors);
    for (uint32_t i = 0; contract && contract->tensors[i]; i++)
        vectors_read_tensor(vector, &tensors, contract->tensors[i], i);
    vectors_leave(reader, &tensors);
    vectors_inject(vector, reader);
    decode->head = contract ? contract->head : RUNG_HEAD_NONE;
    decode->selection.capacity =
        (uint32_t)rung__json_u64(reader, "capacity", 1, RUNG__CAPACITY_MAX, true, 1);
    check_shapes(decode, reader, contract);
}

static void read_indices(struct vectors_case *vector, struct rung__json_reader *reader,
                         const char *key, uint32_t count, const uint32_t **out)
{
    if (!rung__json_member(reader, key))
        return;
    uint32_t *indices = vectors_own(vector, reader, count, sizeof *indices);
    if (indices)
        vectors_u32s(reader, key, UINT32_MAX, indices, count);
    *out = indices;
}

static void read_decode_expect(struct vectors_case *vector, struct rung__json_reader *outer,
                               const char *key)
{
    struct vectors_decode *decode = &vector->decode;
    struct rung__json_reader reader;
    vectors_enter(outer, key, &reader);
    decode->survivors = vectors_u32(&reader, "survivors");
    decode->count = (uint32_t)rung__json_u64(&reader, "count", 0, RUNG__CAPACITY_MAX, true, 0);
    decode->left_out = rung__json_bool(&reader, "left_out", true, false);
    vectors_blob(vector, &reader, "records", &decode->records);
    read_indices(vector, &reader, "rows_kept", decode->count, &decode->rows);
    /* An intermediate that no implementation has to show. */
    rung__json_member(&reader, "points_canvas_f32");
    if (rung__json_member(&reader, "points_q8_i32"))
        vectors_blob(vector, &reader, "points_q8_i32", &decode->points);
    vectors_leave(outer, &reader);
}

rung_result vectors_read_decode(const struct vectors *vectors, size_t i, struct vectors_case *out)
{
    struct rung__json_reader reader, admit;
    vectors_begin(vectors, i, out, &reader);
    read_decode_input(out, &reader);
    vectors_enter(&reader, "admit", &admit);
    read_thresholds(&admit, &out->decode.selection);
    vectors_leave(&reader, &admit);
    read_decode_expect(out, &reader, "expect");
    return rung__json_reader_end(&reader);
}

/* ---- selection and packet -------------------------------------------------------------------- */

static void read_selection(struct rung__json_reader *outer, struct rung__selection *out,
                           uint32_t *k)
{
    struct rung__json_reader reader;
    vectors_enter(outer, "select", &reader);
    read_thresholds(&reader, out);
    out->iou = read_u16(&reader, "iou");
    out->max_targets =
        (uint32_t)rung__json_u64(&reader, "max_targets", 1, RUNG__TARGETS_MAX, true, 1);
    out->considered = (uint32_t)rung__json_u64(&reader, "considered", out->max_targets,
                                               RUNG__CAPACITY_MAX, true, 1);
    *k = (uint32_t)rung__json_u64(&reader, "k", 0, 4, true, 0);
    out->flags =
        (uint16_t)((rung__json_bool(&reader, "suppress", true, false) ? RUNG__SUPPRESS : 0) |
                   (rung__json_bool(&reader, "containment", true, false)
                        ? RUNG__SUPPRESS_CONTAINMENT
                        : 0) |
                   (rung__json_bool(&reader, "per_class", true, false) ? RUNG__SUPPRESS_PER_CLASS
                                                                       : 0));
    vectors_leave(outer, &reader);
}

static const uint32_t *read_capabilities(struct vectors_case *vector,
                                         struct rung__json_reader *reader)
{
    const char *key = "capabilities";
    const json_t *list = vectors_array(reader, key, 0, RUNG__CLASSES_MAX);
    uint32_t *capabilities = vectors_own(vector, reader, RUNG__CLASSES_MAX, sizeof *capabilities);
    for (size_t i = 0; capabilities && i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const int64_t class_id = vectors_item(reader, key, item, 0, 0, RUNG__CLASSES_MAX - 1);
        capabilities[class_id] = (uint32_t)vectors_item(reader, key, item, 1, 0, UINT32_MAX);
    }
    return capabilities;
}

static void read_header(struct vectors_case *vector, struct rung__json_reader *outer)
{
    struct rung__packet_request *packet = &vector->select.packet;
    struct rung__json_reader reader;
    vectors_enter(outer, "header", &reader);
    packet->space = vectors_u32(&reader, "space");
    packet->scene_epoch = vectors_bits64(&reader, "scene_epoch");
    packet->frame_id = vectors_bits64(&reader, "frame_id");
    packet->model_epoch = vectors_bits64(&reader, "model_epoch");
    packet->session_epoch = vectors_bits64(&reader, "session_epoch");
    packet->transform_epoch = vectors_bits64(&reader, "transform_epoch");
    packet->topology_epoch = vectors_bits64(&reader, "topology_epoch");
    packet->source_id = vectors_bits64(&reader, "source_id");
    packet->display_id = vectors_bits64(&reader, "display_id");
    packet->capabilities = read_capabilities(vector, &reader);
    vectors_leave(outer, &reader);
}

/** The expectation of selection, inside an object that was entered. */
static void read_select_expect(struct vectors_case *vector, struct rung__json_reader *reader)
{
    struct vectors_select *select = &vector->select;
    select->admitted = vectors_u32(reader, "admitted");
    select->accepted = vectors_u32(reader, "accepted");
    select->count = (uint32_t)rung__json_u64(reader, "count", 0, RUNG__TARGETS_MAX, true, 0);
    select->packet_flags = vectors_u32(reader, "packet_flags");
    vectors_digest(reader, "indices_u32le_sha256", select->indices_digest);
    read_indices(vector, reader, "indices", select->count, &select->indices);
    vectors_blob(vector, reader, "packet", &select->bytes);
}

/** Records that are written out, 16 bytes each. */
static void read_candidates(struct vectors_case *vector, struct rung__json_reader *reader)
{
    size_t size;
    const uint8_t *at = vectors_hex(vector, reader, "candidates_hex",
                                    RUNG__CAPACITY_MAX * sizeof(struct rung__candidate), &size);
    const uint32_t count = (uint32_t)(size / sizeof(struct rung__candidate));
    struct rung__candidate *to = vectors_own(vector, reader, count, sizeof *to);
    if (size % sizeof *to != 0)
        rung__json_refuse(reader, "\"candidates_hex\" is no whole number of records");
    for (uint32_t i = 0; to && i < count; i++, at += sizeof *to)
        to[i] = (struct rung__candidate){rung__get_u16(at),
                                         rung__get_u16(at + 2),
                                         rung__get_u16(at + 4),
                                         rung__get_u16(at + 6),
                                         rung__get_u16(at + 8),
                                         at[10],
                                         at[11],
                                         rung__get_u16(at + 12),
                                         rung__get_u16(at + 14)};
    vector->select.candidates = to;
    vector->select.candidate_count = count;
}

rung_result vectors_read_select(const struct vectors *vectors, size_t i, struct vectors_case *out)
{
    struct rung__json_reader reader, expect;
    vectors_begin(vectors, i, out, &reader);
    if (rung__json_member(&reader, "generator"))
        vectors_make_candidates(out, &reader);
    else
        read_candidates(out, &reader);
    read_selection(&reader, &out->select.selection, &out->select.packet.k);
    read_header(out, &reader);
    if (rung__json_member(&reader, "points"))
        vectors_make_points(out, &reader, out->select.candidate_count);
    vectors_enter(&reader, "expect", &expect);
    read_select_expect(out, &expect);
    vectors_leave(&reader, &expect);
    return rung__json_reader_end(&reader);
}

rung_result vectors_read_e2e(const struct vectors *vectors, size_t i, struct vectors_case *out)
{
    struct rung__json_reader reader, expect;
    vectors_begin(vectors, i, out, &reader);
    read_decode_input(out, &reader);
    read_selection(&reader, &out->select.selection, &out->select.packet.k);
    read_header(out, &reader);
    out->select.selection.capacity = out->decode.selection.capacity;
    out->decode.selection = out->select.selection;
    vectors_enter(&reader, "expect", &expect);
    read_decode_expect(out, &expect, "decode");
    read_select_expect(out, &expect);
    vectors_leave(&reader, &expect);
    return rung__json_reader_end(&reader);
}
