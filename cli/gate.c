/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "report.h"

/* Whether it may serve so is what is found out. */
#define MODEL_FLAGS RUNG_MODEL_ANY_PRECISION

#define LABELS_FILE "labels.json" /* in the folder of the photographs */

/** The options of this command alone. */
static struct {
    const char *model, *data, *against, *labels;
    bool json;
} wanted;

/** What one thread holds. */
struct session {
    struct session *next; /**< of the gate's */
    struct role_session right, form;
    struct gate_tally tally;
};

/** What one run of the command holds. */
struct gate {
    struct gate_models models;
    struct labels labels;
    struct session *sessions;      /**< the job's, which frees them */
    const struct sources *sources; /**< the job's */
    size_t compared;
};

/* ---- models ------------------------------------------------------------------------------- */

/** The model in f32 on the floor: ONNX Runtime's CPU, or tract where that is not. */
static int open_right(rung_instance *instance, uint32_t threads, struct role_model *out)
{
    const char *name = wanted.against ? wanted.against : wanted.model;
    rung_result result = role_open_on(instance, name, "ort-cpu", MODEL_FLAGS, threads, out);
    if (result == RUNG_UNSUPPORTED)
        result = role_open_on(instance, name, "tract", MODEL_FLAGS, threads, out);
    if (result != RUNG_OK)
        return fail_with(result);
    if (out->info.form == RUNG_FORM_F32)
        return EXIT_DONE;
    fprintf(stderr,
            "rung gate: %s is not in f32, so it is nothing to compare with; name the model in f32 "
            "with --against\n",
            name);
    return EXIT_USAGE;
}

static int check_canonical(const rung_model_info *right, const rung_model_info *form)
{
    if (!form->canonical[0] || strcmp(form->canonical, right->artifact) == 0)
        return EXIT_DONE;
    fprintf(stderr,
            "rung gate: %s was made from the model in f32 with digest %.16s…, and this one has "
            "%.16s…\n",
            form->identity, form->canonical, right->artifact);
    return EXIT_USAGE;
}

/** Only forms of one model can be compared, and answers of one shape. */
static int check_alike(const struct gate_models *models)
{
    const rung_model_info *right = &models->right.info, *form = &models->form.info;
    if (strcmp(right->name, form->name) == 0 && right->role == form->role &&
        right->canvas_width == form->canvas_width && right->canvas_height == form->canvas_height &&
        right->embedding_length == form->embedding_length)
        return check_canonical(right, form);
    fprintf(stderr,
            "rung gate: %s is no form of %s: name, role, canvas and length of its embeddings must "
            "be the same\n",
            form->name, right->name);
    return EXIT_USAGE;
}

static rung_result write_explanation(void *instance, rung_span to, size_t *needed)
{
    return rung_instance_explain(instance, to, needed);
}

/** What a processor computes in 8 bits is not the same on all of them. */
static int read_cpu(rung_instance *instance, struct gate_models *models)
{
    json_t *explanation;
    const int status = read_json(write_explanation, instance, &explanation);
    if (status != EXIT_DONE)
        return status;
    models->cpu = json_incref(json_object_get(json_object_get(explanation, "device"), "cpu"));
    json_decref(explanation);
    return EXIT_DONE;
}

static int open_models(void *user, rung_instance *instance, const struct job_plan *plan)
{
    struct gate *gate = user;
    int status = open_right(instance, plan->threads, &gate->models.right);
    if (status != EXIT_DONE)
        return status;
    const rung_result result = role_open_on(instance, wanted.model, common.rung, MODEL_FLAGS,
                                            plan->threads, &gate->models.form);
    status = result == RUNG_OK ? check_alike(&gate->models) : fail_with(result);
    return status == EXIT_DONE ? read_cpu(instance, &gate->models) : status;
}

static void close_models(void *user)
{
    struct gate *gate = user;
    labels_finish(&gate->labels);
    role_close(&gate->models.form);
    role_close(&gate->models.right);
    json_decref(gate->models.cpu);
}

static void describe(void *user, char *to, size_t size)
{
    const struct gate *gate = user;
    const rung_model_info *right = &gate->models.right.info, *form = &gate->models.form.info;
    snprintf(to, size, "%s on %s against %s on %s", form->identity, form->rung, right->identity,
             right->rung);
}

