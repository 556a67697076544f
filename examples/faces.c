/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds targets in a picture with nothing but Rung: faces MODEL PICTURE.ppm
 * Prints a line each: label, score, box in pixels. A PPM is "P6 width height 255" and RGB bytes.
 */
#include <stdio.h>
#include <stdlib.h>

#include <rung/rung.h>

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, rung_last_error());
    return 1;
}

/** The next decimal number of the header, 0 when there is none up to 65535. */
static unsigned read_number(FILE *file)
{
    unsigned number = 0;
    int c = fgetc(file);
    while (c == ' ' || c == '\n' || c == '\t' || c == '\r')
        c = fgetc(file);
    for (; c >= '0' && c <= '9' && number <= 65535; c = fgetc(file))
        number = number * 10 + (unsigned)(c - '0');
    return number <= 65535 ? number : 0;
}

static unsigned char *read_ppm(const char *path, unsigned *width, unsigned *height)
{
    unsigned char *pixels = NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char magic[2] = {0};
    if (fread(magic, 1, 2, file) == 2 && magic[0] == 'P' && magic[1] == '6' &&
        (*width = read_number(file)) > 0 && (*height = read_number(file)) > 0 &&
        read_number(file) == 255) {
        size_t size = (size_t)*width * *height * 3;
        pixels = malloc(size);
        if (pixels && fread(pixels, 1, size, file) != size) {
            free(pixels);
            pixels = NULL;
        }
    }
    fclose(file);
    return pixels;
}

static void print_targets(const rung_model *model, const rung_packet_header *packet)
{
    const rung_target *targets =
        (const rung_target *)((const char *)packet + packet->targets_offset);
    for (uint32_t i = 0; i < packet->count; i++) {
        const char *label;
        rung_model_get_label(model, targets[i].class_id, &label);
        printf("%s %.3f %.1f %.1f %.1f %.1f\n", label, targets[i].confidence / 65535.0,
               targets[i].x / 256.0, targets[i].y / 256.0, targets[i].w / 256.0,
               targets[i].h / 256.0);
    }
}

int main(int count, char **arguments)
{
    rung_instance *instance = NULL;
    rung_model *model = NULL;
    rung_context *context = NULL;
    rung_model_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    rung_frame frame = {
        .struct_size = sizeof frame, .version = RUNG_STRUCT_VERSION, .format = RUNG_PIXEL_RGB8};
    void *pixels = NULL, *packet = NULL;
    int status = 1;

    if (count != 3) {
        fprintf(stderr, "usage: faces MODEL PICTURE.ppm\n");
        return 2;
    }
    pixels = read_ppm(arguments[2], &frame.width, &frame.height);
    frame.pixels = pixels;
    if (!pixels)
        fprintf(stderr, "%s: no PPM picture\n", arguments[2]);
    else if (rung_instance_create(NULL, &instance) != RUNG_OK)
        status = fail("instance");
    else if (rung_model_open(instance, arguments[1], NULL, &model) != RUNG_OK ||
             rung_model_get_info(model, &info) != RUNG_OK)
        status = fail(arguments[1]);
    else if (rung_context_create(model, NULL, &context) != RUNG_OK)
        status = fail("context");
    else if ((packet = malloc(info.max_output_bytes))) {
        rung_span span = {packet, info.max_output_bytes};
        status = rung_detect(context, &frame, span, NULL, NULL) == RUNG_OK ? 0 : fail("detect");
        if (status == 0)
            print_targets(model, packet);
    }
    free(packet);
    free(pixels);
    rung_context_destroy(context);
    rung_model_destroy(model);
    rung_instance_destroy(instance);
    return status;
}
