/* SPDX-License-Identifier: Apache-2.0 */
/* Frames without a header, one behind the other, from standard input or a named pipe. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "kind.h"

#define SIDE_MOST 65535u /* of a frame (rung_frame) */

static const struct {
    const char *name;
    rung_pixel_format format;
    uint32_t bytes;
} formats[] = {
    {"rgb8", RUNG_PIXEL_RGB8, 3},   {"bgr8", RUNG_PIXEL_BGR8, 3},   {"rgba8", RUNG_PIXEL_RGBA8, 4},
    {"bgra8", RUNG_PIXEL_BGRA8, 4}, {"rgbx8", RUNG_PIXEL_RGBX8, 4}, {"bgrx8", RUNG_PIXEL_BGRX8, 4},
    {"gray8", RUNG_PIXEL_GRAY8, 1},
};

#define FORMATS (sizeof formats / sizeof *formats)

static size_t row_of(rung_pixel_format format)
{
    size_t row = 0;
    while (row + 1 < FORMATS && formats[row].format != format)
        row++;
    return row;
}

uint32_t format_bytes(rung_pixel_format format)
{
    return formats[row_of(format)].bytes;
}

const char *format_name(rung_pixel_format format)
{
    return formats[row_of(format)].name;
}

/* ---- the layout --------------------------------------------------------------------------- */

/** Digits of a side of a frame; how many there are, 0: no such number. */
static size_t read_side(const char *text, uint32_t *out)
{
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 5)
        return 0;
    *out = (uint32_t)strtoul(text, NULL, 10);
    return *out >= 1 && *out <= SIDE_MOST ? digits : 0;
}

size_t read_size(const char *text, uint32_t *width, uint32_t *height)
{
    const size_t first = read_side(text, width);
    if (first == 0 || text[first] != 'x')
        return 0;
    const size_t second = read_side(text + first + 1, height);
    return second ? first + 1 + second : 0;
}

static bool refuse_layout(const char *text, char *why, size_t why_size)
{
    int used = snprintf(why, why_size,
                        "--raw takes FORMAT:WIDTHxHEIGHT, such as rgb8:1280x720, "
                        "with one of the formats");
    for (size_t i = 0; i < FORMATS && used > 0 && (size_t)used < why_size; i++)
        used +=
            snprintf(why + used, why_size - (size_t)used, "%s %s", i ? "," : "", formats[i].name);
    if (used > 0 && (size_t)used < why_size)
        snprintf(why + used, why_size - (size_t)used, "; not \"%s\"", text);
    return false;
}

bool raw_layout_read(const char *text, struct raw_layout *out, char *why, size_t why_size)
{
    const size_t length = strcspn(text, ":");
    size_t row = 0;
    while (row < FORMATS &&
           (strlen(formats[row].name) != length || strncmp(formats[row].name, text, length) != 0))
        row++;
    if (row == FORMATS || text[length] != ':')
        return refuse_layout(text, why, why_size);
    const char *size = text + length + 1;
    const size_t digits = read_size(size, &out->width, &out->height);
    if (digits == 0 || size[digits])
        return refuse_layout(text, why, why_size);
    out->format = formats[row].format;
    return true;
}

/* ---- reading ------------------------------------------------------------------------------ */

struct raw {
    const char *name; /**< "standard input", or the operand */
    struct raw_layout layout;
    int file, stop_file;
    bool is_ours; /**< the file is closed at the end */
};

static bool claims(const char *operand)
{
    struct stat status;
    return strcmp(operand, "-") == 0 || (stat(operand, &status) == 0 && S_ISFIFO(status.st_mode));
}

static int refuse(const char *operand, const char *why)
{
    fprintf(stderr, "rung watch: %s: %s\n", operand, why);
    return EXIT_USAGE;
}

static int open_raw(const char *operand, const struct kind_options *options,
                    struct kind_opened *out)
{
    const bool is_input = strcmp(operand, "-") == 0;
    if (options->raw.width == 0)
        return refuse(operand, "raw frames have no header, so --raw FORMAT:WIDTHxHEIGHT tells "
                               "what they are, such as --raw rgb8:1280x720");
    if ((uint64_t)options->raw.width * options->raw.height > options->pixels_max)
        return refuse(operand, "the frames that --raw tells have more pixels than --max-pixels");
    if (is_input && isatty(STDIN_FILENO))
        return refuse(operand, "standard input is a terminal; raw frames come through a pipe or "
                               "from a file");
    struct raw *raw = malloc(sizeof *raw);
    if (!raw)
        return fail_memory();
    *raw = (struct raw){
        .name = is_input ? "standard input" : operand,
        .layout = options->raw,
        /* A pipe that nobody writes to yet is waited for by poll, not here. */
        .file = is_input ? STDIN_FILENO : open(operand, O_RDONLY | O_CLOEXEC | O_NONBLOCK),
        .stop_file = options->stop_file,
        .is_ours = !is_input,
    };
    if (raw->file < 0) {
        fprintf(stderr, "rung watch: %s: it cannot be opened: %s\n", operand, strerror(errno));
        free(raw);
        return EXIT_IO;
    }
    *out = (struct kind_opened){raw, options->raw.width, options->raw.height};
    return EXIT_DONE;
}

/** Waits for bytes; false when nothing more is wanted. */
static bool await_bytes(const struct raw *raw)
{
    struct pollfd files[] = {{raw->stop_file, POLLIN, 0}, {raw->file, POLLIN, 0}};
    while (poll(files, 2, -1) < 0 && errno == EINTR)
        ;
    return files[0].revents == 0;
}

static enum kind_got end_of(const struct raw *raw, uint64_t number, size_t used, size_t size,
                            struct photo_error *error)
{
    if (used == 0)
        return KIND_END;
    error->code = "TRUNCATED";
    snprintf(error->message, sizeof error->message,
             "%s ends %zu bytes into frame %" PRIu64 ", which --raw says has %zu", raw->name, used,
             number, size);
    return KIND_FAILED;
}

static enum kind_got read_raw(void *state, uint64_t number, struct picture *to,
                              struct photo_error *error)
{
    const struct raw *raw = state;
    const struct raw_layout *layout = &raw->layout;
    const size_t size = (size_t)format_bytes(layout->format) * layout->width * layout->height;
    if (!picture_make(to, layout->width, layout->height, layout->format)) {
        *error = (struct photo_error){"NO_MEMORY", "there is no memory for a frame"};
        return KIND_FAILED;
    }
    for (size_t used = 0; used < size;) {
        if (!await_bytes(raw))
            return KIND_STOPPED;
        const ssize_t got = read(raw->file, to->photo.pixels + used, size - used);
        if (got == 0)
            return end_of(raw, number, used, size, error);
        if (got < 0 && errno != EINTR && errno != EAGAIN) {
            error->code = "IO";
            snprintf(error->message, sizeof error->message, "%s cannot be read: %s", raw->name,
                     strerror(errno));
            return KIND_FAILED;
        }
        used += got > 0 ? (size_t)got : 0;
    }
    return KIND_FRAME;
}

static void close_raw(void *state)
{
    struct raw *raw = state;
    if (raw->is_ours)
        close(raw->file);
    free(raw);
}

const struct kind kind_raw = {
    .name = "raw",
    .claims = claims,
    .open = open_raw,
    .read = read_raw,
    .close = close_raw,
    .has_pace = true,
};
