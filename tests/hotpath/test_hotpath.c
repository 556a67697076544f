/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Once a context is made, a frame's way through it allocates nothing, takes no lock, opens no file
 * and reads no environment, from the first frame on. What the runtime does is counted apart.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rung/rung.h>

#include "../unit/artifact_fixture.h"
#include "../unit/folder_fixture.h"
#include "../unit/tiny_onnx.h"
#include "counting.h"
#include "stranger.h"

#define FRAMES 10000u
#define SIDE   24u /* of the largest frame */
#define WIDTH  6   /* of the canvas */
#define HEIGHT 2

typedef rung_result answer_fn(rung_context *, const rung_frame *, rung_span, size_t *,
                              rung_run_info *);

/** A model's form: the members of its spec beyond those that all have. */
struct form {
    const char *name, *spec;
    answer_fn *answer;
    bool bgra;
};

#define SELECTION                                                                                  \
    "\"selection\":{\"min_confidence\":0.3,\"iou\":0.45,\"suppress\":true,\"capacity\":16,"        \
    "\"considered\":8,\"max_targets\":4}"
#define PLANAR "\"tensor\":{\"dtype\":\"f32\",\"layout\":\"planar\"}"

static const struct form forms[] = {
    {"detector", "{\"role\":\"detector\",\"head\":\"rows\"," SELECTION "," PLANAR "}", rung_detect,
     false},
    {"detector by triangles",
     "{\"role\":\"detector\",\"head\":\"rows\",\"resampler\":\"triangle\"," SELECTION "," PLANAR
     "}",
     rung_detect, false},
    {"detector of BGRA",
     "{\"role\":\"detector\",\"head\":\"rows\",\"order\":\"BGR\"," SELECTION
     ",\"tensor\":{\"dtype\":\"u8\",\"layout\":\"bgra\"}}",
     rung_detect, true},
    {"embedder",
     "{\"role\":\"embedder\",\"embedding_length\":12,"
     "\"tensor\":{\"dtype\":\"f32\",\"layout\":\"planar\",\"normalised\":true}}",
     rung_embed, false},
    {"segmenter",
     "{\"role\":\"segmenter\",\"selection\":{\"min_confidence\":0.5,\"suppress\":false}," PLANAR
     "}",
     rung_segment, false},
};

struct subject {
    struct artifact_fixture files;
    rung_instance *instance;
    rung_model *model;
    rung_context *context;
    uint8_t pixels[SIDE * SIDE * 4];
    rung_frame frame;
    uint64_t packet[1024 / 8];
};

/* ---- a model on a rung ------------------------------------------------------------------- */

static void save_graph(const struct subject *subject, bool bgra)
{
    static const float rows[] = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0, 0.5f, 0.2f, 0.3f, 0.1f, 0.7f, 1};
    struct rung__buffer graph = {0};
    tiny_rows(&graph, &(struct tiny_rows){.input = "image",
                                          .output = "answer",
                                          .width = WIDTH,
                                          .height = HEIGHT,
                                          .rows = rows,
                                          .row_count = HEIGHT,
                                          .opset = 17,
                                          .bgra = bgra});
    artifact_fixture_save(subject->files.graph, rung__buffer_bytes(&graph));
    rung__buffer_finish(&graph);
}

static json_t *input_of(bool bgra)
{
    return bgra ? json_pack("{s:s,s:s,s:[i,i,i,i]}", "name", "image", "dtype", "u8", "shape", 1,
                            HEIGHT, WIDTH, 4)
                : json_pack("{s:s,s:s,s:[i,i,i,i]}", "name", "image", "dtype", "f32", "shape", 1, 3,
                            HEIGHT, WIDTH);
}

static void save_spec(const struct subject *subject, const struct form *form)
{
    json_t *spec = json_pack(
        "{s:i,s:s,s:{s:i,s:i},s:s,s:s,s:o,s:[{s:s,s:s,s:s,s:[i,i,i]}],s:[s,s]}", "schema", 1,
        "name", "subject", "canvas", "width", WIDTH, "height", HEIGHT, "fit", "letterbox", "order",
        "RGB", "input", input_of(form->bgra), "outputs", "purpose", "output", "name", "answer",
        "dtype", "f32", "shape", 1, HEIGHT, WIDTH, "providers", "ort", "tract");
    json_t *changes = json_loads(form->spec, 0, NULL);
    assert_non_null(spec);
    assert_non_null(changes);
    assert_int_equal(json_object_update(spec, changes), 0);
    artifact_fixture_save_spec(&subject->files, spec);
    json_decref(changes);
    json_decref(spec);
}

