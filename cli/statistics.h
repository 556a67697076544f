/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_STATISTICS_H
#define RUNG_CLI_STATISTICS_H

#include "samples.h"

/* What is said of many measurements of one thing. */

/** Percentiles are by nearest rank, as samples_at has them: each is a sample that there was. All is
 * 0 where there are no samples. */
struct statistics {
    double mean, deviation; /**< the deviation is a sample's (n - 1); 0 for a single one */
    double least, p50, p90, p95, p99, most;
};

/** Of samples that are sorted. */
struct statistics statistics_of(const struct samples *sorted);

#define HISTOGRAM_BINS 48

/** How many samples lie where, in bins of one width. */
struct histogram {
    double from, width; /**< of the first bin; each takes what is at its lower edge */
    size_t bins;        /**< 0: there are no samples */
    size_t counts[HISTOGRAM_BINS];
    size_t beyond; /**< samples above the last bin: a tenth at most, and far off */
};

/** Of samples that are sorted. */
struct histogram statistics_histogram(const struct samples *sorted);

/** An interval that holds the true median in 95 of 100 cases, whatever the distribution; it ends at
 * samples. */
struct interval {
    bool known; /**< fewer than six samples prove nothing */
    double from, to;
};

/** Of samples that are sorted. */
struct interval statistics_of_median(const struct samples *sorted);

#endif
