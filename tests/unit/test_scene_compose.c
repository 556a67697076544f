/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: a scene's packet is in order, bounded, and just the best of all parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/packet.h"
#include "scene/compose.h"

#define SIDE    64
#define TARGETS 40

/** A packet of one frame as the library writes it, with at most one key point a target. */
struct found {
    struct rung__desktop_map map;
    rung_packet_header header;
    rung_target targets[TARGETS];
    int32_t points[TARGETS][2];
};

static struct found founds[3];
static struct rung__scene_part parts[3];
static struct rung__order_key keys[RUNG_SCENE_TARGETS_MAX];
static uint64_t written[(96 + 4096 * 88) / 8];

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void place(struct found *found, int32_t x, int32_t y)
{
    const rung_scene_frame frame = {.placement = {x, y, SIDE * 256, SIDE * 256}};
    assert_int_equal(rung__desktop_map_init(&found->map, &frame, SIDE, SIDE), RUNG_OK);
}

/** Few confidences and places, so that ties come at every level. */
static void fill(struct found *found, uint64_t source_id, uint32_t count, uint32_t *random)
{
    memset(found, 0, sizeof *found);
    place(found, 0, 0);
    found->header.count = count;
    for (uint32_t i = 0; i < count; i++) {
        rung_target *target = &found->targets[i];
        target->source_id = source_id;
        target->x = (int32_t)(next_random(random) % 3) * 256;
        target->y = (int32_t)(next_random(random) % 3) * 256;
        target->w = target->h = 4 * 256;
        target->safe_x = target->x + target->w / 2;
        target->safe_y = target->y + target->h / 2;
        target->confidence = 1 + next_random(random) % 4;
        target->class_id = (uint16_t)(next_random(random) % 2);
        target->capabilities = 1;
        target->flags = RUNG_TARGET_ACTIONABLE;
    }
}

static struct rung__composition composition_of(uint32_t part_count, uint32_t max_targets)
{
    for (uint32_t i = 0; i < part_count; i++)
        parts[i] = (struct rung__scene_part){&founds[i].map, &founds[i].header, 99};
    return (struct rung__composition){
        .parts = parts,
        .part_count = part_count,
        .min_confidence = 1,
        .header = {.scene_epoch = 1, .topology_epoch = 2, .transform_epoch = 3},
        .keys = keys,
        .max_targets = max_targets,
    };
}

static const rung_packet_header *compose(struct rung__composition *composition)
{
    const rung_packet_header *header = (const rung_packet_header *)written;
    assert_true(rung__compose_bytes(composition->max_targets, 1) <= sizeof written);
    const uint64_t bytes = rung__compose(composition, written);
    assert_true(bytes == header->total_size);
    assert_true(bytes <= rung__compose_bytes(composition->max_targets, 1));
    assert_int_equal(rung_packet_check(written, (size_t)bytes), RUNG_OK);
    assert_int_equal(header->space, RUNG_SPACE_DESKTOP);
    return header;
}

/** The order of a scene, in the words of its definition. */
static int compare(const void *left, const void *right)
{
    const rung_target *a = left, *b = right;
    if (a->confidence != b->confidence)
        return a->confidence > b->confidence ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    if (a->target_id != b->target_id)
        return a->target_id < b->target_id ? -1 : 1;
    return 0;
}

/** All targets of all parts on the desktop, sorted. */
static uint32_t sort_all(uint32_t part_count, uint32_t min_confidence, rung_target *all)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < part_count; p++)
        for (uint32_t i = 0; i < founds[p].header.count; i++)
            if (founds[p].targets[i].confidence >= min_confidence &&
                rung__desktop_target(&founds[p].map, &founds[p].targets[i], &all[count]))
                count++;
    qsort(all, count, sizeof *all, compare);
    return count;
}

