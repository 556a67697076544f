/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "colour.h"
#include "common.h"
#include "photo.h"
#include "report.h"
#include "roles.h"
#include "sources.h"

/* More pictures tell nothing new of the stages. */
#define PICTURES_MOST 16u

static uint32_t time_limit_s;

/** The pictures that are looked at, all in memory. */
struct pictures {
    struct sources sources;
    struct photo photos[PICTURES_MOST];
    rung_frame frames[PICTURES_MOST];
    const rung_frame *list[PICTURES_MOST];
    uint32_t count;
    bool started; /**< libvips was */
};

/* ---- pictures -------------------------------------------------------------------------------- */

static int fail_io(const char *path, const struct photo_error *error)
{
    fprintf(stderr, "rung: %s: %s\n", path, error->message);
    return strcmp(error->code, "NO_MEMORY") == 0 ? EXIT_BACKEND : EXIT_IO;
}

static int decode(struct pictures *pictures)
{
    struct photo_error error;
    for (size_t i = 0; i < pictures->sources.count && i < PICTURES_MOST; i++) {
        const char *path = pictures->sources.items[i].path;
        struct photo *photo = &pictures->photos[i];
        if (!photo_load(path, common.max_pixels, photo, &error))
            return fail_io(path, &error);
        pictures->frames[i] = photo_frame(photo);
        pictures->list[i] = &pictures->frames[i];
        pictures->count++;
    }
    return EXIT_DONE;
}

/** An exit status, after a message. Without operands there are none, and the library makes some. */
static int read_pictures(struct pictures *pictures, int count, char **operands)
{
    char why[512];
    struct photo_error error;
    if (count == 0)
        return EXIT_DONE;
    if (!sources_list(&pictures->sources, count, operands, false, why, sizeof why)) {
        fprintf(stderr, "rung: %s\n", why);
        return errno == ENOMEM ? EXIT_BACKEND : EXIT_IO;
    }
    if (pictures->sources.count == 0) {
        fprintf(stderr, "rung: no pictures in %s\n", operands[0]);
        return EXIT_IO;
    }
    photo_prepare();
    pictures->started = photo_start("rung", &error);
    if (pictures->started)
        return decode(pictures);
    fprintf(stderr, "rung: %s\n", error.message);
    return EXIT_BACKEND;
}

static void finish_pictures(struct pictures *pictures)
{
    for (uint32_t i = 0; i < PICTURES_MOST; i++)
        photo_finish(&pictures->photos[i]);
    if (pictures->started)
        photo_stop();
    sources_finish(&pictures->sources);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/** What the implementations are reported to. */
struct listing {
    json_t *rows; /**< NULL: a table is printed */
    bool complete, begun;
    bool differs; /**< one gave other bytes than base, or failed where base did not */
};

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static void print_head(void)
{
    char head[128];
    snprintf(head, sizeof head, "%-12s %-18s %-11s %9s %9s %6s  %s", "STAGE", "IMPLEMENTATION",
             "OUTCOME", "BASE ms", "ITS ms", "RATIO", "REASON");
    colour_print_head(head);
}

static void print_row(const rung_validation *row)
{
    printf("%-12s %-18s ", row->stage, row->implementation);
    colour_print_outcome(row->outcome, 11);
    if (row->rounds && row->p50_ns)
        printf(" %9.3f %9.3f %6.2f", ms(row->base_ns), ms(row->p50_ns),
               (double)row->base_ns / (double)row->p50_ns);
    else
        printf(" %9s %9s %6s", "-", "-", "-");
    printf("  %s\n", row->reason);
    fflush(stdout);
}

static json_t *row_json(const rung_validation *row, bool *complete)
{
    json_t *object = json_pack("{s:s,s:s,s:s,s:s}", "stage", row->stage, "implementation",
                               row->implementation, "outcome", row->outcome, "reason", row->reason);
    if (row->digest[0])
        set_member(object, "digest", json_string(row->digest), complete);
    if (!row->rounds)
        return object;
    set_member(object, "rounds", json_integer(row->rounds), complete);
    set_member(object, "base_ms", json_real(ms(row->base_ns)), complete);
    set_member(object, "p50_ms", json_real(ms(row->p50_ns)), complete);
    return object;
}

static void take_row(void *user, const rung_validation *row)
{
    struct listing *listing = user;
    if (listing->rows)
        append_item(listing->rows, row_json(row, &listing->complete), &listing->complete);
    else {
        if (!listing->begun)
            print_head();
        print_row(row);
    }
    listing->begun = true;
    if (strcmp(row->outcome, "different") == 0 || strcmp(row->outcome, "failed") == 0)
        listing->differs = true;
}

/* ---- the command ----------------------------------------------------------------------------- */

/** An exit status, after a message. */
static int print_report(struct listing *listing, const rung_model_info *info)
{
    json_t *json = json_pack("{s:i,s:s,s:s,s:o}", "schema", 1, "model", info->name, "rung",
                             info->rung, "stages", listing->rows);
    listing->rows = NULL;
    return report_print_line(json, listing->complete) ? EXIT_DONE : fail_memory();
}

static int fail_verdict(void)
{
    fprintf(stderr, "rung validate: not everything does what base does; see the rows that differ "
                    "or failed\n");
    return EXIT_VERDICT;
}

static int validate(rung_model *model, const struct pictures *pictures)
{
    const rung_validate_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .time_limit_ms = time_limit_s * 1000,
        .frames = pictures->list,
        .frame_count = pictures->count,
    };
    rung_model_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    struct listing listing = {.complete = true, .rows = common.json ? json_array() : NULL};
    if (common.json && !listing.rows)
        return fail_memory();
    rung_result result = rung_model_get_info(model, &info);
    if (result == RUNG_OK)
        result = rung_model_validate(model, &options, take_row, &listing);
    int status = result == RUNG_OK ? EXIT_DONE : fail_with(result);
    if (common.json && result == RUNG_OK)
        status = print_report(&listing, &info);
    json_decref(listing.rows);
    return status == EXIT_DONE && listing.differs ? fail_verdict() : status;
}

