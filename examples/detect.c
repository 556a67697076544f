/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds targets in one picture, on the calling thread: the shortest way from a file to boxes.
 *
 *     detect MODEL PICTURE.ppm
 *     RUNG_TRUST_PATH=build/trust build/examples/detect build/models/centerface.rung face.ppm
 *
 * Prints a line for each target: label, score, and box in pixels (x, y, width, height). The key
 * that signed a model must be trusted; build/trust has the one of scripts/demo.
 */
#include <stdio.h>
#include <stdlib.h>

#include <rung/rung.h>

#include "common.h"

/* Coordinates of a packet are Q8: 256 to a pixel. */
static void print_targets(const rung_model *model, const rung_packet_header *packet)
{
    const void *first = (const char *)packet + packet->targets_offset;
    const rung_target *targets = first;
    for (uint32_t i = 0; i < packet->count; i++) {
        const rung_target *target = &targets[i];
        const char *label; /* "" when the model has none */
        (void)rung_model_get_label(model, target->class_id, &label);
        printf("%s %.3f %.1f %.1f %.1f %.1f\n", label, target->confidence / 65535.0,
               target->x / 256.0, target->y / 256.0, target->w / 256.0, target->h / 256.0);
    }
}

static int detect(const rung_model *model, rung_context *context, const struct picture *picture)
{
    const rung_frame frame = {
        .struct_size = sizeof frame,
        .version = RUNG_STRUCT_VERSION,
        .pixels = picture->pixels,
        .width = picture->width,
        .height = picture->height,
        .format = RUNG_PIXEL_RGB8,
    };
    uint64_t size;
    if (!ok(rung_context_get_max_output_bytes(context, &size)))
        return 0;
    const rung_span packet = {malloc(size), size}; /* once, for every frame to come */
    int done = packet.data && ok(rung_detect(context, &frame, packet, NULL, NULL));
    if (done)
        print_targets(model, packet.data);
    free(packet.data);
    return done;
}

int main(int count, char **arguments)
{
    struct picture picture = {0};
    rung_instance *instance = NULL;
    rung_model *model = NULL;
    rung_context *context = NULL;

    if (count != 3) {
        fprintf(stderr, "usage: detect MODEL PICTURE.ppm\n");
        return 2;
    }
    const int done =
        read_picture(arguments[2], &picture) && ok(rung_instance_create(NULL, &instance)) &&
        ok(rung_model_open(instance, arguments[1], NULL, &model)) &&
        ok(rung_context_create(model, NULL, &context)) && detect(model, context, &picture);
    /* What was made last ends first; NULL is allowed. */
    rung_context_destroy(context);
    rung_model_destroy(model);
    rung_instance_destroy(instance);
    free_picture(&picture);
    return done ? 0 : 1;
}
