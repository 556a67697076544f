/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "coco.h"
#include "draw.h"
#include "job.h"
#include "output.h"
#include "report.h"
#include "roles.h"
#include "thresholds.h"

/** The options of this command alone. */
static struct {
    const char *coco;
    bool csv;
    struct thresholds thresholds;
} wanted = {.thresholds = THRESHOLDS_NONE};

/** What one run of the command holds. */
struct detection {
    struct role_model detector;
    struct filter filter;
    rung_context_options context; /**< with what is overridden */
    struct coco coco;
};

/* ---- the model ---------------------------------------------------------------------------- */

static int open_detector(void *user, rung_instance *instance, const struct job_plan *plan)
{
    struct detection *detection = user;
    struct role_model *detector = &detection->detector;
    const int status =
        role_open(instance, "detect", common.model, plan->threads, RUNG_ROLE_DETECTOR, detector);
    if (status != EXIT_DONE)
        return status;
    detection->context.struct_size = sizeof detection->context;
    detection->context.version = RUNG_STRUCT_VERSION;
    return thresholds_read(&wanted.thresholds, detector->model, &detector->info, &detection->filter,
                           &detection->context);
}

static void close_detector(void *user)
{
    struct detection *detection = user;
    coco_abandon(&detection->coco);
    role_close(&detection->detector);
}

static void describe(void *user, char *to, size_t size)
{
    const struct detection *detection = user;
    role_describe(&detection->detector, to, size);
}

static json_t *settings(void *user)
{
    const struct detection *detection = user;
    bool complete = true;
    json_t *json =
        role_settings(&detection->detector, detection->detector.info.identity, &complete);
    thresholds_report(&wanted.thresholds, &detection->filter, &detection->context, json, &complete);
    return json_if(json, complete);
}

/* ---- sessions ----------------------------------------------------------------------------- */

static void session_free(void *data)
{
    role_session_finish(data);
    free(data);
}

static rung_result session_new(void *user, void **out)
{
    const struct detection *detection = user;
    struct role_session *session = *out = calloc(1, sizeof *session);
    rung_context_options options = detection->context;
    options.flags |= RUNG_CONTEXT_SERIES;
    return session ? role_session_init(session, &detection->detector, &options) : RUNG_NO_MEMORY;
}

/** DIR/NAME; what cannot be written in its own format gets .jpg behind its name. */
static char *annotated_path(const struct source *source)
{
    const char *ending = strrchr(source->inside, '.');
    bool keeps = ending && (strcasecmp(ending, ".png") == 0 || strcasecmp(ending, ".jpg") == 0 ||
                            strcasecmp(ending, ".jpeg") == 0);
    return output_path(common.output, source->inside, keeps ? "" : ".jpg");
}

/** Writes the picture with what was found; on failure the item has the reason. */
static bool annotate(const struct detection *detection, const void *packet, struct job_item *item)
{
    char *path = annotated_path(item->source);
    bool saved = false;
    if (!path)
        job_item_fail_memory(item);
    else if (output_is_same(path, item->source->path)) {
        item->error.code = "IO";
        snprintf(item->error.message, sizeof item->error.message,
                 "-o would write over it; give another folder");
        item->status = EXIT_IO;
    } else {
        saved = draw_targets(&item->photo, packet, detection->detector.model, &item->error) &&
                draw_save(item->photo.pixels, item->photo.width, item->photo.height, 3, path,
                          &item->error);
        item->status = saved ? EXIT_DONE : EXIT_IO;
    }
    free(path);
    return saved;
}

static struct role_session *session_of(void *session)
{
    return session; /* it is all there is */
}

static void tell_targets(void *user, void *data, struct job_item *item, const rung_run_info *info)
{
    const struct detection *detection = user;
    const struct role_session *session = data;
    const struct report report = {item, session->packet, info, detection->detector.model};
    filter_packet(&detection->filter, session->packet);
    if (common.output && !annotate(detection, session->packet, item))
        return;
    item->line = report_line(&report);
    if (!item->line)
        job_item_fail_memory(item);
}

/* ---- results ------------------------------------------------------------------------------ */

static int fail_coco(const char *why)
{
    const int error = errno;
    fprintf(stderr, "rung: %s\n", why);
    return error == ENOMEM ? EXIT_BACKEND : EXIT_IO;
}

