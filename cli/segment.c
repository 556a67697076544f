/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "draw.h"
#include "job.h"
#include "mask.h"
#include "output.h"
#include "report.h"
#include "roles.h"

#define MASK_ENDING    ".mask.png"
#define OVERLAY_ENDING ".overlay.jpg"

static bool overlay;

/** What one run of the command holds. */
struct segmentation {
    struct role_model segmenter;
};

/** What one thread holds. */
struct session {
    struct role_session segmenter;
    struct mask mask;
};

/* ---- the model ---------------------------------------------------------------------------- */

static int open_segmenter(void *user, rung_instance *instance, const struct job_plan *plan)
{
    struct segmentation *segmentation = user;
    return role_open(instance, "segment", common.model, plan->threads, RUNG_ROLE_SEGMENTER,
                     &segmentation->segmenter);
}

static void close_segmenter(void *user)
{
    struct segmentation *segmentation = user;
    role_close(&segmentation->segmenter);
}

static void describe(void *user, char *to, size_t size)
{
    const struct segmentation *segmentation = user;
    role_describe(&segmentation->segmenter, to, size);
}

static json_t *settings(void *user)
{
    const struct segmentation *segmentation = user;
    bool complete = true;
    json_t *json =
        role_settings(&segmentation->segmenter, segmentation->segmenter.info.identity, &complete);
    return json_if(json, complete);
}

/* ---- sessions ----------------------------------------------------------------------------- */

static void session_free(void *data)
{
    struct session *session = data;
    role_session_finish(&session->segmenter);
    mask_finish(&session->mask);
    free(session);
}

static rung_result session_new(void *user, void **out)
{
    const struct segmentation *segmentation = user;
    struct session *session = *out = calloc(1, sizeof *session);
    const rung_context_options options = {.flags = RUNG_CONTEXT_SERIES};
    return session ? role_session_init(&session->segmenter, &segmentation->segmenter, &options)
                   : RUNG_NO_MEMORY;
}

/** Both files or none; on failure the item has the reason. `overlay_path` is NULL without one. */
static bool save_files(const struct segmentation *segmentation, struct mask *mask,
                       const char *mask_path, const char *overlay_path, struct job_item *item)
{
    item->status = EXIT_IO;
    if (overlay_path) {
        mask_tint(mask, &item->photo);
        if (!draw_save(item->photo.pixels, item->photo.width, item->photo.height, 3, overlay_path,
                       &item->error))
            return false;
    }
    if (!mask_save(mask, segmentation->segmenter.info.mask_classes, mask_path, &item->error)) {
        if (overlay_path)
            unlink(overlay_path);
        return false;
    }
    item->status = EXIT_DONE;
    return true;
}

static bool save(const struct segmentation *segmentation, struct session *session,
                 struct job_item *item)
{
    char *mask_path = output_path(common.output, item->source->inside, MASK_ENDING);
    char *overlay_path =
        overlay ? output_path(common.output, item->source->inside, OVERLAY_ENDING) : NULL;
    bool saved = mask_path && (overlay_path || !overlay) &&
                 mask_spread(&session->mask, session->segmenter.packet, item->photo.width,
                             item->photo.height);
    if (saved)
        saved = save_files(segmentation, &session->mask, mask_path, overlay_path, item);
    else
        job_item_fail_memory(item);
    free(mask_path);
    free(overlay_path);
    return saved;
}

/** The share of each class that there is, of the pixels that the model saw. */
static json_t *coverage_json(const struct segmentation *segmentation,
                             const rung_packet_header *packet, bool *complete)
{
    uint64_t counts[MASK_CLASSES];
    const double pixels = (double)packet->count * packet->stride;
    json_t *array = json_array();
    mask_count(packet, counts);
    for (uint16_t i = 0; i < MASK_CLASSES; i++) {
        char number[TARGET_CLASS_BYTES];
        if (!counts[i])
            continue;
        json_t *entry = json_object();
        set_member(entry, "class",
                   json_string(target_class(segmentation->segmenter.model, i, number)), complete);
        set_member(entry, "class_id", json_integer(i), complete);
        set_member(entry, "share", json_real((double)counts[i] / pixels), complete);
        append_item(array, entry, complete);
    }
    return array;
}

