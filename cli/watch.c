/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plans.h"
#include "signals.h"
#include "watch/look.h"
#include "watch/place.h"
#include "watch/screen.h"
#include "watch/ticks.h"

#define SECOND_NS 1000000000u

/* How late an interruption is seen while a source is waited for. */
#define WAIT_NS 50000000u

/* The pixels of a frame where no other limit is given: 7680 × 4320. Each source holds a few. */
#define PIXELS_DEFAULT 33177600u

#define RATE_DEFAULT 30u

static const char policy_partial[] = "partial", policy_abort[] = "abort";
static const char *const policies[] = {policy_partial, policy_abort, NULL};

/** The options of this command alone. */
static struct {
    uint32_t rate;
    uint64_t max_pixels;
    struct tick_limits limits;
    const char *policy, *place, *raw;
    struct feed_wishes feeds;
    struct thresholds thresholds;
} wanted = {
    .rate = RATE_DEFAULT,
    .max_pixels = PIXELS_DEFAULT,
    .policy = policy_partial,
    .thresholds = THRESHOLDS_NONE,
};

/** One call of the command. */
struct call {
    struct watch watch;
    const struct watch_output *output;
    rung_instance *instance;
    struct layout layout;
    int stop_files[2]; /**< a pipe, closed at its end when the sources are to stop */
    size_t opened;     /**< sources */
};

static int refuse(const char *why)
{
    fprintf(stderr, "rung watch: %s\n", why);
    return EXIT_USAGE;
}

/* ---- sources ------------------------------------------------------------------------------ */

static int open_stop_files(struct call *call)
{
    if (pipe2(call->stop_files, O_CLOEXEC) == 0)
        return EXIT_DONE;
    fprintf(stderr, "rung watch: a pipe cannot be made: %s\n", strerror(errno));
    return EXIT_BACKEND;
}

/** Two readers of one stream would take each other's bytes. */
static int refuse_twice(int count, char **operands)
{
    int inputs = 0;
    for (int i = 0; i < count; i++)
        inputs += strcmp(operands[i], "-") == 0;
    return inputs > 1 ? refuse("standard input can be one source only; a named pipe is another")
                      : EXIT_DONE;
}

static int open_sources(struct call *call, int count, char **operands)
{
    struct kind_options options = {
        .pixels_max = wanted.max_pixels,
        .stop_file = call->stop_files[0],
    };
    char why[512];
    if (wanted.raw && !raw_layout_read(wanted.raw, &options.raw, why, sizeof why))
        return refuse(why);
    for (int i = 0; i < count; i++) {
        struct feed *feed = &call->watch.sources[i].feed;
        const int status = feed_open(feed, operands[i], (uint64_t)i + 1, &options, &wanted.feeds);
        if (status != EXIT_DONE)
            return status;
        call->opened++;
    }
    call->watch.count = call->opened;
    return EXIT_DONE;
}

static int start_sources(struct call *call)
{
    for (size_t i = 0; i < call->opened; i++)
        if (!feed_start(&call->watch.sources[i].feed)) {
            fprintf(stderr, "rung watch: a thread for a source cannot be started\n");
            return EXIT_BACKEND;
        }
    return EXIT_DONE;
}

/** Waits for the size of its frames; what has none from the beginning is refused. */
static int await_source(struct watched *source)
{
    do {
        feed_await_size(&source->feed, now_ns() + WAIT_NS);
        source->report = feed_look(&source->feed, 0);
    } while (source->report.state == FEED_STARTING && source->report.width == 0 &&
             !signals_caught());
    if (source->report.state != FEED_FAILED)
        return signals_caught() ? EXIT_INTERRUPTED : EXIT_DONE;
    watch_tell(source, source->report.sentence);
    return source->report.lacks ? EXIT_BACKEND : EXIT_IO;
}

static int lay_out(struct call *call)
{
    struct watch *watch = &call->watch;
    struct frame_size sizes[RUNG_SCENE_SOURCES_MAX];
    rung_desktop_rect places[RUNG_SCENE_SOURCES_MAX];
    char why[512];
    for (size_t i = 0; i < watch->count; i++) {
        const int status = await_source(&watch->sources[i]);
        if (status != EXIT_DONE)
            return status;
        sizes[i].width = watch->sources[i].report.width;
        sizes[i].height = watch->sources[i].report.height;
    }
    if (!layout_apply(&call->layout, sizes, watch->count, places, why, sizeof why))
        return refuse(why);
    for (size_t i = 0; i < watch->count; i++)
        watch->sources[i].place = places[i];
    return EXIT_DONE;
}

/* ---- the scene ---------------------------------------------------------------------------- */

static int open_detector(struct call *call)
{
    struct watch *watch = &call->watch;
    rung_result result = open_instance(&call->instance);
    if (result != RUNG_OK)
        return fail_with(result);
    const int started = start_sources(call); /* they decode while the model is opened */
    if (started != EXIT_DONE)
        return started;
    const int status = role_open(call->instance, "watch", common.model, common.threads,
                                 RUNG_ROLE_DETECTOR, &watch->detector);
    return status == EXIT_DONE
               ? thresholds_read(watch->thresholds, watch->detector.model, &watch->detector.info,
                                 &watch->filter, &watch->options)
               : status;
}

