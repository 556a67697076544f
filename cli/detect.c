/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common.h"
#include "draw.h"
#include "output.h"
#include "report.h"
#include "sources.h"

/** What one run of the command holds. */
struct job {
    rung_instance *instance;
    rung_model *model;
    rung_context *context;
    rung_model_info info;
    void *packet; /**< info.max_output_bytes */
    size_t done, failed, targets;
    int status;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    interrupted = signal_number;
}

/** The first Ctrl-C or TERM lets the picture at hand finish; a second one ends the process at once.
 */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int status_of(const struct photo_error *error)
{
    return strcmp(error->code, "NO_MEMORY") == 0 ? EXIT_BACKEND : EXIT_IO;
}

static void report_error(struct job *job, const char *source, const struct photo_error *error,
                         int status)
{
    if (!common.json || !report_json_error(source, error))
        fprintf(stderr, "rung: %s: %s\n", source, error->message);
    job->failed++;
    /* A failing runtime says more than a file that cannot be read. */
    if (job->status == EXIT_DONE || status == EXIT_BACKEND)
        job->status = status;
}

static rung_result detect(const struct job *job, const struct photo *photo, rung_run_info *info)
{
    const rung_frame frame = {
        .struct_size = sizeof frame,
        .version = RUNG_STRUCT_VERSION,
        .pixels = photo->pixels,
        .width = photo->width,
        .height = photo->height,
        .format = RUNG_PIXEL_RGB8,
        .frame_id = job->done,
    };
    *info = (rung_run_info){.struct_size = sizeof *info, .version = RUNG_STRUCT_VERSION};
    const rung_span packet = {job->packet, (size_t)job->info.max_output_bytes};
    rung_result result = rung_detect(job->context, &frame, packet, NULL, info);
    return result == RUNG_OK ? rung_packet_check(packet.data, packet.size) : result;
}

/** DIR/NAME; what cannot be written in its own format gets .jpg behind its name. */
static char *annotated_path(const struct source *source)
{
    const char *ending = strrchr(source->inside, '.');
    bool keeps = ending && (strcasecmp(ending, ".png") == 0 || strcasecmp(ending, ".jpg") == 0 ||
                            strcasecmp(ending, ".jpeg") == 0);
    size_t size = strlen(common.output) + strlen(source->inside) + 8;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s%s", common.output, source->inside, keeps ? "" : ".jpg");
    return path;
}

static bool annotate(const struct job *job, const struct source *source, struct photo *photo,
                     struct photo_error *error)
{
    char *path = annotated_path(source);
    bool saved = path != NULL;
    if (saved && output_is_same(path, source->path)) {
        snprintf(error->message, sizeof error->message,
                 "-o would write over it; give another folder");
        error->code = "IO";
        saved = false;
    } else if (saved)
        saved =
            draw_targets(photo, job->packet, job->model, error) && draw_save(photo, path, error);
    free(path);
    return saved;
}

static void detect_source(struct job *job, const struct source *source)
{
    struct photo photo = {0};
    struct photo_error error = {"NO_MEMORY", "no memory"};
    rung_run_info info;
    double begin = now_ms();
    if (!photo_load(source->path, PHOTO_PIXELS_DEFAULT, &photo, &error)) {
        report_error(job, source->path, &error, status_of(&error));
        goto finish;
    }
    double decoded = now_ms();
    rung_result result = detect(job, &photo, &info);
    if (result != RUNG_OK) {
        error.code = rung_result_name(result);
        snprintf(error.message, sizeof error.message, "%s", rung_last_error());
        report_error(job, source->path, &error, exit_of(result));
        goto finish;
    }
    const struct report report = {
        .source = source->path,
        .width = photo.width,
        .height = photo.height,
        .packet = job->packet,
        .info = &info,
        .decode_ms = decoded - begin,
        .total_ms = now_ms() - begin,
    };
    if (common.output && !annotate(job, source, &photo, &error)) {
        report_error(job, source->path, &error, status_of(&error));
        goto finish;
    }
    if (!(common.json ? report_json : report_table)(&report, job->model)) {
        error = (struct photo_error){"NO_MEMORY", "there is no memory to report what was found"};
        report_error(job, source->path, &error, EXIT_BACKEND);
        goto finish;
    }
    job->done++;
    job->targets += report.packet->count;
finish:
    photo_finish(&photo);
}