static int open_and_validate(const struct pictures *pictures)
{
    rung_instance *instance;
    rung_model *model = NULL;
    common.probe = probe_policies[0]; /* two would time each other */
    rung_result result = open_instance(&instance);
    if (result != RUNG_OK)
        return fail_with(result);
    result = open_model(instance, common.model, common.threads, &model);
    const int status = result == RUNG_OK ? validate(model, pictures) : fail_to_open(result);
    rung_model_destroy(model);
    rung_instance_destroy(instance);
    return status;
}

static int run(int count, char **operands)
{
    struct pictures pictures = {0};
    if (!common.model) {
        fprintf(stderr, "rung validate: -m MODEL is missing; it names the model that is run\n");
        return EXIT_USAGE;
    }
    int status = read_pictures(&pictures, count, operands);
    if (status == EXIT_DONE)
        status = open_and_validate(&pictures);
    finish_pictures(&pictures);
    return status;
}

static const struct option_row options[] = {
    ROW_MODEL,
    ROW_JSON,
    ROW_THREADS("threads of one run (default: the physical cores); records hold for that number"),
    {
        .name = "time-limit",
        .argument = "SECONDS",
        .text = "how long an implementation may take (default 20)",
        .kind = OPTION_NUMBER,
        .target = &time_limit_s,
        .least = 1,
        .most = 86400,
    },
    ROW_RUNG,
    ROW_REQUIRE,
    ROW_LADDER,
    ROWS_INSTANCE,
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung validate -m centerface photos", "Earn records on pictures of your own."},
    {"rung validate -m centerface", "The same on pictures that are made."},
    {NULL, NULL},
};

const struct command command_validate = {
    .name = "validate",
    .operands = "[PICTURE…]",
    .operand = VALUE_PATH,
    .text = "Earn records for the stages around a model on this device",
    .more =
        "Every implementation of a stage that can serve here looks at the same pictures as base, "
        "in turns. One that gives base's bytes, and is faster than base and than what would be "
        "taken without it, has a record in $XDG_STATE_HOME/rung/stages.json (~/.local/state/rung), "
        "and is taken from then on. One whose bytes differ has none. Of a folder the first 16 "
        "pictures count; without pictures two are made.",
    .options = options,
    .examples = examples,
    .verdict = "an implementation that gives other bytes than base, or " REQUIRE_VERDICT,
    .see = (const char *const[]){"plan", "bench", NULL},
    .run = run,
    .most_operands = -1,
};
