/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a frame on several threads, the calling one among them. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/semaphore.h"
#include "base/thread.h"
#include "stage/implementations.h"
#include "stage/pre/pre.h"

/* Shares that a worker has of a frame: those who begin late take fewer. */
#define SHARES_OF_A_WORKER 4u

struct pool;

struct worker {
    struct pool *pool;
    struct rung__thread thread;
    uint32_t number; /**< 0 is the caller's */
};

struct pool {
    struct rung__framer framer;
    uint32_t started; /**< threads */
    bool ending;
    struct rung__semaphore begin;
    atomic_uint working; /**< threads that are not done with the frame; 0 is waited for */
    struct rung__preprocess_frame frame;
    struct rung__canvas canvas; /* the frame's parts, for the threads that work on beyond `run` */
    struct rung__placement placement;
    struct rung__surface surface;
    uint32_t share;          /**< rows */
    atomic_uint next;        /**< the first row that nobody has taken */
    struct worker workers[]; /**< the threads */
};

/** Of a pool of so many workers, of which one is the caller. */
static size_t bytes_of(uint32_t workers)
{
    return sizeof(struct pool) + (workers - 1) * sizeof(struct worker);
}

static void work(struct pool *pool, uint32_t number)
{
    const uint32_t height = pool->canvas.height, share = pool->share;
    for (;;) {
        const uint32_t first = atomic_fetch_add(&pool->next, share);
        if (first >= height)
            return;
        const uint32_t rest = height - first;
        rung__framer_rows(&pool->framer, &pool->frame, number, first,
                          first + (rest < share ? rest : share));
    }
}

static void run_worker(void *data)
{
    const struct worker *worker = data;
    struct pool *pool = worker->pool;
    for (;;) {
        rung__semaphore_wait(&pool->begin);
        if (pool->ending)
            return;
        work(pool, worker->number);
        if (atomic_fetch_sub(&pool->working, 1) == 1)
            rung__wake_all(&pool->working);
    }
}

/** Also two threads at once, one that runs the frame and one that prepares the next. */
static void wait_for_all(void *data)
{
    struct pool *pool = data;
    uint32_t working;
    while ((working = atomic_load(&pool->working)) > 0)
        (void)rung__wait(&pool->working, working, RUNG__CLOCK_NEVER);
}

static void destroy(void *object)
{
    struct pool *pool = object;
    if (!pool)
        return;
    wait_for_all(pool);
    pool->ending = true;
    for (uint32_t i = 0; i < pool->started; i++)
        rung__semaphore_post(&pool->begin);
    for (uint32_t i = 0; i < pool->started; i++) {
        rung__thread_join(&pool->workers[i].thread);
        rung__ledger_ended(pool->framer.ledger);
    }
    rung__framer_finish(&pool->framer);
    rung__ledger_freed(pool->framer.ledger, bytes_of(pool->framer.workers));
    free(pool);
}

static rung_result create(const struct rung__stage_context *context, void **object)
{
    const uint32_t threads = context->workers - 1;
    struct pool *pool = calloc(1, bytes_of(context->workers));
    if (!pool)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a context");
    rung__framer_init(&pool->framer, context, context->cpu_flags, context->workers);
    rung__ledger_allocated(context->ledger, 0, bytes_of(context->workers));
    rung_result result = RUNG_OK;
    for (uint32_t i = 0; i < threads; i++) {
        pool->workers[i] = (struct worker){.pool = pool, .number = 1 + i};
        result =
            rung__thread_start(&pool->workers[i].thread, "rung-pre", run_worker, &pool->workers[i]);
        if (result != RUNG_OK)
            break;
        pool->started++;
        rung__ledger_started(context->ledger);
    }
    if (result == RUNG_OK)
        *object = pool;
    else
        destroy(pool);
    return result;
}

static rung_result reserve(void *object, const void *request)
{
    struct pool *pool = object;
    return rung__framer_reserve(&pool->framer, request);
}

/** Copies what the threads read: the caller's own may be gone when `run` has returned. */
static void keep(struct pool *pool, const struct rung__pre_request *request)
{
    pool->canvas = *request->canvas;
    pool->placement = *request->placement;
    pool->surface = *request->surface;
    pool->frame.canvas = &pool->canvas;
    pool->frame.placement = &pool->placement;
    pool->frame.surface = &pool->surface;
    const uint32_t shares = pool->framer.workers * SHARES_OF_A_WORKER;
    pool->share = (pool->canvas.height + shares - 1) / shares;
    atomic_store(&pool->next, 0);
}

static rung_result run(void *object, void *data)
{
    struct pool *pool = object;
    const struct rung__pre_request *request = data;
    wait_for_all(pool); /* the frame before may not have been run yet */
    rung_result result = rung__framer_begin(&pool->framer, request, &pool->frame);
    if (result != RUNG_OK)
        return result;
    keep(pool, request);
    atomic_store(&pool->working, pool->started);
    for (uint32_t i = 0; i < pool->started; i++)
        rung__semaphore_post(&pool->begin);
    rung__ledger_handed_over(pool->framer.ledger, 2 * pool->started); /* they post as often */
    work(pool, 0);
    if (!request->readiness ||
        rung__readiness_enter(request->readiness, request->tensor, request->generation,
                              (struct rung__ready_event){wait_for_all, pool}) != RUNG_OK)
        wait_for_all(pool);
    return RUNG_OK;
}

static const struct rung__stage_operations operations = {
    .create = create,
    .reserve = reserve,
    .run = run,
    .destroy = destroy,
};

const struct rung__implementation rung__pre_threaded = {
    RUNG__ON_ANY_CPU,
    .id = "threaded-exact-v1",
    .stage = RUNG__STAGE_PREPROCESS,
    .components = RUNG__COMPONENT_THREADS,
    .fallback = "simd-exact-v1",
    .per_model = true,
    .output = "the tensor of the canvas",
    .stream = "done when it returns, or at the tensor's readiness event",
    .operations = &operations,
};
