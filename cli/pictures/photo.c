/* SPDX-License-Identifier: Apache-2.0 */
#include "photo.h"

#include <stdlib.h>

#include "photo_parts.h"

/**
 * Decoders work side by side as readers. libvips writes what is wrong into one buffer for the whole
 * process, so a picture that fails, and whose error is to be read from there, is decoded once more
 * by a writer, alone.
 */
static GRWLock lock;

/** libvips warns on standard error of what is told as an error here, or is no reason for one. */
static void ignore_message(const gchar *domain, GLogLevelFlags level, const gchar *message,
                           gpointer data)
{
    (void)domain, (void)level, (void)message, (void)data;
}

bool photo_start(const char *program, struct photo_error *error)
{
    const GLogLevelFlags harmless = G_LOG_LEVEL_WARNING | G_LOG_LEVEL_MESSAGE | G_LOG_LEVEL_INFO;
    if (VIPS_INIT(program) != 0)
        return photo_refuse(error, "UNSUPPORTED", "libvips does not start: %s",
                            vips_error_buffer());
    g_log_set_handler("VIPS", harmless, ignore_message, NULL);
    /* Loaders that libvips does not trust with hostile files stay off; none of them is named in
     * the table of formats, so this is a second wall. */
    vips_block_untrusted_set(TRUE);
    vips_cache_set_max(0);
    vips_concurrency_set(1); /* the threads that decode are enough */
    return true;
}

void photo_stop(void)
{
    vips_shutdown();
}

void photo_thread_stop(void)
{
    vips_thread_shutdown();
}

static bool decode(struct photo_file *file, const struct photo_format *format, uint64_t pixels_max,
                   struct photo *photo, struct photo_error *error, bool alone)
{
    enum photo_ink ink;
    VipsImage *image = NULL;
    VipsSource *source = photo_file_source(file);
    bool complete = false;
    if (vips_call(format->loader, source, &image, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                  VIPS_FAIL_ON_ERROR, NULL))
        photo_refuse_decoder(error, file, alone);
    else
        complete = photo_check_size(image->Xsize, image->Ysize, pixels_max, error) &&
                   photo_to_srgb(&image, &ink, file, error, alone) &&
                   photo_rows(image, ink, photo, file, error, alone);
    if (image)
        g_object_unref(image);
    g_object_unref(source);
    return complete;
}

static bool decode_alone(struct photo_file *file, const struct photo_format *format,
                         uint64_t pixels_max, struct photo *photo, struct photo_error *error)
{
    g_rw_lock_writer_lock(&lock);
    vips_error_clear();
    bool complete = decode(file, format, pixels_max, photo, error, true);
    vips_error_clear();
    g_rw_lock_writer_unlock(&lock);
    return complete;
}

/** By libvips: first side by side with others. `error` is for a failure alone. */
static bool decode_formats(struct photo_file *file, const struct photo_format *format,
                           uint64_t pixels_max, struct photo *photo, struct photo_error *error)
{
    struct photo_error why = {0};
    g_rw_lock_reader_lock(&lock);
    bool complete = decode(file, format, pixels_max, photo, &why, false);
    g_rw_lock_reader_unlock(&lock);
    if (!complete && !why.code)
        complete = decode_alone(file, format, pixels_max, photo, &why);
    if (!complete)
        *error = why;
    return complete;
}

bool photo_load(const char *path, uint64_t pixels_max, struct photo *photo,
                struct photo_error *error)
{
    struct photo_file file;
    uint8_t head[PHOTO_HEAD_BYTES];
    bool complete = false;
    photo->width = photo->height = 0;
    if (!photo_file_open(&file, path, error))
        return false;
    const struct photo_format *format =
        photo_file_read(&file, head, sizeof head, 0, error) ? photo_format_find(head, error) : NULL;
    if (format)
        complete = format->is_bitmap ? photo_bmp_read(&file, pixels_max, photo, error)
                                     : decode_formats(&file, format, pixels_max, photo, error);
    photo_file_close(&file);
    return complete;
}
