/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sixteen sources, one scene: a wall of four by four displays, all of them detected in 30 times a
 * second, while something else reads the result 120 times a second and never waits.
 *
 *     scene MODEL SECONDS PICTURE.ppm
 *     RUNG_TRUST_PATH=build/trust build/examples/scene build/models/yunet_n_320.rung 5 face.ppm
 *
 * Each display shows the picture, so that what is found in it is found sixteen times, in sixteen
 * places. Prints a line for each scene that is read first, then the targets of the last one with
 * their places on the wall in pixels, and the counts.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

#define COLUMNS 4u
#define SOURCES 16u
#define READ_NS 8333333u /* 120 Hz */
#define OFFER   4u       /* reads for each new frame of the displays */

/* The newest picture of each display. Nothing changes the pixels while the scene lives, so none of
 * the frames needs to be given back: `release` stays NULL. */
static int offer_all(rung_scene *scene, const struct picture *picture, uint64_t frame_id)
{
    for (uint32_t i = 0; i < SOURCES; i++) {
        rung_frame frame = picture_frame(picture);
        frame.source_id = frame.display_id = i + 1;
        frame.frame_id = frame_id;
        frame.capture_ns = now_ns();
        const rung_scene_frame placed = {
            .struct_size = sizeof placed,
            .version = RUNG_STRUCT_VERSION,
            .frame = &frame,
            .placement = {.x = (int32_t)(i % COLUMNS * picture->width * 256),
                          .y = (int32_t)(i / COLUMNS * picture->height * 256),
                          .w = (int32_t)(picture->width * 256),
                          .h = (int32_t)(picture->height * 256)},
        };
        if (!ok(rung_scene_offer(scene, &placed)))
            return 0;
    }
    return 1;
}

/* What an interaction thread does: it pins the newest scene, looks, and lets go. */
static int read_newest(rung_scene *scene, uint64_t *seen)
{
    const rung_scene_view *view;
    const rung_result result = rung_scene_acquire(scene, &view);
    if (result == RUNG_NOT_FOUND)
        return 1; /* none was published yet */
    if (!ok(result))
        return 0;
    if (view->sequence != *seen)
        printf("scene %llu: %u targets of %u sources, the oldest picture %.1f ms old%s\n",
               (unsigned long long)view->sequence, view->packet->count, view->source_count,
               (double)(view->committed_ns - view->oldest_capture_ns) / 1e6,
               view->flags & RUNG_SCENE_INCOMPLETE ? ", incomplete" : "");
    *seen = view->sequence;
    return ok(rung_scene_release(scene, view));
}

static int watch(rung_scene *scene, const struct picture *picture, unsigned seconds)
{
    uint64_t seen = 0, next_ns = now_ns();
    for (uint64_t i = 0; i < seconds * 120ull; i++, next_ns += READ_NS) {
        sleep_until_ns(next_ns);
        if (i % OFFER == 0 && !offer_all(scene, picture, i / OFFER + 1))
            return 0;
        if (!read_newest(scene, &seen))
            return 0;
    }
    return 1;
}

static int print_last(rung_scene *scene)
{
    rung_scene_counters counters = {.struct_size = sizeof counters, .version = RUNG_STRUCT_VERSION};
    const rung_scene_view *view;
    if (!ok(rung_scene_acquire(scene, &view)))
        return 0;
    const void *first = (const char *)view->packet + view->packet->targets_offset;
    const rung_target *targets = first;
    for (uint32_t i = 0; i < view->packet->count; i++)
        printf("display %u: %.3f at %.1f %.1f, %.1f by %.1f\n", (unsigned)targets[i].source_id,
               targets[i].confidence / 65535.0, targets[i].x / 256.0, targets[i].y / 256.0,
               targets[i].w / 256.0, targets[i].h / 256.0);
    (void)rung_scene_release(scene, view);
    if (!ok(rung_scene_get_counters(scene, &counters)))
        return 0;
    printf("%llu published, %llu periods missed, oldest picture at most %.1f ms old\n",
           (unsigned long long)counters.published, (unsigned long long)counters.missed_periods,
           (double)counters.oldest.max / 1e6);
    return 1;
}

static int run(rung_model *model, const struct picture *picture, unsigned seconds)
{
    const rung_context_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .max_frame_width = picture->width, /* nothing is allocated for frames that fit */
        .max_frame_height = picture->height,
    };
    rung_context *context = NULL;
    rung_scene *scene = NULL;
    int done = ok(rung_context_create(model, &options, &context)) &&
               ok(rung_scene_create(context, NULL, &scene));
    for (uint64_t i = 1; i <= SOURCES && done; i++)
        done = ok(rung_scene_add_source(scene, i));
    done = done && offer_all(scene, picture, 0) && ok(rung_scene_start(scene)) &&
           watch(scene, picture, seconds) && ok(rung_scene_stop(scene)) && print_last(scene);
    rung_scene_destroy(scene);
    rung_context_destroy(context);
    return done;
}

int main(int count, char **arguments)
{
    struct picture picture = {0};
    rung_instance *instance = NULL;
    rung_model *model = NULL;
    const unsigned seconds = count == 4 ? read_count(arguments[2], 3600) : 0;

    if (seconds == 0) {
        fprintf(stderr, "usage: scene MODEL SECONDS PICTURE.ppm\n");
        return 2;
    }
    const int done =
        read_picture(arguments[3], &picture) && ok(rung_instance_create(NULL, &instance)) &&
        ok(rung_model_open(instance, arguments[1], NULL, &model)) && run(model, &picture, seconds);
    rung_model_destroy(model);
    rung_instance_destroy(instance);
    free_picture(&picture);
    return done ? 0 : 1;
}
