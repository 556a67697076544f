/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embeddings.h"
#include "job.h"
#include "neighbours.h"
#include "report.h"
#include "roles.h"

#define IDENTITY_BYTES 256 /* more than two names of models with their classes */

/** The options of this command alone. */
static struct {
    const char *against, *detector;
    uint32_t near;
} wanted;

/** What one run of the command holds. */
struct embedding {
    struct role_model embedder, detector; /**< without a detector: whole pictures */
    char identity[IDENTITY_BYTES];
    struct embeddings stored; /**< of --against */
    struct embeddings_writer writer;
    struct near_set own; /**< for --near among themselves, */
    json_t *abouts;      /**< and whose they are */
    float *vector;       /**< room for one, of the main thread */
};

/** What one thread holds. */
struct session {
    struct role_session embedder, detector;
};

static bool compares_own(void)
{
    return wanted.near && !wanted.against;
}

/* ---- models ------------------------------------------------------------------------------- */

/** What was embedded by what: vectors of different ones do not compare. An exit status, after a
 * message. */
static int name_identity(struct embedding *embedding)
{
    const char *embedder = embedding->embedder.info.identity;
    const rung_span to = {embedding->identity, sizeof embedding->identity};
    if (!wanted.detector) {
        snprintf(embedding->identity, sizeof embedding->identity, "%s", embedder);
        return EXIT_DONE;
    }
    const rung_result result =
        rung_identity_pair(embedding->detector.info.identity, embedder, to, NULL);
    return result == RUNG_OK ? EXIT_DONE : fail_with(result);
}

static int read_stored(struct embedding *embedding)
{
    struct embeddings *stored = &embedding->stored;
    const int status = embeddings_read(stored, wanted.against);
    if (status != EXIT_DONE)
        return status;
    const char *identity = text_of(stored->model, "identity");
    uint32_t covers = 0;
    const rung_result result = rung_identity_covers(identity, embedding->identity, &covers);
    if (result != RUNG_OK) {
        fprintf(stderr, "rung embed: %s does not tell what made its embeddings: %s\n",
                wanted.against, rung_last_error());
        return EXIT_IO;
    }
    if (!covers) {
        fprintf(stderr,
                "rung embed: %s holds embeddings by %s, which does not cover %s: only those of one "
                "identity can be compared; embed its pictures again\n",
                wanted.against, identity, embedding->identity);
        return exit_of(RUNG_IDENTITY);
    }
    if (stored->set.columns == embedding->embedder.info.embedding_length)
        return EXIT_DONE;
    fprintf(stderr, "rung embed: %s holds embeddings of %u numbers, and these have %u\n",
            wanted.against, stored->set.columns, embedding->embedder.info.embedding_length);
    return exit_of(RUNG_IDENTITY);
}

static int open_models(void *user, rung_instance *instance, const struct job_plan *plan)
{
    struct embedding *embedding = user;
    int status = role_open(instance, "embed", common.model, plan->threads, RUNG_ROLE_EMBEDDER,
                           &embedding->embedder);
    if (status == EXIT_DONE && wanted.detector)
        status = role_open(instance, "embed --per-target", wanted.detector, plan->threads,
                           RUNG_ROLE_DETECTOR, &embedding->detector);
    if (status != EXIT_DONE)
        return status;
    status = name_identity(embedding);
    if (status != EXIT_DONE)
        return status;
    embedding->own.columns = embedding->embedder.info.embedding_length;
    embedding->vector = calloc(embedding->own.columns, sizeof *embedding->vector);
    embedding->abouts = json_array();
    if (!embedding->vector || !embedding->abouts)
        return fail_memory();
    return wanted.against ? read_stored(embedding) : EXIT_DONE;
}

static void close_models(void *user)
{
    struct embedding *embedding = user;
    embeddings_abandon(&embedding->writer);
    embeddings_finish(&embedding->stored);
    near_finish(&embedding->own);
    json_decref(embedding->abouts);
    free(embedding->vector);
    role_close(&embedding->detector);
    role_close(&embedding->embedder);
}

static void describe(void *user, char *to, size_t size)
{
    const struct embedding *embedding = user;
    snprintf(to, size, "%s on %s", embedding->identity, embedding->embedder.info.rung);
}

