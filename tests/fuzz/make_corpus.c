/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make-corpus FOLDER: writes the inputs that fuzzing begins with, FOLDER/TARGET/NAME, from the
 * models, specs and vectors of the tests. None of them has to be kept in the tree.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/artifact_fixture.h"
#include "artifact/pack.h"
#include "artifact/spec.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "fuzz.h"
#include "kernel/packet.h"

/* Cases above this are the same again, only longer, and slow everything down. */
#define VECTOR_BYTES_MAX 3000

static const char *corpus;

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "make-corpus: %s\n", why);
    exit(1);
}

static void must(rung_result result)
{
    if (result != RUNG_OK)
        give_up(rung_last_error());
}

static void save(const char *target, const char *name, struct rung__bytes bytes)
{
    char path[512];
    (void)rung__text_format(path, sizeof path, "%s/%s", corpus, target);
    must(rung__folder_make(path));
    (void)rung__text_format(path, sizeof path, "%s/%s/%s", corpus, target, name);
    must(rung__file_save(path, bytes, 0644, true));
}

static struct rung__bytes bytes_of(const char *text)
{
    return (struct rung__bytes){(const uint8_t *)text, strlen(text)};
}

/* ---- specs, and the model files that they make ------------------------------------------- */

/* What is changed in the fixture's spec, which has every section; null takes a member away. */
static const struct {
    const char *name, *changes;
} variants[] = {
    {"all", "{}"},
    {"least", "{\"labels\":null,\"capabilities\":null,\"licence\":null,\"gate\":null,"
              "\"canonical\":null,\"golden\":null,\"providers\":null,\"scale\":null,\"bias\":null,"
              "\"fill\":null}"},
    {"files", "{\"gate\":{\"file\":\"gate.json\"},\"licence\":{\"file\":\"LICENCE\"},"
              "\"graph\":\"tiny.onnx\",\"golden\":null}"},
    {"half", "{\"form\":\"f16\",\"precision\":{\"text\":\"{\\\"Conv\\\":\\\"f16\\\"}\"}}"},
    {"bytes", "{\"tensor\":{\"dtype\":\"u8\",\"layout\":\"bgra\"},\"order\":\"BGR\",\"scale\":null,"
              "\"bias\":null,\"golden\":null,\"max_output_bytes\":4096,"
              "\"input\":{\"name\":\"image\",\"dtype\":\"u8\",\"shape\":[8,8,4]}}"},
    {"bundle", "{\"kind\":\"coreml\",\"bundle\":\"tiny.mlpackage\",\"providers\":[\"coreml\"]}"},
    {"engine",
     "{\"kind\":\"engine\",\"device\":{\"text\":\"{\\\"schema\\\":1,"
     "\\\"rung\\\":\\\"qnn-htp\\\",\\\"precision\\\":\\\"f32\\\",\\\"artifact\\\":\\\""
     "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\\\",\\\"fingerprint\\\":\\\""
     "fe3209d6d4f51935b391288a43df48d9ddece1a992597ae53387ca16611a9179\\\",\\\"depends_on\\\":"
     "[\\\"a=1\\\"]}\"}}"},
    {"embedder", "{\"role\":\"embedder\",\"head\":null,\"selection\":null,\"golden\":null,"
                 "\"embedding_length\":12,\"tensor\":{\"dtype\":\"f32\",\"layout\":\"planar\","
                 "\"normalised\":true}}"},
    {"segmenter", "{\"role\":\"segmenter\",\"head\":null,\"selection\":null,\"golden\":null,"
                  "\"outputs\":[{\"purpose\":\"output\",\"name\":\"mask\",\"dtype\":\"f32\","
                  "\"shape\":[1,8,8,8]}],\"parameters\":{\"interleaved\":true}}"},
    {"segmenter-one",
     "{\"role\":\"segmenter\",\"head\":null,"
     "\"selection\":{\"min_confidence\":0.5,\"suppress\":false},"
     "\"golden\":{\"input\":\"generated\",\"tolerance\":1,\"outputs\":[{\"hex\":\"0000\"}]},"
     "\"canvas\":{\"width\":1,\"height\":1},"
     "\"input\":{\"name\":\"image\",\"dtype\":\"f32\",\"shape\":[1,3,1,1]},"
     "\"outputs\":[{\"purpose\":\"output\",\"name\":\"mask\",\"dtype\":\"f16\","
     "\"shape\":[1,1]}],\"parameters\":{\"logits\":true}}"},
    {"centernet",
     "{\"head\":\"centernet\",\"golden\":null,\"parameters\":{\"strides\":[4],\"logits\":true},"
     "\"outputs\":["
     "{\"purpose\":\"heat\",\"name\":\"a\",\"dtype\":\"f32\",\"shape\":[1,1,2,2]},"
     "{\"purpose\":\"scale\",\"name\":\"b\",\"dtype\":\"f32\",\"shape\":[1,2,2,2]},"
     "{\"purpose\":\"offset\",\"name\":\"c\",\"dtype\":\"f16\",\"shape\":[1,2,2,2]},"
     "{\"purpose\":\"landmarks\",\"name\":\"d\",\"dtype\":\"f32\",\"shape\":[1,10,2,2]}]}"},
};