static void check_against_a_sort(uint32_t max_targets, uint32_t min_confidence, uint32_t *random)
{
    rung_target all[3 * TARGETS];
    for (uint32_t p = 0; p < 3; p++)
        fill(&founds[p], p, next_random(random) % (TARGETS + 1), random);
    place(&founds[1], -256, 512);
    const uint32_t count = sort_all(3, min_confidence, all);
    const uint32_t kept = count < max_targets ? count : max_targets;
    struct rung__composition composition = composition_of(3, max_targets);
    composition.min_confidence = min_confidence;
    const rung_packet_header *header = compose(&composition);
    const rung_target *targets = (const rung_target *)(header + 1);
    assert_int_equal(header->count, kept);
    assert_int_equal(header->flags, count > kept ? RUNG_PACKET_INCOMPLETE : 0);
    assert_int_equal(composition.left_out, count > kept);
    assert_int_equal(parts[0].targets + parts[1].targets + parts[2].targets, kept);
    for (uint32_t i = 0; i < kept; i++) {
        assert_int_equal(compare(&targets[i], &all[i]), 0);
        assert_int_equal(targets[i].order, i);
    }
}

static void it_is_the_beginning_of_all_targets_sorted(void **state)
{
    (void)state;
    uint32_t random = 20;
    for (int i = 0; i < 400; i++)
        check_against_a_sort(1 + next_random(&random) % 130, 1 + next_random(&random) % 3, &random);
}

static void equal_boxes_of_two_sources_are_in_the_order_of_their_ids(void **state)
{
    (void)state;
    uint32_t random = 3;
    for (uint32_t p = 0; p < 2; p++) {
        fill(&founds[p], p, 1, &random);
        founds[p].targets[0] = founds[0].targets[0];
        founds[p].targets[0].source_id = p;
    }
    struct rung__composition composition = composition_of(2, 10);
    const rung_packet_header *header = compose(&composition);
    const rung_target *targets = (const rung_target *)(header + 1);
    assert_int_equal(header->count, 2);
    assert_true(targets[0].target_id < targets[1].target_id);
}

static void an_empty_scene_is_a_packet(void **state)
{
    (void)state;
    struct rung__composition composition = composition_of(0, 5);
    const rung_packet_header *header = compose(&composition);
    assert_int_equal(header->count, 0);
    assert_int_equal(header->total_size, 96);
    assert_int_equal(header->scene_epoch, 1);
    assert_int_equal(header->topology_epoch, 2);
    assert_int_equal(header->transform_epoch, 3);
    assert_false(composition.left_out);
}

static void what_a_part_left_out_is_left_out(void **state)
{
    (void)state;
    uint32_t random = 9;
    fill(&founds[0], 0, 2, &random);
    fill(&founds[1], 1, 2, &random);
    founds[1].header.flags = RUNG_PACKET_INCOMPLETE;
    struct rung__composition composition = composition_of(2, 5);
    assert_int_equal(compose(&composition)->flags, RUNG_PACKET_INCOMPLETE);
    assert_true(composition.left_out);
}

static void a_missing_part_makes_it_incomplete(void **state)
{
    (void)state;
    uint32_t random = 9;
    fill(&founds[0], 0, 2, &random);
    struct rung__composition composition = composition_of(1, 5);
    composition.incomplete = true;
    assert_int_equal(compose(&composition)->flags, RUNG_PACKET_INCOMPLETE);
    assert_false(composition.left_out);
}

static void on_a_desktop_that_is_gone_nothing_is_actionable(void **state)
{
    (void)state;
    uint32_t random = 9;
    fill(&founds[0], 0, 3, &random);
    struct rung__composition composition = composition_of(1, 5);
    const rung_target *targets = (const rung_target *)(compose(&composition) + 1);
    assert_int_equal(targets[2].flags, RUNG_TARGET_ACTIONABLE);
    composition.outdated = true;
    assert_int_equal(compose(&composition)->flags, RUNG_PACKET_STALE);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(targets[i].flags, 0);
        assert_int_equal(targets[i].capabilities, 0);
    }
}

static void with_a_part_that_is_stale_all_of_it_is(void **state)
{
    (void)state;
    uint32_t random = 9;
    fill(&founds[0], 0, 2, &random);
    fill(&founds[1], 1, 2, &random);
    founds[1].header.flags = RUNG_PACKET_STALE;
    struct rung__composition composition = composition_of(2, 5);
    assert_int_equal(compose(&composition)->flags, RUNG_PACKET_STALE);
    assert_true(composition.outdated);
}

