/* SPDX-License-Identifier: Apache-2.0 */
#include "forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rung/artifact.h>

#include "../unit/tiny_onnx.h"
#include "base/file.h"
#include "base/text.h"
#include "session/model.h"
#include "session/recall.h"

#define SIDE 8

static uint32_t payloads; /* each has another ballast */

const char *forms_path(const struct forms_subject *subject, const char *file)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", subject->files.folder, file);
    return path;
}

/** Saves a graph and gives its digest. */
static void save_graph(const struct forms_subject *subject, uint32_t width, uint32_t steps,
                       char digest[65])
{
    static const float rows[] = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 1};
    struct rung__buffer graph = {0};
    uint8_t sha[RUNG__SHA256_BYTES];
    tiny_rows(&graph, &(struct tiny_rows){.input = "image",
                                          .output = "rows",
                                          .width = width,
                                          .height = SIDE,
                                          .rows = rows,
                                          .row_count = 2,
                                          .opset = 17,
                                          .ballast = (size_t)4 * ++payloads,
                                          .steps = steps});
    artifact_fixture_save(subject->files.graph, rung__buffer_bytes(&graph));
    assert_int_equal(rung__sha256_of(graph.data, graph.size, sha), RUNG_OK);
    rung__text_hex(digest, sha, sizeof sha);
    rung__buffer_finish(&graph);
}

static void pack(const struct forms_subject *subject, json_t *spec, const char *file,
                 const char *key)
{
    const char *path = forms_path(subject, file);
    const rung_pack_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .spec_path = subject->files.spec,
        .graph_path = subject->files.graph,
        .output_path = path,
        .key_path = key,
    };
    artifact_fixture_save_spec(&subject->files, spec);
    json_decref(spec);
    assert_int_equal(rung_artifact_pack(&options), RUNG_OK);
}

static json_t *plain_spec(void)
{
    json_t *spec = artifact_fixture_spec();
    json_object_del(spec, "golden");
    json_object_del(spec, "gate");
    json_object_del(spec, "canonical");
    return spec;
}

void forms_pack_model(struct forms_subject *subject, uint32_t steps)
{
    save_graph(subject, SIDE, steps, subject->digest);
    pack(subject, plain_spec(), "tiny.rung", subject->files.private_key);
}

static void set_gate(json_t *spec, const struct forms_wish *wish, const char *digest)
{
    json_t *record = json_pack("{s:i,s:[]}", "schema", 1, "gates");
    /* Measured on the weakest of processors, it counts on all of them. */
    if (wish->gate)
        json_array_append_new(
            json_object_get(record, "gates"),
            json_pack("{s:s,s:s,s:s,s:b,s:{s:[s]},s:{s:s*}}", "rung", wish->gate, "precision", "i8",
                      "artifact", wish->of_another ? "00" : digest, "passed", !wish->missed, "cpu",
                      "features", "sse4_2", "against", "artifact", wish->against));
    if (wish->unsafe)
        json_object_set_new(record, "unsafe_no_gate", json_true());
    char *text = json_dumps(record, 0);
    json_object_set_new(spec, "gate", json_pack("{s:s}", "text", text));
    free(text);
    json_decref(record);
}

void forms_pack(struct forms_subject *subject, const struct forms_wish *wish)
{
    char digest[65];
    const uint32_t width = wish->width ? wish->width : SIDE;
    json_t *spec = plain_spec();
    save_graph(subject, width, 0, digest);
    json_object_set_new(spec, "form", json_string("int8"));
    json_object_set_new(spec, "precision", json_pack("{s:s}", "text", "{}"));
    json_object_set_new(spec, "canonical",
                        json_string(wish->canonical ? wish->canonical : subject->digest));
    if (wish->name)
        json_object_set_new(spec, "name", json_string(wish->name));
    json_object_set_new(spec, "canvas",
                        json_pack("{s:i,s:i}", "width", (int)width, "height", SIDE));
    json_array_set_new(json_object_get(json_object_get(spec, "input"), "shape"), 3,
                       json_integer(width));
    if (wish->label)
        json_array_set_new(json_object_get(spec, "labels"), 0, json_string(wish->label));
    set_gate(spec, wish, digest);
    pack(subject, spec, wish->file, wish->key);
    if (wish->ms > 0)
        forms_measured(subject, digest, "ort-cpu", wish->ms);
}

void forms_measured(struct forms_subject *subject, const char *digest, const char *rung, double ms)
{
    char *fingerprint = NULL;
    struct rung__verdict verdict = {.name = "tiny", .threads = 1, .rung_count = 1};
    struct rung__outcome *outcome = &verdict.rungs[0].outcome;
    snprintf(verdict.model, sizeof verdict.model, "%s", digest);
    snprintf(verdict.rungs[0].rung, sizeof verdict.rungs[0].rung, "%s", rung);
    rung__outcome_set(outcome, RUNG__OUTCOME_CHOSEN, "it was measured");
    outcome->runs = 5;
    outcome->threads = 1;
    outcome->median_ns = (uint64_t)(ms * 1e6);
    assert_int_equal(
        rung__instance_fingerprint(subject->instance, RUNG__FINGERPRINT_VERDICT, &fingerprint),
        RUNG_OK);
    assert_int_equal(rung__store_put(subject->state, fingerprint, &verdict), RUNG_OK);
    free(fingerprint);
}

void forms_make(struct forms_subject *subject, const char *folder)
{
    artifact_fixture_make(&subject->files, folder);
    snprintf(subject->state, sizeof subject->state, "%s/state", folder);
    const rung_instance_options options =
        artifact_fixture_instance(&subject->files, RUNG_INSTANCE_NO_ENVIRONMENT, RUNG_PROBE_OFF);
    assert_int_equal(rung_instance_create(&options, &subject->instance), RUNG_OK);
    subject->instance->state = rung__text_new("%s", subject->state);
    forms_pack_model(subject, 0);
}

void forms_finish(struct forms_subject *subject)
{
    rung_model_destroy(subject->model);
    rung_instance_destroy(subject->instance);
}

rung_result forms_open(struct forms_subject *subject, const char *file, const char *rung,
                       uint32_t flags)
{
    const rung_model_options options = {.struct_size = sizeof options,
                                        .version = RUNG_STRUCT_VERSION,
                                        .flags = flags,
                                        .rung = rung};
    rung_model_destroy(subject->model);
    return rung_model_open(subject->instance, forms_path(subject, file ? file : "tiny.rung"),
                           &options, &subject->model);
}

rung_model_info forms_info(const struct forms_subject *subject)
{
    rung_model_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    assert_int_equal(rung_model_get_info(subject->model, &info), RUNG_OK);
    return info;
}

const char *forms_told(const struct forms_subject *subject, const char *file)
{
    static char told[1024];
    char text[16384];
    size_t i, needed = 0;
    const json_t *form;
    told[0] = '\0';
    assert_int_equal(rung_model_forms(subject->instance, forms_path(subject, "tiny.rung"),
                                      (rung_span){text, sizeof text}, &needed),
                     RUNG_OK);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    json_array_foreach(json_object_get(json, "forms"), i, form)
    {
        if (strcmp(json_string_value(json_object_get(form, "file")), file) == 0)
            snprintf(told, sizeof told, "%s: %s",
                     json_string_value(json_object_get(form, "outcome")),
                     json_string_value(json_object_get(form, "reason")));
    }
    json_decref(json);
    return told;
}
