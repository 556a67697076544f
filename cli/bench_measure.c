/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a benchmark, on a thread for each context. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_run.h"
#include "progress.h"
#include "signals.h"

/* Sides take turns of at least this: in shorter ones they would find the caches of the other, and
 * series begin and end. */
#define TURN_NS        20000000u
#define SERIES_TURN_NS 200000000u
/* Rounds there are at least, as far as the iterations reach: their spread is what counts. */
#define ROUNDS_WANTED 20u

#define PERIOD_NS 100000000u /* of the progress */

struct measuring;

/** A thread: it has one context of each side. */
struct worker {
    struct measuring *all;
    struct bench_runner runner;
    pthread_t thread;
    struct bench_runs runs[BENCH_SIDES_MOST];
    struct bench_run last;              /**< the last run before anything counts */
    uint64_t warm_ns[BENCH_SIDES_MOST]; /**< the time of that one */
    uint32_t cold;                      /**< runs that are still to warm up */
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
    int status;         /* EXIT_DONE, or after a message */
    atomic_size_t next; /* of the turn */
    atomic_size_t done;

    struct progress progress;
    uint64_t drawn_ns;
};

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
    const uint64_t turn_ns = all->bench->plan.series ? SERIES_TURN_NS : TURN_NS;
    size_t each = (size_t)(turn_ns / slowest_ns(all)) + 1;
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

static void end_turn(struct measuring *all, uint64_t now)
{
    struct bench_side *side = &all->bench->sides[all->turn.side];
    const uint64_t took = now - all->turn.begin_ns;
    side->busy_ns += took;
    if (!samples_add(&side->turns, (double)took)) {
        fail_memory();
        all->status = EXIT_BACKEND;
        all->failed = true;
    }
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
        end_turn(all, now);
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

static bool next_of_turn(void *user, size_t *number)
{
    const struct worker *worker = user;
    struct measuring *all = worker->all;
    if (!is_left(all))
        return false;
    *number = all->next++;
    if (*number >= all->turn.count)
        return false;
    *number += all->planned;
    return true;
}

static bool take_of_turn(void *user, const struct bench_run *done)
{
    struct worker *worker = user;
    struct measuring *all = worker->all;
    struct bench_run run = *done;
    run.round = all->turn.round;
    all->done++;
    if (worker->runner.context == 0)
        draw(all);
    return bench_runs_add(&worker->runs[all->turn.side], &run);
}

static void run_all(struct worker *worker, size_t side, const struct bench_supply *supply)
{
    if (!bench_run_all(&worker->runner, side, supply))
        worker->all->failed = true;
}

static void take_turn(struct worker *worker)
{
    const struct bench_supply supply = {worker, next_of_turn, take_of_turn};
    run_all(worker, worker->all->turn.side, &supply);
}

static bool next_to_warm_up(void *user, size_t *number)
{
    struct worker *worker = user;
    if (worker->cold == 0 || !is_left(worker->all))
        return false;
    *number = --worker->cold;
    return true;
}

static bool take_to_warm_up(void *user, const struct bench_run *run)
{
    struct worker *worker = user;
    worker->last = *run;
    return true;
}

static void warm_up(struct worker *worker, size_t side, uint32_t count)
{
    const struct bench_supply supply = {worker, next_to_warm_up, take_to_warm_up};
    worker->cold = count;
    worker->last = worker->all->bench->sides[side].first;
    run_all(worker, side, &supply);
    worker->warm_ns[side] = worker->last.ns[BENCH_TOTAL];
}

static void *work(void *data)
{
    struct worker *worker = data;
    struct measuring *all = worker->all;
    pthread_mutex_lock(&all->gate);
    const bool is_complete = all->is_complete;
    pthread_mutex_unlock(&all->gate);
    for (size_t side = 0; is_complete && side < all->bench->side_count; side++)
        warm_up(worker, side, all->bench->plan.warmup);
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
    struct worker *worker = &all->workers[0];
    for (size_t side = 0; side < all->bench->side_count && !all->failed; side++) {
        warm_up(worker, side, 1);
        all->bench->sides[side].first = worker->last;
    }
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
    if (all->status != EXIT_DONE)
        return all->status;
    for (uint32_t i = 0; i < all->worker_count; i++)
        if (all->workers[i].runner.status != EXIT_DONE) {
            fprintf(stderr, "rung: %s\n", all->workers[i].runner.why);
            return all->workers[i].runner.status;
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
        all.workers[i].runner = (struct bench_runner){.bench = bench, .context = i};
    }
    pthread_barrier_init(&all.barrier, NULL, all.worker_count);
    pthread_mutex_init(&all.gate, NULL);
    const int status = measure(&all);
    pthread_mutex_destroy(&all.gate);
    pthread_barrier_destroy(&all.barrier);
    for (uint32_t i = 0; i < all.worker_count; i++) {
        bench_runner_finish(&all.workers[i].runner);
        for (size_t side = 0; side < bench->side_count; side++)
            bench_runs_finish(&all.workers[i].runs[side]);
    }
    free(all.workers);
    return status;
}
