/* SPDX-License-Identifier: Apache-2.0 */
/* What the library writes is a packet; every field that somebody changed is told by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/packet.h"

#define COUNT 3

struct packet {
    rung_packet_header header;
    rung_target targets[COUNT];
    int32_t points[4]; /* one pair for target 0, one for target 2 */
};

static void make(struct packet *packet)
{
    static const int32_t pairs[] = {11, 12, 21, 22};
    static uint32_t capabilities[RUNG__CLASSES_MAX] = {[0] = 6};
    const struct rung__candidate candidates[COUNT] = {
        {10, 20, 30, 40, 60000, 0, 1, RUNG_TARGET_ACTIONABLE, 0},
        {0, 0, 1, 1, 50000, 0, 1, 0, RUNG__NO_PAYLOAD},
        {5, 5, 50, 50, 1, 1, 1, RUNG_TARGET_SECURE, 1},
    };
    uint32_t order[COUNT] = {0, 1, 2};
    const struct rung__selected selected = {order, COUNT, COUNT, COUNT, false};
    const struct rung__packet_request request = {
        .candidates = candidates,
        .selected = &selected,
        .points = {pairs, NULL, 1, 2},
        .capabilities = capabilities,
        .space = RUNG_SPACE_SOURCE,
    };
    size_t needed;
    assert_int_equal(rung__packet_write(&request, packet, sizeof *packet, &needed), RUNG_OK);
    assert_int_equal(needed, sizeof *packet);
}

static void refuse(const struct packet *packet, rung_result result, const char *word)
{
    assert_int_equal(rung_packet_check(packet, sizeof *packet), result);
    assert_non_null(strstr(rung_last_error(), word));
}

static void what_the_library_writes_is_accepted(void **state)
{
    struct packet packet;
    (void)state;
    make(&packet);
    assert_int_equal(rung_packet_check(&packet, sizeof packet), RUNG_OK);
    assert_int_equal(rung_packet_check(&packet, sizeof packet + 8), RUNG_OK);
    packet.header.count = 0;
    packet.header.total_size = sizeof packet.header;
    assert_int_equal(rung_packet_check(&packet, sizeof packet.header), RUNG_OK);
}

static void a_packet_cut_anywhere_is_refused_without_reading_on(void **state)
{
    struct packet packet;
    (void)state;
    make(&packet);
    for (size_t size = 0; size < sizeof packet; size++) {
        void *cut = malloc(size ? size : 1); /* the sanitizer watches its end */
        assert_non_null(cut);
        memcpy(cut, &packet, size);
        assert_int_equal(rung_packet_check(cut, size), RUNG_INTEGRITY);
        free(cut);
    }
}

static void data_without_alignment_is_the_callers_mistake(void **state)
{
    struct packet packet;
    (void)state;
    make(&packet);
    assert_int_equal(rung_packet_check(NULL, 96), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_packet_check((const char *)&packet + 4, 96), RUNG_INVALID_ARGUMENT);
}

#define CHANGE(field, value, result, word)                                                         \
    do {                                                                                           \
        struct packet changed;                                                                     \
        make(&changed);                                                                            \
        changed.field = (value);                                                                   \
        refuse(&changed, (result), (word));                                                        \
    } while (0)

static void a_stale_packet_has_nothing_actionable(void **state)
{
    struct packet packet;
    (void)state;
    make(&packet);
    packet.header.flags |= RUNG_PACKET_STALE;
    assert_int_equal(rung_packet_check(&packet, sizeof packet), RUNG_INTEGRITY);
    for (uint32_t i = 0; i < COUNT; i++) {
        packet.targets[i].flags &= ~(uint32_t)RUNG_TARGET_ACTIONABLE;
        packet.targets[i].capabilities = 0;
    }
    assert_int_equal(rung_packet_check(&packet, sizeof packet), RUNG_OK);
}

