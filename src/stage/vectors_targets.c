/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/vectors_reader.h"

#define RECORD_BYTES sizeof(struct rung__candidate)
#define K_MAX        4u

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

/** Everything of a decode case but its expectation and thresholds. */
static void read_decode_input(struct rung__vectors_case *vector, struct rung__json_reader *reader)
{
    struct rung__vectors_decode *decode = &vector->decode;
    rung__vectors_read_place(reader, &decode->place);
    rung__vectors_read_placement(reader, &decode->placement);
    decode->k = rung__vectors_u32(reader, "k");
    rung__vectors_read_outputs(vector, reader);
    decode->selection.capacity =
        (uint32_t)rung__json_u64(reader, "capacity", 1, RUNG__CAPACITY_MAX, true, 1);
}

/** A list of `count` numbers that may be left out. */
static const uint32_t *read_numbers(struct rung__vectors_case *vector,
                                    struct rung__json_reader *reader, const char *key,
                                    uint32_t count)
{
    if (!rung__json_member(reader, key) || !rung__vectors_array(reader, key, count, count))
        return NULL;
    uint32_t *numbers = rung__vectors_own(vector, reader, count, sizeof *numbers);
    if (numbers)
        rung__vectors_u32s(reader, key, UINT32_MAX, numbers, count);
    return numbers;
}

static void read_decode_expect(struct rung__vectors_case *vector, struct rung__json_reader *outer,
                               const char *key)
{
    struct rung__vectors_decode *decode = &vector->decode;
    struct rung__json_reader reader;
    rung__vectors_enter(outer, key, &reader);
    decode->survivors = rung__vectors_u32(&reader, "survivors");
    decode->count = (uint32_t)rung__json_u64(&reader, "count", 0, RUNG__CAPACITY_MAX, true, 0);
    decode->left_out = rung__json_bool(&reader, "left_out", true, false);
    rung__vectors_read_blob(vector, &reader, "records", &decode->records);
    decode->rows = read_numbers(vector, &reader, "rows_kept", decode->count);
    /* An intermediate that no implementation has to show. */
    rung__json_member(&reader, "points_canvas_f32");
    if (rung__json_member(&reader, "points_q8_i32"))
        rung__vectors_read_blob(vector, &reader, "points_q8_i32", &decode->points);
    rung__vectors_leave(outer, &reader);
}

void rung__vectors_read_decode(struct rung__vectors_case *vector, struct rung__json_reader *reader)
{
    struct rung__json_reader admit;
    read_decode_input(vector, reader);
    rung__vectors_enter(reader, "admit", &admit);
    read_thresholds(&admit, &vector->decode.selection);
    rung__vectors_leave(reader, &admit);
    read_decode_expect(vector, reader, "expect");
}

/* ---- selection and packet -------------------------------------------------------------------- */

static uint16_t read_flag(struct rung__json_reader *reader, const char *key, uint16_t flag)
{
    return rung__json_bool(reader, key, true, false) ? flag : 0;
}

static void read_selection(struct rung__json_reader *outer, struct rung__selection *out,
                           uint32_t *k)
{
    struct rung__json_reader reader;
    rung__vectors_enter(outer, "select", &reader);
    read_thresholds(&reader, out);
    out->iou = read_u16(&reader, "iou");
    out->max_targets =
        (uint32_t)rung__json_u64(&reader, "max_targets", 1, RUNG__TARGETS_MAX, true, 1);
    out->considered = (uint32_t)rung__json_u64(&reader, "considered", out->max_targets,
                                               RUNG__CAPACITY_MAX, true, 1);
    *k = (uint32_t)rung__json_u64(&reader, "k", 0, K_MAX, true, 0);
    out->flags = (uint16_t)(read_flag(&reader, "suppress", RUNG_SUPPRESS) |
                            read_flag(&reader, "containment", RUNG_SUPPRESS_CONTAINMENT) |
                            read_flag(&reader, "per_class", RUNG_SUPPRESS_PER_CLASS));
    rung__vectors_leave(outer, &reader);
}

static const uint32_t *read_capabilities(struct rung__vectors_case *vector,
                                         struct rung__json_reader *reader)
{
    const char *key = "capabilities";
    const json_t *list = rung__vectors_array(reader, key, 0, RUNG__CLASSES_MAX);
    uint32_t *capabilities =
        rung__vectors_own(vector, reader, RUNG__CLASSES_MAX, sizeof *capabilities);
    for (size_t i = 0; capabilities && i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const int64_t class_id = rung__vectors_item(reader, key, item, 0, 0, RUNG__CLASSES_MAX - 1);
        capabilities[class_id] = (uint32_t)rung__vectors_item(reader, key, item, 1, 0, UINT32_MAX);
    }
    return capabilities;
}

static void read_header(struct rung__vectors_case *vector, struct rung__json_reader *outer)
{
    struct rung__packet_request *packet = &vector->select.packet;
    struct rung__json_reader reader;
    rung__vectors_enter(outer, "header", &reader);
    packet->space = rung__vectors_u32(&reader, "space");
    packet->scene_epoch = rung__vectors_bits64(&reader, "scene_epoch");
    packet->frame_id = rung__vectors_bits64(&reader, "frame_id");
    packet->model_epoch = rung__vectors_bits64(&reader, "model_epoch");
    packet->session_epoch = rung__vectors_bits64(&reader, "session_epoch");
    packet->transform_epoch = rung__vectors_bits64(&reader, "transform_epoch");
    packet->topology_epoch = rung__vectors_bits64(&reader, "topology_epoch");
    packet->source_id = rung__vectors_bits64(&reader, "source_id");
    packet->display_id = rung__vectors_bits64(&reader, "display_id");
    packet->capabilities = read_capabilities(vector, &reader);
    rung__vectors_leave(outer, &reader);
}

