/* SPDX-License-Identifier: Apache-2.0 */
#include <arm_neon.h>
#include <string.h>

#include "kernel/store_bytes.h"
#include "kernel/triangle.h"

/*
 * Weights stay whole: a multiply-add of 32-bit lanes holds every sum. A line has four parts, the
 * bytes of each of its rows.
 */

#define BLOCK       1 /* pixels */
#define ROWS        4
#define COLUMNS     16 /* of a blend at once */
#define WEIGHT_BITS 22
#define WEIGHT_HALF (1u << (WEIGHT_BITS - 1))

static void pack(const uint32_t weights[4], struct rung__triangle_step *to)
{
    memcpy(to->words, weights, sizeof to->words);
}

/** 0..256, of which narrowing makes bytes. */
static inline uint32x4_t sums_end(uint32x4_t sums)
{
    return vshrq_n_u32(vaddq_u32(sums, vdupq_n_u32(WEIGHT_HALF)), WEIGHT_BITS);
}

/* ---- along a row ----------------------------------------------------------------------------- */

/** What brings the samples of a channel into 32-bit lanes. */
struct picks {
    uint8x16_t channels[3];
};

static struct picks picks_of(const struct rung__triangle_axis *axis)
{
    struct picks picks;
    for (uint32_t c = 0; c < 3; c++) {
        uint8_t bytes[16];
        memset(bytes, 0xff, sizeof bytes); /* gives 0 */
        for (uint32_t tap = 0; tap < 4; tap++)
            bytes[4 * tap] = axis->picks[4 * c + tap];
        picks.channels[c] = vld1q_u8(bytes);
    }
    return picks;
}

/** The sums of one row, a lane for each tap of a step. */
struct sums {
    uint32x4_t channels[3];
};

static inline void sums_add(struct sums *sums, uint8x16_t samples, const struct picks *picks,
                            uint32x4_t weights)
{
    for (int c = 0; c < 3; c++) {
        const uint8x16_t lanes = vqtbl1q_u8(samples, picks->channels[c]);
        sums->channels[c] = vmlaq_u32(sums->channels[c], vreinterpretq_u32_u8(lanes), weights);
    }
}

/** The three channels and something. */
static inline uint16x4_t sums_close(const struct sums *sums)
{
    const uint32x4_t front = vpaddq_u32(sums->channels[0], sums->channels[1]);
    const uint32x4_t back = vpaddq_u32(sums->channels[2], sums->channels[2]);
    return vqmovn_u32(sums_end(vpaddq_u32(front, back)));
}

/** Stores three columns of two rows; behind them one that the next pixel replaces. */
static inline void store_rows(const struct sums *first, const struct sums *second, uint8_t *to,
                              size_t pitch)
{
    const uint8x8_t bytes = vqmovn_u16(vcombine_u16(sums_close(first), sums_close(second)));
    const uint32x2_t columns = vreinterpret_u32_u8(bytes);
    const uint32_t words[2] = {vget_lane_u32(columns, 0), vget_lane_u32(columns, 1)};
    memcpy(to, &words[0], sizeof *words);
    memcpy(to + pitch, &words[1], sizeof *words);
}

static void filter(const struct rung__triangle_axis *axis, const uint8_t *const rows[4],
                   uint32_t first, uint32_t end, uint8_t *line)
{
    const struct picks picks = picks_of(axis);
    const struct rung__triangle_step *step = axis->weights + (size_t)first * axis->steps;
    const size_t pitch = axis->pitch;
    const uint32x4_t zero = vdupq_n_u32(0);
    uint8_t *to = line + (size_t)first * 3;
    for (uint32_t x = first; x < end; x++, to += 3) {
        size_t at = axis->offsets[x];
        struct sums sums[ROWS];
        for (int i = 0; i < ROWS; i++)
            sums[i] = (struct sums){{zero, zero, zero}};
        for (uint32_t s = 0; s < axis->steps; s++, step++, at += axis->step_bytes) {
            const uint32x4_t weights = vld1q_u32(step->words);
            for (int i = 0; i < ROWS; i++)
                sums_add(&sums[i], vld1q_u8(rows[i] + at), &picks, weights);
        }
        store_rows(&sums[0], &sums[1], to, pitch);
        store_rows(&sums[2], &sums[3], to + 2 * pitch, pitch);
    }
}

/* ---- down the columns ------------------------------------------------------------------------ */

static inline uint32x4x4_t widened(uint8x16_t bytes)
{
    const uint16x8_t low = vmovl_u8(vget_low_u8(bytes)), high = vmovl_high_u8(bytes);
    return (uint32x4x4_t){{vmovl_u16(vget_low_u16(low)), vmovl_high_u16(low),
                           vmovl_u16(vget_low_u16(high)), vmovl_high_u16(high)}};
}

static inline uint8x16_t blend_columns(const struct rung__triangle_window *window, size_t at)
{
    const uint32x4_t zero = vdupq_n_u32(0);
    uint32x4_t sums[4] = {zero, zero, zero, zero};
    for (uint32_t step = 0; step < window->steps; step++) {
        const uint8_t *row = window->lines[step] + at;
        const uint32_t *weights = window->weights[step].words;
        for (int i = 0; i < ROWS; i++, row += window->pitch) {
            const uint32x4x4_t samples = widened(vld1q_u8(row));
            for (int j = 0; j < 4; j++)
                sums[j] = vmlaq_n_u32(sums[j], samples.val[j], weights[i]);
        }
    }
    const uint16x8_t low =
        vcombine_u16(vqmovn_u32(sums_end(sums[0])), vqmovn_u32(sums_end(sums[1])));
    const uint16x8_t high =
        vcombine_u16(vqmovn_u32(sums_end(sums[2])), vqmovn_u32(sums_end(sums[3])));
    return vcombine_u8(vqmovn_u16(low), vqmovn_u16(high));
}

static void blend(const struct rung__triangle_window *window, uint32_t count, uint8_t *to)
{
    uint32_t at = 0;
    for (; at + COLUMNS <= count; at += COLUMNS)
        vst1q_u8(to + at, blend_columns(window, at));
    if (at < count) {
        uint8_t rest[COLUMNS];
        vst1q_u8(rest, blend_columns(window, at));
        memcpy(to + at, rest, count - at);
    }
}

/* ---- the resampler --------------------------------------------------------------------------- */

static const struct rung__triangle_parts parts = {
    BLOCK, ROWS * sizeof(uint8_t), pack, filter, blend, rung__store_bytes_neon,
};

static uint64_t tables_bytes(const struct rung__canvas *canvas,
                             const struct rung__placement *placement)
{
    return rung__triangle_tables_bytes(&parts, canvas, placement);
}

static void make_tables(const struct rung__preprocess_frame *frame)
{
    rung__triangle_make_tables(&parts, frame);
}

static uint64_t scratch_bytes(const struct rung__canvas *canvas,
                              const struct rung__placement *placement)
{
    return rung__triangle_scratch_bytes(&parts, canvas, placement);
}

static void rows(const struct rung__preprocess_frame *frame, uint32_t first, uint32_t end,
                 void *scratch)
{
    rung__triangle_rows(&parts, frame, first, end, scratch);
}

void rung__triangle_init_neon(struct rung__preprocess_kernels *kernels)
{
    kernels->resamplers[RUNG_RESAMPLER_TRIANGLE] =
        (struct rung__resampler){tables_bytes, make_tables, scratch_bytes, rows};
}
