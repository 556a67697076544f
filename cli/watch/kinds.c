/* SPDX-License-Identifier: Apache-2.0 */
#include "kind.h"

#include <stdlib.h>

/* What begins with a word of ours is never a file's name by chance: ./synthetic is one. Names that
 * exist come before those that only stand for others. */
const struct kind *const kinds[] = {
    &kind_synthetic, &kind_raw, &kind_folder, &kind_numbered, &kind_glob, &kind_file, NULL,
};

const struct kind *kind_of(const char *operand)
{
    size_t i = 0;
    while (kinds[i + 1] && !kinds[i]->claims(operand))
        i++;
    return kinds[i];
}

bool picture_make(struct picture *picture, uint32_t width, uint32_t height,
                  rung_pixel_format format)
{
    struct photo *photo = &picture->photo;
    const size_t size = (size_t)format_bytes(format) * width * height;
    if (size > photo->capacity) {
        uint8_t *pixels = malloc(size);
        if (!pixels)
            return false;
        free(photo->pixels);
        photo->pixels = pixels;
        photo->capacity = size;
    }
    photo->width = width;
    photo->height = height;
    picture->format = format;
    return true;
}
