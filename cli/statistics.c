/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics.h"

#include <math.h>

#define BINS_LEAST 6u

static double mean_of(const struct samples *samples)
{
    double sum = 0;
    for (size_t i = 0; i < samples->count; i++)
        sum += samples->items[i];
    return samples->count ? sum / (double)samples->count : 0;
}

static double deviation_of(const struct samples *samples, double mean)
{
    double sum = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const double off = samples->items[i] - mean;
        sum += off * off;
    }
    return samples->count > 1 ? sqrt(sum / (double)(samples->count - 1)) : 0;
}

struct statistics statistics_of(const struct samples *sorted)
{
    const double mean = mean_of(sorted);
    return (struct statistics){
        .mean = mean,
        .deviation = deviation_of(sorted, mean),
        .least = samples_at(sorted, 0),
        .p50 = samples_at(sorted, 0.5),
        .p90 = samples_at(sorted, 0.9),
        .p95 = samples_at(sorted, 0.95),
        .p99 = samples_at(sorted, 0.99),
        .most = samples_at(sorted, 1),
    };
}

/** Where the last bin ends: further off than the rest is wide there is at most a tenth, and some
 * stragglers would flatten everything. */
static double end_of_bins(const struct samples *sorted)
{
    const double least = samples_at(sorted, 0), p90 = samples_at(sorted, 0.9);
    return fmin(samples_at(sorted, 1), p90 + 2 * (p90 - least));
}

/** Freedman and Diaconis: twice the distance of the quartiles, by the cube root of the count. */
static size_t bins_for(const struct samples *sorted, double range)
{
    const double quartiles = samples_at(sorted, 0.75) - samples_at(sorted, 0.25);
    const double bins = range * cbrt((double)sorted->count) / (2 * quartiles);
    /* Not a number and infinite where all samples are alike. */
    return !(bins < HISTOGRAM_BINS) ? HISTOGRAM_BINS
           : bins > BINS_LEAST      ? (size_t)bins
                                    : BINS_LEAST;
}

struct histogram statistics_histogram(const struct samples *sorted)
{
    struct histogram histogram = {.from = samples_at(sorted, 0)};
    const double range = end_of_bins(sorted) - histogram.from;
    if (sorted->count == 0)
        return histogram;
    histogram.bins = range > 0 ? bins_for(sorted, range) : 1;
    histogram.width = range > 0 ? range / (double)histogram.bins : 1;
    for (size_t i = 0; i < sorted->count; i++) {
        const double off = sorted->items[i] - histogram.from;
        const size_t bin = (size_t)(off / histogram.width);
        if (off > range)
            histogram.beyond++;
        else /* the end belongs to the last bin */
            histogram.counts[bin < histogram.bins ? bin : histogram.bins - 1]++;
    }
    return histogram;
}

/**
 * How many samples at each end lie outside: the most whose probability, that of so few heads in as
 * many throws of a coin as there are samples, is at most 2.5 %.
 */
static size_t outside_of(size_t count)
{
    const double throws = (double)count;
    double log2_term = -throws, sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += exp2(log2_term);
        if (sum > 0.025)
            return i;
        log2_term += log2((throws - (double)i) / (double)(i + 1));
    }
    return 0;
}

struct interval statistics_of_median(const struct samples *sorted)
{
    const size_t outside = outside_of(sorted->count);
    if (outside == 0)
        return (struct interval){.known = false};
    return (struct interval){
        .known = true,
        .from = sorted->items[outside - 1],
        .to = sorted->items[sorted->count - outside],
    };
}