static void key_points_move_with_their_target(void **state)
{
    (void)state;
    uint32_t random = 4;
    fill(&founds[0], 0, TARGETS, &random);
    place(&founds[0], -1000, 2000);
    for (uint32_t i = 0; i < TARGETS; i++) { /* every other one has a point */
        if (i % 2)
            continue;
        founds[0].targets[i].attachment_offset = (uint16_t)(i / 2);
        founds[0].targets[i].attachment_bytes = 8;
        founds[0].points[i / 2][0] = founds[0].targets[i].safe_x;
        founds[0].points[i / 2][1] = founds[0].targets[i].safe_y;
    }
    struct rung__composition composition = composition_of(1, TARGETS);
    const rung_packet_header *header = compose(&composition);
    const rung_target *targets = (const rung_target *)(header + 1);
    const uint8_t *attachments = (const uint8_t *)(targets + header->count);
    uint32_t with = 0;
    for (uint32_t i = 0; i < header->count; i++) {
        const int32_t *point =
            (const int32_t *)(attachments + (size_t)targets[i].attachment_offset * 8);
        if (!targets[i].attachment_bytes)
            continue;
        with++;
        assert_int_equal(point[0], targets[i].safe_x);
        assert_int_equal(point[1], targets[i].safe_y);
    }
    assert_int_equal(with, TARGETS / 2);
    assert_int_equal(header->flags, 0);
}

/** Targets with attachments of so many bytes, in the order of the scene, as a packet. */
static void fill_attached(rung_packet_header *header, const uint32_t *bytes, uint32_t count)
{
    rung_target *targets = (rung_target *)(header + 1);
    uint32_t random = 1, offset = 0;
    fill(&founds[0], 0, count, &random);
    header->count = count;
    for (uint32_t i = 0; i < count; i++) {
        targets[i] = founds[0].targets[i];
        targets[i].confidence = 100 - i;
        targets[i].attachment_offset = (uint16_t)(offset / 8);
        targets[i].attachment_bytes = (uint16_t)bytes[i];
        offset += bytes[i];
    }
}

static void attachments_end_with_the_first_that_does_not_fit(void **state)
{
    (void)state;
    enum { COUNT = 6, MOST = 65528, SIZE = 96 + COUNT * 80 + 5 * MOST };
    static uint64_t source[SIZE / 8], to[SIZE / 8];
    uint32_t bytes[COUNT] = {MOST, MOST, MOST, MOST, 24, 8}; /* 256 KiB in all */
    rung_packet_header *header = (rung_packet_header *)source;
    const rung_packet_header *written_header = (const rung_packet_header *)to;
    const rung_target *out = (const rung_target *)(written_header + 1);
    struct rung__composition composition = composition_of(1, COUNT);
    parts[0].packet = header;

    fill_attached(header, bytes, COUNT);
    assert_true(rung__compose(&composition, to) == 96 + COUNT * 80 + RUNG__ATTACHMENT_BYTES_MAX);
    assert_int_equal(written_header->flags, 0);
    bytes[4] = 40; /* 8 too many, and then the last one has none either */
    fill_attached(header, bytes, COUNT);
    assert_true(rung__compose(&composition, to) == 96 + COUNT * 80 + 4 * MOST);
    assert_int_equal(written_header->flags, RUNG_PACKET_ATTACHMENTS_TRUNCATED);
    assert_int_equal(out[3].attachment_bytes, MOST);
    for (int i = 4; i < COUNT; i++) {
        assert_int_equal(out[i].attachment_bytes, 0);
        assert_int_equal(out[i].attachment_offset, 0);
    }
    assert_int_equal(rung_packet_check(to, sizeof to), RUNG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_beginning_of_all_targets_sorted),
        cmocka_unit_test(equal_boxes_of_two_sources_are_in_the_order_of_their_ids),
        cmocka_unit_test(an_empty_scene_is_a_packet),
        cmocka_unit_test(what_a_part_left_out_is_left_out),
        cmocka_unit_test(a_missing_part_makes_it_incomplete),
        cmocka_unit_test(on_a_desktop_that_is_gone_nothing_is_actionable),
        cmocka_unit_test(with_a_part_that_is_stale_all_of_it_is),
        cmocka_unit_test(key_points_move_with_their_target),
        cmocka_unit_test(attachments_end_with_the_first_that_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
