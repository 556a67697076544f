/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A provider of one's own: code that runs whole models for Rung, beside ONNX Runtime and tract.
 *
 *     provider MODEL PICTURE.ppm
 *
 * This one knows a single network, examples/brightness.onnx: one target, whose confidence is the
 * mean of the picture. A real one would compile the graph that it is given for its device.
 *
 *     cd build; model=../examples/brightness
 *     cli/rung keygen key.pem key.pub.pem
 *     cli/rung pack $model.json $model.onnx -o b.rung --key key.pem
 *     RUNG_TRUST_PATH=key.pub.pem examples/provider b.rung face.ppm
 *
 * Prints the rung that ran and the confidence. The example detect, where ONNX Runtime runs the
 * graph, prints the same one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rung/provider.h>

#include "common.h"

#define SIDE    8u
#define INPUTS  192u /* 3 channels, SIDE rows and columns */
#define OUTPUTS 6u   /* x, y, width, height, confidence, class */

/* A context's memory, given to Rung as it is. */
struct run {
    float *input, *output;
};

/* The network is known by its bytes, so that another one of the same name is not taken for it. */
static const char digest[] = "5b2accdaafb88924881c98683ed6c15b"
                             "e3411c01c3cbad5d9995b8adf618a6aa";

static rung_result query(void *user, const rung_provider_model *request,
                         rung_provider_answer *answer)
{
    (void)user;
    if (strcmp(request->digest, digest) != 0) {
        snprintf(answer->reason, sizeof answer->reason, "it is not the network brightness");
        return RUNG_OK;
    }
    /* What is true of it here; Rung compares that with what the model file declares. */
    answer->flags = RUNG_PROVIDER_CAN_RUN;
    answer->input = (rung_provider_tensor){.name = "image",
                                           .dtype = RUNG_DTYPE_F32,
                                           .layout = RUNG_LAYOUT_PLANAR,
                                           .rank = 4,
                                           .dims = {1, 3, SIDE, SIDE}};
    answer->outputs[0] = (rung_provider_tensor){
        .name = "targets", .dtype = RUNG_DTYPE_F32, .rank = 3, .dims = {1, 1, OUTPUTS}};
    answer->output_count = 1;
    answer->memory.host = (INPUTS + OUTPUTS) * sizeof(float);
    return RUNG_OK;
}

/* Here one would compile. Nothing is kept of the graph, so one object stands for every model. */
static rung_result create_model(void *user, const rung_provider_model *request, void **model)
{
    (void)request;
    *model = user;
    return RUNG_OK;
}

static void destroy_model(void *model)
{
    (void)model;
}

static void destroy_context(void *context)
{
    struct run *run = context;
    free(run->input);
    free(run->output);
    free(run);
}

static float *floats(uint64_t count)
{
    const size_t bytes = (count * sizeof(float) + RUNG_PROVIDER_ALIGNMENT_LEAST - 1) /
                         RUNG_PROVIDER_ALIGNMENT_LEAST * RUNG_PROVIDER_ALIGNMENT_LEAST;
    return aligned_alloc(RUNG_PROVIDER_ALIGNMENT_LEAST, bytes);
}

/* All memory that runs need. */
static rung_result create_context(void *model, rung_provider_buffers *buffers, void **context)
{
    struct run *run = calloc(1, sizeof *run);
    (void)model;
    if (!run)
        return rung_provider_fail(RUNG_NO_MEMORY, "no memory for a context");
    run->input = floats(INPUTS);
    run->output = floats(OUTPUTS);
    if (!run->input || !run->output) {
        destroy_context(run);
        return rung_provider_fail(RUNG_NO_MEMORY, "no memory for input and output");
    }
    buffers->input = run->input;
    buffers->input_bytes = INPUTS * sizeof(float);
    buffers->outputs[0] = run->output;
    buffers->output_bytes[0] = OUTPUTS * sizeof(float);
    *context = run;
    return RUNG_OK;
}

/* The run. A provider with a device would start it here, and wait for it in collect. */
static rung_result submit(void *context)
{
    struct run *run = context;
    const float box[OUTPUTS] = {0.25f, 0.25f, 0.5f, 0.5f, 0, 0};
    double sum = 0;
    for (uint32_t i = 0; i < INPUTS; i++)
        sum += run->input[i];
    memcpy(run->output, box, sizeof box);
    run->output[4] = (float)(sum / INPUTS);
    return RUNG_OK;
}

static rung_result collect(void *context)
{
    (void)context;
    return RUNG_OK;
}

static int detect(rung_context *context, const struct picture *picture)
{
    const rung_frame frame = picture_frame(picture);
    rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    uint64_t words[1024]; /* more than one target takes */
    const rung_packet_header *packet = (const void *)words;
    if (!ok(rung_detect(context, &frame, (rung_span){words, sizeof words}, NULL, &info)))
        return 0;
    const void *first = (const char *)packet + packet->targets_offset;
    printf("%s: %.3f\n", info.rung,
           packet->count > 0 ? ((const rung_target *)first)->confidence / 65535.0 : 0.0);
    return 1;
}

int main(int count, char **arguments)
{
    static char the_model[1];
    const rung_provider provider = {
        .struct_size = sizeof provider,
        .version = RUNG_STRUCT_VERSION,
        .flags = RUNG_PROVIDER_ONE_THREAD,
        .name = "my-brightness",
        .text = "the mean of a picture, by examples/provider.c",
        .user = the_model,
        .query_model = query,
        .create_model = create_model,
        .destroy_model = destroy_model,
        .create_context = create_context,
        .destroy_context = destroy_context,
        .submit = submit,
        .collect = collect,
    };
    const rung_model_options options = {
        .struct_size = sizeof options, .version = RUNG_STRUCT_VERSION, .rung = provider.name};
    struct picture picture = {0};
    rung_instance *instance = NULL;
    rung_model *model = NULL;
    rung_context *context = NULL;

    if (count != 3) {
        fprintf(stderr, "usage: provider MODEL PICTURE.ppm\n");
        return 2;
    }
    const int done = read_picture(arguments[2], &picture) &&
                     ok(rung_instance_create(NULL, &instance)) &&
                     ok(rung_instance_register_provider(instance, &provider)) &&
                     ok(rung_model_open(instance, arguments[1], &options, &model)) &&
                     ok(rung_context_create(model, NULL, &context)) && detect(context, &picture);
    rung_context_destroy(context);
    rung_model_destroy(model);
    rung_instance_destroy(instance);
    free_picture(&picture);
    return done ? 0 : 1;
}
