/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of someone else: consumer MODEL WIDTH HEIGHT < RGB. Prints the rung that ran, then the
 * label, the score and the box of each target.
 */
#include <stdio.h>
#include <stdlib.h>

#include <rung/rung.h>

static int failed(rung_result result, const char *what)
{
    if (result != RUNG_OK)
        fprintf(stderr, "%s: %s: %s\n", what, rung_result_name(result), rung_last_error());
    return result != RUNG_OK;
}

static void print_targets(const rung_model *model, const rung_packet_header *packet)
{
    const char *bytes = (const char *)packet + packet->targets_offset;
    const rung_target *targets = (const rung_target *)(const void *)bytes;
    for (uint32_t i = 0; i < packet->count; i++) {
        const char *label;
        (void)rung_model_get_label(model, targets[i].class_id, &label);
        printf("%s %u %d %d %d %d\n", label, (unsigned)targets[i].confidence, (int)targets[i].x,
               (int)targets[i].y, (int)targets[i].w, (int)targets[i].h);
    }
}

int main(int count, char **arguments)
{
    rung_instance *instance = NULL;
    rung_model *model = NULL;
    rung_context *context = NULL;
    rung_model_info info = {0};
    rung_run_info run = {0};
    rung_frame frame = {0};
    rung_span packet = {0};
    void *pixels = NULL;
    int status = 1;

    info.struct_size = sizeof info;
    run.struct_size = sizeof run;
    frame.struct_size = sizeof frame;
    info.version = run.version = frame.version = RUNG_STRUCT_VERSION;
    if (count != 4)
        return 2;
    frame.width = (uint32_t)strtoul(arguments[2], NULL, 10);
    frame.height = (uint32_t)strtoul(arguments[3], NULL, 10);
    frame.format = RUNG_PIXEL_RGB8;
    pixels = malloc((size_t)3 * frame.width * frame.height);
    frame.pixels = pixels;
    if (!pixels || fread(pixels, (size_t)3 * frame.width, frame.height, stdin) != frame.height)
        goto done;
    if (failed(rung_instance_create(NULL, &instance), "instance") ||
        failed(rung_model_open(instance, arguments[1], NULL, &model), arguments[1]) ||
        failed(rung_model_get_info(model, &info), "info") ||
        failed(rung_context_create(model, NULL, &context), "context"))
        goto done;
    packet.size = (size_t)info.max_output_bytes;
    packet.data = malloc(packet.size);
    if (!packet.data || failed(rung_detect(context, &frame, packet, NULL, &run), "detect"))
        goto done;
    printf("%s\n", run.rung);
    print_targets(model, (const rung_packet_header *)packet.data);
    status = 0;
done:
    free(packet.data);
    free(pixels);
    rung_context_destroy(context);
    rung_model_destroy(model);
    rung_instance_destroy(instance);
    return status;
}