static rung_result prepare(struct job *job)
{
    rung_result result = open_instance(&job->instance);
    if (result == RUNG_OK)
        result = open_model(job->instance, &job->model);
    if (result == RUNG_OK)
        result = rung_context_create(job->model, NULL, &job->context);
    job->info.struct_size = sizeof job->info;
    job->info.version = RUNG_STRUCT_VERSION;
    if (result == RUNG_OK)
        result = rung_model_get_info(job->model, &job->info);
    return result;
}

static void tear_down(struct job *job)
{
    rung_context_destroy(job->context);
    rung_model_destroy(job->model);
    rung_instance_destroy(job->instance);
    free(job->packet);
}

static void summarise(const struct job *job, double seconds)
{
    fprintf(stderr, "%zu picture%s, %zu target%s, %zu error%s in %.2f s (%s on %s, %u thread%s)\n",
            job->done, job->done == 1 ? "" : "s", job->targets, job->targets == 1 ? "" : "s",
            job->failed, job->failed == 1 ? "" : "s", seconds, job->info.identity, job->info.rung,
            job->info.threads, job->info.threads == 1 ? "" : "s");
}

static int detect_all(struct job *job, const struct sources *sources)
{
    double begin = now_ms();
    if (!common.json)
        report_table_head();
    for (size_t i = 0; i < sources->count && !interrupted; i++)
        detect_source(job, &sources->items[i]);
    if (!common.json)
        summarise(job, (now_ms() - begin) / 1e3);
    if (interrupted)
        fprintf(stderr, "rung: interrupted after %zu of %zu pictures\n", job->done + job->failed,
                sources->count);
    return interrupted ? EXIT_INTERRUPTED : job->status;
}

static int run(int count, char **operands)
{
    struct job job = {0};
    struct sources sources = {0};
    if (!common.model) {
        fprintf(stderr, "rung detect: -m MODEL is missing; rung help models tells what it takes\n");
        return EXIT_USAGE;
    }
    if (!photo_start("rung"))
        return EXIT_BACKEND;
    catch_signals();
    int status;
    char why[512] = "there is no memory";
    rung_result result = prepare(&job);
    if (result != RUNG_OK)
        status = fail_with(result);
    else if (!(job.packet = malloc((size_t)job.info.max_output_bytes)) ||
             !sources_list(&sources, count, operands, false, why, sizeof why)) {
        status = errno == ENOMEM ? EXIT_BACKEND : EXIT_IO;
        fprintf(stderr, "rung detect: %s\n", why);
    } else if (sources.count == 0) {
        fprintf(stderr, "rung detect: no pictures in %s\n", operands[0]);
        status = EXIT_IO;
    } else
        status = detect_all(&job, &sources);
    sources_finish(&sources);
    tear_down(&job);
    photo_stop();
    return status;
}

static const struct option_row options[] = {
    ROW_MODEL,
    ROW_JSON,
    {'o', "output", "DIR", "also write the pictures with boxes, key points and labels", OPTION_TEXT,
     &common.output, 0, 0},
    {0, "threads", "N", "threads of one run (default: the physical cores that may be used)",
     OPTION_NUMBER, &common.threads, 1, 1024},
    ROW_RUNG,
    ROW_RUNTIME,
    ROW_TRUST,
    ROW_UNSIGNED,
    ROW_VERBOSE,
    ROW_END,
};

const struct command command_detect = {
    .name = "detect",
    .operands = "SOURCE…",
    .text = "Find things in photographs",
    .more = "A source is a picture, or a folder whose pictures are taken with those of the folders "
            "below\n"
            "it. Coordinates are pixels of the upright picture. A picture that cannot be read is "
            "one line,\n"
            "the others' results stay, and the exit status is 5.",
    .options = options,
    .run = run,
    .least_operands = 1,
    .most_operands = -1,
};
