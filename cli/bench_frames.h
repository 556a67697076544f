/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_BENCH_FRAMES_H
#define RUNG_CLI_BENCH_FRAMES_H

#include "photo.h"
#include "sources.h"

/* What a benchmark looks at: pictures that are decoded again for each run, or frames that are made
 * once, always the same ones. */

#define BENCH_FRAMES_MADE 4
#define BENCH_WHY_BYTES   1024 /**< a path may be longer, and is then cut off */

struct bench_frames {
    struct sources sources; /**< none: frames are made */
    struct photo made[BENCH_FRAMES_MADE];
    size_t count;
    bool started; /**< libvips was */
};

/** Lists the pictures, and decodes each once: one that cannot be read is no end of a measurement.
 * An exit status, after a message. */
int bench_frames_read(struct bench_frames *frames, int count, char **operands);

/** Makes frames of that size. An exit status, after a message. */
int bench_frames_make(struct bench_frames *frames, uint32_t width, uint32_t height);

void bench_frames_finish(struct bench_frames *frames);

/** True when there are pictures, which take time to decode. */
bool bench_frames_decode(const struct bench_frames *frames);

/** The frame of run `number`, decoded into `own` where it is a picture; NULL with the reason. */
const struct photo *bench_frames_take(const struct bench_frames *frames, size_t number,
                                      struct photo *own, struct photo_error *error);

/** Says why picture `number` cannot be had, and gives the exit status that it means. */
int bench_frames_fail(const struct bench_frames *frames, size_t number,
                      const struct photo_error *error, char *why, size_t why_size);

#endif