/** What every result and the index of a file begin with. */
static json_t *model_json(const struct embedding *embedding, bool *complete)
{
    json_t *json = role_settings(&embedding->embedder, embedding->identity, complete);
    if (!wanted.detector)
        return json;
    const rung_model_info *detector = &embedding->detector.info;
    set_member(json, "detector_rung", json_string(detector->rung), complete);
    set_member(json, "detector_precision", json_string(detector->precision), complete);
    set_member(json, "detector_artifact", json_string(detector->artifact), complete);
    return json;
}

static json_t *settings(void *user)
{
    bool complete = true;
    json_t *json = model_json(user, &complete);
    if (wanted.against) {
        set_member(json, "against", json_string(wanted.against), &complete);
        set_member(json, "near_most", json_integer(wanted.near), &complete);
    }
    return json_if(json, complete);
}

/* ---- sessions ----------------------------------------------------------------------------- */

static void session_free(void *data)
{
    struct session *session = data;
    role_session_finish(&session->embedder);
    role_session_finish(&session->detector);
    free(session);
}

static rung_result session_new(void *user, void **out)
{
    const struct embedding *embedding = user;
    struct session *session = *out = calloc(1, sizeof *session);
    if (!session)
        return RUNG_NO_MEMORY;
    rung_result result = role_session_init(&session->embedder, &embedding->embedder, NULL);
    if (result == RUNG_OK && wanted.detector)
        result = role_session_init(&session->detector, &embedding->detector, NULL);
    return result;
}

/** Adds the embedding in the session's packet, and what is near it among the stored ones. */
static void add_vector(const struct embedding *embedding, const struct session *session, json_t *to,
                       bool *complete)
{
    const rung_packet_header *packet = session->embedder.packet;
    const float *numbers = (const float *)(packet + 1);
    json_t *array = json_array();
    for (uint32_t i = 0; i < packet->count; i++)
        append_item(array, json_real((double)numbers[i]), complete);
    set_member(to, "embedding", array, complete);
    if (wanted.against)
        set_member(to, "near",
                   neighbours_json(&embedding->stored.set, embedding->stored.rows, numbers,
                                   NEAR_NO_ROW, wanted.near),
                   complete);
}

static json_t *embed_picture(const struct embedding *embedding, const struct session *session,
                             const struct job_item *item, rung_result *result)
{
    bool complete = true;
    rung_run_info info;
    *result = role_run(&session->embedder, item, (rung_rect){0}, &info);
    if (*result != RUNG_OK)
        return NULL;
    json_t *line = report_new_picture(item, &complete);
    add_vector(embedding, session, line, &complete);
    report_run(line, item, &info, &complete);
    return json_if(line, complete);
}

/** The whole pixels that a box touches. Boxes lie inside the picture. */
static rung_rect pixels_of(const rung_target *target)
{
    const uint32_t left = (uint32_t)target->x / 256, top = (uint32_t)target->y / 256;
    const uint32_t right = ((uint32_t)target->x + (uint32_t)target->w + 255) / 256;
    const uint32_t bottom = ((uint32_t)target->y + (uint32_t)target->h + 255) / 256;
    return (rung_rect){left, top, right - left, bottom - top};
}

static json_t *embed_targets(const struct embedding *embedding, const struct session *session,
                             const struct job_item *item, rung_result *result)
{
    bool complete = true;
    rung_run_info info;
    *result = role_run(&session->detector, item, (rung_rect){0}, &info);
    if (*result != RUNG_OK)
        return NULL;
    const rung_packet_header *packet = session->detector.packet;
    const struct report report = {item, packet, &info, embedding->detector.model};
    const rung_target *targets = targets_of(packet);
    json_t *line = report_line(&report);
    if (line) {
        set_member(line, "detector_rung", json_string(info.rung), &complete);
        json_object_del(line, "rung"); /* that is the embedder's */
    }
    for (uint32_t i = 0; line && i < packet->count && *result == RUNG_OK; i++) {
        json_t *to = json_array_get(json_object_get(line, "targets"), i);
        *result = role_run(&session->embedder, item, pixels_of(&targets[i]), &info);
        if (*result == RUNG_OK) {
            set_member(line, "rung", json_string(info.rung), &complete);
            add_vector(embedding, session, to, &complete);
        }
    }
    return json_if(line, complete && *result == RUNG_OK);
}

