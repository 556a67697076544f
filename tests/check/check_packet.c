/* SPDX-License-Identifier: Apache-2.0 */
/* A packet is written whole or not at all, and says what targets.md says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/packet.h"

static struct rung__candidate box(uint16_t x, uint16_t y, uint16_t w, uint16_t h)
{
    return (struct rung__candidate){x, y, w, h, 1000, 0, 1, 1, RUNG__NO_PAYLOAD};
}

static uint32_t capabilities[RUNG__CLASSES_MAX] = {[0] = 6};

static size_t write_packet(const struct rung__candidate *candidates, uint32_t count,
                           struct rung__packet_request request, uint8_t *to, size_t size)
{
    uint32_t order[16];
    struct rung__selected selected = {order, count, count, count, false};
    size_t needed = 0;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    request.candidates = candidates;
    request.selected = &selected;
    const rung_result result = rung__packet_write(&request, to, size, &needed);
    assert_int_equal(result, size < needed ? RUNG_CAPACITY : RUNG_OK);
    return needed;
}

static rung_target target_at(const uint8_t *packet, uint32_t i)
{
    rung_target target;
    memcpy(&target, packet + 96 + 80 * (size_t)i, sizeof target);
    return target;
}

static void a_span_one_byte_short_stays_untouched(void **state)
{
    const struct rung__candidate candidates[] = {box(1, 2, 30, 40)};
    uint8_t bytes[96 + 80];
    (void)state;
    memset(bytes, 0x5a, sizeof bytes);
    assert_int_equal(
        write_packet(candidates, 1, (struct rung__packet_request){0}, bytes, sizeof bytes - 1),
        sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        assert_int_equal(bytes[i], 0x5a);
    assert_int_equal(write_packet(candidates, 1, (struct rung__packet_request){0}, NULL, 0),
                     sizeof bytes);
    assert_int_equal(write_packet(candidates, 0, (struct rung__packet_request){0}, bytes, 96), 96);
}

static void only_targets_with_an_interior_are_actionable(void **state)
{
    struct rung__candidate candidates[] = {box(0, 0, 17, 17), box(0, 0, 16, 17), box(0, 0, 17, 16),
                                           box(0, 0, 17, 17), box(0, 0, 17, 17), box(0, 0, 17, 17),
                                           box(0, 0, 17, 17)};
    static const uint32_t flags[] = {1, 0, 0, 0, 2, 4, 0};
    uint8_t bytes[96 + 7 * 80];
    struct rung__packet_request request = {.capabilities = capabilities};
    (void)state;
    candidates[3].flags = 0;
    candidates[4].flags = RUNG_TARGET_ACTIONABLE | RUNG_TARGET_DISABLED;
    candidates[5].flags = RUNG_TARGET_ACTIONABLE | RUNG_TARGET_SECURE;
    candidates[6].class_id = 1; /* no capabilities */
    write_packet(candidates, 7, request, bytes, sizeof bytes);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(target_at(bytes, i).flags, flags[i]);
        assert_int_equal(target_at(bytes, i).capabilities, flags[i] == 1 ? 6 : 0);
    }
    request.k = 1; /* 16 << 1 is wide enough */
    write_packet(candidates, 7, request, bytes, sizeof bytes);
    assert_int_equal(target_at(bytes, 1).flags, 1);
    request.capabilities = NULL;
    write_packet(candidates, 7, request, bytes, sizeof bytes);
    assert_int_equal(target_at(bytes, 0).flags, 0);
}

static void coordinates_are_widened_to_q8(void **state)
{
    const struct rung__candidate candidates[] = {box(65535, 1, 65535, 3)};
    uint8_t bytes[96 + 80];
    (void)state;
    write_packet(candidates, 1, (struct rung__packet_request){.k = 4}, bytes, sizeof bytes);
    const rung_target target = target_at(bytes, 0);
    assert_int_equal(target.x, 65535 * 512);
    assert_int_equal(target.y, 512);
    assert_int_equal(target.w, 65535 * 512);
    assert_int_equal(target.safe_x, 65535 * 512 + 65535 * 256);
    assert_int_equal(target.safe_y, 512 + 768);
    assert_true(target.target_id != 0);
}

/** A payload that is none, or none of the table's, has no attachment. */
static void key_points_follow_the_targets_in_record_order(void **state)
{
    static const int32_t pairs[] = {1, 2, 3, 4, 5, 6};
    struct rung__candidate candidates[] = {box(0, 0, 9, 9), box(0, 0, 9, 9), box(0, 0, 9, 9),
                                           box(0, 0, 9, 9)};
    const struct rung__packet_request request = {.points = {pairs, NULL, 1, 3}};
    uint8_t bytes[96 + 4 * 80 + 16];
    (void)state;
    candidates[0].payload = 2;
    candidates[2].payload = 0;
    candidates[3].payload = 3;
    assert_int_equal(write_packet(candidates, 4, request, bytes, sizeof bytes), sizeof bytes);
    static const uint16_t offsets[] = {0, 0, 1, 0}, sizes[] = {8, 0, 8, 0};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(target_at(bytes, i).attachment_offset, offsets[i]);
        assert_int_equal(target_at(bytes, i).attachment_bytes, sizes[i]);
    }
    assert_memory_equal(bytes + sizeof bytes - 16, ((const int32_t[]){5, 6, 1, 2}), 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_one_byte_short_stays_untouched),
        cmocka_unit_test(only_targets_with_an_interior_are_actionable),
        cmocka_unit_test(coordinates_are_widened_to_q8),
        cmocka_unit_test(key_points_follow_the_targets_in_record_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
