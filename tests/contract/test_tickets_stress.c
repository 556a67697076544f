/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A million calls at random, right and wrong ones, from eight threads on shared contexts: none but
 * the documented results, and every frame that was accepted is released once.
 *
 * RUNG_STRESS_SEED repeats what each thread calls, though not how the threads interleave;
 * RUNG_STRESS_CALLS says how many calls there are. With the sanitizers it takes seconds, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../unit/folder_fixture.h"
#include "base/memory.h"
#include "base/thread.h"
#include "tickets.h"

#define CALLS          1000000u
#define THREADS        8u
#define CONTEXTS       3u /* the last one takes no tickets */
#define HANDLES        4u
#define REQUEST_FRAMES 3u
#define RESULTS        32
#define PACKET_BYTES   8192u

/** One acceptance of a frame. */
struct token {
    bool accepted;
    atomic_uint released;
};

struct world {
    struct subject subject;
    rung_context *contexts[CONTEXTS];
    _Atomic uint64_t handles[CONTEXTS][HANDLES]; /**< the newest of each */
    uint64_t tensor_bytes;
};

/** A thread, and what only it uses. */
struct caller {
    struct world *world;
    struct rung__thread thread;
    uint64_t random;
    uint32_t calls;
    struct token *tokens;
    uint32_t token_count;
    void *tensor;
    uint64_t packet[PACKET_BYTES / 8 + 1];
    uint32_t results[RESULTS];
    uint32_t unexpected; /**< results that the function does not have */
    char sentence[1100]; /**< about the first of them */
};

static uint32_t random_below(struct caller *caller, uint32_t limit)
{
    uint64_t x = caller->random; /* xorshift64 */
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    caller->random = x;
    return (uint32_t)((x >> 16) % limit);
}

