/* SPDX-License-Identifier: Apache-2.0 */
#include "tiny_models.h"

#include <rung/artifact.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tiny_onnx.h"

#define ROWS  2
#define FLOAT 1

#define DETECTOR                                                                                   \
    "\"role\":\"detector\",\"head\":\"rows\",\"selection\":{\"min_confidence\":0.3,\"iou\":0.45,"  \
    "\"suppress\":true,\"capacity\":16,\"considered\":8,\"max_targets\":4},"                       \
    "\"outputs\":[{\"purpose\":\"output\",\"name\":\"out\",\"dtype\":\"f32\",\"shape\":[1,2,6]}],"
#define EMBEDDER                                                                                   \
    "\"role\":\"embedder\",\"embedding_length\":3,"                                                \
    "\"outputs\":[{\"purpose\":\"output\",\"name\":\"out\",\"dtype\":\"f32\","                     \
    "\"shape\":[1,3,1,1]}],"
#define PLANAR                                                                                     \
    "\"order\":\"RGB\",\"tensor\":{\"dtype\":\"f32\",\"layout\":\"planar\"},"                      \
    "\"input\":{\"name\":\"in\",\"dtype\":\"f32\",\"shape\":[1,3,8,8]}"
#define BGRA                                                                                       \
    "\"order\":\"BGR\",\"tensor\":{\"dtype\":\"u8\",\"layout\":\"bgra\"},"                         \
    "\"input\":{\"name\":\"in\",\"dtype\":\"u8\",\"shape\":[1,8,8,4]}"
#define COMMON                                                                                     \
    "{\"schema\":1,\"name\":\"tiny\",\"canvas\":{\"width\":8,\"height\":8},\"fit\":\"stretch\","   \
    "\"providers\":[\"ort\",\"tract\"],"

const struct tiny_model tiny_models[TINY_MODELS] = {
    {"detector of u8 BGRA, a constant", COMMON DETECTOR BGRA "}", RUNG_PIXEL_BGRA8, NULL},
    {"detector of f32 planar, a constant", COMMON DETECTOR PLANAR "}", RUNG_PIXEL_RGB8, NULL},
    {"embedder of f32 planar, a mean", COMMON EMBEDDER PLANAR "}", RUNG_PIXEL_RGB8,
     "GlobalAveragePool"},
};

void must(rung_result result)
{
    if (result == RUNG_OK)
        return;
    fprintf(stderr, "overhead: %s\n", rung_last_error());
    exit(3);
}

static void name_file(char to[96], const struct tiny_folder *folder, const char *name)
{
    snprintf(to, 96, "%s/%s", folder->path, name);
}

void tiny_folder_make(struct tiny_folder *folder)
{
    const char *root = getenv("TMPDIR");
    snprintf(folder->path, sizeof folder->path, "%.40s/rung-bench-XXXXXX", root ? root : "/tmp");
    if (!mkdtemp(folder->path)) {
        perror(folder->path);
        exit(5);
    }
    name_file(folder->graph, folder, "tiny.onnx");
    name_file(folder->spec, folder, "tiny.json");
    name_file(folder->private_key, folder, "private.pem");
    name_file(folder->public_key, folder, "public.pem");
    name_file(folder->model, folder, "tiny.rung");
    must(rung_key_generate(folder->private_key, folder->public_key));
}

static void make_constant(struct rung__buffer *to, bool bgra)
{
    static const float rows[6 * ROWS] = {0.1f, 0.1f, 0.4f, 0.4f, 0.8f, 0,
                                         0.5f, 0.5f, 0.9f, 0.9f, 0.7f, 0};
    tiny_rows(to, &(struct tiny_rows){.input = "in",
                                      .output = "out",
                                      .width = TINY_SIDE,
                                      .height = TINY_SIDE,
                                      .rows = rows,
                                      .row_count = ROWS,
                                      .opset = 17,
                                      .bgra = bgra});
}

static void make_operation(struct rung__buffer *to, const char *op)
{
    const int64_t input[] = {1, 3, TINY_SIDE, TINY_SIDE}, output[] = {1, 3, 1, 1};
    struct rung__buffer graph = {0}, node = {0}, value = {0};
    proto_text(&node, 1, "in");
    proto_text(&node, 2, "out");
    proto_text(&node, 4, op);
    proto_message(&graph, 1, &node);
    proto_text(&graph, 2, "tiny");
    tiny_value(&value, "in", FLOAT, input, 4);
    proto_message(&graph, 11, &value);
    tiny_value(&value, "out", FLOAT, output, 4);
    proto_message(&graph, 12, &value);
    tiny_model(to, &graph, 17);
}

void tiny_model_make(const struct tiny_folder *folder, const struct tiny_model *model)
{
    const struct rung__bytes spec = {(const uint8_t *)model->spec, strlen(model->spec)};
    struct rung__buffer graph = {0};
    if (model->op)
        make_operation(&graph, model->op);
    else
        make_constant(&graph, model->format == RUNG_PIXEL_BGRA8);
    must(rung__file_save(folder->graph, rung__buffer_bytes(&graph), 0600, true));
    must(rung__file_save(folder->spec, spec, 0600, true));
    rung__buffer_finish(&graph);
    must(rung_artifact_pack(&(rung_pack_options){.struct_size = sizeof(rung_pack_options),
                                                 .version = RUNG_STRUCT_VERSION,
                                                 .spec_path = folder->spec,
                                                 .graph_path = folder->graph,
                                                 .output_path = folder->model,
                                                 .key_path = folder->private_key}));
}

void tiny_folder_remove(const struct tiny_folder *folder)
{
    const char *const files[] = {folder->graph, folder->spec, folder->private_key,
                                 folder->public_key, folder->model};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        remove(files[i]);
    remove(folder->path);
}
