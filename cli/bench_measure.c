/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a benchmark, on a thread for each context. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "progress.h"
#include "signals.h"

/* Sides take turns of at least this: in shorter ones they would find the caches of the other. */
#define TURN_NS 20000000u
/* Rounds there are at least, as far as the iterations reach: their spread is what counts. */
#define ROUNDS_WANTED 20u

#define PERIOD_NS 100000000u /* of the progress */

struct measuring;

/** A thread: it has one context of each side. */
struct worker {
    struct measuring *all;
    uint32_t number;
    pthread_t thread;
    struct photo photo;
    struct bench_runs runs[BENCH_SIDES_MOST];
    uint64_t warm_ns[BENCH_SIDES_MOST]; /**< its last run before anything counts */
    int status;                         /**< EXIT_DONE, or what a failure means */
    char why[BENCH_WHY_BYTES];
};

/** Runs that are handed out to the threads, all of one side; then the other side has its turn. */
struct turn {
    size_t side;
    uint32_t round;
    size_t count; /**< 0: there is nothing left to do */
    uint64_t begin_ns;
    uint64_t end_ns; /**< no run begins later */
};

struct measuring {
    struct bench *bench;
    struct worker *workers;
    uint32_t worker_count;
    atomic_bool failed;
    pthread_mutex_t gate; /* no thread passes it before all are there */
    bool is_complete;

    pthread_barrier_t barrier; /* between turns; what follows is one thread's there */
    struct turn turn;
    size_t position; /* of the turn in its round */
    size_t planned;  /* runs of each side in the rounds before this one */
    uint64_t begin_ns;
    atomic_size_t next; /* of the turn */
    atomic_size_t done;

    struct progress progress;
    uint64_t drawn_ns;
};

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* ---- one run ------------------------------------------------------------------------------ */

/** Its `why` is set. */
static bool fail(struct worker *worker, int status)
{
    worker->status = status;
    worker->all->failed = true;
    return false;
}

static bool fail_run(struct worker *worker, rung_result result)
{
    const char *detail = rung_last_error();
    snprintf(worker->why, sizeof worker->why, "%s", detail[0] ? detail : rung_result_text(result));
    return fail(worker, exit_of(result));
}

static void fail_to_keep(struct worker *worker)
{
    snprintf(worker->why, sizeof worker->why, "there is no memory to keep what was measured");
    fail(worker, EXIT_BACKEND);
}

static rung_result answer(const struct bench_side *side, const struct role_session *session,
                          const struct photo *photo, size_t number, rung_run_info *info)
{
    const rung_frame frame = {
        .struct_size = sizeof frame,
        .version = RUNG_STRUCT_VERSION,
        .pixels = photo->pixels,
        .width = photo->width,
        .height = photo->height,
        .format = RUNG_PIXEL_RGB8,
        .frame_id = number,
    };
    const rung_span packet = {session->packet, (size_t)session->packet_bytes};
    *info = (rung_run_info){.struct_size = sizeof *info, .version = RUNG_STRUCT_VERSION};
    return role_run_of(side->model.info.role)(session->context, &frame, packet, NULL, info);
}

/** False with the reason in the worker. */
static bool run_once(struct worker *worker, size_t index, size_t number, struct bench_run *run)
{
    const struct bench_frames *frames = &worker->all->bench->frames;
    const struct bench_side *side = &worker->all->bench->sides[index];
    struct photo_error error = {0};
    rung_run_info info;
    const uint64_t begin = now_ns();
    const struct photo *photo = bench_frames_take(frames, number, &worker->photo, &error);
    const uint64_t decoded = bench_frames_decode(frames) ? now_ns() : begin;
    if (!photo)
        return fail(worker,
                    bench_frames_fail(frames, number, &error, worker->why, sizeof worker->why));
    const rung_result result = answer(side, &side->sessions[worker->number], photo, number, &info);
    const uint64_t end = now_ns();
    if (result != RUNG_OK)
        return fail_run(worker, result);
    *run = (struct bench_run){
        .begin_ns = begin,
        .ns = {[BENCH_DECODE] = decoded - begin,
               [BENCH_PREPROCESS] = info.preprocess_ns,
               [BENCH_RUN] = info.run_ns,
               [BENCH_POSTPROCESS] = info.postprocess_ns,
               [BENCH_TOTAL] = end - begin},
    };
    return true;
}

/* ---- turns -------------------------------------------------------------------------------- */

