/* SPDX-License-Identifier: Apache-2.0 */
#include "photo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vips/vips.h>

#define SIDE_MAX 65535

bool photo_start(const char *program)
{
    if (VIPS_INIT(program) != 0) {
        fprintf(stderr, "rung: libvips does not start: %s\n", vips_error_buffer());
        return false;
    }
    /* Loaders that libvips does not trust with hostile files stay off. */
    vips_block_untrusted_set(TRUE);
    vips_cache_set_max(0);
    return true;
}

void photo_stop(void)
{
    vips_shutdown();
}

__attribute__((format(printf, 3, 4))) static bool refuse(struct photo_error *error,
                                                         const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->code = code;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return false;
}

/** The first line of what libvips has to say, and forgets it. */
static bool refuse_decoder(struct photo_error *error, const char *code, const char *what)
{
    const char *text = vips_error_buffer();
    refuse(error, code, "%s: %.*s", what, (int)strcspn(text, "\n"), text);
    vips_error_clear();
    return false;
}

/** Opens without waiting, and only what can be a photograph. */
static int open_regular(const char *path, struct photo_error *error)
{
    struct stat status;
    int file;
    do
        file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (file < 0 && errno == EINTR);
    if (file < 0) {
        refuse(error, "IO", "cannot be opened: %s", strerror(errno));
        return -1;
    }
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        return file;
    if (S_ISDIR(status.st_mode))
        refuse(error, "DIRECTORY", "is a folder, or a folder that cannot be read");
    else if (!S_ISREG(status.st_mode))
        refuse(error, "IO", "is no regular file");
    else
        refuse(error, "NOT_AN_IMAGE", "is empty");
    close(file);
    return -1;
}

/** Takes the result of an operation in place of `*image`, so that a chain reads top down. */
static bool replace(VipsImage **image, int failed, VipsImage **result)
{
    if (failed)
        return false;
    g_object_unref(*image);
    *image = *result;
    *result = NULL;
    return true;
}

/**
 * To 8-bit RGB. An embedded RGB profile is left aside, as the tools that models are trained with
 * do; CMYK has no other way to RGB than its profile (libvips brings one where the file has none).
 */
static bool to_rgb(VipsImage **image)
{
    VipsImage *next = NULL;
    return replace(image, vips_colourspace(*image, &next, VIPS_INTERPRETATION_sRGB, NULL), &next);
}

/** 8-bit RGB without alpha, in memory. */
static bool to_pixels(VipsImage **image)
{
    VipsImage *next = NULL;
    if (!to_rgb(image))
        return false;
    if ((*image)->Bands > 3 &&
        !replace(image, vips_extract_band(*image, &next, 0, "n", 3, NULL), &next))
        return false;
    if (!replace(image, vips_cast_uchar(*image, &next, NULL), &next))
        return false;
    /* Decoded whole before it is turned: the decoder gives rows in order only. */
    next = vips_image_copy_memory(*image);
    if (!replace(image, next == NULL, &next))
        return false;
    return replace(image, vips_autorot(*image, &next, NULL), &next);
}

static bool check_size(const VipsImage *image, uint64_t pixels_max, struct photo_error *error)
{
    unsigned long long pixels = (unsigned long long)image->Xsize * (unsigned long long)image->Ysize;
    if (pixels > pixels_max)
        return refuse(error, "TOO_LARGE", "has %d × %d pixels; at most %llu are decoded",
                      image->Xsize, image->Ysize, (unsigned long long)pixels_max);
    if (image->Xsize > SIDE_MAX || image->Ysize > SIDE_MAX)
        return refuse(error, "TOO_LARGE", "has %d × %d pixels; sides of at most %d are taken",
                      image->Xsize, image->Ysize, SIDE_MAX);
    return true;
}

static bool decode(VipsSource *source, uint64_t pixels_max, struct photo *photo,
                   struct photo_error *error)
{
    bool complete = false;
    size_t size = 0;
    VipsImage *image = vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL,
                                                  "fail_on", VIPS_FAIL_ON_ERROR, NULL);
    if (!image)
        return refuse_decoder(error, "UNSUPPORTED", "is no picture that can be read");
    if (!check_size(image, pixels_max, error))
        goto fail;
    if (!to_pixels(&image)) {
        refuse_decoder(error, "CORRUPT", "cannot be decoded");
        goto fail;
    }
    if (image->Bands != 3) {
        refuse(error, "UNSUPPORTED", "has %d colour channels after conversion", image->Bands);
        goto fail;
    }
    photo->width = (uint32_t)image->Xsize;
    photo->height = (uint32_t)image->Ysize;
    photo->pixels = vips_image_write_to_memory(image, &size);
    complete = photo->pixels != NULL;
    if (!complete)
        refuse_decoder(error, "CORRUPT", "cannot be decoded");
fail:
    g_object_unref(image);
    return complete;
}

bool photo_load(const char *path, uint64_t pixels_max, struct photo *photo,
                struct photo_error *error)
{
    photo_finish(photo);
    int file = open_regular(path, error);
    if (file < 0)
        return false;
    /* By descriptor: a file name would be searched for options in brackets. */
    VipsSource *source = vips_source_new_from_descriptor(file);
    bool complete = source ? decode(source, pixels_max, photo, error)
                           : refuse_decoder(error, "IO", "cannot be read");
    if (source)
        g_object_unref(source);
    close(file);
    return complete;
}

void photo_finish(struct photo *photo)
{
    g_free(photo->pixels);
    *photo = (struct photo){0};
}