static int begin(void *user, const struct sources *sources)
{
    struct detection *detection = user;
    char why[512];
    if (wanted.coco && !coco_begin(&detection->coco, wanted.coco, sources,
                                   detection->detector.model, why, sizeof why))
        return fail_coco(why);
    if (wanted.csv)
        report_csv_head();
    else if (!common.json && !common.resume)
        report_table_head();
    return EXIT_DONE;
}

static int write_line(void *user, size_t index, const json_t *line)
{
    struct detection *detection = user;
    char why[512];
    if (wanted.coco && !coco_add(&detection->coco, index, line, why, sizeof why))
        return fail_coco(why);
    if (wanted.csv)
        report_csv(line);
    else if (!common.json && !common.resume)
        report_table(line);
    return EXIT_DONE;
}

static int finish(void *user)
{
    struct detection *detection = user;
    char why[512];
    if (!wanted.coco || coco_commit(&detection->coco, why, sizeof why))
        return EXIT_DONE;
    return fail_coco(why);
}

static const struct job_work work = {
    .open = open_detector,
    .close = close_detector,
    .describe = describe,
    .settings = settings,
    .session_new = session_new,
    .session_free = session_free,
    .session_of = session_of,
    .answer = tell_targets,
    .begin = begin,
    .write = write_line,
    .finish = finish,
    .counted = "targets",
    .noun = "target",
};

static int run(int count, char **operands)
{
    struct detection detection = {.coco.output.file = -1};
    if (!common.model) {
        fprintf(stderr, "rung detect: -m MODEL is missing; rung help models tells what it takes\n");
        return EXIT_USAGE;
    }
    if (wanted.csv && common.json) {
        fprintf(stderr, "rung detect: --json and --csv both write to standard output; give one\n");
        return EXIT_USAGE;
    }
    return job_run(&work, &detection, count, operands);
}

static const struct option_row options[] = {
    ROW_MODEL,
    {.letter = 'o',
     .name = "output",
     .argument = "DIR",
     .text = "also write the pictures with boxes, key points and labels",
     .kind = OPTION_TEXT,
     .value = VALUE_FOLDER,
     .target = &common.output},
    {.name = "csv",
     .text = "write comma-separated values to standard output",
     .target = &wanted.csv},
    {.name = "coco",
     .argument = "FILE",
     .text = "also write detections in COCO's format for results",
     .kind = OPTION_TEXT,
     .value = VALUE_FILE,
     .target = &wanted.coco},
    ROW_CLASSES(&wanted.thresholds),
    ROW_CONFIDENCE(&wanted.thresholds),
    {.name = "iou",
     .argument = "C",
     .text = "of targets that overlap by this share, 0..1, only the best; not above the model's "
             "own",
     .kind = OPTION_FRACTION,
     .target = &wanted.thresholds.iou},
    {.name = "max-det",
     .argument = "N",
     .text = "at most this many targets of a picture, the best; not above the model's own",
     .kind = OPTION_NUMBER,
     .target = &wanted.thresholds.most,
     .least = 1,
     .most = 10000},
    {.name = "override-calibration",
     .text = "allow --conf, --iou and --max-det beyond the model's own; every result says so",
     .target = &wanted.thresholds.override},
    ROWS_JOB,
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung detect -m centerface photo.jpg photos", "What is found, as a table."},
    {"rung detect -m centerface --json photos >results.jsonl", "One line of JSON a picture."},
    {"rung detect -m centerface -o annotated photos", "Also the pictures with what was found."},
    {NULL, NULL},
};

const struct command command_detect = {
    .name = "detect",
    .operands = "SOURCE…",
    .operand = VALUE_PATH,
    .text = "Find things in photographs",
    .more = "A source is a picture, or a folder whose pictures are taken with those of the folders "
            "below\n"
            "it, or - for a list of them on standard input. Coordinates are pixels of the upright "
            "picture. A\n"
            "picture that cannot be read is one line, the others' results stay, and the exit "
            "status is 5.",
    .options = options,
    .examples = examples,
    .verdict = REQUIRE_VERDICT,
    .see = (const char *const[]){"models", "explain", NULL},
    .run = run,
    .least_operands = 1,
    .most_operands = -1,
};