/** Nothing is printed or resumed line by line. */
static json_t *settings(void *user)
{
    (void)user;
    return json_object();
}

/* ---- sessions ----------------------------------------------------------------------------- */

static void session_free(void *data)
{
    struct session *session = data;
    role_session_finish(&session->right);
    role_session_finish(&session->form);
    gate_tally_finish(&session->tally);
    free(session);
}

static rung_result session_new(void *user, void **out)
{
    struct gate *gate = user;
    struct session *session = *out = calloc(1, sizeof *session);
    if (!session)
        return RUNG_NO_MEMORY;
    session->next = gate->sessions;
    gate->sessions = session;
    rung_result result = role_session_init(&session->right, &gate->models.right, NULL);
    if (result == RUNG_OK)
        result = role_session_init(&session->form, &gate->models.form, NULL);
    return result;
}

static rung_result run_both(const struct session *session, const struct job_item *item,
                            rung_rect part)
{
    rung_run_info info;
    rung_result result = role_run(&session->right, item, part, &info);
    return result == RUNG_OK ? role_run(&session->form, item, part, &info) : result;
}

/** Seven eighths of both sides. */
static rung_rect middle_of(const struct photo *photo)
{
    const uint32_t x = photo->width / 16, y = photo->height / 16;
    return (rung_rect){x, y, photo->width - 2 * x, photo->height - 2 * y};
}

static void compare_item(void *user, void *data, struct job_item *item)
{
    const struct gate *gate = user;
    struct session *session = data;
    const rung_role role = gate->models.right.info.role;
    rung_result result = run_both(session, item, (rung_rect){0});
    if (result != RUNG_OK) {
        job_item_fail(item, result);
        return;
    }
    const struct gate_answers answers = {
        .right = &session->right,
        .form = &session->form,
        .role = role,
        .picture = item->index,
        .labelled = gate->labels.pictures && gate->labels.pictures[item->index],
    };
    bool complete = gate_compare(&session->tally, &answers);
    if (complete && role == RUNG_ROLE_EMBEDDER) {
        result = run_both(session, item, middle_of(&item->photo));
        complete = result != RUNG_OK || gate_add_middle(&session->tally, &answers);
    }
    if (result != RUNG_OK)
        job_item_fail(item, result);
    else if (!complete || !(item->line = json_object()))
        job_item_fail_memory(item);
}

/* ---- results ------------------------------------------------------------------------------ */

static int begin(void *user, const struct sources *sources)
{
    struct gate *gate = user;
    char own[PATH_MAX];
    gate->sources = sources;
    if (gate->models.right.info.role != RUNG_ROLE_DETECTOR) {
        if (!wanted.labels)
            return EXIT_DONE;
        fprintf(stderr, "rung gate: --labels is for detectors, and %s is none\n",
                gate->models.right.info.name);
        return EXIT_USAGE;
    }
    if (!wanted.labels &&
        snprintf(own, sizeof own, "%s/" LABELS_FILE, wanted.data) >= (int)sizeof own)
        return EXIT_DONE;
    return labels_read(&gate->labels, wanted.labels ? wanted.labels : own, !wanted.labels, sources,
                       gate->models.right.model);
}

static int take_line(void *user, size_t index, const json_t *line)
{
    struct gate *gate = user;
    (void)index, (void)line;
    gate->compared++;
    return EXIT_DONE;
}

/** The record that a model file has of it: what `rung pack` takes as its gate. */
static int write_record(const json_t *report)
{
    char why[512];
    json_t *record = json_pack("{s:i,s:[O]}", "schema", 1, "gates", report);
    char *text = json_text(record, REPORT_JSON_FLAGS);
    json_decref(record);
    if (!text)
        return fail_memory();
    const bool written = output_write(common.output, text, strlen(text), why, sizeof why);
    free(text);
    if (written)
        return EXIT_DONE;
    fprintf(stderr, "rung: %s\n", why);
    return EXIT_IO;
}

static int tell(const json_t *report)
{
    if (!wanted.json)
        gate_print(report);
    else if (!print_json(report))
        return fail_memory();
    const int status = common.output ? write_record(report) : EXIT_DONE;
    if (status != EXIT_DONE)
        return status;
    return json_is_true(json_object_get(report, "passed")) ? EXIT_DONE : EXIT_VERDICT;
}

