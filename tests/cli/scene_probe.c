/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scene-probe MODEL {PHOTO x,y,w,h vx,vy,vw,vh}…: shows the tests one scene of photographs, and
 * what each frame answers by itself, as one line of JSON with every number as it is in the packets.
 * The first rectangle is where the frame lies on the desktop, the second what shows of it (0,0,0,0:
 * all of it), in Q8. The sources have the ids 1, 2 and so on.
 */
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>
#include <rung/rung.h>

#include "photo.h"

#define CONFIDENCE 655u /* 1 %, so that there are many targets */

static void must(rung_result result)
{
    if (result == RUNG_OK)
        return;
    fprintf(stderr, "scene-probe: %s\n", rung_last_error());
    exit(3);
}

static json_t *describe_points(const rung_packet_header *header, const rung_target *target)
{
    const rung_target *targets = (const rung_target *)(header + 1);
    const int32_t *values = (const int32_t *)((const char *)(targets + header->count) +
                                              8 * (size_t)target->attachment_offset);
    json_t *points = json_array();
    for (uint32_t i = 0; i < target->attachment_bytes / sizeof *values; i++)
        json_array_append_new(points, json_integer(values[i]));
    return points;
}

static json_t *describe_target(const rung_packet_header *header, const rung_target *target)
{
    char id[32];
    snprintf(id, sizeof id, "%llu", (unsigned long long)target->target_id);
    return json_pack(
        "{s:s,s:I,s:I,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:o}", "id", id, "source",
        (json_int_t)target->source_id, "display", (json_int_t)target->display_id, "x", target->x,
        "y", target->y, "w", target->w, "h", target->h, "safe_x", target->safe_x, "safe_y",
        target->safe_y, "confidence", (int)target->confidence, "class", (int)target->class_id,
        "bits", (int)target->source_bits, "capabilities", (int)target->capabilities, "flags",
        (int)target->flags, "order", (int)target->order, "points", describe_points(header, target));
}

static json_t *describe_packet(const rung_packet_header *header)
{
    const rung_target *targets = (const rung_target *)(header + 1);
    json_t *all = json_array();
    for (uint32_t i = 0; i < header->count; i++)
        json_array_append_new(all, describe_target(header, &targets[i]));
    return json_pack("{s:i,s:i,s:o}", "flags", (int)header->flags, "space", (int)header->space,
                     "targets", all);
}

static rung_desktop_rect read_rect(char *text)
{
    int32_t numbers[4] = {0};
    for (int i = 0; i < 4; i++) {
        char *end;
        numbers[i] = (int32_t)strtol(text, &end, 10);
        if (end == text || *end != (i < 3 ? ',' : '\0')) {
            fprintf(stderr, "scene-probe: %s is no rectangle\n", text);
            exit(2);
        }
        text = end + 1;
    }
    return (rung_desktop_rect){numbers[0], numbers[1], numbers[2], numbers[3]};
}

/** Its own answer, and the same frame offered. */
static json_t *add(rung_scene *scene, rung_context *alone, rung_span packet, char **arguments,
                   uint64_t id, struct photo *photo)
{
    struct photo_error error;
    if (!photo_load(arguments[0], PHOTO_PIXELS_DEFAULT, photo, &error)) {
        fprintf(stderr, "scene-probe: %s\n", error.message);
        exit(5);
    }
    const rung_frame frame = {.struct_size = sizeof frame,
                              .version = RUNG_STRUCT_VERSION,
                              .pixels = photo->pixels,
                              .width = photo->width,
                              .height = photo->height,
                              .format = RUNG_PIXEL_RGB8,
                              .source_id = id,
                              .display_id = 100 + id};
    const rung_scene_frame placed = {.struct_size = sizeof placed,
                                     .version = RUNG_STRUCT_VERSION,
                                     .frame = &frame,
                                     .placement = read_rect(arguments[1]),
                                     .visible = read_rect(arguments[2])};
    must(rung_detect(alone, &frame, packet, NULL, NULL));
    must(rung_scene_add_source(scene, id));
    must(rung_scene_offer(scene, &placed));
    json_t *line = describe_packet(packet.data);
    json_object_set_new(line, "width", json_integer(photo->width));
    json_object_set_new(line, "height", json_integer(photo->height));
    return line;
}

static json_t *describe_scene(rung_scene *scene)
{
    const rung_scene_view *view;
    must(rung_scene_step(scene, NULL));
    must(rung_scene_acquire(scene, &view));
    must(rung_packet_check(view->packet, (size_t)view->packet_bytes));
    json_t *line = describe_packet(view->packet);
    json_object_set_new(line, "view_flags", json_integer(view->flags));
    must(rung_scene_release(scene, view));
    return line;
}

static json_t *run(rung_model *model, char **arguments, int count)
{
    const rung_context_options options = {.struct_size = sizeof options,
                                          .version = RUNG_STRUCT_VERSION,
                                          .flags = RUNG_CONTEXT_OVERRIDE_CALIBRATION,
                                          .min_confidence = CONFIDENCE};
    rung_context *context = NULL, *alone = NULL;
    rung_scene *scene = NULL;
    rung_span packet = {0};
    uint64_t bytes = 0;
    struct photo photos[RUNG_SCENE_SOURCES_MAX] = {{0}};
    json_t *frames = json_array();
    must(rung_context_create(model, &options, &context));
    must(rung_context_create(model, &options, &alone));
    must(rung_scene_create(context, NULL, &scene));
    must(rung_context_get_max_output_bytes(alone, &bytes));
    packet = (rung_span){malloc((size_t)bytes), (size_t)bytes};
    for (int i = 0; i < count; i++)
        json_array_append_new(frames, add(scene, alone, packet, arguments + 3 * (size_t)i,
                                          (uint64_t)i + 1, &photos[i]));
    json_t *line = json_pack("{s:o,s:o}", "frames", frames, "scene", describe_scene(scene));
    rung_scene_destroy(scene);
    rung_context_destroy(context);
    rung_context_destroy(alone);
    for (int i = 0; i < count; i++)
        photo_finish(&photos[i]);
    free(packet.data);
    return line;
}

int main(int count, char **arguments)
{
    struct photo_error error;
    rung_instance *instance = NULL;
    rung_model *model = NULL;
    const int sources = (count - 2) / 3;
    photo_prepare();
    if (count < 5 || (count - 2) % 3 || sources > (int)RUNG_SCENE_SOURCES_MAX ||
        !photo_start("scene-probe", &error)) {
        fprintf(stderr, "usage: scene-probe MODEL {PHOTO x,y,w,h vx,vy,vw,vh}...\n");
        return 2;
    }
    must(rung_instance_create(NULL, &instance));
    must(rung_model_open(instance, arguments[1], NULL, &model));
    json_t *line = run(model, arguments + 2, sources);
    json_dumpf(line, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(line);
    rung_model_destroy(model);
    rung_instance_destroy(instance);
    photo_stop();
    return 0;
}