static void must(rung_result result)
{
    if (result != RUNG_OK)
        fail_msg("%s", rung_last_error());
}

static void open_model(struct subject *subject, const struct form *form, const char *rung,
                       uint32_t threads)
{
    const rung_instance_options instance = {
        .struct_size = sizeof instance,
        .version = RUNG_STRUCT_VERSION,
        .flags = RUNG_INSTANCE_NO_ENVIRONMENT,
        .runtime_path = getenv("RUNG_TEST_RUNTIMES"),
        .trust_path = subject->files.public_key,
        .helper_path = getenv("RUNG_TEST_HELPER"),
    };
    const rung_model_options model = {
        .struct_size = sizeof model,
        .version = RUNG_STRUCT_VERSION,
        .threads = threads,
        .rung = rung,
    };
    assert_int_equal(make_test_folder(NULL), 0);
    artifact_fixture_make(&subject->files, test_folder);
    save_graph(subject, form->bgra);
    save_spec(subject, form);
    must(artifact_fixture_pack(&subject->files, true));
    must(rung_instance_create(&instance, &subject->instance));
    must(rung_model_open(subject->instance, subject->files.model, &model, &subject->model));
}

static void start(struct subject *subject, const struct form *form, const char *rung,
                  const char *plan, uint32_t flags)
{
    const rung_context_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .flags = flags,
        .max_frame_width = SIDE,
        .max_frame_height = SIDE,
        .plan = plan,
    };
    open_model(subject, form, rung, plan ? 2 : 1);
    must(rung_context_create(subject->model, &options, &subject->context));
    for (size_t i = 0; i < sizeof subject->pixels; i++)
        subject->pixels[i] = (uint8_t)(i * 9);
    subject->frame = (rung_frame){
        .struct_size = sizeof subject->frame,
        .version = RUNG_STRUCT_VERSION,
        .pixels = subject->pixels,
        .width = SIDE,
        .height = SIDE,
        .format = RUNG_PIXEL_BGRA8,
    };
}

static void finish(struct subject *subject)
{
    rung_context_destroy(subject->context);
    rung_model_destroy(subject->model);
    rung_instance_destroy(subject->instance);
    *subject = (struct subject){0};
    assert_int_equal(remove_test_folder(NULL), 0);
}

static void tell(const char *whose, bool ours)
{
    printf("  %s: memory %u, locks %u, files %u, environment %u, threads %u\n", whose,
           counted(COUNTED_MEMORY, ours), counted(COUNTED_LOCKS, ours),
           counted(COUNTED_FILES, ours), counted(COUNTED_ENVIRONMENT, ours),
           counted(COUNTED_THREADS, ours));
    counting_print(ours);
}

static void require_nothing_of_ours(const char *what, const char *rung)
{
    unsigned sum = 0;
    printf("%s on %s, %u frames\n", what, rung, FRAMES);
    tell("ours", true);
    tell("the runtime's", false);
    for (int kind = 0; kind < COUNTED_KINDS; kind++)
        sum += counted((enum counted_kind)kind, true);
    assert_int_equal(sum, 0);
}

/* ---- the count itself -------------------------------------------------------------------- */

static void what_we_do_is_counted(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    sem_t semaphore;
    (void)state;
    sem_init(&semaphore, 0, 0);
    counting_begin();
    free(malloc(3));
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    sem_post(&semaphore);
    (void)getenv("HOME");
    FILE *file = fopen("/dev/null", "r");
    fclose(file); /* the stream's memory is taken and freed for us */
    counting_end();
    sem_destroy(&semaphore);
    tell("ours", true);
    assert_int_equal(counted(COUNTED_MEMORY, true), 4);
    assert_int_equal(counted(COUNTED_LOCKS, true), 3);
    assert_int_equal(counted(COUNTED_ENVIRONMENT, true), 1);
    assert_int_equal(counted(COUNTED_FILES, true), 1);
    assert_int_equal(counted(COUNTED_MEMORY, false), 0);
}

