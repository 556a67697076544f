/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_BENCH_H
#define RUNG_CLI_BENCH_H

#include "bench_frames.h"
#include "load.h"
#include "roles.h"
#include "statistics.h"

/* What a model costs on a rung, part by part; on two rungs in turns, what they cost against each
 * other (docs/bench.md). */

/** The parts of a run, in their order, and all of it, with what lies between the parts. */
enum bench_stage {
    BENCH_DECODE, /**< of a picture; 0 for frames that are made */
    BENCH_PREPROCESS,
    BENCH_RUN,
    BENCH_POSTPROCESS,
    BENCH_TOTAL,
    BENCH_STAGES
};
extern const char *const bench_stage_names[BENCH_STAGES];

/** What two sides are compared by. */
enum bench_ratio {
    BENCH_OF_PREPROCESS,
    BENCH_OF_RUN,
    BENCH_OF_POSTPROCESS,
    BENCH_OF_ANSWER,  /**< of the total without decoding, in which sides do not differ */
    BENCH_OF_ELAPSED, /**< of turns as a whole: what counts where contexts run side by side, or
                           frames overlap */
    BENCH_RATIOS
};
extern const char *const bench_ratio_names[BENCH_RATIOS];

/** One run. */
struct bench_run {
    uint64_t begin_ns; /**< of the clock that only goes forward */
    uint64_t ns[BENCH_STAGES];
    uint32_t round; /**< from 0; in each both sides look at the same frames */
};

struct bench_runs {
    struct bench_run *items;
    size_t count, capacity;
};

/** False without memory. */
bool bench_runs_add(struct bench_runs *runs, const struct bench_run *run);
void bench_runs_finish(struct bench_runs *runs);

/** More are not kept: it ends there. */
#define BENCH_RUNS_MOST 1000000u

/** What is asked for. */
struct bench_plan {
    uint32_t warmup;     /**< runs of each context before anything counts */
    uint32_t iterations; /**< of each side; 0: as many as there is time for */
    uint32_t duration_s; /**< for each side */
    uint32_t contexts;   /**< side by side */
    uint32_t threads;    /**< of one run */
    bool series;         /**< a context gets its frames as a series, whose stages may overlap */
};

#define BENCH_NAME_BYTES 160

/** A model on a rung, with a plan. */
struct bench_side {
    struct role_model model;
    char *plan;                    /**< NULL: that of --plan */
    json_t *metadata;              /**< of its first context (rung_context_metadata) */
    char name[BENCH_NAME_BYTES];   /**< what tells it from the other one */
    struct role_session *sessions; /**< one for each context of the plan */
    uint64_t open_ns, context_ns;  /**< of the model; of its first context */
    struct bench_run first;        /**< the very first run, which counts nowhere else */

    struct bench_runs runs; /**< in the order of their beginning */
    uint64_t busy_ns;       /**< what passed while this side ran */
    struct samples turns;   /**< of that, each turn; their numbers are those of the rounds */
    struct samples sorted[BENCH_STAGES]; /**< ns */
    struct statistics figures[BENCH_STAGES];
    char runtime[64]; /**< "ONNX Runtime 1.31.1" */
};

#define BENCH_SIDES_MOST 2

/** What one call of the command holds. */
struct bench {
    struct bench_plan plan;
    struct bench_frames frames;
    struct bench_side sides[BENCH_SIDES_MOST];
    size_t side_count;
    struct load load;    /**< while it was measured */
    uint64_t peak_bytes; /**< of memory, until then */
    bool interrupted;

    /** Of each round the time of the second side by that of the first, sorted. */
    struct samples ratios[BENCH_RATIOS];
    json_t *explanation; /**< of rung_instance_explain */
};

/**
 * Runs each side once, which is its first run, then warms up and measures. What a signal ends is
 * measured so far. An exit status, after a message.
 */
int bench_measure(struct bench *bench);

/** Makes figures of the runs. False without memory. */
bool bench_summarise(struct bench *bench);

/** What a stage of the plan has in a side, such as "simd-exact-v1"; "" where there is no such
 * stage. */
const char *bench_implementation(const struct bench_side *side, const char *stage);

/** All of them in one line. */
void bench_describe_stages(const struct bench_side *side, char *to, size_t size);

/** The first that is told of: of made-up frames nothing is decoded. */
enum bench_stage bench_first_stage(const struct bench *bench);

/** The decimals that a time is told with: four digits, and tens of nanoseconds at least. */
int bench_decimals(double ms);

/** The mean of what a run takes beside its parts. */
double bench_between(const struct bench_side *side);

/** Runs a second, of all contexts together. */
double bench_rate(const struct bench_side *side);

/** How busy the machine was, in words. */
void bench_describe_load(const struct bench *bench, char *to, size_t size);

/** What is wrong about the figures because of others, a sentence; "" where they did little. */
void bench_warn_of_load(const struct bench *bench, char *to, size_t size);

/** What the runs looked at: "4 pictures", "frames of 1280 × 720 pixels". */
void bench_describe_frames(const struct bench *bench, char *to, size_t size);

/** Which ratio says how the sides compare. */
const struct samples *bench_main_ratios(const struct bench *bench);

/** What came of two sides, a sentence. */
void bench_describe_ratio(const struct bench *bench, char *to, size_t size);

/** All of it as JSON; NULL without memory. */
json_t *bench_report(const struct bench *bench);

/** The same for people. */
void bench_print(const struct bench *bench);

/** The same as one page of HTML that needs nothing else. An exit status, after a message. */
int bench_write_page(const struct bench *bench, const char *path);

#endif
