/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of libvips' loaders reads a file. The first bytes alone decide, and only the loaders in the
 * table are ever called: none that draws, runs scripts, or hands the file to ImageMagick.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gmodule.h>

#include "photo_parts.h"

#define ROW(name, loader, pattern)                                                                 \
    {                                                                                              \
        name, loader, false, pattern, sizeof pattern - 1                                           \
    }
#define BITMAP(name, pattern)                                                                      \
    {                                                                                              \
        name, NULL, true, pattern, sizeof pattern - 1                                              \
    }

static const struct photo_format formats[] = {
    ROW("JPEG", "jpegload_source", "\xff\xd8\xff"),
    ROW("PNG", "pngload_source", "\x89PNG\r\n\x1a\n"),
    ROW("WebP", "webpload_source", "RIFF????WEBP"),
    ROW("TIFF", "tiffload_source", "II*\0"),
    ROW("TIFF", "tiffload_source", "MM\0*"),
    ROW("TIFF", "tiffload_source", "II+\0"), /* BigTIFF */
    ROW("TIFF", "tiffload_source", "MM\0+"),
    ROW("GIF", "gifload_source", "GIF87a"),
    ROW("GIF", "gifload_source", "GIF89a"),
    /* The brands of still pictures and of their sequences, ISO/IEC 23008-12 and the AVIF spec. */
    ROW("AVIF", "heifload_source", "????ftypavif"),
    ROW("AVIF", "heifload_source", "????ftypavis"),
    ROW("HEIF", "heifload_source", "????ftypheic"),
    ROW("HEIF", "heifload_source", "????ftypheix"),
    ROW("HEIF", "heifload_source", "????ftypheim"),
    ROW("HEIF", "heifload_source", "????ftypheis"),
    ROW("HEIF", "heifload_source", "????ftyphevc"),
    ROW("HEIF", "heifload_source", "????ftyphevx"),
    ROW("HEIF", "heifload_source", "????ftypmif1"),
    ROW("HEIF", "heifload_source", "????ftypmsf1"),
    BITMAP("BMP", "BM?????????????\0\0\0"), /* the size of its second header is small */
    ROW("Photoshop", NULL, "8BPS"),
    ROW("JPEG 2000", NULL, "\0\0\0\x0cjP  \r\n"),
    ROW("JPEG XL", NULL, "\0\0\0\x0cJXL \r\n"),
    ROW("JPEG XL", NULL, "\xff\x0a"),
    ROW("Canon raw", NULL, "????ftypcrx "),
    ROW("Fujifilm raw", NULL, "FUJIFILMCCD-RAW"),
    ROW("icon", NULL, "\0\0\x01\0"),
    ROW("PDF", NULL, "%PDF-"),
    ROW("SVG", NULL, "<svg"),
};

/**
 * libvips is told not to load its modules (photo_prepare); the one for HEIF comes with the first
 * file that needs it. It lies beside libvips, in a folder that its version names.
 */
static gpointer load_heif(gpointer unused)
{
    Dl_info library;
    int (*const anchor)(const char *) = vips_init;
    void *address;
    (void)unused;
    memcpy(&address, &anchor, sizeof address);
    if (!dladdr(address, &library))
        return NULL;
    char *folder = g_path_get_dirname(library.dli_fname);
    char *path = g_strdup_printf("%s/vips-modules-%d.%d/vips-heif.%s", folder, vips_version(0),
                                 vips_version(1), G_MODULE_SUFFIX);
    GModule *module = g_module_open(path, G_MODULE_BIND_LAZY);
    if (module)
        g_module_make_resident(module); /* it brings types, which stay */
    g_free(path);
    g_free(folder);
    return NULL;
}

static bool is_there(const struct photo_format *format)
{
    static GOnce once = G_ONCE_INIT;
    if (strcmp(format->loader, "heifload_source") == 0)
        g_once(&once, load_heif, NULL);
    return vips_type_find("VipsOperation", format->loader) != 0;
}

static bool begins_so(const struct photo_format *format, const uint8_t *head)
{
    for (size_t i = 0; i < format->size; i++)
        if (format->pattern[i] != '?' && (uint8_t)format->pattern[i] != head[i])
            return false;
    return true;
}

const struct photo_format *photo_format_find(const uint8_t head[PHOTO_HEAD_BYTES],
                                             struct photo_error *error)
{
    const struct photo_format *format = NULL;
    for (size_t i = 0; !format && i < sizeof formats / sizeof *formats; i++)
        if (begins_so(&formats[i], head))
            format = &formats[i];
    if (!format)
        photo_refuse(error, "NOT_AN_IMAGE", "is no picture: its content is of no known format");
    else if (!format->loader && !format->is_bitmap)
        photo_refuse(error, "UNSUPPORTED", "is of the format %s, which is not read", format->name);
    else if (format->loader && !is_there(format))
        photo_refuse(error, "UNSUPPORTED",
                     "is of the format %s, which the libvips here cannot read", format->name);
    else
        return format;
    return NULL;
}