static void what_libc_does_counts_for_whom_it_works(void **state)
{
    (void)state;
    counting_begin();
    char *copy = strdup("ours");
    counting_end();
    free(copy);
    assert_int_equal(counted(COUNTED_MEMORY, true), 1);
    assert_int_equal(counted(COUNTED_MEMORY, false), 0);

    counting_begin();
    stranger_works();
    counting_end();
    assert_int_equal(counted(COUNTED_MEMORY, true), 0);
    assert_int_equal(counted(COUNTED_MEMORY, false), 2);
    assert_int_equal(counted(COUNTED_LOCKS, false), 2);
}

static void only_what_lies_between_the_marks_is_counted(void **state)
{
    (void)state;
    counting_begin();
    counting_end();
    free(malloc(3));
    for (int kind = 0; kind < COUNTED_KINDS; kind++)
        assert_int_equal(counted((enum counted_kind)kind, true), 0);
}

/* ---- frames ------------------------------------------------------------------------------ */

static void count_frames(struct subject *subject, const struct form *form, const char *rung)
{
    rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    const rung_span span = {subject->packet, sizeof subject->packet};
    size_t needed;
    unsigned served = 0;
    start(subject, form, rung, NULL, 0);
    counting_begin();
    for (unsigned i = 0; i < FRAMES; i++)
        served += form->answer(subject->context, &subject->frame, span, &needed, &info) == RUNG_OK;
    counting_end();
    assert_int_equal(served, FRAMES);
    require_nothing_of_ours(form->name, rung);
    finish(subject);
}

typedef void count_fn(struct subject *subject, const struct form *form, const char *rung);

static void count_on_every_rung(struct subject *subject, count_fn *count)
{
    static const char *const rungs[] = {"dummy", "ort-cpu", "tract"};
    for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++)
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
            if (!forms[f].bgra || strcmp(rungs[r], "tract") != 0) /* which takes f32 alone */
                count(subject, &forms[f], rungs[r]);
}

static void a_frame_is_answered_without_any_of_it(void **state)
{
    count_on_every_rung(*state, count_frames);
}

static void note_release(void *user, const void *pixels)
{
    (void)pixels;
    ++*(unsigned *)user;
}

static void count_tickets(struct subject *subject, const struct form *form, const char *rung)
{
    rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    const rung_span span = {subject->packet, sizeof subject->packet};
    const rung_frame *const frames[] = {&subject->frame};
    const rung_request request = {.struct_size = sizeof request,
                                  .version = RUNG_STRUCT_VERSION,
                                  .frame_count = 1,
                                  .frames = frames};
    unsigned released = 0, served = 0;
    size_t needed;
    start(subject, form, rung, NULL, RUNG_CONTEXT_TICKETS);
    subject->frame.release = note_release;
    subject->frame.release_user = &released;
    counting_begin();
    for (unsigned i = 0; i < FRAMES; i++) {
        rung_ticket ticket;
        rung_ticket_state state;
        rung_result result = rung_submit(subject->context, &request, &ticket);
        if (result == RUNG_OK && i % 2)
            result = rung_poll(subject->context, ticket, &state);
        if (result == RUNG_OK && i % 4 == 3)
            result = rung_wait(subject->context, ticket, RUNG_FOREVER, &state);
        if (result == RUNG_OK)
            result = rung_collect(subject->context, ticket, RUNG_FOREVER, span, &needed, &info);
        served += result == RUNG_OK;
    }
    counting_end();
    assert_int_equal(served, FRAMES);
    assert_int_equal(released, FRAMES);
    printf("by tickets: ");
    require_nothing_of_ours(form->name, rung);
    finish(subject);
}

static void a_ticket_is_answered_without_any_of_it(void **state)
{
    count_on_every_rung(*state, count_tickets);
}

/** The next of numbers that look random, below a limit. */
static uint32_t next_number(uint32_t *seed, uint32_t limit)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % limit;
}

