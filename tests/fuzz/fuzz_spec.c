/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text as a spec file. A spec that is accepted packs, with a graph that is made to suit it; the
 * file is read back, and describes itself as a spec that packs to the same bytes.
 */
#include <jansson.h>
#include <string.h>

#include "artifact/describe.h"
#include "artifact/pack.h"
#include "artifact/spec.h"
#include "fuzz.h"

/* The files that a spec may name. */
static const char file_text[] = "{\"a file\": 1}\n\n\n";

/* A graph for a spec of one, a locator for a spec of a bundle. */
static struct rung__payload payload_of(const struct rung__spec *spec, struct rung__buffer *graph)
{
    struct rung__payload payload;
    make_suiting_graph(&spec->tensors, graph);
    payload.bytes = rung__buffer_bytes(graph);
    if (spec->bundle)
        payload.bytes = (struct rung__bytes){(const uint8_t *)spec->bundle, strlen(spec->bundle)};
    REQUIRE(rung__sha256_of(payload.bytes.data, payload.bytes.size, payload.digest) == RUNG_OK);
    return payload;
}

static void pack_and_read_back(const struct rung__spec *spec)
{
    struct rung__buffer graph = {0}, file = {0};
    struct rung__artifact artifact;
    json_t *json;
    const struct rung__payload payload = payload_of(spec, &graph);
    const rung_result packed = rung__pack(spec, "spec.json", &payload, NULL, &file);
    if (packed == RUNG_OK) {
        REQUIRE(read_model(rung__buffer_bytes(&file), &artifact) == RUNG_OK);
        REQUIRE(rung__describe_spec(&artifact, &json) == RUNG_OK);
        json_decref(json);
    }
    /* What only shows in the whole: a form without its precision map, an unknown kind. */
    REQUIRE(packed == RUNG_OK || packed == RUNG_INVALID_ARGUMENT || packed == RUNG_UNSUPPORTED);
    rung__buffer_finish(&file);
    rung__buffer_finish(&graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rung__spec spec;
    json_t *json = NULL;
    in_memory_file = (struct rung__bytes){(const uint8_t *)file_text, sizeof file_text - 1};
    if (rung__json_parse((struct rung__bytes){data, size}, "spec.json", &json) != RUNG_OK)
        return 0;
    if (rung__spec_read(json, "spec.json", "folder", &spec) == RUNG_OK)
        pack_and_read_back(&spec);
    rung__spec_finish(&spec);
    json_decref(json);
    return 0;
}
