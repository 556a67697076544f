/* SPDX-License-Identifier: Apache-2.0 */
#include "session/contest.h"

#include <stdlib.h>

#include <rung/plan.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "session/contest_parts.h"
#include "session/run.h"

#define ROUNDS_LEAST 3u  /* fewer have no median */
#define ROUNDS_MOST  15u /* more tell nothing new */

/* ---- bytes ----------------------------------------------------------------------------------- */

bool rung__bout_compare(struct rung__bout *bout, uint32_t frame, const char *what,
                        struct rung__bytes base, struct rung__bytes other)
{
    size_t at = 0;
    const size_t shorter = base.size < other.size ? base.size : other.size;
    while (at < shorter && base.data[at] == other.data[at])
        at++;
    if (at == base.size && at == other.size)
        return true;
    if (at == shorter)
        return rung__why_not(&bout->difference, "frame %u: the %s has %zu bytes, base's %zu", frame,
                             what, other.size, base.size);
    return rung__why_not(&bout->difference,
                         "frame %u: byte %zu of the %s is 0x%02x, base's is 0x%02x", frame, at,
                         what, other.data[at], base.data[at]);
}

rung_result rung__bout_take(struct rung__bout *bout, enum rung__side side, uint32_t frame,
                            struct rung__bytes packet)
{
    struct rung__buffer *expected = &bout->expected[frame];
    if (side == RUNG__SIDE_RIVAL) /* it has a contest of its own */
        return RUNG_OK;
    if (!expected->size)
        return rung__buffer_append(expected, packet.data, packet.size);
    if (!bout->difference.text[0])
        (void)rung__bout_compare(bout, frame, "packet", rung__buffer_bytes(expected), packet);
    return RUNG_OK;
}

static rung_result digest_of_packets(struct rung__bout *bout, struct rung__sha256 *sha)
{
    rung_result result = RUNG_OK;
    for (uint32_t f = 0; f < bout->contest->frame_count && result == RUNG_OK; f++)
        result = rung__sha256_update(sha, bout->expected[f].data, bout->expected[f].size);
    return result;
}

static rung_result compare_tensors(struct rung__bout *bout, struct rung__sha256 *sha)
{
    const struct rung__contest *contest = bout->contest;
    const size_t size = (size_t)rung__tensor_bytes(&contest->model->artifact.view.header.canvas);
    uint8_t *base = rung__memory_new(size), *other = rung__memory_new(size);
    rung_result result =
        base && other ? RUNG_OK : rung__fail(RUNG_NO_MEMORY, "no memory for two tensors");
    for (uint32_t f = 0; f < contest->frame_count && result == RUNG_OK && !bout->over; f++) {
        result = rung_preprocess(bout->contexts[RUNG__SIDE_BASE], &contest->frames[f],
                                 (rung_span){base, size}, NULL);
        if (result == RUNG_OK)
            result = rung_preprocess(bout->contexts[RUNG__SIDE_TESTED], &contest->frames[f],
                                     (rung_span){other, size}, NULL);
        if (result == RUNG_OK)
            result = rung__sha256_update(sha, other, size);
        bout->over = !rung__bout_compare(bout, f, "tensor", (struct rung__bytes){base, size},
                                         (struct rung__bytes){other, size});
    }
    free(base);
    free(other);
    return result;
}

/** After the first round, which kept base's packets. */
static rung_result make_digest(struct rung__bout *bout)
{
    struct rung__contest *contest = bout->contest;
    struct rung__sha256 sha;
    uint8_t digest[RUNG__SHA256_BYTES];
    rung_result result = rung__sha256_init(&sha);
    if (result == RUNG_OK)
        result = contest->stage == RUNG__STAGE_PREPROCESS ? compare_tensors(bout, &sha)
                                                          : digest_of_packets(bout, &sha);
    if (result == RUNG_OK)
        result = rung__sha256_result(&sha, digest);
    rung__sha256_finish(&sha);
    if (result == RUNG_OK && !bout->over)
        rung__text_hex(contest->digest, digest, sizeof digest);
    if (bout->over) {
        contest->end = RUNG__CONTEST_DIFFERENT;
        contest->why = bout->difference;
    }
    return result;
}

/* ---- turns ----------------------------------------------------------------------------------- */

/** Buffers are told by the time until the model has its input, which the copy is a part of. */
static uint64_t time_of(const struct rung__contest *contest, const rung_run_info *info)
{
    return contest->stage == RUNG__STAGE_POSTPROCESS ? info->postprocess_ns : info->preprocess_ns;
}