static void count_sizes(struct subject *subject, const struct form *form, const char *plan)
{
    const rung_span span = {subject->packet, sizeof subject->packet};
    uint32_t seed = 8;
    unsigned served = 0;
    start(subject, form, "dummy", plan, 0);
    counting_begin();
    for (unsigned i = 0; i < FRAMES; i++) {
        rung_frame *frame = &subject->frame;
        frame->format = i % 2 ? RUNG_PIXEL_BGRA8 : RUNG_PIXEL_GRAY8;
        frame->width = 1 + next_number(&seed, SIDE);
        frame->height = 1 + next_number(&seed, SIDE);
        frame->crop = (rung_rect){0};
        if (i % 3 == 0) {
            frame->crop.x = next_number(&seed, frame->width);
            frame->crop.y = next_number(&seed, frame->height);
            frame->crop.width = 1 + next_number(&seed, frame->width - frame->crop.x);
            frame->crop.height = 1 + next_number(&seed, frame->height - frame->crop.y);
        }
        served += form->answer(subject->context, frame, span, NULL, NULL) == RUNG_OK;
    }
    counting_end();
    assert_int_equal(served, FRAMES);
    require_nothing_of_ours(form->name, plan);
    finish(subject);
}

static void frames_of_every_size_up_to_the_largest_need_no_more(void **state)
{
    static const char *const plans[] = {
        "{\"preprocessor\":\"base\"}",
        "{\"preprocessor\":\"auto\"}",
        "{\"preprocessor\":\"threaded-exact-v1\"}",
    };
    for (size_t p = 0; p < sizeof plans / sizeof *plans; p++)
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
            count_sizes(*state, &forms[f], plans[p]);
}

static void a_frame_that_is_refused_costs_none_either(void **state)
{
    struct subject *subject = *state;
    const rung_span none = {subject->packet, 8};
    unsigned refused = 0;
    start(subject, &forms[0], "dummy", NULL, 0);
    counting_begin();
    for (unsigned i = 0; i < FRAMES; i++) {
        subject->frame.width = i % 2 ? SIDE : 0; /* no room in the span, or no frame */
        refused += rung_detect(subject->context, &subject->frame, none, NULL, NULL) != RUNG_OK;
    }
    counting_end();
    assert_int_equal(refused, FRAMES);
    require_nothing_of_ours("refused frames", "dummy");
    finish(subject);
}

/* ---- threads of ours --------------------------------------------------------------------- */

struct series {
    struct subject *subject;
    unsigned fetched, done;
};

/** Counts from the second frame on: a series itself allocates its packet. */
static int next(void *user, rung_frame *frame, void **mark)
{
    struct series *series = user;
    (void)mark;
    *frame = series->subject->frame;
    if (++series->fetched == 2)
        counting_begin();
    if (series->fetched == FRAMES)
        counting_end();
    return series->fetched < FRAMES;
}

static void done(void *user, void *mark, rung_result result, const void *packet, size_t size,
                 const rung_run_info *info)
{
    struct series *series = user;
    (void)mark, (void)packet, (void)size, (void)info;
    series->done += result == RUNG_OK;
}

static void threads_that_share_a_frame_or_overlap_frames_take_no_lock(void **state)
{
    struct series series = {.subject = *state};
    const rung_series calls = {
        .struct_size = sizeof calls,
        .version = RUNG_STRUCT_VERSION,
        .user = &series,
        .next = next,
        .done = done,
    };
    start(series.subject, &forms[0], "dummy",
          "{\"preprocessor\":\"threaded-exact-v1\",\"scheduler\":\"overlap-v1\","
          "\"buffer\":\"ring-v1\",\"allow_compatibility_fallback\":false}",
          RUNG_CONTEXT_SERIES);
    must(rung_run_series(series.subject->context, &calls));
    assert_int_equal(series.done, FRAMES - 1);
    require_nothing_of_ours("a series on threads", "dummy");
    finish(series.subject);
}

int main(void)
{
    struct subject subject = {0};
    struct CMUnitTest tests[] = {
        cmocka_unit_test(what_we_do_is_counted),
        cmocka_unit_test(what_libc_does_counts_for_whom_it_works),
        cmocka_unit_test(only_what_lies_between_the_marks_is_counted),
        cmocka_unit_test(a_frame_is_answered_without_any_of_it),
        cmocka_unit_test(a_ticket_is_answered_without_any_of_it),
        cmocka_unit_test(frames_of_every_size_up_to_the_largest_need_no_more),
        cmocka_unit_test(a_frame_that_is_refused_costs_none_either),
        cmocka_unit_test(threads_that_share_a_frame_or_overlap_frames_take_no_lock),
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tests[i].initial_state = &subject;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
