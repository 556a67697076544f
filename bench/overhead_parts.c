/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a frame take. */
#include "base/clock.h"
#include "overhead.h"
#include "session/structure.h"
#include "tiny_models.h"

static void read_clock(struct bench *bench)
{
    (void)bench;
    (void)rung__clock_now();
}

static void place(struct bench *bench)
{
    must(rung__run_place(bench->context, &bench->context->lanes[0], &bench->frame));
}

static void prepare(struct bench *bench)
{
    must(rung__run_prepare(bench->context, &bench->context->lanes[0]));
}

static void run(struct bench *bench)
{
    must(rung__run_model(bench->context, &bench->context->lanes[0]));
}

static void run_alone(struct bench *bench)
{
    run_bare(bench);
}

static void write_packet(struct bench *bench)
{
    size_t needed;
    must(bench->answer->write(bench->context, &bench->context->lanes[0], bench->packet, &needed));
}

static void describe(struct bench *bench)
{
    const rung_run_info info = rung__run_describe(bench->context, &bench->context->lanes[0].run);
    must(rung__structure_write(&bench->info, &info, sizeof info, "rung_run_info"));
}

static const struct part {
    const char *name;
    void (*once)(struct bench *bench);
} parts[] = {
    {"one read of the clock", read_clock},
    {"check and place the frame", place},
    {"preprocess", prepare},
    {"run the model", run},
    {"  of it, the bare run", run_alone},
    {"decode, select, write", write_packet},
    {"tell what ran", describe},
};

#define PARTS (sizeof parts / sizeof *parts)

/** Nanoseconds of one call, of many in a row. */
static double time_part(struct bench *bench, const struct part *part)
{
    const unsigned calls = bench->tiny ? 200 : 1;
    const uint64_t start = rung__clock_now();
    for (unsigned i = 0; i < calls; i++)
        part->once(bench);
    return (double)(rung__clock_now() - start) / calls;
}

void measure_parts(struct bench *bench)
{
    struct figure figures[PARTS];
    for (unsigned round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < PARTS; i++)
            figures[i].values[round] = time_part(bench, &parts[i]);
    for (size_t i = 0; i < PARTS; i++)
        print_figure(bench, parts[i].name, "ns", &figures[i]);
}