static void each_field_of_the_header_is_checked(void **state)
{
    (void)state;
    CHANGE(header.struct_size, 104, RUNG_INTEGRITY, "struct_size");
    CHANGE(header.version, 2, RUNG_VERSION, "version");
    CHANGE(header.count, COUNT + 1, RUNG_INTEGRITY, "total_size");
    CHANGE(header.count, COUNT - 1, RUNG_INTEGRITY, "belong to no target");
    CHANGE(header.count, UINT32_MAX, RUNG_INTEGRITY, "not 0..10000");
    CHANGE(header.stride, 0, RUNG_INTEGRITY, "stride");
    CHANGE(header.flags, 8, RUNG_INTEGRITY, "flags");
    CHANGE(header.flags, RUNG_PACKET_STALE, RUNG_INTEGRITY, "stale"); /* one is actionable */
    CHANGE(header.space, 4, RUNG_INTEGRITY, "space");
    CHANGE(header.space, RUNG_SPACE_DESKTOP, RUNG_INTEGRITY, "scene_epoch");
    CHANGE(header.scene_epoch, 1, RUNG_INTEGRITY, "scene_epoch");
    CHANGE(header.space, RUNG_SPACE_MASK, RUNG_INTEGRITY, "total_size");
    CHANGE(header.space, RUNG_SPACE_EMBEDDING, RUNG_INTEGRITY, "stride");
    CHANGE(header.targets_offset, UINT64_MAX, RUNG_INTEGRITY, "targets_offset");
    CHANGE(header.total_size, UINT64_MAX, RUNG_INTEGRITY, "cut off");
    CHANGE(header.total_size, 95, RUNG_INTEGRITY, "total_size");
}

static void each_field_of_a_target_is_checked(void **state)
{
    (void)state;
    CHANGE(targets[0].target_id, 0, RUNG_INTEGRITY, "target_id");
    CHANGE(targets[2].order, 1, RUNG_INTEGRITY, "order");
    CHANGE(targets[0].w, 0, RUNG_INTEGRITY, "inside");
    CHANGE(targets[0].h, -1, RUNG_INTEGRITY, "inside");
    CHANGE(targets[0].x, INT32_MAX, RUNG_INTEGRITY, "inside");
    CHANGE(targets[0].safe_y, INT32_MIN, RUNG_INTEGRITY, "inside");
    CHANGE(targets[0].safe_x, 40 * 32, RUNG_INTEGRITY, "inside");
    CHANGE(targets[1].confidence, 0, RUNG_INTEGRITY, "confidence");
    CHANGE(targets[1].confidence, 65536, RUNG_INTEGRITY, "confidence");
    CHANGE(targets[1].flags, 8, RUNG_INTEGRITY, "flags");
    CHANGE(targets[0].flags, RUNG_TARGET_ACTIONABLE | RUNG_TARGET_SECURE, RUNG_INTEGRITY, "secure");
    CHANGE(targets[0].flags, 0, RUNG_INTEGRITY, "capabilities");
    CHANGE(targets[1].flags, RUNG_TARGET_ACTIONABLE, RUNG_INTEGRITY, "capabilities");
}

static void attachments_follow_each_other_inside_the_packet(void **state)
{
    (void)state;
    CHANGE(targets[0].attachment_bytes, 7, RUNG_INTEGRITY, "multiple");
    CHANGE(targets[0].attachment_bytes, 0, RUNG_INTEGRITY, "attachment_offset");
    CHANGE(targets[0].attachment_bytes, 65528, RUNG_INTEGRITY, "beyond");
    CHANGE(targets[1].attachment_offset, 1, RUNG_INTEGRITY, "attachment_offset");
    CHANGE(targets[2].attachment_offset, 0, RUNG_INTEGRITY, "attachment_offset");
    CHANGE(targets[2].attachment_bytes, 16, RUNG_INTEGRITY, "beyond");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_library_writes_is_accepted),
        cmocka_unit_test(a_packet_cut_anywhere_is_refused_without_reading_on),
        cmocka_unit_test(data_without_alignment_is_the_callers_mistake),
        cmocka_unit_test(a_stale_packet_has_nothing_actionable),
        cmocka_unit_test(each_field_of_the_header_is_checked),
        cmocka_unit_test(each_field_of_a_target_is_checked),
        cmocka_unit_test(attachments_follow_each_other_inside_the_packet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
