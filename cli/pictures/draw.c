/* SPDX-License-Identifier: Apache-2.0 */
#include "draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vips/vips.h>

#include "targets.h"

#define LABEL_BYTES 96
#define LABEL_FONT  "DejaVu Sans"

/* Colours that can be told apart, on light and on dark; a class takes one by its number. */
static double palette[][3] = {
    {230, 60, 50},  {40, 150, 240}, {60, 170, 70},  {245, 170, 20},
    {160, 80, 200}, {20, 180, 180}, {235, 90, 160}, {130, 130, 20},
};
static double white[3] = {255, 255, 255};

struct box {
    int left, top, width, height;
};

static double *colour_of(uint16_t class_id)
{
    return palette[class_id % (sizeof palette / sizeof *palette)];
}

/** Lines grow with the picture: 2 pixels at 640, 8 at 4000. */
static int line_width(const VipsImage *image)
{
    int side = image->Xsize > image->Ysize ? image->Xsize : image->Ysize;
    return side < 640 ? 2 : side / 480 + 1;
}

static bool draw_frame(VipsImage *image, struct box box, double *colour)
{
    for (int i = 0; i < line_width(image); i++)
        if (vips_draw_rect(image, colour, 3, box.left - i, box.top - i, box.width + 2 * i,
                           box.height + 2 * i, NULL))
            return false;
    return true;
}

static bool draw_points(VipsImage *image, const rung_packet_header *packet,
                        const rung_target *target, double *colour)
{
    const int32_t *points = target_points(packet, target);
    int radius = line_width(image) + 1;
    for (size_t i = 0; points && i < target->attachment_bytes / 8u; i++) {
        int x = points[2 * i] / 256, y = points[2 * i + 1] / 256;
        if (vips_draw_circle(image, white, 3, x, y, radius + 1, "fill", TRUE, NULL) ||
            vips_draw_circle(image, colour, 3, x, y, radius, "fill", TRUE, NULL))
            return false;
    }
    return true;
}

/** The text above the box, or inside it at the top edge of the picture. */
static bool draw_label(VipsImage *image, struct box box, const char *text, double *colour)
{
    VipsImage *mask = NULL;
    int side = image->Xsize > image->Ysize ? image->Xsize : image->Ysize;
    char *plain = g_markup_escape_text(text, -1); /* vips_text reads markup */
    bool drawn = vips_text(&mask, plain, "font", LABEL_FONT, "dpi", 72 + side / 10, NULL) == 0;
    g_free(plain);
    if (!drawn)
        return false;
    int pad = line_width(image) + 1;
    int height = mask->Ysize + 2 * pad;
    int top = box.top >= height ? box.top - height : box.top;
    drawn = vips_draw_rect(image, colour, 3, box.left, top, mask->Xsize + 2 * pad, height, "fill",
                           TRUE, NULL) == 0 &&
            vips_draw_mask(image, white, 3, mask, box.left + pad, top + pad, NULL) == 0;
    g_object_unref(mask);
    return drawn;
}

static bool draw_target(VipsImage *image, const rung_packet_header *packet,
                        const rung_target *target, const rung_model *model)
{
    char text[LABEL_BYTES], number[TARGET_CLASS_BYTES];
    struct box box = {target->x / 256, target->y / 256, (target->w + 255) / 256,
                      (target->h + 255) / 256};
    double *colour = colour_of(target->class_id);
    snprintf(text, sizeof text, "%s %.2f", target_class(model, target->class_id, number),
             target->confidence / 65535.0);
    return draw_frame(image, box, colour) && draw_points(image, packet, target, colour) &&
           draw_label(image, box, text, colour);
}

/** With the first line of what libvips has to say. */
static void refuse(struct photo_error *error, const char *what)
{
    char *text = vips_error_buffer_copy(); /* and clears it; other threads may be writing to it */
    error->code = "IO";
    snprintf(error->message, sizeof error->message, "%s: %.*s", what, (int)strcspn(text, "\n"),
             text);
    g_free(text);
}

bool draw_targets(struct photo *photo, const rung_packet_header *packet, const rung_model *model,
                  struct photo_error *error)
{
    size_t size = (size_t)photo->width * photo->height * 3;
    VipsImage *image = vips_image_new_from_memory(photo->pixels, size, (int)photo->width,
                                                  (int)photo->height, 3, VIPS_FORMAT_UCHAR);
    bool drawn = image != NULL;
    const rung_target *targets = targets_of(packet);
    /* Weakest first, so that the strongest lies on top. */
    for (uint32_t i = packet->count; i-- > 0 && drawn;)
        drawn = draw_target(image, packet, &targets[i], model);
    if (!drawn)
        refuse(error, "cannot be drawn");
    if (image)
        g_object_unref(image);
    return drawn;
}

bool draw_encode(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t bands,
                 bool is_png, void **data, size_t *size, struct photo_error *error)
{
    VipsImage *flat = vips_image_new_from_memory(pixels, (size_t)width * height * bands, (int)width,
                                                 (int)height, (int)bands, VIPS_FORMAT_UCHAR);
    VipsImage *image = NULL;
    const VipsInterpretation space =
        bands == 1 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    bool encoded = flat && vips_copy(flat, &image, "interpretation", space, NULL) == 0;
    if (encoded)
        encoded = (is_png ? vips_pngsave_buffer(image, data, size, NULL)
                          : vips_jpegsave_buffer(image, data, size, "Q", 92, NULL)) == 0;
    if (!encoded)
        refuse(error, "cannot be encoded");
    if (image)
        g_object_unref(image);
    if (flat)
        g_object_unref(flat);
    return encoded;
}