rung_result rung__bout_frames(struct rung__bout *bout, enum rung__side side, uint64_t *ns)
{
    const struct rung__contest *contest = bout->contest;
    rung_context *context = bout->contexts[side];
    rung_result result = RUNG_OK;
    uint32_t f = 0;
    *ns = 0;
    for (; f < contest->frame_count && result == RUNG_OK; f++) {
        rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
        size_t size = 0;
        result = rung__run_frame(context, rung__answer_of(context), &contest->frames[f],
                                 (rung_span){bout->packet, bout->packet_bytes}, &size, &info);
        if (result == RUNG_OK)
            result = rung__bout_take(bout, side, f, (struct rung__bytes){bout->packet, size});
        *ns += time_of(contest, &info);
    }
    *ns /= f ? f : 1;
    return result;
}

static rung_result run_side(struct rung__bout *bout, enum rung__side side, uint64_t *ns)
{
    return bout->contest->in_series ? rung__bout_series(bout, side, ns)
                                    : rung__bout_frames(bout, side, ns);
}

/** True when base gives the packets that it gave before. */
static bool base_repeats(struct rung__bout *bout)
{
    uint64_t ns;
    const struct rung__why difference = bout->difference;
    bout->difference.text[0] = '\0';
    const bool repeats =
        run_side(bout, RUNG__SIDE_BASE, &ns) == RUNG_OK && !bout->difference.text[0];
    bout->difference = difference;
    return repeats;
}

/** Before its time: what was seen so far proves nothing. */
static void end(struct rung__bout *bout, enum rung__contest_end how, const char *why)
{
    bout->over = true;
    bout->contest->end = how;
    bout->contest->digest[0] = '\0';
    rung__why_not(&bout->contest->why, "%s", why);
}

/** A side runs. What the tested one does wrong is the end of the contest, not a failure of it. */
static rung_result take_turn(struct rung__bout *bout, enum rung__side side, uint64_t *ns)
{
    rung_result result = run_side(bout, side, ns);
    if (result != RUNG_OK && (side != RUNG__SIDE_TESTED || result == RUNG_NO_MEMORY))
        return result;
    if (result != RUNG_OK)
        end(bout, result == RUNG_UNSUPPORTED ? RUNG__CONTEST_UNSUITED : RUNG__CONTEST_FAILED,
            rung_last_error());
    else if (!bout->difference.text[0])
        return RUNG_OK;
    else if (side == RUNG__SIDE_BASE || !base_repeats(bout))
        end(bout, RUNG__CONTEST_UNTIMED,
            "the model does not answer the same twice here, so its bytes prove nothing");
    else
        end(bout, RUNG__CONTEST_DIFFERENT, bout->difference.text);
    return RUNG_OK;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static uint64_t median(uint64_t *times, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && times[k - 1] > times[k]; k--) {
            const uint64_t larger = times[k - 1];
            times[k - 1] = times[k];
            times[k] = larger;
        }
    return times[count / 2];
}

static bool is_ending(const struct rung__contest *contest)
{
    return contest->ending && atomic_load(contest->ending);
}

/** Each side once, another one first each time; the first round, which is base's, times nothing. */
static rung_result run_round(struct rung__bout *bout, uint32_t round,
                             uint64_t times[RUNG__SIDES][ROUNDS_MOST + 1])
{
    const uint32_t sides = bout->contest->sides;
    rung_result result = RUNG_OK;
    for (uint32_t k = 0; k < sides && result == RUNG_OK && !bout->over; k++) {
        const uint32_t side = (round + k) % sides;
        if (is_ending(bout->contest)) {
            end(bout, RUNG__CONTEST_UNTIMED, "there was no time for it");
            break;
        }
        result = take_turn(bout, (enum rung__side)side, &times[side][round]);
    }
    return result == RUNG_OK && round == 0 && !bout->over ? make_digest(bout) : result;
}

static void tell_times(struct rung__contest *contest, uint32_t rounds,
                       uint64_t times[RUNG__SIDES][ROUNDS_MOST + 1])
{
    contest->rounds = rounds;
    for (uint32_t side = 0; side < contest->sides && rounds; side++) {
        contest->p50_ns[side] = median(&times[side][1], rounds);
        if (contest->weigh)
            contest->p50_ns[side] = contest->weigh((enum rung__side)side, contest->p50_ns[side]);
    }
    if (rounds >= ROUNDS_LEAST)
        contest->end = RUNG__CONTEST_TIMED;
    else
        rung__why_not(&contest->why, "the same bytes, but only %u of %u rounds in %.1f s", rounds,
                      ROUNDS_LEAST, (double)contest->limit_ns / 1e9);
}

/** True when it was not the quickest in any round: more of them would not make it that. */
static bool is_beaten(const struct rung__contest *contest, uint32_t rounds,
                      uint64_t times[RUNG__SIDES][ROUNDS_MOST + 1])
{
    if (contest->weigh || rounds < ROUNDS_LEAST)
        return false;
    for (uint32_t round = 1; round <= rounds; round++) {
        bool is_quickest = true;
        for (uint32_t side = 0; side < contest->sides; side++)
            if (side != RUNG__SIDE_TESTED && times[side][round] <= times[RUNG__SIDE_TESTED][round])
                is_quickest = false;
        if (is_quickest)
            return false;
    }
    return true;
}