static void embed_item(void *user, void *data, struct job_item *item)
{
    rung_result result;
    item->line = wanted.detector ? embed_targets(user, data, item, &result)
                                 : embed_picture(user, data, item, &result);
    if (result != RUNG_OK)
        job_item_fail(item, result);
    else if (!item->line)
        job_item_fail_memory(item);
}

/* ---- results ------------------------------------------------------------------------------ */

static int begin(void *user, const struct sources *sources)
{
    struct embedding *embedding = user;
    bool complete = true;
    (void)sources;
    if (!wanted.near && !common.json && !common.resume)
        printf("%7s %11s  %s\n", "NUMBERS", "NORM", "SOURCE");
    if (!common.output)
        return EXIT_DONE;
    json_t *model = model_json(embedding, &complete);
    set_member(model, "schema", json_integer(1), &complete);
    set_member(model, "dimension", json_integer(embedding->own.columns), &complete);
    set_member(model, "normalised", json_boolean(embedding->embedder.info.normalised), &complete);
    const int status = complete ? embeddings_begin(&embedding->writer, common.output,
                                                   embedding->own.columns, model)
                                : fail_memory();
    json_decref(model);
    return status;
}

/** Takes the numbers of a result back into the vector; false: they are not those of the model. */
static bool take_vector(struct embedding *embedding, const json_t *result)
{
    const json_t *number, *array = json_object_get(result, "embedding");
    size_t i;
    if (json_array_size(array) != embedding->own.columns)
        return false;
    json_array_foreach(array, i, number)
    {
        embedding->vector[i] = (float)json_number_value(number);
        if (!json_is_number(number) || !isfinite(embedding->vector[i]))
            return false;
    }
    return true;
}

static void print_row(const struct embedding *embedding, const json_t *about)
{
    double sum = 0;
    for (uint32_t i = 0; i < embedding->own.columns; i++)
        sum += (double)embedding->vector[i] * (double)embedding->vector[i];
    printf("%7u %11.5f  ", embedding->own.columns, sqrt(sum));
    report_print_source(about);
    putchar('\n');
    fflush(stdout);
}

/** One embedding: `about` says whose, `result` has the numbers. */
static int write_row(struct embedding *embedding, json_t *about, const json_t *result)
{
    int status = EXIT_DONE;
    if (common.output)
        status = embeddings_add(&embedding->writer, embedding->vector, about);
    if (status == EXIT_DONE && compares_own()) {
        if (!near_add(&embedding->own, embedding->vector) ||
            json_array_append(embedding->abouts, about))
            return fail_memory();
    } else if (status == EXIT_DONE && !common.json && !common.resume) {
        if (wanted.against)
            neighbours_print(about, json_object_get(result, "near"));
        else
            print_row(embedding, about);
    }
    return status;
}

/** `target`: its number, or negative for a whole picture. */
static int write_result(struct embedding *embedding, const json_t *line, const json_t *result,
                        int target)
{
    bool complete = true;
    if (!take_vector(embedding, result)) {
        fprintf(stderr, "rung: the result of %s has no embedding of %u numbers\n",
                text_of(line, "source"), embedding->own.columns);
        return EXIT_USAGE;
    }
    json_t *about = json_object();
    if (common.output)
        set_member(about, "row", json_integer((json_int_t)embedding->writer.rows), &complete);
    neighbours_copy_about(line, about, &complete);
    if (target >= 0) {
        set_member(about, "target", json_integer(target), &complete);
        neighbours_copy_about(result, about, &complete);
    }
    const int status = complete ? write_row(embedding, about, result) : fail_memory();
    json_decref(about);
    return status;
}

static int write_line(void *user, size_t index, const json_t *line)
{
    const json_t *target;
    size_t i;
    int status = EXIT_DONE;
    (void)index;
    if (!wanted.detector)
        return write_result(user, line, line, -1);
    json_array_foreach(json_object_get(line, "targets"), i, target)
    {
        status = write_result(user, line, target, (int)i);
        if (status != EXIT_DONE)
            break;
    }
    return status;
}

/** In the index too, so that it says why a picture has no row. */
static int note_failure(void *user, const json_t *line)
{
    struct embedding *embedding = user;
    return common.output ? embeddings_note(&embedding->writer, line) : EXIT_DONE;
}

