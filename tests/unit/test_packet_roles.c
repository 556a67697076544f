/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of embeddings and masks: every field that somebody changed is told by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/exact.h"
#include "kernel/packet.h"

#define NUMBERS 3u
#define WIDTH   5u
#define HEIGHT  2u

struct embedding {
    rung_packet_header header;
    float numbers[NUMBERS];
};

/* The packet ends with the last pixel, before the padding. */
struct mask {
    rung_packet_header header;
    rung_mask place;
    uint8_t pixels[HEIGHT * WIDTH];
};
#define MASK_BYTES (sizeof(rung_packet_header) + sizeof(rung_mask) + (size_t)HEIGHT * WIDTH)

static void make_embedding(struct embedding *packet)
{
    const rung_packet_header header = {
        .count = NUMBERS,
        .stride = sizeof(float),
        .space = RUNG_SPACE_EMBEDDING,
        .frame_id = 7,
        .total_size = sizeof(rung_packet_header) + NUMBERS * sizeof(float),
    };
    rung__packet_header_write(&header, (uint8_t *)packet);
    memcpy(packet->numbers, ((const float[]){0.0f, -0x1.fffffep127f, 1.0f}),
           sizeof packet->numbers);
}

static void make_mask(struct mask *packet)
{
    const rung_packet_header header = {
        .count = HEIGHT,
        .stride = WIDTH,
        .space = RUNG_SPACE_MASK,
        .total_size = MASK_BYTES,
    };
    memset(packet, 0xff, sizeof *packet);
    rung__packet_header_write(&header, (uint8_t *)packet);
    packet->place = (rung_mask){3, 4, 10, 4, 0, 1, WIDTH, HEIGHT};
}

static void refuse(const void *packet, size_t size, rung_result result, const char *word)
{
    assert_int_equal(rung_packet_check(packet, size), result);
    if (!strstr(rung_last_error(), word))
        fail_msg("\"%s\" is not in \"%s\"", word, rung_last_error());
}

/** The bytes of a packet, with nothing readable behind them. */
static void refuse_cut(const void *packet, size_t size)
{
    for (size_t left = 0; left < size; left++) {
        void *cut = malloc(left ? left : 1); /* the sanitizer watches its end */
        assert_non_null(cut);
        memcpy(cut, packet, left);
        assert_int_equal(rung_packet_check(cut, left), RUNG_INTEGRITY);
        free(cut);
    }
}

static void whole_packets_are_accepted_and_cut_ones_are_not(void **state)
{
    struct embedding embedding;
    struct mask mask;
    (void)state;
    make_embedding(&embedding);
    make_mask(&mask);
    assert_int_equal(rung_packet_check(&embedding, embedding.header.total_size), RUNG_OK);
    assert_int_equal(rung_packet_check(&embedding, sizeof embedding + 8), RUNG_OK);
    assert_int_equal(rung_packet_check(&mask, MASK_BYTES), RUNG_OK);
    refuse_cut(&embedding, embedding.header.total_size);
    refuse_cut(&mask, MASK_BYTES);
    embedding.header.flags = mask.header.flags = RUNG_PACKET_STALE;
    assert_int_equal(rung_packet_check(&embedding, embedding.header.total_size), RUNG_OK);
    assert_int_equal(rung_packet_check(&mask, MASK_BYTES), RUNG_OK);
}

#define CHANGE(kind, field, value, result, word)                                                   \
    do {                                                                                           \
        struct kind changed;                                                                       \
        make_##kind(&changed);                                                                     \
        changed.field = (value);                                                                   \
        refuse(&changed, sizeof changed, (result), (word));                                        \
    } while (0)