/** Where the first round shows that there is no time for enough of them, none is made. */
static rung_result run_rounds(struct rung__bout *bout)
{
    uint64_t times[RUNG__SIDES][ROUNDS_MOST + 1], spent = 0;
    uint32_t rounds = 0;
    const uint64_t began = rung__clock_now(), limit = bout->contest->limit_ns;
    rung_result result = run_round(bout, 0, times);
    const uint64_t warm = rung__clock_now() - began;
    while (result == RUNG_OK && !bout->over && rounds < ROUNDS_MOST && spent < limit &&
           warm / 2 < limit / ROUNDS_LEAST && !is_beaten(bout->contest, rounds, times)) {
        result = run_round(bout, rounds + 1, times);
        rounds += result == RUNG_OK && !bout->over;
        spent = rung__clock_now() - began;
    }
    if (result == RUNG_OK && !bout->over)
        tell_times(bout->contest, rounds, times);
    return result;
}

/* ---- what it takes --------------------------------------------------------------------------- */

static rung_result make_contexts(struct rung__bout *bout)
{
    const struct rung__contest *contest = bout->contest;
    rung_context_options options = {
        .struct_size = sizeof options, .version = RUNG_STRUCT_VERSION, .flags = RUNG_CONTEXT_STAY};
    if (contest->in_series)
        options.flags |= RUNG_CONTEXT_SERIES;
    for (uint32_t f = 0; f < contest->frame_count; f++) {
        const rung_frame *frame = &contest->frames[f];
        if (frame->width > options.max_frame_width)
            options.max_frame_width = frame->width;
        if (frame->height > options.max_frame_height)
            options.max_frame_height = frame->height;
    }
    rung_result result = RUNG_OK;
    for (uint32_t side = 0; side < contest->sides && result == RUNG_OK; side++)
        result = rung__context_create(
            contest->model, &options,
            &(struct rung__context_stages){contest->catalog, &contest->plans[side]},
            &bout->contexts[side]);
    return result;
}

/** Before anything reads the pixels of a caller. */
static rung_result check_frames(const struct rung__bout *bout)
{
    rung_context *base = bout->contexts[RUNG__SIDE_BASE];
    rung_result result = RUNG_OK;
    for (uint32_t f = 0; f < bout->contest->frame_count && result == RUNG_OK; f++)
        result = rung__run_place(base, &base->lanes[0], &bout->contest->frames[f]);
    return result;
}

static rung_result make_room(struct rung__bout *bout)
{
    const struct rung__contest *contest = bout->contest;
    uint64_t bytes = 0;
    size_t largest = 0;
    (void)rung_context_get_max_output_bytes(bout->contexts[RUNG__SIDE_BASE], &bytes);
    bout->packet = rung__memory_new(bytes);
    bout->packet_bytes = (size_t)bytes;
    bout->expected = calloc(contest->frame_count, sizeof *bout->expected);
    bool complete = bout->packet && bout->expected;
    for (uint32_t f = 0; f < contest->frame_count; f++) {
        const size_t size = rung__frame_bytes(&contest->frames[f]);
        largest = size > largest ? size : largest;
    }
    for (uint32_t slot = 0; slot < RUNG__BUFFER_SLOTS && contest->in_series; slot++) {
        bout->copies[slot] = rung__memory_new(largest);
        complete = complete && bout->copies[slot];
    }
    return complete ? RUNG_OK : rung__fail(RUNG_NO_MEMORY, "no memory to validate stages");
}

static void finish(struct rung__bout *bout)
{
    for (uint32_t side = 0; side < RUNG__SIDES; side++)
        rung_context_destroy(bout->contexts[side]);
    for (uint32_t f = 0; f < bout->contest->frame_count && bout->expected; f++)
        rung__buffer_finish(&bout->expected[f]);
    for (uint32_t slot = 0; slot < RUNG__BUFFER_SLOTS; slot++)
        free(bout->copies[slot]);
    free(bout->expected);
    free(bout->packet);
}

rung_result rung__contest_run(struct rung__contest *contest)
{
    struct rung__bout bout = {.contest = contest};
    contest->end = RUNG__CONTEST_UNTIMED;
    rung_result result = make_contexts(&bout);
    if (result == RUNG_OK)
        result = check_frames(&bout);
    if (result == RUNG_OK)
        result = make_room(&bout);
    if (result == RUNG_OK)
        result = run_rounds(&bout);
    finish(&bout);
    return result;
}
