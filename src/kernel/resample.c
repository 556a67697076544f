/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/resample.h"

#include <string.h>

void rung__axis_bilinear(uint32_t outputs, uint32_t samples, struct rung__pair *pairs)
{
    const uint32_t twice = outputs * 2, last = samples - 1;
    for (uint32_t i = 0; i < outputs; i++) {
        /* One step of 2n is added, so that the position of the first pixels is not negative. It
         * stays below 2^31 + 2^14: 2i + 1 is below 2^15, and the samples are below 2^16. */
        const uint32_t position = (2 * i + 1) * samples + outputs;
        const uint32_t above = position / twice; /* q + 1 */
        const uint32_t rest = position % twice;
        pairs[i].first = above == 0 ? 0 : above - 1 < last ? above - 1 : last;
        pairs[i].second = above < last ? above : last;
        pairs[i].weight = (rest * 256 + outputs) / twice;
    }
}

void rung__axis_nearest(uint32_t outputs, uint32_t samples, uint32_t *indices)
{
    const uint64_t twice = (uint64_t)outputs * 2;
    for (uint32_t i = 0; i < outputs; i++)
        indices[i] = (uint32_t)((2 * (uint64_t)i + 1) * samples / twice); /* < samples */
}

uint32_t rung__axis_triangle_taps(uint32_t outputs, uint32_t samples)
{
    /* A window is open and 2·max(m, n)/n samples long. */
    const uint32_t longer = samples > outputs ? samples : outputs;
    const uint32_t taps = (2 * longer + outputs - 1) / outputs;
    return taps < samples ? taps : samples;
}

/** The triangle over the samples of one content pixel, before it is scaled. */
struct triangle {
    int64_t centre; /**< C − n, in 1/(2n) sample: sample j lies at 2nj */
    int64_t half;   /**< 2·max(m, n): half of its base */
    int64_t step;   /**< 2n */
};

static int64_t triangle_weight(const struct triangle *triangle, int64_t j)
{
    const int64_t distance = triangle->step * j - triangle->centre;
    return triangle->half - (distance < 0 ? -distance : distance);
}

/** The samples whose weight is above 0. */
static struct rung__window triangle_window(const struct triangle *triangle, uint32_t samples)
{
    const int64_t start = triangle->centre - triangle->half;
    const int64_t end = triangle->centre + triangle->half;
    const uint32_t first = start < 0 ? 0 : (uint32_t)(start / triangle->step + 1);
    const uint32_t last = (uint32_t)((end - 1) / triangle->step);
    return (struct rung__window){first, (last < samples ? last : samples - 1) - first + 1};
}

static struct rung__window triangle_weights(const struct triangle *triangle, uint32_t samples,
                                            uint32_t *weights)
{
    const struct rung__window window = triangle_window(triangle, samples);
    int64_t total = 0;
    for (uint32_t j = 0; j < window.count; j++)
        total += triangle_weight(triangle, (int64_t)window.first + j);
    for (uint32_t j = 0; j < window.count; j++) {
        const int64_t weight = triangle_weight(triangle, (int64_t)window.first + j);
        weights[j] = (uint32_t)((2 * weight * (INT64_C(1) << 22) + total) / (2 * total));
    }
    return window;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b > 0) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void rung__axis_triangle(uint32_t outputs, uint32_t samples, struct rung__window *windows,
                         uint32_t *weights)
{
    const uint32_t longer = samples > outputs ? samples : outputs;
    const uint32_t taps = rung__axis_triangle_taps(outputs, samples);
    const uint32_t divisor = common_divisor(outputs, samples);
    /* After a period of content pixels a triangle lies just as it did, so many samples on. */
    const uint32_t period = outputs / divisor, shift = samples / divisor;
    struct triangle triangle = {0, 2 * (int64_t)longer, 2 * (int64_t)outputs};
    for (uint32_t i = 0; i < outputs; i++, weights += taps) {
        /* No border cuts a window that does not touch one: divisions are dear. */
        if (i >= period && windows[i - period].first > 0 &&
            windows[i - period].first + shift + windows[i - period].count < samples) {
            windows[i] = windows[i - period];
            windows[i].first += shift;
            memcpy(weights, weights - (size_t)period * taps, windows[i].count * sizeof *weights);
            continue;
        }
        triangle.centre = (2 * (int64_t)i + 1) * samples - outputs;
        windows[i] = triangle_weights(&triangle, samples, weights);
    }
}
