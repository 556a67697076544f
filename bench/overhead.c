/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a frame costs beside its model: the bare run of a model whose tensors are bound; the same in
 * rung_detect or rung_embed; in rung_submit and rung_collect, by a thread that waits for it; and
 * bare hand-overs between two threads. The sides take turns call by call. Then what each part of a
 * frame takes. Without MODEL, tiny models are made, and all stays on one CPU: on several, a
 * hand-over takes ten times as long now and then, when it wakes one that slept, and no two sides
 * meet alike. usage: overhead [--json] [--rung RUNG] [--threads N] [--turns N] [--all-cpus]
 * [--cpu-time] [MODEL]
 */
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "overhead.h"
#include "tiny_models.h"

#define TURNS_MAX 10000

/* What the project promises: beside the run of a tiny model, and as a share of that of a real one.
 */
#define LIMIT_NS        1500.0
#define LIMIT_HANDOVERS 1.3
#define LIMIT_PERCENT   0.5

enum side { HANDOVER, BARE, WHOLE, TICKET, SIDES };

static const char *const side_names[] = {"hand-over, there and back", "bare run", "synchronous",
                                         "submit to collect"};

/* ---- a model on a rung ------------------------------------------------------------------- */

/** False, with the reason told, when the rung does not take it. */
static bool open_model(struct bench *bench, const char *path, rung_pixel_format format)
{
    const rung_model_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .threads = bench->threads,
        .rung = bench->rung,
    };
    rung_model_info model = {.struct_size = sizeof model, .version = RUNG_STRUCT_VERSION};
    if (rung_model_open(bench->instance, path, &options, &bench->model) != RUNG_OK) {
        fprintf(stderr, "overhead: %s is left out: %s\n", bench->name, rung_last_error());
        return false;
    }
    const rung_context_options tickets = {.struct_size = sizeof tickets,
                                          .version = RUNG_STRUCT_VERSION,
                                          .flags = RUNG_CONTEXT_TICKETS};
    must(rung_context_create(bench->model, NULL, &bench->context));
    must(rung_context_create(bench->model, &tickets, &bench->with_tickets));
    must(rung_model_get_info(bench->model, &model));
    const size_t bytes = (size_t)model.canvas_width * model.canvas_height * 4;
    bench->answer = rung__answer_of(bench->context);
    bench->packet = (rung_span){malloc(model.max_output_bytes), (size_t)model.max_output_bytes};
    bench->pixels = malloc(bytes);
    if (!bench->packet.data || !bench->pixels)
        exit(3);
    for (size_t i = 0; i < bytes; i++)
        bench->pixels[i] = (uint8_t)(i * 2654435761u >> 24);
    bench->info = (rung_run_info){.struct_size = sizeof bench->info, RUNG_STRUCT_VERSION};
    bench->frame = (rung_frame){
        .struct_size = sizeof bench->frame,
        .version = RUNG_STRUCT_VERSION,
        .pixels = bench->pixels,
        .width = model.canvas_width,
        .height = model.canvas_height,
        .format = format,
    };
    return true;
}

static void close_model(struct bench *bench)
{
    rung_context_destroy(bench->with_tickets);
    rung_context_destroy(bench->context);
    rung_model_destroy(bench->model);
    free(bench->packet.data);
    free(bench->pixels);
}

/* ---- sides ------------------------------------------------------------------------------- */

void run_bare(const struct bench *bench)
{
    const struct rung_context *context = bench->context;
    must(context->serving->rung->provider->run(context->lanes[0].running));
}

static void run_whole(struct bench *bench)
{
    size_t needed;
    must(rung__run_frame(bench->context, bench->answer, &bench->frame, bench->packet, &needed,
                         &bench->info));
}

static void run_ticket(struct bench *bench)
{
    const rung_frame *const frames[] = {&bench->frame};
    const rung_request request = {.struct_size = sizeof request,
                                  .version = RUNG_STRUCT_VERSION,
                                  .frame_count = 1,
                                  .frames = frames};
    rung_ticket ticket;
    size_t needed;
    must(rung_submit(bench->with_tickets, &request, &ticket));
    must(rung_collect(bench->with_tickets, ticket, RUNG_FOREVER, bench->packet, &needed,
                      &bench->info));
}

static void run_side(struct bench *bench, enum side side)
{
    switch (side) {
    case HANDOVER:
        handover_once(&bench->handover);
        break;
    case BARE:
        run_bare(bench);
        break;
    case WHOLE:
        run_whole(bench);
        break;
    default:
        run_ticket(bench);
    }
}

/** The medians of a round. */
struct round {
    double sides[SIDES];
    double beside[SIDES]; /**< what a side takes longer than the bare run of its turn */
};