static int print_neighbours(const struct embedding *embedding, size_t row)
{
    const json_t *about = json_array_get(embedding->abouts, row);
    json_t *near =
        neighbours_json(&embedding->own, embedding->abouts,
                        embedding->own.rows + row * embedding->own.columns, row, wanted.near);
    bool complete = near != NULL;
    if (!near)
        return fail_memory();
    if (!common.json) {
        neighbours_print(about, near);
        json_decref(near);
        return EXIT_DONE;
    }
    json_t *line = json_object();
    set_member(line, "schema", json_integer(1), &complete);
    neighbours_copy_about(about, line, &complete);
    set_member(line, "near", near, &complete);
    return report_print_line(line, complete) ? EXIT_DONE : fail_memory();
}

static int finish(void *user)
{
    struct embedding *embedding = user;
    int status = EXIT_DONE;
    for (size_t row = 0; row < embedding->own.count && status == EXIT_DONE; row++)
        status = print_neighbours(embedding, row);
    if (status == EXIT_DONE && common.output)
        status = embeddings_commit(&embedding->writer);
    return status;
}

static const struct job_work work = {
    .open = open_models,
    .close = close_models,
    .describe = describe,
    .settings = settings,
    .session_new = session_new,
    .session_free = session_free,
    .run = embed_item,
    .begin = begin,
    .write = write_line,
    .note_failure = note_failure,
    .finish = finish,
    .counted = "targets",
};

static int run(int count, char **operands)
{
    struct embedding embedding = {.writer = {.numbers.file = -1, .index.file = -1}};
    if (!common.model) {
        fprintf(stderr, "rung embed: -m MODEL is missing; rung help models tells what it takes\n");
        return EXIT_USAGE;
    }
    if (wanted.against && !wanted.near) {
        fprintf(stderr, "rung embed: --against FILE needs --near K: how many are listed\n");
        return EXIT_USAGE;
    }
    return job_run(&work, &embedding, count, operands);
}

static const struct option_row options[] = {
    ROW_MODEL,
    {.letter = 'o',
     .name = "output",
     .argument = "FILE",
     .text = "write the embeddings to FILE, such as album.npy, as an array in NumPy's format, and "
             "beside it album.jsonl, which says whose they are",
     .kind = OPTION_TEXT,
     .value = VALUE_FILE,
     .target = &common.output},
    {.name = "near",
     .argument = "K",
     .text = "list for each the K nearest of the others, by the cosine between them",
     .kind = OPTION_NUMBER,
     .target = &wanted.near,
     .least = 1,
     .most = 10000},
    {.name = "against",
     .argument = "FILE",
     .text = "with --near: the nearest of those in a file that -o wrote; refused where they are by "
             "another model",
     .kind = OPTION_TEXT,
     .value = VALUE_FILE,
     .target = &wanted.against},
    {.name = "per-target",
     .argument = "MODEL",
     .text = "find targets with this detector first, and embed each of them in place of the "
             "picture",
     .kind = OPTION_TEXT,
     .value = VALUE_MODEL,
     .target = &wanted.detector},
    ROWS_JOB,
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung embed -m effnet_lite0 -o album.npy album", "Embeds the pictures of a folder."},
    {"rung embed -m effnet_lite0 --near 5 --against album.npy new.jpg",
     "Lists the five pictures of that folder that are most alike a new one."},
    {"rung embed -m effnet_lite0 --per-target centerface --near 3 album",
     "Lists for each face the three that are most alike."},
    {NULL, NULL},
};

const struct command command_embed = {
    .name = "embed",
    .operands = "SOURCE…",
    .text = "Turn photographs into vectors, and find those that are alike",
    .operand = VALUE_PATH,
    .more = "A source is a picture, or a folder whose pictures are taken with those of the folders "
            "below it, or - for a list of them on standard input. A picture that cannot be read is "
            "one line, the others' results stay, and the exit status is 5.\n\n"
            "Vectors can be compared when their identity is the same: the embedder's, or with "
            "--per-target DETECTOR/EMBEDDER. The file beside that of -o holds it.",
    .options = options,
    .examples = examples,
    .verdict = REQUIRE_VERDICT,
    .run = run,
    .least_operands = 1,
    .most_operands = -1,
};