static json_t *spec_of(const char *changes)
{
    json_t *spec = artifact_fixture_spec(), *patch = NULL, *value;
    const char *key;
    must(rung__json_parse(bytes_of(changes), "a variant", &patch));
    json_object_foreach(patch, key, value)
    {
        if (json_is_null(value))
            json_object_del(spec, key);
        else
            json_object_set(spec, key, value);
    }
    json_decref(patch);
    return spec;
}

static void save_model(const struct rung__spec *spec, const char *name, const uint8_t *key_id)
{
    struct rung__buffer graph = {0}, file = {0};
    char signed_name[64];
    make_suiting_graph(&spec->tensors, &graph);
    struct rung__payload payload = {.bytes = rung__buffer_bytes(&graph)};
    if (spec->bundle)
        payload.bytes = bytes_of(spec->bundle);
    must(rung__sha256_of(graph.data, graph.size, payload.digest));
    must(rung__pack(spec, name, &payload, key_id, &file));
    if (key_id)
        must(rung__buffer_append(&file, NULL, RUNG__SIGNATURE_BYTES));
    (void)rung__text_format(signed_name, sizeof signed_name, "%s%s", name, key_id ? "-signed" : "");
    save("artifact", signed_name, rung__buffer_bytes(&file));
    save("graph", name, rung__buffer_bytes(&graph));
    rung__buffer_finish(&file);
    rung__buffer_finish(&graph);
}

static void save_text(const char *name, const json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT);
    if (!text)
        give_up("no memory for a spec");
    save("spec", name, bytes_of(text));
    free(text);
}

/* Takes `json`: the spec, and the model files that it packs to. */
static void save_spec(const char *name, json_t *json)
{
    static const uint8_t key_id[RUNG__KEY_ID_BYTES] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct rung__spec spec;
    save_text(name, json);
    in_memory_file = bytes_of("{\"a file\": 1}\n");
    must(rung__spec_read(json, name, ".", &spec));
    save_model(&spec, name, NULL);
    save_model(&spec, name, key_id);
    rung__spec_finish(&spec);
    json_decref(json);
}

/* A spec that is refused, and once was a finding. */
static void save_finding(const char *name, const char *changes)
{
    json_t *json = spec_of(changes);
    save_text(name, json);
    json_decref(json);
}

static json_t *load_json(const char *path)
{
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error);
    if (!json)
        give_up(error.text);
    return json;
}

/* The specs of the models that the tree has: every head that they use. */
static void save_published_specs(void)
{
    struct rung__folder folder;
    must(rung__folder_list(MODELS, 100, &folder));
    for (size_t i = 0; i < folder.count; i++) {
        char path[512];
        (void)rung__text_format(path, sizeof path, "%s/%s/spec.json", MODELS, folder.names[i]);
        if (rung__path_kind(path) == RUNG__PATH_FILE)
            save_spec(folder.names[i], load_json(path));
    }
    rung__folder_finish(&folder);
}

/* ---- packets ----------------------------------------------------------------------------- */