static bool chance(struct caller *caller, uint32_t one_in)
{
    return random_below(caller, one_in) == 0;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static uint32_t any_number(struct caller *caller)
{
    return chance(caller, 40) ? CONTEXTS - 1 : random_below(caller, CONTEXTS - 1);
}

static rung_context *any_context(struct caller *caller)
{
    return chance(caller, 40) ? NULL : caller->world->contexts[any_number(caller)];
}

/** A context, and a ticket that is alive in it, or was, or is of another one, or never was. */
static rung_context *any_pair(struct caller *caller, rung_ticket *ticket)
{
    const uint32_t number = any_number(caller);
    const uint32_t of = chance(caller, 16) ? any_number(caller) : number;
    *ticket = atomic_load(&caller->world->handles[of][random_below(caller, HANDLES)]);
    if (chance(caller, 60))
        *ticket += 1;
    else if (chance(caller, 60))
        *ticket = (uint64_t)random_below(caller, UINT32_MAX) << 32 | random_below(caller, 1u << 16);
    return chance(caller, 40) ? NULL : caller->world->contexts[number];
}

static rung_span any_span(struct caller *caller)
{
    rung_span span = {caller->packet, PACKET_BYTES};
    switch (random_below(caller, 8)) {
    case 0:
        span.size = random_below(caller, PACKET_BYTES);
        break;
    case 1:
        span.size = random_below(caller, 128);
        break;
    case 2:
        if (chance(caller, 4))
            span = (rung_span){(char *)caller->packet + 1 + random_below(caller, 7), 4096};
        else if (chance(caller, 2))
            span = (rung_span){NULL, chance(caller, 2) ? 64 : 0};
        break;
    default:
        break;
    }
    return span;
}

/** A structure in memory of exactly the size that it says, where the sanitizer sees who reads on;
 * the caller's. Some say a size, or a version, that is none. */
static void *any_copy(struct caller *caller, const void *structure, size_t size)
{
    uint32_t head[2];
    memcpy(head, structure, sizeof head);
    if (chance(caller, 12))
        head[0] = random_below(caller, (uint32_t)size);
    if (chance(caller, 60))
        head[1] = random_below(caller, 4);
    const size_t bytes = head[0] < sizeof head ? sizeof head : head[0];
    void *copy = malloc(bytes);
    memcpy(copy, structure, bytes);
    memcpy(copy, head, sizeof head);
    return copy;
}

static void spoil(struct caller *caller, rung_frame *frame)
{
    switch (random_below(caller, 9)) {
    case 0:
        frame->width = 0;
        break;
    case 1:
        frame->height = 65536 + random_below(caller, 1000);
        break;
    case 2:
        frame->stride = 1 + random_below(caller, 200);
        break;
    case 3:
        frame->stride = UINT64_MAX / (1 + random_below(caller, 9)); /* beyond all memory */
        frame->height = SIDE - 1;
        break;
    case 4:
        frame->crop = (rung_rect){random_below(caller, UINT32_MAX), SIDE, 1, 1};
        break;
    case 5:
        frame->format = (rung_pixel_format)(100 + random_below(caller, 1000));
        break;
    case 6:
        frame->flags = 2 + random_below(caller, 1000);
        break;
    case 7:
        frame->flags = RUNG_FRAME_FENCE;
        frame->fence = -1;
        break;
    default:
        frame->pixels = NULL;
    }
}

static void note_release(void *user, const void *pixels)
{
    struct token *token = user;
    (void)pixels;
    atomic_fetch_add(&token->released, 1);
}

static rung_frame any_frame(struct caller *caller)
{
    rung_frame frame = caller->world->subject.frames[random_below(caller, FRAMES)];
    frame.width = 1 + random_below(caller, SIDE - 1);
    frame.height = 1 + random_below(caller, SIDE - 1);
    frame.session_epoch = random_below(caller, 3);
    frame.release = NULL;
    if (chance(caller, 10))
        spoil(caller, &frame);
    return frame;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/** What a function may say, as bits. */
#define MAY(result) (1u << -(int)(result))
#define MAY_ALWAYS  (MAY(RUNG_OK) | MAY(RUNG_INVALID_ARGUMENT))
#define MAY_RUN                                                                                    \
    (MAY_ALWAYS | MAY(RUNG_VERSION) | MAY(RUNG_CAPACITY) | MAY(RUNG_BUSY) | MAY(RUNG_BACKEND) |    \
     MAY(RUNG_DEVICE_LOST))
#define MAY_TICKET (MAY_ALWAYS | MAY(RUNG_UNSUPPORTED) | MAY(RUNG_STALE))

static void note(struct caller *caller, const char *function, rung_result result, uint32_t may)
{
    const int code = -(int)result;
    caller->calls--;
    if (code >= 0 && code < RESULTS)
        caller->results[code]++;
    if (code >= 0 && code < RESULTS && may & (1u << code))
        return;
    if (caller->unexpected++ == 0)
        snprintf(caller->sentence, sizeof caller->sentence, "%s: %s: %s", function,
                 rung_result_name(result), rung_last_error());
}

static rung_result submit_to(struct caller *caller, rung_context *context, rung_ticket *ticket)
{
    const uint32_t count = chance(caller, 2) ? 1 : random_below(caller, REQUEST_FRAMES + 2);
    rung_frame frames[REQUEST_FRAMES + 1];
    const rung_frame *pointers[REQUEST_FRAMES + 1];
    struct token *tokens = caller->tokens + caller->token_count;
    for (uint32_t i = 0; i < count; i++) {
        frames[i] = any_frame(caller);
        frames[i].release = note_release;
        frames[i].release_user = &tokens[i];
        pointers[i] = chance(caller, 200) ? NULL : &frames[i];
    }
    const rung_request request = {.struct_size = sizeof request,
                                  .version = RUNG_STRUCT_VERSION,
                                  .flags = chance(caller, 200) ? 1 : 0,
                                  .frame_count = count,
                                  .frames = chance(caller, 200) ? NULL : pointers};
    rung_request *copy = any_copy(caller, &request, sizeof request);
    const rung_result result = rung_submit(context, chance(caller, 300) ? NULL : copy, ticket);
    free(copy);
    if (result != RUNG_OK)
        return result;
    for (uint32_t i = 0; i < count; i++)
        tokens[i].accepted = true;
    caller->token_count += count;
    return result;
}

#define MAY_SUBMIT                                                                                 \
    (MAY_ALWAYS | MAY(RUNG_VERSION) | MAY(RUNG_UNSUPPORTED) | MAY(RUNG_BUSY) |                     \
     MAY(RUNG_DEVICE_LOST))

static void call_submit(struct caller *caller)
{
    rung_ticket ticket = 0;
    const uint32_t number = any_number(caller);
    const rung_result result =
        submit_to(caller, chance(caller, 40) ? NULL : caller->world->contexts[number], &ticket);
    if (result == RUNG_OK)
        atomic_store(&caller->world->handles[number][random_below(caller, HANDLES)], ticket);
    note(caller, "rung_submit", result, MAY_SUBMIT);
}

static void call_poll(struct caller *caller)
{
    rung_ticket_state state;
    rung_ticket ticket;
    rung_context *context = any_pair(caller, &ticket);
    const rung_result result = rung_poll(context, ticket, chance(caller, 100) ? NULL : &state);
    note(caller, "rung_poll", result, MAY_TICKET);
}

static void call_wait(struct caller *caller)
{
    rung_ticket_state state;
    rung_ticket ticket;
    rung_context *context = any_pair(caller, &ticket);
    const rung_result result = rung_wait(context, ticket, (uint64_t)20000 * random_below(caller, 3),
                                         chance(caller, 5) ? NULL : &state);
    note(caller, "rung_wait", result, MAY_TICKET | MAY(RUNG_TIMEOUT));
}

static void call_collect(struct caller *caller)
{
    size_t needed;
    rung_ticket ticket;
    rung_context *context = any_pair(caller, &ticket);
    rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    rung_run_info *copy = chance(caller, 3) ? any_copy(caller, &info, sizeof info) : NULL;
    const rung_result result =
        rung_collect(context, ticket, (uint64_t)50000 * random_below(caller, 3), any_span(caller),
                     chance(caller, 2) ? &needed : NULL, copy);
    free(copy);
    note(caller, "rung_collect", result,
         MAY_TICKET | MAY(RUNG_BUSY) | MAY(RUNG_TIMEOUT) | MAY(RUNG_CAPACITY) |
             MAY(RUNG_CANCELLED) | MAY(RUNG_BACKEND) | MAY(RUNG_DEVICE_LOST) | MAY(RUNG_VERSION));
}

static void call_cancel(struct caller *caller)
{
    rung_ticket ticket;
    rung_context *context = any_pair(caller, &ticket);
    note(caller, "rung_cancel", rung_cancel(context, ticket), MAY_TICKET | MAY(RUNG_BUSY));
}

static void call_reset(struct caller *caller)
{
    note(caller, "rung_context_reset", rung_context_reset(any_context(caller)), MAY_TICKET);
}

static void call_set_epochs(struct caller *caller)
{
    const rung_epochs epochs = {.struct_size = sizeof epochs,
                                .version = RUNG_STRUCT_VERSION,
                                .session_epoch = random_below(caller, 3)};
    rung_epochs *copy = any_copy(caller, &epochs, sizeof epochs);
    note(caller, "rung_context_set_epochs",
         rung_context_set_epochs(any_context(caller), chance(caller, 20) ? NULL : copy),
         MAY_ALWAYS | MAY(RUNG_VERSION));
    free(copy);
}

/** At times a device is lost first, or runs are to fail, or to take their time. */
static void call_rebuild(struct caller *caller)
{
    if (chance(caller, 40))
        atomic_store(&gate.losing, 1);
    if (chance(caller, 8))
        atomic_store(&gate.failing, 3);
    if (chance(caller, 4))
        atomic_store(&gate.lingering, 20);
    note(caller, "rung_context_rebuild", rung_context_rebuild(any_context(caller)),
         MAY_ALWAYS | MAY(RUNG_STATE) | MAY(RUNG_BUSY));
}

static void call_told(struct caller *caller)
{
    rung_model *model = chance(caller, 50) ? NULL : caller->world->subject.model;
    rung_model_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    rung_model_info *copy = any_copy(caller, &info, sizeof info);
    const char *label;
    uint64_t bytes;
    switch (random_below(caller, 3)) {
    case 0:
        note(caller, "rung_model_get_info", rung_model_get_info(model, copy),
             MAY_ALWAYS | MAY(RUNG_VERSION));
        break;
    case 1:
        note(caller, "rung_model_get_label",
             rung_model_get_label(model, random_below(caller, 4), &label),
             MAY_ALWAYS | MAY(RUNG_NOT_FOUND));
        break;
    default:
        note(caller, "rung_context_get_max_output_bytes",
             rung_context_get_max_output_bytes(any_context(caller), &bytes), MAY_ALWAYS);
    }
    free(copy);
}

static void call_detect(struct caller *caller)
{
    const rung_frame frame = any_frame(caller);
    rung_frame *copy = any_copy(caller, &frame, sizeof frame);
    size_t needed;
    rung_result (*const calls[])(rung_context *, const rung_frame *, rung_span, size_t *,
                                 rung_run_info *) = {rung_detect, rung_embed, rung_segment};
    note(caller, "rung_detect",
         calls[chance(caller, 8) ? 1 + random_below(caller, 2) : 0](
             any_context(caller), chance(caller, 100) ? NULL : copy, any_span(caller), &needed,
             NULL),
         MAY_RUN);
    free(copy);
}

/** Two frames, one after the other. */
struct run {
    struct caller *caller;
    uint32_t left;
};

static int next_frame(void *user, rung_frame *frame, void **mark)
{
    struct run *run = user;
    if (run->left == 0)
        return 0;
    *frame = any_frame(run->caller);
    *mark = run;
    return (int)run->left--;
}

static void frame_done(void *user, void *mark, rung_result result, const void *packet, size_t size,
                       const rung_run_info *info)
{
    const struct run *run = user;
    (void)info;
    if (mark != run || (result == RUNG_OK) != (packet && size))
        run->caller->unexpected++;
}

static void call_series(struct caller *caller)
{
    struct run run = {caller, random_below(caller, 3)};
    const rung_series series = {.struct_size = sizeof series,
                                .version = RUNG_STRUCT_VERSION,
                                .user = &run,
                                .next = next_frame,
                                .done = frame_done};
    rung_series *copy = any_copy(caller, &series, sizeof series);
    note(caller, "rung_run_series", rung_run_series(any_context(caller), copy), MAY_RUN);
    free(copy);
}

/** One step of what is composed by hand. */
static void call_step(struct caller *caller)
{
    rung_context *context = any_context(caller);
    const rung_frame frame = any_frame(caller);
    rung_output output = {.struct_size = sizeof output, .version = RUNG_STRUCT_VERSION};
    rung_output *copy = any_copy(caller, &output, sizeof output);
    uint8_t *tensor = (uint8_t *)caller->tensor + (chance(caller, 20) ? 4 : 0);
    const size_t size = (size_t)caller->world->tensor_bytes - (chance(caller, 20) ? 1 : 0);
    switch (random_below(caller, 4)) {
    case 0:
        note(caller, "rung_preprocess",
             rung_preprocess(context, &frame, (rung_span){tensor, size}, NULL), MAY_RUN);
        break;
    case 1:
        note(caller, "rung_run", rung_run(context, chance(caller, 50) ? NULL : tensor, size),
             MAY_RUN);
        break;
    case 2:
        note(caller, "rung_postprocess", rung_postprocess(context, &frame, any_span(caller), NULL),
             MAY_RUN);
        break;
    default:
        note(caller, "rung_context_get_output",
             rung_context_get_output(context, random_below(caller, 3), copy),
             MAY_RUN | MAY(RUNG_NOT_FOUND));
    }
    free(copy);
}

/** A context of one's own, which ends with tickets alive. */
static void call_own(struct caller *caller)
{
    rung_context *context = NULL;
    rung_ticket ticket;
    const rung_context_options options = {.struct_size = sizeof options,
                                          .version = RUNG_STRUCT_VERSION,
                                          .flags = RUNG_CONTEXT_TICKETS,
                                          .depth = 1 + random_below(caller, 17),
                                          .request_frames = REQUEST_FRAMES};
    const rung_result result =
        rung_context_create(caller->world->subject.model, &options, &context);
    note(caller, "rung_context_create", result, MAY_ALWAYS);
    for (uint32_t i = random_below(caller, 4); i > 0 && result == RUNG_OK && caller->calls > 1; i--)
        note(caller, "rung_submit", submit_to(caller, context, &ticket), MAY_SUBMIT);
    rung_context_destroy(context);
}

/** How often each is called, of 1024 times. */
static const struct {
    uint32_t often;
    void (*call)(struct caller *caller);
} calls[] = {
    {310, call_submit}, {40, call_poll},       {90, call_wait}, {280, call_collect},
    {70, call_cancel},  {4, call_reset},       {50, call_told}, {60, call_detect},
    {12, call_series},  {30, call_set_epochs}, {47, call_step}, {30, call_rebuild},
    {1, call_own},
};

static void call_at_random(void *argument)
{
    struct caller *caller = argument;
    while (caller->calls > 0) {
        uint32_t at = random_below(caller, 1024), i = 0;
        while (at >= calls[i].often)
            at -= calls[i++].often;
        calls[i].call(caller);
    }
}

/* ---- the test -------------------------------------------------------------------------------- */

static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static void make_contexts(struct world *world)
{
    rung_context_options plain = {
        .struct_size = sizeof plain, .version = RUNG_STRUCT_VERSION, .flags = RUNG_CONTEXT_SERIES};
    size_t needed = 0;
    gate_let_pass(OPEN);
    world->contexts[0] = tickets_context(&world->subject, 3, REQUEST_FRAMES, 0);
    world->contexts[1] = tickets_context(&world->subject, 16, REQUEST_FRAMES, RUNG_CONTEXT_REBUILD);
    assert_int_equal(rung_context_create(world->subject.model, &plain, &world->contexts[2]),
                     RUNG_OK);
    assert_int_equal(rung_preprocess(world->contexts[2], &world->subject.frames[0],
                                     (rung_span){NULL, 0}, &needed),
                     RUNG_CAPACITY);
    world->tensor_bytes = needed;
}

static void start(struct world *world, struct caller *caller, uint64_t seed, uint32_t number,
                  uint32_t many)
{
    *caller = (struct caller){
        .world = world,
        .random = (seed * THREADS + number + 1) * UINT64_C(0x9e3779b97f4a7c15),
        .calls = many,
        .tokens =
            calloc((size_t)(many + 1) * REQUEST_FRAMES + REQUEST_FRAMES + 2, sizeof(struct token)),
        .tensor = rung__memory_new(world->tensor_bytes + 64),
    };
    assert_non_null(caller->tokens);
    assert_non_null(caller->tensor);
    memset(caller->tensor, 0, (size_t)world->tensor_bytes + 64);
    assert_int_equal(rung__thread_start(&caller->thread, "test-caller", call_at_random, caller),
                     RUNG_OK);
}

/** Adds up what a thread met, and lets go of it. */
static uint32_t finish(struct caller *caller, uint64_t results[RESULTS])
{
    for (size_t i = 0; i < RESULTS; i++)
        results[i] += caller->results[i];
    if (caller->unexpected)
        print_error("%u results that are not documented, such as %s\n", caller->unexpected,
                    caller->sentence);
    uint32_t wrong = caller->unexpected;
    for (uint32_t i = 0; i < caller->token_count; i++)
        if (atomic_load(&caller->tokens[i].released) != 1 && wrong++ == 0)
            print_error("a frame was released %u times\n",
                        atomic_load(&caller->tokens[i].released));
    free(caller->tokens);
    free(caller->tensor);
    return wrong;
}

static void tell(const uint64_t results[RESULTS], uint32_t frames)
{
    for (int i = 0; i < RESULTS; i++)
        if (results[i])
            print_message("  %-18s %8llu\n", rung_result_name((rung_result)-i),
                          (unsigned long long)results[i]);
    print_message("  %u frames were accepted, and released once each\n", frames);
}

static void call_all(struct world *world, const char *rung, uint32_t many)
{
    static struct caller callers[THREADS];
    uint64_t results[RESULTS] = {0};
    const uint64_t seed = number_of("RUNG_STRESS_SEED", (uint64_t)time(NULL) & 0xffffff);
    print_message("%s: %u calls, RUNG_STRESS_SEED=%llu\n", rung, many, (unsigned long long)seed);
    world->subject.rung = rung;
    assert_int_equal(make_test_folder(NULL), 0);
    assert_int_equal(tickets_set_up(&world->subject, test_folder), 0);
    make_contexts(world);
    for (uint32_t i = 0; i < THREADS; i++)
        start(world, &callers[i], seed, i, many / THREADS);
    for (uint32_t i = 0; i < THREADS; i++)
        rung__thread_join(&callers[i].thread);
    for (uint32_t i = 0; i < CONTEXTS; i++)
        rung_context_destroy(world->contexts[i]);
    uint32_t wrong = 0, frames = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        frames += callers[i].token_count;
        wrong += finish(&callers[i], results);
    }
    assert_int_equal(wrong, 0);
    tell(results, frames);
    static const rung_result met[] = {
        RUNG_OK,    RUNG_INVALID_ARGUMENT, RUNG_VERSION, RUNG_BUSY,      RUNG_CAPACITY,
        RUNG_STALE, RUNG_TIMEOUT,          RUNG_BACKEND, RUNG_CANCELLED, RUNG_UNSUPPORTED,
        RUNG_STATE, RUNG_DEVICE_LOST,
    };
    for (size_t i = 0; many >= CALLS / 20 && i < sizeof met / sizeof *met; i++)
        assert_true(results[-(int)met[i]] > 0); /* or it would be another test */
    tickets_tear_down(&world->subject);
    remove_test_folder(NULL);
}

static void a_million_calls_do_no_harm(void **state)
{
    static struct world world;
    (void)state;
    call_all(&world, "dummy", (uint32_t)number_of("RUNG_STRESS_CALLS", CALLS));
}

static void nor_do_those_on_a_real_runtime(void **state)
{
    static struct world world;
    (void)state;
    call_all(&world, "ort-cpu", (uint32_t)number_of("RUNG_STRESS_CALLS", CALLS) / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_calls_do_no_harm),
        cmocka_unit_test(nor_do_those_on_a_real_runtime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
