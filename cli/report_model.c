/* SPDX-License-Identifier: Apache-2.0 */
/* `rung report`: what a context of a model is here, and what its frames cost. */
#include "report_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_frames.h"
#include "load.h"
#include "plans.h"
#include "roles.h"
#include "signals.h"

#define RUNS_MOST 1000000u

/* A cancel counts when it comes while the model runs: of many frames, that is long enough. */
#define CANCEL_FRAMES  16u
#define CANCEL_LOOK_NS 50000u /* until it does */
#define CANCEL_TRIES   20

static struct {
    uint32_t warmup, iterations;
} wanted = {.warmup = 5, .iterations = 50};

/** What one call of the command holds. */
struct subject {
    const char *name; /**< of the model, as it was given */
    struct role_model model;
    struct role_session session;
    struct bench_frames frames;
    struct photo photo; /**< the picture that is looked at */
    size_t next;        /**< frame */
    bool interrupted;
};

/* ---- frames ------------------------------------------------------------------------------- */

/** Of the size that the model sees, without pictures. */
static int get_frames(struct subject *subject, int count, char **operands)
{
    const rung_model_info *info = &subject->model.info;
    return count ? bench_frames_read(&subject->frames, count, operands)
                 : bench_frames_make(&subject->frames, info->canvas_width, info->canvas_height);
}

/** Its pixels stay until the next one is taken. */
static int take_frame(struct subject *subject, rung_frame *frame)
{
    char why[BENCH_WHY_BYTES];
    struct photo_error error;
    const size_t number = subject->next++;
    const struct photo *photo =
        bench_frames_take(&subject->frames, number, &subject->photo, &error);
    if (!photo) {
        const int status = bench_frames_fail(&subject->frames, number, &error, why, sizeof why);
        fprintf(stderr, "rung: %s\n", why);
        return status;
    }
    *frame = photo_frame(photo);
    return EXIT_DONE;
}

static int run_frame(struct subject *subject)
{
    rung_frame frame;
    const int status = take_frame(subject, &frame);
    if (status != EXIT_DONE)
        return status;
    const struct role_session *session = &subject->session;
    const rung_span packet = {session->packet, (size_t)session->packet_bytes};
    const rung_result result = session->run(session->context, &frame, packet, NULL, NULL);
    return result == RUNG_OK ? EXIT_DONE : fail_with(result);
}

/** So many, or those until a signal. */
static int run_frames(struct subject *subject, uint32_t count)
{
    int status = EXIT_DONE;
    for (uint32_t i = 0; i < count && status == EXIT_DONE && !signals_caught(); i++)
        status = run_frame(subject);
    return status;
}

/* ---- the report --------------------------------------------------------------------------- */

static rung_result write_report(void *context, rung_span to, size_t *needed)
{
    return rung_context_report(context, to, needed);
}

static int make_session(struct subject *subject, const rung_context_options *options)
{
    const rung_result result = role_session_init(&subject->session, &subject->model, options);
    return result == RUNG_OK ? EXIT_DONE : fail_with(result);
}

/** The first frame, those for warming up, and those that count. */
static int measure(struct subject *subject, json_t **out)
{
    int status = make_session(subject, NULL);
    if (status == EXIT_DONE)
        status = run_frames(subject, 1 + wanted.warmup);
    if (status == EXIT_DONE && rung_context_restart_report(subject->session.context) != RUNG_OK)
        status = EXIT_DEFECT;
    if (status == EXIT_DONE)
        status = run_frames(subject, wanted.iterations);
    if (status == EXIT_DONE)
        status = read_json(write_report, subject->session.context, out);
    subject->interrupted = signals_caught();
    role_session_finish(&subject->session);
    subject->session = (struct role_session){0};
    return status;
}

/** Submits a request and cancels it soon. False when it was not running then. */
static bool cancel_once(rung_context *context, const rung_request *request)
{
    rung_ticket ticket;
    rung_ticket_state state = RUNG_TICKET_QUEUED;
    if (rung_submit(context, request, &ticket) != RUNG_OK)
        return false;
    while (state == RUNG_TICKET_QUEUED &&
           rung_wait(context, ticket, CANCEL_LOOK_NS, &state) == RUNG_TIMEOUT)
        ;
    if (rung_cancel(context, ticket) != RUNG_BUSY)
        return false;
    (void)rung_wait(context, ticket, RUNG_FOREVER, NULL);
    (void)rung_cancel(context, ticket);
    return true;
}

/** Where no cancel comes in time, as of a model that takes no time, what it takes stays unknown. */
static int cancel_one(struct subject *subject)
{
    rung_frame frame;
    const rung_frame *frames[CANCEL_FRAMES];
    const rung_request request = {
        .struct_size = sizeof request,
        .version = RUNG_STRUCT_VERSION,
        .frame_count = CANCEL_FRAMES,
        .frames = frames,
    };
    const int status = take_frame(subject, &frame);
    for (uint32_t i = 0; i < CANCEL_FRAMES; i++)
        frames[i] = &frame;
    for (int i = 0; i < CANCEL_TRIES && status == EXIT_DONE; i++)
        if (cancel_once(subject->session.context, &request))
            break;
    return status;
}

/** Of the second context's report. */
static void take_end(json_t *report, const json_t *second, bool *complete)
{
    json_t *cancels = json_object_get(json_object_get(second, "events"), "cancels");
    set_member(report, "end_ns", json_incref(json_object_get(second, "end_ns")), complete);
    set_member(json_object_get(report, "events"), "cancels", json_incref(cancels), complete);
}

/** What ending took is known behind the end: a second context tells it of the first one. Its own
 * thread has what can be cancelled. */
