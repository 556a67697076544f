/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of every level of instructions that this processor runs, against the oracles. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "check_operations.h"
#include "kernel/cpu_flags.h"
#include "kernel_check.h"

#define ROUNDS        15
#define ROUND_NS      2000000u /* a run is repeated until it has taken so long */
#define EFFORTS_LIMIT 100000u

static const struct operation {
    const char *name;
    void (*check)(struct kernel_check *check);
    void (*time)(struct kernel_check *check);
} operations[] = {
    {"bilinear", check_bilinear, time_bilinear},
    {"triangle", check_triangle, time_triangle},
    {"nearest", check_nearest, time_nearest},
    {"scan_mark", check_scan_mark, time_scan_mark},
    {"scan_rate", check_scan_rate, time_scan_rate},
    {"scan_planes", check_scan_planes, time_scan_planes},
    {"scan_fold", check_scan_fold, time_scan_fold},
    {"scan_table", check_scan_table, time_scan_table},
    {"mask", check_mask, time_mask},
    {"select", check_select, time_select},
    {"normalise", check_normalise, time_normalise},
    {"decode_rows", check_decode_rows, time_decode_rows},
    {"decode_yolo", check_decode_yolo, time_decode_yolo},
    {"decode_yolo_obj", check_decode_yolo_obj, time_decode_yolo_obj},
    {"decode_yolo_e2e", check_decode_yolo_e2e, time_decode_yolo_e2e},
    {"decode_detr", check_decode_detr, time_decode_detr},
    {"decode_considered", check_decode_considered, time_decode_considered},
    {"decode_centernet", check_decode_centernet, time_decode_centernet},
    {"decode_strided", check_decode_strided, time_decode_strided},
    {"decode_ssd", check_decode_ssd, time_decode_ssd},
    {"decode_fastestdet", check_decode_fastestdet, time_decode_fastestdet},
    {NULL, NULL, NULL},
};

static const char usage[] =
    "Usage: check-kernels [--bench] [--only NAME] [--level NAME] [--effort N] [--list]\n"
    "Compares every kernel of every level with the scalar oracle. CHECK_SEED repeats a run.\n"
    "  --bench       time them against the oracle instead\n"
    "  --only NAME   the operations whose names begin so\n"
    "  --level NAME  this level alone, such as avx2\n"
    "  --effort N    N times as many random cases (default 1)\n"
    "  --list        the operations\n";

struct options {
    const char *only, *level;
    uint32_t effort;
    bool bench, list;
};

bool kernel_check_same(struct kernel_check *check, const void *actual, const void *expected,
                       size_t size, const char *format, ...)
{
    const uint8_t *a = actual, *b = expected;
    va_list arguments;
    if (check->failed)
        return false;
    check->cases++;
    if (size == 0 || memcmp(a, b, size) == 0)
        return true;
    size_t at = 0;
    while (a[at] == b[at])
        at++;
    check->failed = true;
    printf("%s: byte %zu of %zu is %02x, not %02x: ", check->level, at, size, a[at], b[at]);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    return false;
}

/** Nanoseconds of the quickest of several runs: what disturbs one only makes it longer. */
static double time_of(void (*run)(void *user, uint64_t flags), void *user, uint64_t flags)
{
    const uint64_t start = rung__clock_now();
    uint64_t begin = start, least = UINT64_MAX;
    while (begin - start < ROUND_NS) {
        run(user, flags);
        const uint64_t end = rung__clock_now();
        least = end - begin < least ? end - begin : least;
        begin = end;
    }
    return (double)least;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void kernel_check_time(const struct kernel_check *check, const char *what,
                       void (*run)(void *user, uint64_t flags), void *user)
{
    double scalar[ROUNDS], level[ROUNDS], ratio[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        const bool swapped = i & 1;
        if (swapped)
            level[i] = time_of(run, user, check->flags);
        scalar[i] = time_of(run, user, 0);
        if (!swapped)
            level[i] = time_of(run, user, check->flags);
        ratio[i] = scalar[i] / level[i];
    }
    qsort(scalar, ROUNDS, sizeof *scalar, by_value);
    qsort(level, ROUNDS, sizeof *level, by_value);
    qsort(ratio, ROUNDS, sizeof *ratio, by_value);
    printf("  %-44s scalar %9.1f µs  %s %9.1f µs  %6.2f × (%.2f..%.2f)\n", what,
           scalar[ROUNDS / 2] / 1e3, check->level, level[ROUNDS / 2] / 1e3, ratio[ROUNDS / 2],
           ratio[0], ratio[ROUNDS - 1]);
    fflush(stdout);
}

static bool run_operation(const struct operation *operation, const struct options *options,
                          const struct rung__cpu_level *level)
{
    struct kernel_check check = {level->flags, level->name, {0}, 0, options->effort, false};
    if (options->bench) {
        printf("%s\n", operation->name);
        operation->time(&check);
        return true;
    }
    check.sweep = sweep_start(operation->name);
    operation->check(&check);
    printf("%-4s %s, %s: %" PRIu64 " cases\n", check.failed ? "FAIL" : "ok", operation->name,
           level->name, check.cases);
    fflush(stdout);
    if (check.cases == 0)
        printf("FAIL %s compared nothing\n", operation->name);
    return !check.failed && check.cases > 0;
}

/** The value behind an option; ends the process when there is none. */
static const char *value_of(char **argv, int *at)
{
    const char *value = argv[*at + 1];
    if (!value) {
        fprintf(stderr, "check-kernels: %s needs a value\n%s", argv[*at], usage);
        exit(2);
    }
    ++*at;
    return value;
}

static struct options read_options(char **argv)
{
    struct options options = {.effort = 1};
    for (int i = 1; argv[i]; i++) {
        if (strcmp(argv[i], "--bench") == 0)
            options.bench = true;
        else if (strcmp(argv[i], "--list") == 0)
            options.list = true;
        else if (strcmp(argv[i], "--only") == 0)
            options.only = value_of(argv, &i);
        else if (strcmp(argv[i], "--level") == 0)
            options.level = value_of(argv, &i);
        else if (strcmp(argv[i], "--effort") == 0)
            options.effort = (uint32_t)strtoul(value_of(argv, &i), NULL, 10);
        else {
            fputs(usage, strcmp(argv[i], "--help") == 0 ? stdout : stderr);
            exit(strcmp(argv[i], "--help") == 0 ? 0 : 2);
        }
    }
    if (options.effort < 1 || options.effort > EFFORTS_LIMIT) {
        fprintf(stderr, "check-kernels: --effort is 1..%u\n", EFFORTS_LIMIT);
        exit(2);
    }
    return options;
}

int main(int argc, char **argv)
{
    const struct options options = read_options(argv);
    const struct rung__cpu_level *level;
    bool good = true;
    uint32_t ran = 0;
    (void)argc;
    for (const struct operation *each = operations; each->name; each++) {
        if (options.only && strncmp(each->name, options.only, strlen(options.only)) != 0)
            continue;
        if (options.list)
            puts(each->name);
        for (size_t i = 1; !options.list && (level = rung__cpu_level(i)); i++)
            if (!options.level || strcmp(options.level, level->name) == 0) {
                good = run_operation(each, &options, level) && good;
                ran++;
            }
    }
    if (ran == 0 && !options.list) {
        fprintf(stderr, rung__cpu_level(1)
                            ? "check-kernels: no operation or level has such a name\n"
                            : "check-kernels: this processor runs the scalar kernels alone\n");
        return rung__cpu_level(1) ? 2 : 77; /* skipped */
    }
    return good ? 0 : 1;
}