static void each_field_of_an_embedding_is_checked(void **state)
{
    (void)state;
    CHANGE(embedding, header.struct_size, 104, RUNG_INTEGRITY, "struct_size");
    CHANGE(embedding, header.version, 2, RUNG_VERSION, "version");
    CHANGE(embedding, header.count, 0, RUNG_INTEGRITY, "not 1..65536");
    CHANGE(embedding, header.count, 65537, RUNG_INTEGRITY, "not 1..65536");
    CHANGE(embedding, header.count, NUMBERS - 1, RUNG_INTEGRITY, "total_size");
    CHANGE(embedding, header.count, NUMBERS + 1, RUNG_INTEGRITY, "total_size");
    CHANGE(embedding, header.stride, 8, RUNG_INTEGRITY, "stride");
    CHANGE(embedding, header.flags, RUNG_PACKET_INCOMPLETE, RUNG_INTEGRITY, "flags");
    CHANGE(embedding, header.flags, 8, RUNG_INTEGRITY, "flags");
    CHANGE(embedding, header.space, 18, RUNG_INTEGRITY, "space");
    CHANGE(embedding, header.scene_epoch, 1, RUNG_INTEGRITY, "scene_epoch");
    CHANGE(embedding, header.targets_offset, 0, RUNG_INTEGRITY, "targets_offset");
    CHANGE(embedding, header.total_size, 96, RUNG_INTEGRITY, "total_size");
    CHANGE(embedding, header.total_size, UINT64_MAX, RUNG_INTEGRITY, "cut off");
    CHANGE(embedding, numbers[0], rung__f32_from_bits(0x7f800000), RUNG_INTEGRITY, "number 0");
    CHANGE(embedding, numbers[2], rung__f32_from_bits(0xffc00000), RUNG_INTEGRITY, "number 2");
}

static void each_field_of_a_mask_is_checked(void **state)
{
    (void)state;
    CHANGE(mask, header.struct_size, 104, RUNG_INTEGRITY, "struct_size");
    CHANGE(mask, header.version, 2, RUNG_VERSION, "version");
    CHANGE(mask, header.count, 0, RUNG_INTEGRITY, "not 1..16384");
    CHANGE(mask, header.count, 16385, RUNG_INTEGRITY, "not 1..16384");
    CHANGE(mask, header.count, UINT32_MAX, RUNG_INTEGRITY, "not 1..16384");
    CHANGE(mask, header.count, HEIGHT - 1, RUNG_INTEGRITY, "total_size");
    CHANGE(mask, header.stride, WIDTH + 1, RUNG_INTEGRITY, "total_size");
    CHANGE(mask, header.stride, UINT32_MAX, RUNG_INTEGRITY, "total_size");
    CHANGE(mask, header.flags, RUNG_PACKET_INCOMPLETE, RUNG_INTEGRITY, "flags");
    CHANGE(mask, header.scene_epoch, 1, RUNG_INTEGRITY, "scene_epoch");
    CHANGE(mask, header.targets_offset, 128, RUNG_INTEGRITY, "targets_offset");
    CHANGE(mask, header.total_size, MASK_BYTES - 1, RUNG_INTEGRITY, "total_size");
    CHANGE(mask, header.total_size, MASK_BYTES + 1, RUNG_INTEGRITY, "total_size");
    CHANGE(mask, header.total_size, UINT64_MAX, RUNG_INTEGRITY, "cut off");
}

static void a_mask_lies_on_a_canvas_and_a_frame(void **state)
{
    (void)state;
    CHANGE(mask, place.crop_x, -1, RUNG_INTEGRITY, "crop");
    CHANGE(mask, place.crop_y, 65532, RUNG_INTEGRITY, "crop");
    CHANGE(mask, place.crop_w, 0, RUNG_INTEGRITY, "crop");
    CHANGE(mask, place.crop_w, INT32_MAX, RUNG_INTEGRITY, "crop");
    CHANGE(mask, place.crop_h, -1, RUNG_INTEGRITY, "crop");
    CHANGE(mask, place.content_x, INT32_MIN, RUNG_INTEGRITY, "content");
    CHANGE(mask, place.content_x, INT32_MAX, RUNG_INTEGRITY, "content");
    CHANGE(mask, place.content_y, 16383, RUNG_INTEGRITY, "content");
    CHANGE(mask, place.content_w, WIDTH - 1, RUNG_INTEGRITY, "count and stride");
    CHANGE(mask, place.content_h, HEIGHT + 1, RUNG_INTEGRITY, "count and stride");
    CHANGE(mask, place.content_h, 0, RUNG_INTEGRITY, "content");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_packets_are_accepted_and_cut_ones_are_not),
        cmocka_unit_test(each_field_of_an_embedding_is_checked),
        cmocka_unit_test(each_field_of_a_mask_is_checked),
        cmocka_unit_test(a_mask_lies_on_a_canvas_and_a_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
