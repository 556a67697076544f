/* SPDX-License-Identifier: Apache-2.0 */
#include "roles.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "plans.h"

const char *role_name(rung_role role)
{
    switch (role) {
    case RUNG_ROLE_EMBEDDER:
        return "embedder";
    case RUNG_ROLE_SEGMENTER:
        return "segmenter";
    default:
        return "detector";
    }
}

int role_open(rung_instance *instance, const char *command, const char *name, uint32_t threads,
              rung_role role, struct role_model *out)
{
    rung_result result = open_model(instance, name, threads, &out->model);
    out->info = (rung_model_info){.struct_size = sizeof out->info, .version = RUNG_STRUCT_VERSION};
    if (result == RUNG_OK)
        result = rung_model_get_info(out->model, &out->info);
    if (result != RUNG_OK)
        return fail_to_open(result);
    if (out->info.role == role)
        return EXIT_DONE;
    fprintf(stderr, "rung %s: %s is no %s; rung models tells what it is\n", command, out->info.name,
            role_name(role));
    return EXIT_USAGE;
}

rung_result role_open_on(rung_instance *instance, const char *name, const char *rung,
                         uint32_t flags, uint32_t threads, struct role_model *out)
{
    char path[PATH_MAX];
    const rung_model_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .flags = flags,
        .threads = threads,
        .rung = rung,
    };
    out->info = (rung_model_info){.struct_size = sizeof out->info, .version = RUNG_STRUCT_VERSION};
    rung_result result = find_model(instance, name, path, sizeof path);
    if (result == RUNG_OK)
        result = rung_model_open(instance, path, &options, &out->model);
    return result == RUNG_OK ? rung_model_get_info(out->model, &out->info) : result;
}

void role_close(struct role_model *model)
{
    rung_model_destroy(model->model);
    model->model = NULL;
}

void role_describe(const struct role_model *model, char *to, size_t size)
{
    snprintf(to, size, "%s on %s", model->info.identity, model->info.rung);
}

json_t *role_settings(const struct role_model *model, const char *identity, bool *complete)
{
    json_t *json = json_object();
    set_member(json, "identity", json_string(identity), complete);
    set_member(json, "rung", json_string(model->info.rung), complete);
    set_member(json, "precision", json_string(model->info.precision), complete);
    set_member(json, "artifact", json_string(model->info.artifact), complete);
    return json;
}

rung_result role_session_init(struct role_session *session, const struct role_model *model,
                              const rung_context_options *options)
{
    rung_context_options pinned = options ? *options : (rung_context_options){0};
    pinned.struct_size = sizeof pinned;
    pinned.version = RUNG_STRUCT_VERSION;
    pinned.flags |= RUNG_CONTEXT_STAY; /* a job ends on the rung that it began on */
    pinned.identity = model->info.identity;
    if (!pinned.plan)
        pinned.plan = plan_text();
    session->run = role_run_of(model->info.role);
    rung_result result = rung_context_create(model->model, &pinned, &session->context);
    if (result == RUNG_OK)
        result = rung_context_get_max_output_bytes(session->context, &session->packet_bytes);
    if (result == RUNG_OK && !(session->packet = malloc((size_t)session->packet_bytes)))
        result = RUNG_NO_MEMORY;
    return result;
}

void role_session_finish(struct role_session *session)
{
    rung_context_destroy(session->context);
    free(session->packet);
}

role_run_fn *role_run_of(rung_role role)
{
    switch (role) {
    case RUNG_ROLE_EMBEDDER:
        return rung_embed;
    case RUNG_ROLE_SEGMENTER:
        return rung_segment;
    default:
        return rung_detect;
    }
}

rung_frame photo_frame(const struct photo *photo)
{
    return (rung_frame){
        .struct_size = sizeof(rung_frame),
        .version = RUNG_STRUCT_VERSION,
        .pixels = photo->pixels,
        .width = photo->width,
        .height = photo->height,
        .format = RUNG_PIXEL_RGB8,
    };
}

rung_frame role_frame(const struct job_item *item, rung_rect crop)
{
    rung_frame frame = photo_frame(&item->photo);
    frame.crop = crop;
    frame.frame_id = item->index;
    return frame;
}

rung_result role_run(const struct role_session *session, const struct job_item *item,
                     rung_rect crop, rung_run_info *info)
{
    const rung_frame frame = role_frame(item, crop);
    const rung_span packet = {session->packet, (size_t)session->packet_bytes};
    *info = (rung_run_info){.struct_size = sizeof *info, .version = RUNG_STRUCT_VERSION};
    rung_result result = session->run(session->context, &frame, packet, NULL, info);
    if (result == RUNG_DEVICE_LOST && rung_context_rebuild(session->context) == RUNG_OK)
        result = session->run(session->context, &frame, packet, NULL, info);
    return result == RUNG_OK ? rung_packet_check(packet.data, packet.size) : result;
}