/** The time that the slower side needs for a run when it is warm. */
static uint64_t slowest_ns(const struct measuring *all)
{
    uint64_t slowest = 1;
    for (uint32_t i = 0; i < all->worker_count; i++)
        for (size_t side = 0; side < all->bench->side_count; side++)
            if (all->workers[i].warm_ns[side] > slowest)
                slowest = all->workers[i].warm_ns[side];
    return slowest;
}

/** Runs of one turn, of all contexts together. */
static size_t turn_length(const struct measuring *all, size_t left)
{
    const uint32_t iterations = all->bench->plan.iterations;
    if (all->bench->side_count == 1)
        return left;
    size_t each = (size_t)(TURN_NS / slowest_ns(all)) + 1;
    if (iterations && each > iterations / ROUNDS_WANTED / all->worker_count)
        each = iterations / ROUNDS_WANTED / all->worker_count;
    const size_t length = (each ? each : 1) * all->worker_count;
    return length < left ? length : left;
}

/** Where nothing else ends it the clock does. */
static bool is_time_over(const struct measuring *all, uint64_t now)
{
    const struct bench_plan *plan = &all->bench->plan;
    return !plan->iterations &&
           now - all->begin_ns >= (uint64_t)plan->duration_s * 1000000000u * all->bench->side_count;
}

/** Begins the next round: the side that was second comes first, so that neither has an advantage.
 */
static void begin_round(struct measuring *all, uint64_t now)
{
    const struct bench_plan *plan = &all->bench->plan;
    const size_t most = plan->iterations ? plan->iterations : BENCH_RUNS_MOST;
    const bool is_over = all->failed || signals_caught() || is_time_over(all, now);
    all->turn.count = is_over ? 0 : turn_length(all, most - all->planned);
}

/** What one thread does while the others wait. */
static void plan_turn(struct measuring *all)
{
    struct bench *bench = all->bench;
    const uint64_t now = now_ns();
    const bool is_first = all->begin_ns == 0;
    if (is_first)
        all->begin_ns = now;
    else {
        bench->sides[all->turn.side].busy_ns += now - all->turn.begin_ns;
        all->position = (all->position + 1) % bench->side_count;
        if (all->position == 0) {
            all->planned += all->turn.count;
            all->turn.round++;
        }
    }
    if (all->position == 0)
        begin_round(all, now);
    else if (all->failed || signals_caught())
        all->turn.count = 0;
    all->turn.side = (all->turn.round + all->position) % bench->side_count;
    all->turn.begin_ns = now;
    all->turn.end_ns = bench->side_count > 1 || bench->plan.iterations
                           ? UINT64_MAX
                           : now + (uint64_t)bench->plan.duration_s * 1000000000u;
    all->next = 0;
}

static bool next_turn(struct measuring *all)
{
    const int place = pthread_barrier_wait(&all->barrier);
    if (place == PTHREAD_BARRIER_SERIAL_THREAD)
        plan_turn(all);
    pthread_barrier_wait(&all->barrier);
    return all->turn.count > 0;
}

/** Runs of all sides that there will be: where the clock ends them, at the rate so far. */
static size_t expected(const struct measuring *all, uint64_t now)
{
    const struct bench_plan *plan = &all->bench->plan;
    const double gone = (double)(now - all->begin_ns) / 1e9;
    const double wanted = (double)plan->duration_s * (double)all->bench->side_count;
    if (plan->iterations)
        return plan->iterations * all->bench->side_count;
    return (size_t)((double)all->done * (gone < wanted ? wanted / gone : 1));
}

/** By one thread, between its runs: nobody has to wake up for it. */
static void draw(struct measuring *all)
{
    const uint64_t now = all->progress.shown ? now_ns() : 0;
    if (now - all->drawn_ns < PERIOD_NS)
        return;
    all->drawn_ns = now;
    all->progress.all = expected(all, now);
    progress_draw(&all->progress, all->done, (double)now / 1e6);
}

static bool is_left(struct measuring *all)
{
    return !all->failed && !signals_caught() && now_ns() < all->turn.end_ns;
}

static void take_turn(struct worker *worker)
{
    struct measuring *all = worker->all;
    const size_t side = all->turn.side;
    struct bench_run run;
    size_t number;
    while (is_left(all) && (number = all->next++) < all->turn.count) {
        if (!run_once(worker, side, all->planned + number, &run))
            return;
        run.round = all->turn.round;
        if (!bench_runs_add(&worker->runs[side], &run)) {
            fail_to_keep(worker);
            return;
        }
        all->done++;
        if (worker->number == 0)
            draw(all);
    }
}

