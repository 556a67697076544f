/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells how alike two pictures are: one embedding of each, and the cosine between them.
 *
 *     similar EMBEDDER A.ppm B.ppm [EMBEDDER_OF_B]
 *     RUNG_TRUST_PATH=build/trust build/examples/similar build/models/effnet_lite0.rung a.ppm b.ppm
 *
 * Prints the cosine, from -1 to 1. Numbers of different networks, or of one in different
 * precisions, cannot be compared: each embedding goes with the identity of what made it, and Rung
 * refuses two that differ, which a second embedder shows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rung/rung.h>

#include "common.h"

/* What an application keeps of a picture: the numbers, and what made them. */
struct embedding {
    char identity[128];
    uint32_t count;
    float *numbers;
};

/* The numbers of a packet lie behind its header. */
static int keep(const rung_packet_header *packet, const char *identity, struct embedding *to)
{
    const size_t bytes = (size_t)packet->count * sizeof *to->numbers;
    to->numbers = malloc(bytes);
    if (!to->numbers)
        return 0;
    memcpy(to->numbers, (const char *)packet + packet->targets_offset, bytes);
    to->count = packet->count;
    snprintf(to->identity, sizeof to->identity, "%s", identity);
    return 1;
}

static int embed(rung_context *context, const struct picture *picture, struct embedding *to)
{
    const rung_frame frame = picture_frame(picture);
    rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    uint64_t size;
    if (!ok(rung_context_get_max_output_bytes(context, &size)))
        return 0;
    const rung_span packet = {malloc(size), size};
    const int done = packet.data && ok(rung_embed(context, &frame, packet, NULL, &info)) &&
                     keep(packet.data, info.identity, to);
    free(packet.data);
    return done;
}

/* Opens a model for one picture. An application keeps it open for all of them. */
static int embed_file(rung_instance *instance, const char *path, const char *picture_path,
                      struct embedding *to)
{
    struct picture picture = {0};
    rung_model *model = NULL;
    rung_context *context = NULL;
    const int done = read_picture(picture_path, &picture) &&
                     ok(rung_model_open(instance, path, NULL, &model)) &&
                     ok(rung_context_create(model, NULL, &context)) && embed(context, &picture, to);
    rung_context_destroy(context);
    rung_model_destroy(model);
    free_picture(&picture);
    return done;
}

static rung_embedding borrowed(const struct embedding *from)
{
    return (rung_embedding){
        .struct_size = sizeof(rung_embedding),
        .version = RUNG_STRUCT_VERSION,
        .identity = from->identity,
        .numbers = from->numbers,
        .count = from->count,
    };
}

static int compare(const struct embedding *a, const struct embedding *b)
{
    const rung_embedding first = borrowed(a), second = borrowed(b);
    double cosine;
    if (!ok(rung_embedding_cosine(&first, &second, &cosine)))
        return 0;
    printf("%.4f by %s\n", cosine, a->identity);
    return 1;
}

int main(int count, char **arguments)
{
    struct embedding a = {0}, b = {0};
    rung_instance *instance = NULL;

    if (count != 4 && count != 5) {
        fprintf(stderr, "usage: similar EMBEDDER A.ppm B.ppm [EMBEDDER_OF_B]\n");
        return 2;
    }
    const int done = ok(rung_instance_create(NULL, &instance)) &&
                     embed_file(instance, arguments[1], arguments[2], &a) &&
                     embed_file(instance, arguments[count == 5 ? 4 : 1], arguments[3], &b) &&
                     compare(&a, &b);
    rung_instance_destroy(instance);
    free(a.numbers);
    free(b.numbers);
    return done ? 0 : 1;
}
