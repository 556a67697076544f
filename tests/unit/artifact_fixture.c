/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rung/artifact.h>

#include "base/file.h"
#include "tiny_onnx.h"

#define SIDE 8

static const char spec_text[] =
    "{\"schema\":1,\"name\":\"tiny\",\"role\":\"detector\",\"head\":\"rows\","
    "\"canvas\":{\"width\":8,\"height\":8},\"tensor\":{\"dtype\":\"f32\",\"layout\":\"planar\"},"
    "\"fit\":\"letterbox\",\"order\":\"RGB\",\"scale\":[0.1,0.2,0.3],\"bias\":[-1,0,1],"
    "\"fill\":[114,114,114],"
    "\"selection\":{\"min_confidence\":0.3,\"iou\":0.45,\"suppress\":true,\"per_class\":true,"
    "\"capacity\":16,\"considered\":8,\"max_targets\":4,"
    "\"band\":{\"confidence\":0.2,\"min\":4.5,\"max\":32}},"
    "\"input\":{\"name\":\"image\",\"dtype\":\"f32\",\"shape\":[1,3,8,8]},"
    "\"outputs\":[{\"purpose\":\"output\",\"name\":\"rows\",\"dtype\":\"f32\",\"shape\":[1,2,6]}],"
    "\"labels\":[\"cat\",\"h\\u00e9ron\"],\"capabilities\":[1,4294967295],"
    "\"licence\":{\"text\":\"Free to use.\\n\"},\"gate\":{\"text\":\"{\\\"recall\\\": 0.98}\"},"
    "\"canonical\":\"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\","
    "\"golden\":{\"input\":\"generated\",\"tolerance\":0.001,\"outputs\":[{\"hex\":"
    "\"0000003f0000003f0000003f0000003f0000003f00000000"
    "0000003f0000003f0000003f0000003f0000003f0000803f\"}]},"
    "\"providers\":[\"ort\",\"tract\"]}";

static void path_in(char to[160], const char *folder, const char *name)
{
    assert_true(snprintf(to, 160, "%s/%s", folder, name) < 160);
}

json_t *artifact_fixture_spec(void)
{
    json_t *spec = json_loads(spec_text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(spec);
    return spec;
}

void artifact_fixture_save(const char *path, struct rung__bytes bytes)
{
    assert_int_equal(rung__file_save(path, bytes, 0644, true), RUNG_OK);
}

void artifact_fixture_load(const char *path, struct rung__buffer *out)
{
    assert_int_equal(rung__file_load(path, (size_t)64 << 20, out), RUNG_OK);
}

void artifact_fixture_save_spec(const struct artifact_fixture *fixture, const json_t *spec)
{
    char *text = json_dumps(spec, JSON_INDENT(1));
    assert_non_null(text);
    artifact_fixture_save(fixture->spec, (struct rung__bytes){(const uint8_t *)text, strlen(text)});
    free(text);
}

static void save_graph(const struct artifact_fixture *fixture)
{
    static const float rows[] = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 1};
    struct rung__buffer graph = {0};
    tiny_rows(&graph, &(struct tiny_rows){.input = "image",
                                          .output = "rows",
                                          .width = SIDE,
                                          .height = SIDE,
                                          .rows = rows,
                                          .row_count = 2,
                                          .opset = 17});
    artifact_fixture_save(fixture->graph, rung__buffer_bytes(&graph));
    rung__buffer_finish(&graph);
}

void artifact_fixture_make(struct artifact_fixture *fixture, const char *folder)
{
    snprintf(fixture->folder, sizeof fixture->folder, "%s", folder);
    fixture->bundle = false;
    path_in(fixture->graph, folder, "tiny.onnx");
    path_in(fixture->spec, folder, "tiny.json");
    path_in(fixture->private_key, folder, "private.pem");
    path_in(fixture->public_key, folder, "public.pem");
    path_in(fixture->model, folder, "tiny.rung");

    json_t *spec = artifact_fixture_spec();
    artifact_fixture_save_spec(fixture, spec);
    json_decref(spec);
    save_graph(fixture);
    assert_int_equal(rung_key_generate(fixture->private_key, fixture->public_key), RUNG_OK);
}

rung_result artifact_fixture_pack(const struct artifact_fixture *fixture, bool sign)
{
    const rung_pack_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .spec_path = fixture->spec,
        .graph_path = fixture->bundle ? NULL : fixture->graph,
        .output_path = fixture->model,
        .key_path = sign ? fixture->private_key : NULL,
    };
    return rung_artifact_pack(&options);
}

void artifact_fixture_make_bundle(struct artifact_fixture *fixture)
{
    static const struct {
        const char *folder, *name, *content;
    } files[ARTIFACT_FIXTURE_FILES] = {
        {ARTIFACT_FIXTURE_LOCATOR, "Manifest.json", "{}"},
        {ARTIFACT_FIXTURE_LOCATOR "/Data", "model", "a graph"},
        {ARTIFACT_FIXTURE_LOCATOR "/Data/weights", "empty", ""},
        {ARTIFACT_FIXTURE_LOCATOR, "Data-2", "sorts before Data/"},
    };
    char folder[160], path[160];
    for (size_t i = 0; i < ARTIFACT_FIXTURE_FILES; i++) {
        path_in(folder, fixture->folder, files[i].folder);
        path_in(path, folder, files[i].name);
        assert_int_equal(rung__folder_make(folder), RUNG_OK);
        artifact_fixture_save(path, (struct rung__bytes){(const uint8_t *)files[i].content,
                                                         strlen(files[i].content)});
    }
    json_t *spec = artifact_fixture_spec();
    json_object_set_new(spec, "kind", json_string("coreml"));
    json_object_set_new(spec, "bundle", json_string(ARTIFACT_FIXTURE_LOCATOR));
    json_object_set_new(spec, "providers", json_pack("[s]", "coreml"));
    artifact_fixture_save_spec(fixture, spec);
    json_decref(spec);
    fixture->bundle = true;
}

void artifact_fixture_trust(const struct artifact_fixture *fixture, struct rung__trust *trust)
{
    const struct rung__log log = {0};
    *trust = (struct rung__trust){0};
    assert_int_equal(rung__trust_add(trust, fixture->public_key, &log), RUNG_OK);
}

rung_instance_options artifact_fixture_instance(const struct artifact_fixture *fixture,
                                                uint32_t flags, rung_probe_policy probe)
{
    return (rung_instance_options){
        .struct_size = sizeof(rung_instance_options),
        .version = RUNG_STRUCT_VERSION,
        .flags = flags,
        .runtime_path = getenv("RUNG_TEST_RUNTIMES"),
        .trust_path = fixture->public_key,
        .helper_path = getenv("RUNG_TEST_HELPER"),
        .probe = probe,
    };
}