static void warm_up(struct worker *worker)
{
    struct measuring *all = worker->all;
    struct bench_run run;
    for (size_t side = 0; side < all->bench->side_count; side++) {
        worker->warm_ns[side] = all->bench->sides[side].first.ns[BENCH_TOTAL];
        for (uint32_t i = 0; i < all->bench->plan.warmup && is_left(all); i++)
            if (run_once(worker, side, i, &run))
                worker->warm_ns[side] = run.ns[BENCH_TOTAL];
    }
}

static void *work(void *data)
{
    struct worker *worker = data;
    struct measuring *all = worker->all;
    pthread_mutex_lock(&all->gate);
    const bool is_complete = all->is_complete;
    pthread_mutex_unlock(&all->gate);
    if (is_complete)
        warm_up(worker);
    while (is_complete && next_turn(all))
        take_turn(worker);
    photo_thread_stop();
    return NULL;
}

/* ---- all of it ---------------------------------------------------------------------------- */

/** A barrier opens for all threads or for none: where one cannot be started none may reach it. */
static int start_threads(struct measuring *all)
{
    int error = 0;
    uint32_t started = 0;
    pthread_mutex_lock(&all->gate);
    while (started < all->worker_count && !error) {
        struct worker *worker = &all->workers[started];
        error = pthread_create(&worker->thread, NULL, work, worker);
        started += !error;
    }
    all->is_complete = !error;
    pthread_mutex_unlock(&all->gate);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(all->workers[i].thread, NULL);
    if (!error)
        return EXIT_DONE;
    fprintf(stderr, "rung: a thread cannot be started: %s\n", strerror(error));
    return EXIT_BACKEND;
}

static void run_first(struct measuring *all)
{
    struct bench *bench = all->bench;
    for (size_t i = 0; i < bench->side_count && !all->failed; i++)
        run_once(&all->workers[0], i, 0, &bench->sides[i].first);
}

static int by_begin(const void *a, const void *b)
{
    const struct bench_run *x = a, *y = b;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/** Brings together what the threads have. */
static bool collect(struct measuring *all)
{
    bool complete = true;
    for (size_t side = 0; side < all->bench->side_count; side++) {
        struct bench_runs *runs = &all->bench->sides[side].runs;
        for (uint32_t i = 0; i < all->worker_count; i++) {
            const struct bench_runs *own = &all->workers[i].runs[side];
            for (size_t run = 0; run < own->count; run++)
                complete = complete && bench_runs_add(runs, &own->items[run]);
        }
        if (runs->count)
            qsort(runs->items, runs->count, sizeof *runs->items, by_begin);
    }
    return complete;
}

static int tell_failure(const struct measuring *all)
{
    for (uint32_t i = 0; i < all->worker_count; i++)
        if (all->workers[i].status != EXIT_DONE) {
            fprintf(stderr, "rung: %s\n", all->workers[i].why);
            return all->workers[i].status;
        }
    return EXIT_DONE;
}

static int measure(struct measuring *all)
{
    struct bench *bench = all->bench;
    run_first(all);
    const struct load_times begin = load_now();
    progress_begin(&all->progress, SIZE_MAX, 0, (double)now_ns() / 1e6);
    int status = all->failed ? EXIT_DONE : start_threads(all);
    progress_clear(&all->progress);
    const struct load_times end = load_now();
    bench->load = load_between(&begin, &end);
    bench->peak_bytes = load_peak_bytes();
    bench->interrupted = signals_caught();
    if (status == EXIT_DONE)
        status = tell_failure(all);
    if (status == EXIT_DONE && !collect(all))
        status = fail_memory();
    return status;
}

int bench_measure(struct bench *bench)
{
    struct measuring all = {
        .bench = bench,
        .worker_count = bench->plan.contexts,
        .workers = calloc(bench->plan.contexts, sizeof *all.workers),
        .turn.end_ns = UINT64_MAX,
    };
    if (!all.workers)
        return fail_memory();
    for (uint32_t i = 0; i < all.worker_count; i++) {
        all.workers[i].all = &all;
        all.workers[i].number = i;
    }
    pthread_barrier_init(&all.barrier, NULL, all.worker_count);
    pthread_mutex_init(&all.gate, NULL);
    const int status = measure(&all);
    pthread_mutex_destroy(&all.gate);
    pthread_barrier_destroy(&all.barrier);
    for (uint32_t i = 0; i < all.worker_count; i++) {
        photo_finish(&all.workers[i].photo);
        for (size_t side = 0; side < bench->side_count; side++)
            bench_runs_finish(&all.workers[i].runs[side]);
    }
    free(all.workers);
    return status;
}