/** Wall time, or under the load of others what CPUs worked for this process. */
static uint64_t now(const struct bench *bench)
{
    struct timespec time;
    if (!bench->cpu_time)
        return rung__clock_now();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/** Each side begins as often as the others. */
static struct round time_round(struct bench *bench)
{
    static double times[SIDES][TURNS_MAX], beside[TURNS_MAX];
    struct round round;
    for (unsigned turn = 0; turn < bench->turns; turn++)
        for (unsigned i = 0; i < SIDES; i++) {
            const enum side side = (turn + i) % SIDES;
            const uint64_t start = now(bench);
            run_side(bench, side);
            times[side][turn] = (double)(now(bench) - start);
        }
    for (unsigned side = 0; side < SIDES; side++) {
        for (unsigned turn = 0; turn < bench->turns; turn++)
            beside[turn] = times[side][turn] - times[BARE][turn];
        round.beside[side] = median(beside, bench->turns);
    }
    for (unsigned side = 0; side < SIDES; side++)
        round.sides[side] = median(times[side], bench->turns);
    return round;
}

/* ---- figures ------------------------------------------------------------------------------- */

/** What a side takes beside the bare run, in nanoseconds and as a share of another side. */
struct beside {
    struct figure ns, share;
};

static struct beside beside_of(const struct round *rounds, enum side side, enum side of,
                               double units)
{
    struct beside beside;
    for (unsigned i = 0; i < ROUNDS; i++) {
        beside.ns.values[i] = rounds[i].beside[side];
        beside.share.values[i] = units * rounds[i].beside[side] / rounds[i].sides[of];
    }
    return beside;
}

/** True when the promises are kept. */
static bool measure(struct bench *bench)
{
    static struct round rounds[ROUNDS];
    (void)time_round(bench); /* the first runs reserve memory */
    for (unsigned i = 0; i < ROUNDS; i++)
        rounds[i] = time_round(bench);
    for (unsigned side = 0; side < SIDES; side++) {
        struct figure figure;
        for (unsigned i = 0; i < ROUNDS; i++)
            figure.values[i] = rounds[i].sides[side];
        print_figure(bench, side_names[side], "ns", &figure);
    }
    const struct beside whole = beside_of(rounds, WHOLE, BARE, 100);
    const struct beside ticket = beside_of(rounds, TICKET, BARE, 100);
    const struct beside handovers = beside_of(rounds, TICKET, HANDOVER, 1);
    print_figure(bench, "synchronous - bare", "ns", &whole.ns);
    print_figure(bench, "(synchronous - bare) / bare", "%", &whole.share);
    print_figure(bench, "(submit to collect) - bare", "ns", &ticket.ns);
    print_figure(bench, "  of the bare run", "%", &ticket.share);
    print_figure(bench, "  hand-overs", "x", &handovers.share);
    measure_parts(bench);
    return bench->tiny
               ? median_of(&whole.ns) <= LIMIT_NS && median_of(&handovers.share) <= LIMIT_HANDOVERS
               : median_of(&whole.share) <= LIMIT_PERCENT &&
                     median_of(&ticket.share) <= LIMIT_PERCENT;
}

static bool measure_model(struct bench *bench, const char *path, rung_pixel_format format)
{
    if (!open_model(bench, path, format))
        return true;
    handover_begin(&bench->handover);
    const bool kept = measure(bench);
    handover_end(&bench->handover);
    close_model(bench);
    return kept;
}

static void open_instance(struct bench *bench, const char *trust)
{
    const rung_instance_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .probe = RUNG_PROBE_OFF,
        .trust_path = trust,
    };
    must(rung_instance_create(&options, &bench->instance));
}

/** The first of those that this process may use. */
static void stay_on_one_cpu(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    int cpu = 0;
    while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &set))
        cpu++;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    (void)sched_setaffinity(0, sizeof set, &set);
}

static bool measure_tiny_models(struct bench *bench)
{
    struct tiny_folder folder;
    bool kept = true;
    if (!bench->all_cpus)
        stay_on_one_cpu();
    tiny_folder_make(&folder);
    open_instance(bench, folder.public_key);
    for (unsigned i = 0; i < TINY_MODELS; i++) {
        tiny_model_make(&folder, &tiny_models[i]);
        bench->name = tiny_models[i].name;
        kept &= measure_model(bench, folder.model, tiny_models[i].format);
    }
    tiny_folder_remove(&folder);
    return kept;
}

static bool measure_file(struct bench *bench, const char *path)
{
    const char *name = strrchr(path, '/');
    bench->name = name ? name + 1 : path;
    open_instance(bench, NULL);
    return measure_model(bench, path, RUNG_PIXEL_RGB8);
}

static bool read_options(int argc, char **argv, struct bench *bench)
{
    static const struct option options[] = {
        {"all-cpus", no_argument, NULL, 'a'},
        {"cpu-time", no_argument, NULL, 'c'},
        {"json", no_argument, NULL, 'j'},
        {"rung", required_argument, NULL, 'r'},
        {"threads", required_argument, NULL, 'n'},
        {"turns", required_argument, NULL, 't'},
        {0},
    };
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (option) {
        case 'a':
            bench->all_cpus = true;
            break;
        case 'c':
            bench->cpu_time = true;
            break;
        case 'j':
            bench->json = true;
            break;
        case 'r':
            bench->rung = optarg;
            break;
        case 'n':
            bench->threads = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 't':
            bench->turns = (unsigned)strtoul(optarg, NULL, 10);
            break;
        default:
            return false;
        }
    return optind >= argc - 1 && bench->turns <= TURNS_MAX;
}

int main(int argc, char **argv)
{
    struct bench bench = {.rung = "ort-cpu"};
    if (!read_options(argc, argv, &bench)) {
        fprintf(stderr,
                "usage: overhead [--json] [--rung RUNG] [--threads N] [--turns 1..%d] [--all-cpus] "
                "[--cpu-time] [MODEL]\n",
                TURNS_MAX);
        return 2;
    }
    const char *path = argv[optind];
    bench.tiny = !path;
    if (!bench.turns)
        bench.turns = bench.tiny ? 2000 : 15;
    const bool kept = path ? measure_file(&bench, path) : measure_tiny_models(&bench);
    rung_instance_destroy(bench.instance);
    return kept ? 0 : 1;
}