/** The expectation of selection, inside an object that was entered. */
static void read_select_expect(struct rung__vectors_case *vector, struct rung__json_reader *reader)
{
    struct rung__vectors_select *select = &vector->select;
    select->admitted = rung__vectors_u32(reader, "admitted");
    select->accepted = rung__vectors_u32(reader, "accepted");
    select->count = (uint32_t)rung__json_u64(reader, "count", 0, RUNG__TARGETS_MAX, true, 0);
    select->packet_flags = rung__vectors_u32(reader, "packet_flags");
    rung__vectors_digest(reader, "indices_u32le_sha256", select->indices_digest);
    select->indices = read_numbers(vector, reader, "indices", select->count);
    rung__vectors_read_blob(vector, reader, "packet", &select->bytes);
}

/* ---- candidates ------------------------------------------------------------------------------ */

/** Records that are written out. */
static void read_candidates(struct rung__vectors_case *vector, struct rung__json_reader *reader)
{
    struct rung__vectors_candidates *candidates = &vector->select.candidates;
    size_t size;
    candidates->bytes = rung__vectors_hex(vector, reader, "candidates_hex",
                                          RUNG__CAPACITY_MAX * RECORD_BYTES, &size);
    candidates->count = (uint32_t)(size / RECORD_BYTES);
    if (size % RECORD_BYTES != 0)
        rung__json_refuse(reader, "\"candidates_hex\" is no whole number of records");
}

static const struct rung__names payload_names = {
    "payload", (const struct rung__name[]){{0, "none"}, {1, "index"}}, 2};

static void read_candidate_generator(struct rung__json_reader *reader,
                                     struct rung__vectors_candidates *out)
{
    static const char *const fields[] = {"x", "y", "w", "h", "conf", "class", "flags"};
    struct rung__json_reader inner;
    rung__vectors_enter(reader, "generator", &inner);
    out->count = (uint32_t)rung__json_u64(&inner, "n", 0, RUNG__CAPACITY_MAX, true, 0);
    out->seed = rung__vectors_u32(&inner, "seed");
    out->is_indexed = rung__vectors_word(&inner, "payload", &payload_names) == 1;
    for (size_t f = 0; f < 7; f++) {
        const uint32_t most = f == 5 ? UINT8_MAX : UINT16_MAX; /* 5: the class */
        uint32_t *range = out->ranges[f];
        rung__vectors_u32s(&inner, fields[f], UINT16_MAX + 1, range, 2);
        if (range[1] == 0 || range[0] + range[1] - 1 > most)
            rung__json_refuse(&inner, "the span of \"%s\" is empty or leaves the field", fields[f]);
    }
    rung__vectors_leave(reader, &inner);
}

static void read_points(struct rung__json_reader *reader, uint32_t candidates,
                        struct rung__vectors_points *out)
{
    struct rung__json_reader inner;
    uint64_t pairs = 0;
    rung__vectors_enter(reader, "points", &inner);
    out->seed = rung__vectors_u32(&inner, "seed");
    const json_t *per = rung__vectors_array(&inner, "per", 1, RUNG__VECTORS_ENTRIES_MAX);
    out->per_count = (uint32_t)json_array_size(per);
    for (size_t i = 0; i < out->per_count; i++)
        out->per[i] = (uint32_t)rung__vectors_item(&inner, "per", per, i, 1, UINT16_MAX);
    for (uint32_t i = 0; out->per_count > 0 && i < candidates; i++)
        pairs += out->per[i % out->per_count];
    if (pairs * sizeof(int32_t[2]) > RUNG__VECTORS_BYTES_MAX)
        rung__json_refuse(&inner, "there are more points than %llu bytes hold",
                          (unsigned long long)RUNG__VECTORS_BYTES_MAX);
    out->pairs = (uint32_t)pairs; /* below 2^32: at most 2^16 × 2^16 - 1 */
    rung__vectors_leave(reader, &inner);
}

/* ---- cases ----------------------------------------------------------------------------------- */

void rung__vectors_read_select(struct rung__vectors_case *vector, struct rung__json_reader *reader)
{
    struct rung__vectors_select *select = &vector->select;
    struct rung__json_reader expect;
    if (rung__json_member(reader, "generator"))
        read_candidate_generator(reader, &select->candidates);
    else
        read_candidates(vector, reader);
    read_selection(reader, &select->selection, &select->packet.k);
    read_header(vector, reader);
    if (rung__json_member(reader, "points"))
        read_points(reader, select->candidates.count, &select->points);
    rung__vectors_enter(reader, "expect", &expect);
    read_select_expect(vector, &expect);
    rung__vectors_leave(reader, &expect);
}

void rung__vectors_read_e2e(struct rung__vectors_case *vector, struct rung__json_reader *reader)
{
    struct rung__vectors_select *select = &vector->select;
    struct rung__json_reader expect;
    read_decode_input(vector, reader);
    read_selection(reader, &select->selection, &select->packet.k);
    read_header(vector, reader);
    select->selection.capacity = vector->decode.selection.capacity;
    vector->decode.selection = select->selection;
    rung__vectors_enter(reader, "expect", &expect);
    read_decode_expect(vector, &expect, "decode");
    read_select_expect(vector, &expect);
    rung__vectors_leave(reader, &expect);
}