static struct role_session *session_of(void *data)
{
    struct session *session = data;
    return &session->segmenter;
}

static void tell_classes(void *user, void *data, struct job_item *item, const rung_run_info *info)
{
    const struct segmentation *segmentation = user;
    struct session *session = data;
    bool complete = true;
    json_t *line = report_new_picture(item, &complete);
    set_member(line, "coverage", coverage_json(segmentation, session->segmenter.packet, &complete),
               &complete);
    if (common.output && !save(segmentation, session, item)) {
        json_decref(line);
        return;
    }
    report_run(line, item, info, &complete);
    if (complete)
        item->line = line;
    else {
        json_decref(line);
        job_item_fail_memory(item);
    }
}

/* ---- results ------------------------------------------------------------------------------ */

static int begin(void *user, const struct sources *sources)
{
    (void)user, (void)sources;
    if (!common.json && !common.resume)
        printf("%-16s %7s  %s\n", "CLASS", "SHARE", "SOURCE");
    return EXIT_DONE;
}

static int write_line(void *user, size_t index, const json_t *line)
{
    const json_t *entry;
    size_t i;
    (void)user, (void)index;
    if (common.json || common.resume)
        return EXIT_DONE;
    json_array_foreach(json_object_get(line, "coverage"), i, entry)
    {
        printf("%-16s %6.1f%%  ", text_of(entry, "class"),
               100 * json_real_value(json_object_get(entry, "share")));
        report_print_source(line);
        putchar('\n');
    }
    fflush(stdout);
    return EXIT_DONE;
}

static const struct job_work work = {
    .open = open_segmenter,
    .close = close_segmenter,
    .describe = describe,
    .settings = settings,
    .session_new = session_new,
    .session_free = session_free,
    .session_of = session_of,
    .answer = tell_classes,
    .begin = begin,
    .write = write_line,
};

static int run(int count, char **operands)
{
    struct segmentation segmentation = {0};
    if (!common.model) {
        fprintf(stderr,
                "rung segment: -m MODEL is missing; rung help models tells what it takes\n");
        return EXIT_USAGE;
    }
    if (overlay && !common.output) {
        fprintf(stderr, "rung segment: --overlay needs -o DIR, where the pictures go\n");
        return EXIT_USAGE;
    }
    return job_run(&work, &segmentation, count, operands);
}

static const struct option_row options[] = {
    ROW_MODEL,
    {.letter = 'o',
     .name = "output",
     .argument = "DIR",
     .text = "write the mask of each picture as DIR/NAME" MASK_ENDING ", at the picture's size: "
             "black and white for a model of one class, else the number of the class",
     .kind = OPTION_TEXT,
     .value = VALUE_FOLDER,
     .target = &common.output},
    {.name = "overlay",
     .text = "also write the picture as DIR/NAME" OVERLAY_ENDING
             ", all but class 0 tinted by its class",
     .target = &overlay},
    ROWS_JOB,
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung segment -m selfie_seg -o masks --overlay photos",
     "Writes masks, and the pictures with the people in them tinted."},
    {"rung segment -m selfie_seg --json photo.jpg", "Tells how much of it is a person."},
    {NULL, NULL},
};

const struct command command_segment = {
    .name = "segment",
    .operands = "SOURCE…",
    .text = "Tell what each pixel of photographs belongs to",
    .operand = VALUE_PATH,
    .more = "A source is a picture, or a folder whose pictures are taken with those of the folders "
            "below it, or - for a list of them on standard input. A picture that cannot be read is "
            "one line, the others' results stay, and the exit status is 5.\n\n"
            "Shares are of the pixels that the model saw, on its own canvas. A pixel of a mask "
            "takes the class of the nearest one of these; where the model saw nothing it is of "
            "class 0.",
    .options = options,
    .examples = examples,
    .verdict = REQUIRE_VERDICT,
    .run = run,
    .least_operands = 1,
    .most_operands = -1,
};
