/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three ways to spend N threads on many pictures: one run at a time on all of them, N contexts of
 * one model with a thread each, and N models with a thread each. The ways take turns, so that a
 * change in the machine's speed meets all alike.
 * usage: sessions [--json] MODEL [threads [rounds]]
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rung/rung.h>

#define THREADS_MAX        64
#define ROUNDS_MAX         100
#define PICTURES_OF_WORKER 24
#define SIDE               640

struct worker {
    pthread_t thread;
    rung_model *model; /* its own, or another worker's */
    rung_context *context;
    void *packet;
    size_t packet_bytes;
    unsigned pictures;
};

struct way {
    const char *name;
    bool one_worker, one_model;
    unsigned workers, models;
    struct worker worker[THREADS_MAX];
    double rates[ROUNDS_MAX];
};

static uint8_t picture[SIDE * SIDE * 3];

static void must(rung_result result)
{
    if (result == RUNG_OK)
        return;
    fprintf(stderr, "sessions: %s\n", rung_last_error());
    exit(3);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *work(void *pointer)
{
    struct worker *worker = pointer;
    const rung_frame frame = {
        .struct_size = sizeof frame,
        .version = RUNG_STRUCT_VERSION,
        .pixels = picture,
        .width = SIDE,
        .height = SIDE,
        .format = RUNG_PIXEL_RGB8,
    };
    for (unsigned i = 0; i < worker->pictures; i++)
        must(rung_detect(worker->context, &frame, (rung_span){worker->packet, worker->packet_bytes},
                         NULL, NULL));
    return NULL;
}

/** Pictures a second; each worker takes `pictures`. */
static double run(struct way *way, unsigned pictures)
{
    const double start = now();
    for (unsigned i = 0; i < way->workers; i++) {
        way->worker[i].pictures = pictures;
        if (pthread_create(&way->worker[i].thread, NULL, work, &way->worker[i]) != 0)
            exit(3);
    }
    for (unsigned i = 0; i < way->workers; i++)
        pthread_join(way->worker[i].thread, NULL);
    return pictures * way->workers / (now() - start);
}

static void prepare(struct way *way, rung_instance *instance, const char *path, unsigned threads)
{
    const rung_model_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .threads = way->one_worker ? threads : 1,
    };
    way->workers = way->one_worker ? 1 : threads;
    way->models = way->one_model ? 1 : threads;
    for (unsigned i = 0; i < way->workers; i++) {
        struct worker *worker = &way->worker[i];
        rung_model_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
        worker->model = way->worker[0].model;
        if (i < way->models)
            must(rung_model_open(instance, path, &options, &worker->model));
        must(rung_context_create(worker->model, NULL, &worker->context));
        must(rung_model_get_info(worker->model, &info));
        worker->packet_bytes = (size_t)info.max_output_bytes;
        worker->packet = malloc(worker->packet_bytes);
        if (!worker->packet)
            exit(3);
    }
    run(way, 2); /* the first runs reserve memory */
}

static void finish(struct way *way)
{
    for (unsigned i = 0; i < way->workers; i++) {
        rung_context_destroy(way->worker[i].context);
        free(way->worker[i].packet);
    }
    for (unsigned i = 0; i < way->models; i++)
        rung_model_destroy(way->worker[i].model);
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void print(struct way *way, unsigned rounds, bool json)
{
    double *rates = way->rates;
    qsort(rates, rounds, sizeof *rates, by_value);
    printf(
        json ? "{\"schema\":1,\"bench\":\"sessions\",\"way\":\"%s\",\"rounds\":%u,\"images_per_s\":"
               "{\"median\":%.3f,\"min\":%.3f,\"max\":%.3f}}\n"
             : "%-36s %u rounds: %.2f images/s (%.2f..%.2f)\n",
        way->name, rounds, rates[rounds / 2], rates[0], rates[rounds - 1]);
}

int main(int argc, char **argv)
{
    static struct way ways[] = {
        {.name = "one run on all threads", .one_worker = true, .one_model = true},
        {.name = "contexts of one model side by side", .one_model = true},
        {.name = "models side by side"},
    };
    const size_t count = sizeof ways / sizeof *ways;
    const bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
    char **operands = argv + 1 + json;
    const int operand_count = argc - 1 - json;
    const unsigned long threads = operand_count > 1 ? strtoul(operands[1], NULL, 10) : 2;
    const unsigned long rounds = operand_count > 2 ? strtoul(operands[2], NULL, 10) : 9;
    rung_instance *instance;
    if (operand_count < 1 || threads < 1 || threads > THREADS_MAX || rounds < 1 ||
        rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: sessions [--json] MODEL [threads, 1..%d [rounds, 1..%d]]\n",
                THREADS_MAX, ROUNDS_MAX);
        return 2;
    }
    for (size_t i = 0; i < sizeof picture; i++)
        picture[i] = (uint8_t)(i * 2654435761u >> 24);
    must(rung_instance_create(NULL, &instance));
    for (size_t i = 0; i < count; i++)
        prepare(&ways[i], instance, operands[0], (unsigned)threads);
    for (unsigned long round = 0; round < rounds; round++)
        for (size_t i = 0; i < count; i++)
            ways[i].rates[round] = run(&ways[i], PICTURES_OF_WORKER);
    for (size_t i = 0; i < count; i++) {
        print(&ways[i], (unsigned)rounds, json);
        finish(&ways[i]);
    }
    rung_instance_destroy(instance);
    return 0;
}
