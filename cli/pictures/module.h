/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_PICTURES_MODULE_H
#define RUNG_CLI_PICTURES_MODULE_H

#include "draw.h"
#include "photo.h"

/*
 * libvips and the hundred libraries below it are in a module of their own, which is loaded when the
 * first picture is decoded, while another thread opens the model: rung starts without them, and
 * what has nothing to do with pictures runs where they are missing.
 */

#define PICTURES_SYMBOL "rung_pictures"

/** What the module has, by the names in photo.h and draw.h. */
struct pictures {
    size_t struct_size; /**< of the build that the module is of */
    bool (*start)(const char *program, struct photo_error *error);
    void (*stop)(void);
    void (*thread_stop)(void);
    bool (*load)(const char *path, uint64_t pixels_max, struct photo *photo,
                 struct photo_error *error);
    bool (*draw_targets)(struct photo *photo, const rung_packet_header *packet,
                         const rung_model *model, struct photo_error *error);
    bool (*encode)(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t bands,
                   bool is_png, void **data, size_t *size, struct photo_error *error);
    char version[32];
};

#endif