static rung_result make_context(struct watch *watch)
{
    rung_context_options options = watch->options;
    options.struct_size = sizeof options;
    options.version = RUNG_STRUCT_VERSION;
    options.flags |= RUNG_CONTEXT_REBUILD; /* a lost device is no end of a watch */
    options.plan = plan_text();
    for (size_t i = 0; i < watch->count; i++) {
        const struct feed_report *report = &watch->sources[i].report;
        if (report->width > options.max_frame_width)
            options.max_frame_width = report->width;
        if (report->height > options.max_frame_height)
            options.max_frame_height = report->height;
    }
    return rung_context_create(watch->detector.model, &options, &watch->context);
}

static rung_result make_scene(struct watch *watch)
{
    const rung_scene_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .policy =
            wanted.policy == policy_abort ? RUNG_SCENE_POLICY_ABORT : RUNG_SCENE_POLICY_PARTIAL,
        .period_ns = SECOND_NS / wanted.rate,
        .min_confidence = watch->filter.confidence,
        .max_readers = 1,
    };
    rung_result result = make_context(watch);
    if (result == RUNG_OK)
        result = rung_scene_create(watch->context, &options, &watch->scene);
    for (size_t i = 0; i < watch->count && result == RUNG_OK; i++)
        result = rung_scene_add_source(watch->scene, watch->sources[i].feed.id);
    return result;
}

static void play(struct watch *watch)
{
    watch->begin_ns = watch->rated_ns = watch->now_ns = now_ns();
    for (size_t i = 0; i < watch->count; i++)
        feed_play(&watch->sources[i].feed, watch->scene, watch->sources[i].place, watch->begin_ns);
}

/* ---- one call ----------------------------------------------------------------------------- */

/** A failing model, or what is lacking, says more than a frame that cannot be read. */
static int status_of(const struct watch *watch)
{
    int status = EXIT_DONE;
    for (size_t i = 0; i < watch->count; i++) {
        const struct watched *source = &watch->sources[i];
        if (source->counters.failed || source->report.lacks)
            return EXIT_BACKEND;
        if (source->report.broken || source->report.state == FEED_FAILED)
            status = EXIT_IO;
    }
    return status;
}

static int watch_sources(struct call *call)
{
    struct watch *watch = &call->watch;
    int status = lay_out(call);
    if (status != EXIT_DONE)
        return status;
    const rung_result result = make_scene(watch);
    if (result != RUNG_OK)
        return fail_with(result);
    play(watch);
    status = call->output->begin(watch);
    if (status == EXIT_DONE)
        status = ticks_run(watch, call->output, &wanted.limits);
    look_at_end(watch);
    const int finished = call->output->finish(watch);
    if (status != EXIT_DONE)
        return status;
    if (signals_caught())
        return EXIT_INTERRUPTED;
    return finished != EXIT_DONE ? finished : status_of(watch);
}

/* ---- before and after --------------------------------------------------------------------- */

static void stop_sources(struct call *call)
{
    if (call->stop_files[1] >= 0)
        close(call->stop_files[1]);
    for (size_t i = 0; i < call->opened; i++)
        feed_stop(&call->watch.sources[i].feed);
}

/** False when the scene kept a frame. */
static bool tear_down(struct call *call)
{
    bool all_came_back = true;
    stop_sources(call);
    rung_scene_destroy(call->watch.scene);
    for (size_t i = 0; i < call->opened; i++)
        all_came_back = feed_close(&call->watch.sources[i].feed) && all_came_back;
    rung_context_destroy(call->watch.context);
    role_close(&call->watch.detector);
    rung_instance_destroy(call->instance);
    photo_stop();
    free(call->watch.packet);
    if (call->stop_files[0] >= 0)
        close(call->stop_files[0]);
    return all_came_back;
}

static const struct watch_output *choose_output(void)
{
    return common.json ? &watch_json : screen_is_there() ? &watch_table : &watch_plain;
}

static int check(struct call *call, int count, char **operands)
{
    char why[512];
    if (!common.model)
        return refuse("-m MODEL is missing; rung help models tells what it takes");
    if (count > (int)RUNG_SCENE_SOURCES_MAX) {
        snprintf(
            why, sizeof why,
            "a scene has at most %u sources, not %d; pictures of one source are named by their "
            "folder, or by a pattern in quotes",
            RUNG_SCENE_SOURCES_MAX, count);
        return refuse(why);
    }
    if (!layout_read(wanted.place, (size_t)count, &call->layout, why, sizeof why))
        return refuse(why);
    return refuse_twice(count, operands);
}

static int run(int count, char **operands)
{
    struct call call = {
        .watch = {.thresholds = &wanted.thresholds, .rate = wanted.rate, .policy = wanted.policy},
        .output = choose_output(),
        .stop_files = {-1, -1},
    };
    int status = check(&call, count, operands);
    if (status != EXIT_DONE)
        return status;
    signals_catch();
    status = plan_take();
    if (status == EXIT_DONE)
        status = open_stop_files(&call);
    if (status == EXIT_DONE)
        status = open_sources(&call, count, operands);
    if (status == EXIT_DONE)
        status = open_detector(&call);
    if (status == EXIT_DONE)
        status = watch_sources(&call);
    if (tear_down(&call))
        return status;
    fprintf(stderr, "rung: a frame did not come back from the scene, or came back twice\n");
    return EXIT_DEFECT;
}