static int finish(void *user)
{
    const struct gate *gate = user;
    struct gate_tally sum = {0};
    json_t *report = NULL;
    bool complete = true;
    /* Of a part of the pictures there is no verdict, and of one that failed a part may be there. */
    if (gate->compared != gate->sources->count)
        return EXIT_DONE;
    for (const struct session *session = gate->sessions; session; session = session->next)
        complete = gate_tally_add(&sum, &session->tally) && complete;
    if (complete)
        report = gate_report(&gate->models, &sum, &gate->labels, gate->sources);
    const int status = report ? tell(report) : fail_memory();
    json_decref(report);
    gate_tally_finish(&sum);
    return status;
}

static const struct job_work work = {
    .open = open_models,
    .close = close_models,
    .describe = describe,
    .settings = settings,
    .session_new = session_new,
    .session_free = session_free,
    .run = compare_item,
    .begin = begin,
    .write = take_line,
    .finish = finish,
};

static int run(int count, char **operands)
{
    struct gate gate = {0};
    (void)count;
    wanted.model = operands[0];
    if (!wanted.data) {
        fprintf(stderr, "rung gate: --data DIR is missing: the photographs to look at\n");
        return EXIT_USAGE;
    }
    return job_run(&work, &gate, 1, (char *[]){(char *)wanted.data});
}

static const struct option_row options[] = {
    {.name = "data",
     .argument = "DIR",
     .text = "the photographs, and those of the folders below it, or - for a list of them on "
             "standard input: such as have what the model is for, and none that it was "
             "calibrated on",
     .kind = OPTION_TEXT,
     .value = VALUE_PATH,
     .target = &wanted.data},
    {.name = "rung",
     .argument = "RUNG",
     .text = "run the form on this rung (default: the one that serves it)",
     .kind = OPTION_TEXT,
     .value = VALUE_RUNG,
     .target = &common.rung},
    {.name = "against",
     .argument = "MODEL",
     .text = "the same model in f32 (default: MODEL, where that is in f32)",
     .kind = OPTION_TEXT,
     .value = VALUE_MODEL,
     .target = &wanted.against},
    {.name = "labels",
     .argument = "FILE",
     .text =
         "what there is on the photographs, in COCO's format for annotations: tells the average "
         "precision too (default: DIR/" LABELS_FILE ", where there is one)",
     .kind = OPTION_TEXT,
     .value = VALUE_FILE,
     .target = &wanted.labels},
    {.letter = 'o',
     .name = "output",
     .argument = "FILE",
     .text = "write the gate record to FILE, as a spec's \"gate\" takes it",
     .kind = OPTION_TEXT,
     .value = VALUE_FILE,
     .target = &common.output},
    {.name = "json", .text = "machine-readable output", .target = &wanted.json},
    ROW_THREADS("threads that run models (default: the physical cores that may be used)"),
    ROW_LADDER,
    ROWS_INSTANCE,
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung gate centerface --data photos --rung tract",
     "Tells whether tract finds what the floor finds."},
    {"rung gate centerface-i8.rung --against centerface --data photos -o gate.json",
     "Scores a quantised form, and writes the record that is packed with it."},
    {NULL, NULL},
};

const struct command command_gate = {
    .name = "gate",
    .operands = "MODEL",
    .operand = VALUE_MODEL,
    .text = "Score a form of a model against f32, on the rung where it is to run",
    .more = "The model in f32 on the floor (ort-cpu, else tract) and MODEL on the rung look at the "
            "same photographs, and what they answer is compared. A detector passes when it finds "
            "97 % of what f32 finds of 40 pixels and more, and no band of sizes is lost more than "
            "the others; an embedder when 99.9 % of its cosines to f32 are above 0.999 and the "
            "threshold of a match stays where it is; a segmenter when the mean IoU of its classes "
            "is at least 0.98.\n\n"
            "An embedder is measured on a rung that it is otherwise kept from. A photograph that "
            "cannot be read leaves no verdict, and the exit status is 5.",
    .options = options,
    .examples = examples,
    .verdict = "the form did not pass",
    .see = (const char *const[]){"pack", "probe", NULL},
    .run = run,
    .least_operands = 1,
    .most_operands = 1,
};
