/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A camera loop: detects in the newest frame, and never waits for the model.
 *
 *     camera MODEL FRAMES BEFORE.ppm AFTER.ppm
 *     RUNG_TRUST_PATH=build/trust build/examples/camera build/models/centerface.rung 90 a.ppm b.ppm
 *
 * The camera takes FRAMES pictures, 30 a second. Half way it is turned: what it shows is BEFORE,
 * then AFTER. Each frame is handed over as a ticket; one that comes while the model is busy takes
 * the place of the one that waits. What was found in a frame of a view that is gone comes back
 * marked as stale. Prints a line for each frame that was detected in, and counts at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define PERIOD_NS 33333333u
#define BUFFERS   3 /* one is detected in, one waits, one is being filled */

struct buffer {
    unsigned char *pixels;
    int used;
};

struct loop {
    rung_context *context;
    rung_span packet;
    struct buffer buffers[BUFFERS];
    rung_frame newest; /* that waits; pixels NULL: none does */
    rung_ticket ticket;
    uint64_t taken_ns; /* when the frame of the ticket was */
    rung_epochs epochs;
    unsigned detected, failed, replaced;
};

/* Called once for each frame that Rung took, inside a call of this thread. */
static void release(void *user, const void *pixels)
{
    struct buffer *buffer = user;
    (void)pixels;
    buffer->used = 0;
}

/* Fills a free buffer, as a driver would, and makes a frame of it. */
static rung_frame take(struct loop *loop, const struct picture *picture, unsigned id)
{
    struct buffer *buffer = loop->buffers;
    while (buffer->used)
        buffer++;
    buffer->used = 1;
    memcpy(buffer->pixels, picture->pixels, picture_bytes(picture));
    rung_frame frame = picture_frame(picture);
    frame.pixels = buffer->pixels;
    frame.frame_id = id;
    frame.transform_epoch = loop->epochs.transform_epoch;
    frame.capture_ns = now_ns();
    frame.release = release;
    frame.release_user = buffer;
    return frame;
}

/* Hands the newest frame over. It stays ours when it is refused. */
static void submit(struct loop *loop)
{
    const rung_frame *frames[] = {&loop->newest};
    const rung_request request = {.struct_size = sizeof request,
                                  .version = RUNG_STRUCT_VERSION,
                                  .frame_count = 1,
                                  .frames = frames};
    if (ok(rung_submit(loop->context, &request, &loop->ticket))) {
        loop->taken_ns = loop->newest.capture_ns;
    } else {
        release(loop->newest.release_user, loop->newest.pixels);
        loop->failed++;
    }
    loop->newest.pixels = NULL;
}

/* Takes what the ticket came to, if that is known by now or within the time limit. */
static void collect(struct loop *loop, uint64_t timeout_ns)
{
    const rung_packet_header *packet = loop->packet.data;
    const rung_result result =
        rung_collect(loop->context, loop->ticket, timeout_ns, loop->packet, NULL, NULL);
    if (result == RUNG_BUSY)
        return;
    loop->ticket = 0;
    if (!ok(result)) {
        loop->failed++;
        return;
    }
    loop->detected++;
    printf("frame %u: %u targets, %.1f ms old%s\n", (unsigned)packet->frame_id, packet->count,
           (double)(now_ns() - loop->taken_ns) / 1e6,
           packet->flags & RUNG_PACKET_STALE ? ", stale" : "");
}

static void play(struct loop *loop, const struct picture views[2], unsigned count)
{
    uint64_t next_ns = now_ns();
    for (unsigned i = 0; i < count; i++, next_ns += PERIOD_NS) {
        sleep_until_ns(next_ns);
        if (i == 0 || i == count / 2) {
            loop->epochs.transform_epoch++;
            (void)ok(rung_context_set_epochs(loop->context, &loop->epochs));
        }
        const rung_frame frame = take(loop, &views[i >= count / 2], i + 1);
        if (loop->newest.pixels) {
            release(loop->newest.release_user, loop->newest.pixels);
            loop->replaced++;
        }
        loop->newest = frame;
        if (loop->ticket)
            collect(loop, 0);
        if (!loop->ticket)
            submit(loop);
    }
    while (loop->ticket) {
        collect(loop, RUNG_FOREVER);
        if (loop->newest.pixels)
            submit(loop);
    }
}

/* All memory is there before the first frame comes. */
static int prepare(struct loop *loop, rung_model *model, const struct picture views[2])
{
    const rung_context_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .flags = RUNG_CONTEXT_TICKETS | RUNG_CONTEXT_REBUILD, /* it goes on when a device is lost */
        .max_frame_width = views[views[1].width > views[0].width].width,
        .max_frame_height = views[views[1].height > views[0].height].height,
    };
    const size_t first = picture_bytes(&views[0]), second = picture_bytes(&views[1]);
    uint64_t size;
    for (unsigned i = 0; i < BUFFERS; i++)
        if (!(loop->buffers[i].pixels = malloc(first > second ? first : second)))
            return 0;
    if (!ok(rung_context_create(model, &options, &loop->context)) ||
        !ok(rung_context_get_max_output_bytes(loop->context, &size)))
        return 0;
    loop->packet = (rung_span){malloc(size), size};
    return loop->packet.data != NULL;
}

int main(int count, char **arguments)
{
    struct loop loop = {
        .epochs = {.struct_size = sizeof loop.epochs, .version = RUNG_STRUCT_VERSION}};
    struct picture views[2] = {0};
    rung_instance *instance = NULL;
    rung_model *model = NULL;
    const unsigned frames = count == 5 ? read_count(arguments[2], 100000) : 0;

    if (frames == 0) {
        fprintf(stderr, "usage: camera MODEL FRAMES BEFORE.ppm AFTER.ppm\n");
        return 2;
    }
    const int ready =
        read_picture(arguments[3], &views[0]) && read_picture(arguments[4], &views[1]) &&
        ok(rung_instance_create(NULL, &instance)) &&
        ok(rung_model_open(instance, arguments[1], NULL, &model)) && prepare(&loop, model, views);
    if (ready) {
        play(&loop, views, frames);
        printf("%u taken, %u detected in, %u replaced by newer ones, %u failed\n", frames,
               loop.detected, loop.replaced, loop.failed);
    }
    rung_context_destroy(loop.context); /* releases what is still on its way */
    rung_model_destroy(model);
    rung_instance_destroy(instance);
    for (unsigned i = 0; i < BUFFERS; i++)
        free(loop.buffers[i].pixels);
    free(loop.packet.data);
    free_picture(&views[0]);
    free_picture(&views[1]);
    return ready && loop.failed == 0 ? 0 : 1;
}