static void save_packet(const char *name, uint32_t count, uint32_t pairs_each)
{
    enum { MOST = 4 };
    static const int32_t pairs[2 * 8 * MOST];
    static const uint32_t capabilities[RUNG__CLASSES_MAX] = {[0] = 6};
    const struct rung__candidate candidates[MOST] = {
        {10, 20, 30, 40, 60000, 0, 1, RUNG_TARGET_ACTIONABLE, 0},
        {0, 0, 1, 1, 50000, 1, 1, 0, 1},
        {5, 5, 50, 50, 2, 2, 1, RUNG_TARGET_SECURE, RUNG__NO_PAYLOAD},
        {6, 6, 60, 60, 1, 0, 1, RUNG_TARGET_DISABLED, 2},
    };
    uint32_t order[MOST] = {0, 1, 2, 3};
    const struct rung__selected selected = {order, count, count, count, false};
    const struct rung__packet_request request = {
        .candidates = candidates,
        .selected = &selected,
        .points = {pairs, NULL, pairs_each, pairs_each ? MOST : 0},
        .capabilities = capabilities,
        .space = RUNG_SPACE_SOURCE,
        .source_id = 7,
    };
    uint8_t packet[2048];
    size_t needed;
    must(rung__packet_write(&request, packet, sizeof packet, &needed));
    save("packet", name, (struct rung__bytes){packet, needed});
}

static void save_embedding(void)
{
    enum { NUMBERS = 5 };
    const rung_packet_header header = {
        .count = NUMBERS,
        .stride = sizeof(float),
        .space = RUNG_SPACE_EMBEDDING,
        .total_size = sizeof header + NUMBERS * sizeof(float),
    };
    uint8_t packet[sizeof header + NUMBERS * sizeof(float)];
    rung__packet_header_write(&header, packet);
    for (size_t i = 0; i < NUMBERS; i++)
        rung__put_f32(packet + sizeof header + i * sizeof(float), (float)i / 3.0f);
    save("packet", "embedding", (struct rung__bytes){packet, sizeof packet});
}

static void save_mask(void)
{
    enum { WIDTH = 4, HEIGHT = 3, PIXELS = WIDTH * HEIGHT };
    static const int32_t place[] = {10, 20, 40, 30, 0, 1, WIDTH, HEIGHT};
    const rung_packet_header header = {
        .count = HEIGHT,
        .stride = WIDTH,
        .space = RUNG_SPACE_MASK,
        .total_size = sizeof header + sizeof(rung_mask) + PIXELS,
    };
    uint8_t packet[sizeof header + sizeof(rung_mask) + PIXELS] = {0};
    rung__packet_header_write(&header, packet);
    for (size_t i = 0; i < sizeof place / sizeof *place; i++)
        rung__put_u32(packet + sizeof header + 4 * i, (uint32_t)place[i]);
    save("packet", "mask", (struct rung__bytes){packet, sizeof packet});
}

/* ---- vectors ----------------------------------------------------------------------------- */

static void save_case(const char *group, size_t i, json_t *vector)
{
    char name[64];
    json_t *file = json_pack("{s:i,s:s,s:[O]}", "format", 1, "group", group, "cases", vector);
    char *text = file ? json_dumps(file, JSON_COMPACT) : NULL;
    if (!text)
        give_up("no memory for a vector");
    (void)rung__text_format(name, sizeof name, "%s-%zu", group, i);
    if (strlen(text) <= VECTOR_BYTES_MAX)
        save("vectors", name, bytes_of(text));
    free(text);
    json_decref(file);
}

static void save_group(const char *path)
{
    json_t *vector, *json = load_json(path);
    size_t i;
    const char *group = json_string_value(json_object_get(json, "group"));
    json_array_foreach(json_object_get(json, "cases"), i, vector) save_case(group, i, vector);
    json_decref(json);
}

static void save_groups(void)
{
    struct rung__folder folder;
    must(rung__folder_list(TEST_DATA "/vectors", 100, &folder));
    for (size_t i = 0; i < folder.count; i++) {
        const char *ending = strrchr(folder.names[i], '.');
        char *path = rung__path_join(TEST_DATA "/vectors", folder.names[i]);
        if (path && ending && strcmp(ending, ".json") == 0)
            save_group(path);
        free(path);
    }
    rung__folder_finish(&folder);
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: make-corpus FOLDER\n");
        return 2;
    }
    corpus = arguments[1];
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        save_spec(variants[i].name, spec_of(variants[i].changes));
    save_finding("odd-hex", "{\"golden\":{\"input\":\"generated\",\"tolerance\":1,"
                            "\"outputs\":[{\"hex\":\"0\"}]}}");
    save_published_specs();
    save_packet("none", 0, 0);
    save_packet("plain", 4, 0);
    save_packet("points", 4, 5);
    save_embedding();
    save_mask();
    save_groups();
    return 0;
}
