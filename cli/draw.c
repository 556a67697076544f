/* SPDX-License-Identifier: Apache-2.0 */
#include "draw.h"

#include <string.h>
#include <strings.h>

#include <glib.h>

#include "output.h"

bool draw_save(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t bands,
               const char *path, struct photo_error *error)
{
    const char *ending = strrchr(path, '.');
    const bool is_png = ending && strcasecmp(ending, ".png") == 0;
    void *data = NULL;
    size_t size = 0;
    if (!draw_encode(pixels, width, height, bands, is_png, &data, &size, error))
        return false;
    const bool saved = output_write(path, data, size, error->message, sizeof error->message);
    error->code = "IO";
    g_free(data);
    return saved;
}