static const struct option_row options[] = {
    ROW_MODEL,
    ROW_JSON,
    {.name = "rate",
     .argument = "HZ",
     .text = "scenes a second (default: 30)",
     .kind = OPTION_NUMBER,
     .target = &wanted.rate,
     .least = 1,
     .most = 1000},
    {.name = "policy",
     .argument = "POLICY",
     .text = "what becomes of a scene that lacks a source, late or failed: published all the same "
             "and marked, as is done by default, or not at all",
     .kind = OPTION_CHOICE,
     .target = &wanted.policy,
     .choices = policies},
    {.name = "place",
     .argument = "PLACE",
     .text =
         "how sources lie on the desktop: row (the default), column, grid, or a place for each, "
         "[WxH]+X+Y, with commas between them",
     .kind = OPTION_TEXT,
     .target = &wanted.place},
    {.name = "fps",
     .argument = "N",
     .text = "frames a second of each source (default: 30; raw frames come when they come)",
     .kind = OPTION_NUMBER,
     .target = &wanted.feeds.fps,
     .least = 1,
     .most = 1000},
    {.name = "loop",
     .text = "begin again with the first picture after the last",
     .target = &wanted.feeds.loop},
    {.name = "raw",
     .argument = "LAYOUT",
     .text = "what raw frames are, FORMAT:WIDTHxHEIGHT; the format is rgb8, bgr8, rgba8, bgra8, "
             "rgbx8, bgrx8 or gray8",
     .kind = OPTION_TEXT,
     .target = &wanted.raw},
    {.name = "duration",
     .argument = "SECONDS",
     .text = "end after this time",
     .kind = OPTION_NUMBER,
     .target = &wanted.limits.seconds,
     .least = 1,
     .most = 31536000},
    {.letter = 'n',
     .name = "count",
     .argument = "N",
     .text = "end after this many scenes",
     .kind = OPTION_NUMBER64,
     .target = &wanted.limits.scenes,
     .least = 1,
     .most = INT64_MAX},
    ROW_CLASSES(&wanted.thresholds),
    ROW_CONFIDENCE(&wanted.thresholds),
    {.name = "override-calibration",
     .text = "allow --conf below the model's own; every result says so",
     .target = &wanted.thresholds.override},
    {.name = "max-pixels",
     .argument = "N",
     .text = "refuse larger frames (default: 33177600, which is 7680 × 4320)",
     .kind = OPTION_NUMBER64,
     .target = &wanted.max_pixels,
     .least = 1,
     .most = 65535ull * 65535},
    ROW_THREADS("threads of one run (default: the physical cores that may be used)"),
    ROW_PROBE,
    ROW_PLAN,
    ROW_RUNG,
    ROW_REQUIRE,
    ROW_LADDER,
    ROWS_INSTANCE,
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung watch -m centerface --loop cam1 cam2", "Two folders as two cameras, in a live table."},
    {"rung watch -m centerface --json 'frames/%05d.png' >scenes.jsonl",
     "Numbered files, with one line of JSON a scene."},
    {"capture | rung watch -m centerface --raw rgb8:1280x720 -",
     "Raw frames that another program captures or decodes."},
    {"rung watch -m centerface --duration 9 synthetic synthetic:640x480:a.jpg",
     "Without data: shapes, and a picture that moves."},
    {NULL, NULL},
};

const struct command command_watch = {
    .name = "watch",
    .operands = "SOURCE…",
    .operand = VALUE_PATH,
    .text = "Detect in several moving sources at once, at a steady rate",
    .more =
        "A source is a folder of pictures; numbered files, such as frames/%05d.png; a pattern in\n"
        "quotes, such as 'frames/*.jpg'; a picture; - or a named pipe for raw frames (--raw); or\n"
        "synthetic[:WxH][:OBJECTS], moving shapes, and synthetic[:WxH]:PICTURE, a picture that\n"
        "moves. At most 16 of them.\n"
        "\n"
        "Each source is read on a thread of its own. At each tick the newest frame of each is "
        "taken,\n"
        "what is older is replaced, and all that is found makes up one scene in the coordinates "
        "of\n"
        "one desktop. On a terminal a table shows what becomes of the sources, with ages and\n"
        "latencies; elsewhere there is a line a second, and with --json a line of JSON a scene.\n"
        "\n"
        "It ends when all sources have, after --count or --duration, or by Ctrl-C. The exit "
        "status\n"
        "is 5 when a frame could not be read, and 3 when the model failed on one.",
    .options = options,
    .examples = examples,
    .verdict = REQUIRE_VERDICT,
    .see = (const char *const[]){"detect", "models", "explain", NULL},
    .run = run,
    .least_operands = 1,
    .most_operands = -1,
};