static int measure_end(struct subject *subject, json_t *report)
{
    const rung_context_options options = {.flags = RUNG_CONTEXT_TICKETS,
                                          .request_frames = CANCEL_FRAMES};
    json_t *second = NULL;
    bool complete = true;
    int status = make_session(subject, &options);
    if (status == EXIT_DONE)
        status = cancel_one(subject);
    if (status == EXIT_DONE)
        status = read_json(write_report, subject->session.context, &second);
    if (status == EXIT_DONE)
        take_end(report, second, &complete);
    json_decref(second);
    return complete ? status : fail_memory();
}

/** What this command did, beside what the library tells. */
static bool add_measured(const struct subject *subject, json_t *report)
{
    bool complete = true;
    json_t *measured = json_object();
    set_member(measured, "warmup", json_integer(wanted.warmup), &complete);
    set_member(measured, "iterations", json_integer(wanted.iterations), &complete);
    set_member(measured, "pictures", json_integer((json_int_t)subject->frames.sources.count),
               &complete);
    set_member(measured, "interrupted", json_boolean(subject->interrupted), &complete);
    set_member(measured, "peak_bytes", json_integer((json_int_t)load_peak_bytes()), &complete);
    set_member(report, "measured", measured, &complete);
    set_member(report, "signed", json_boolean(subject->model.info.key_id[0] != 0), &complete);
    return complete;
}

static int tell(const json_t *report)
{
    if (!common.json) {
        report_model_print(report);
        return EXIT_DONE;
    }
    return print_json(report) ? EXIT_DONE : fail_memory();
}

static int open_subject(struct subject *subject, rung_instance *instance)
{
    struct role_model *model = &subject->model;
    model->info =
        (rung_model_info){.struct_size = sizeof model->info, .version = RUNG_STRUCT_VERSION};
    rung_result result = open_model(instance, subject->name, common.threads, &model->model);
    if (result == RUNG_OK)
        result = rung_model_get_info(model->model, &model->info);
    return result == RUNG_OK ? EXIT_DONE : fail_to_open(result);
}

static int report_on(struct subject *subject, rung_instance *instance, int count, char **operands)
{
    json_t *report = NULL;
    int status = open_subject(subject, instance);
    if (status == EXIT_DONE)
        status = get_frames(subject, count, operands);
    if (status == EXIT_DONE)
        status = measure(subject, &report);
    if (status == EXIT_DONE)
        status = measure_end(subject, report);
    if (status == EXIT_DONE && !add_measured(subject, report))
        status = fail_memory();
    if (status == EXIT_DONE)
        status = tell(report);
    json_decref(report);
    return status == EXIT_DONE && subject->interrupted ? EXIT_INTERRUPTED : status;
}

static int run(int count, char **operands)
{
    struct subject subject = {.name = common.model};
    rung_instance *instance = NULL;
    if (!subject.name && count) {
        subject.name = *operands++;
        count--;
    }
    if (!subject.name) {
        fprintf(stderr, "rung report: MODEL is missing; rung help models tells what it takes\n");
        return EXIT_USAGE;
    }
    int status = plan_take();
    if (status != EXIT_DONE)
        return status;
    signals_catch();
    common.probe = probe_policies[0]; /* off: a probe in the background would be measured too */
    const rung_result result = open_instance(&instance);
    status = result == RUNG_OK ? report_on(&subject, instance, count, operands) : fail_with(result);
    role_session_finish(&subject.session);
    role_close(&subject.model);
    rung_instance_destroy(instance);
    photo_finish(&subject.photo);
    bench_frames_finish(&subject.frames);
    return status;
}

static const struct option_row options[] = {
    ROW_MODEL,
    {.name = "warmup",
     .argument = "N",
     .text = "frames behind the first one that do not count (default: 5)",
     .kind = OPTION_NUMBER,
     .target = &wanted.warmup,
     .least = 0,
     .most = RUNS_MOST},
    {.name = "iterations",
     .argument = "N",
     .text = "frames that count (default: 50)",
     .kind = OPTION_NUMBER,
     .target = &wanted.iterations,
     .least = 1,
     .most = RUNS_MOST},
    ROW_THREADS("threads that run the model (default: the physical cores that may be used)"),
    ROW_RUNG,
    ROW_REQUIRE,
    ROW_PLAN,
    ROW_JSON,
    ROW_LADDER,
    ROWS_INSTANCE,
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung report centerface", "What a context of it is here, and what frames of its size cost."},
    {"rung report centerface photos --iterations 200", "The same of photographs."},
    {"rung report -m centerface --rung tract --json", "On another rung, for a program."},
    {NULL, NULL},
};

const struct command command_report = {
    .name = "report",
    .operands = "[MODEL] [PICTURE…]",
    .operand = VALUE_PATH,
    .text = "Report what a context of a model is here and what its frames cost",
    .more = "Tells the tensors as they are in memory, what starting, the first frame, those behind "
            "it and ending took, what was copied, allocated and handed over for a frame, the "
            "memory by kind, the threads, the runtime's package with its licences, and the energy "
            "where the system tells it. A figure that nobody tells is unknown.\n\n"
            "Without pictures it looks at frames that are made, of the size that the model sees. A "
            "picture may be a folder of them, or - for a list on standard input. The first operand "
            "is the model where there is no -m. Ctrl-C ends the measurement, and what was measured "
            "so far is told.",
    .options = options,
    .examples = examples,
    .verdict = REQUIRE_VERDICT,
    .see = (const char *const[]){"bench", "explain", "plan", NULL},
    .run = run,
    .least_operands = 0,
    .most_operands = -1,
};
