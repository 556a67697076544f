/* SPDX-License-Identifier: Apache-2.0 */
/* An engine becomes a model file of its own, with everything that its model's file has. */
#include <rung/engines.h>

#include <stdlib.h>
#include <string.h>

#include "artifact/describe.h"
#include "artifact/device.h"
#include "artifact/pack.h"
#include "artifact/signature.h"
#include "base/error.h"
#include "base/text.h"
#include "ladder/pins.h"
#include "session/engines.h"
#include "session/model.h"
#include "session/own_device.h"
#include "session/recall.h"
#include "session/structure.h"

/** An engine on its way into a file. All zero holds nothing. */
struct exporting {
    struct rung_instance *instance;
    const rung_engine_export_options *options;
    struct rung__artifact artifact; /**< of the model */
    const struct rung__rung *rung;
    struct rung__engine_device device; /**< this one */
    struct rung__engine_use engine;
    struct rung__spec spec;
    void *key;
    uint8_t key_id[RUNG__KEY_ID_BYTES];
};

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory to export an engine");
}

/* ---- what is exported ---- */

static bool makes_one_file(const struct rung__rung *rung, const struct rung__header *header)
{
    char reason[256];
    return rung->compiling && rung->compiled &&
           rung__rung_takes(rung, header, reason, sizeof reason);
}

/** The one that is named, or else the first whose engine of this model is a file that is loaded by
 * itself. */
static rung_result find_rung(struct exporting *exporting)
{
    const struct rung__table *table = &exporting->instance->table;
    const struct rung__header *header = &exporting->artifact.view.header;
    const char *id = exporting->options->rung;
    if (id && !rung__table_find(table, id))
        return rung__fail(RUNG_NOT_FOUND, "there is no rung \"%s\"; rung explain lists them", id);
    for (uint32_t i = 0; i < table->count && !exporting->rung; i++)
        if ((!id || strcmp(id, table->rungs[i].id) == 0) &&
            makes_one_file(&table->rungs[i], header))
            exporting->rung = &table->rungs[i];
    if (exporting->rung)
        return RUNG_OK;
    return rung__fail(RUNG_UNSUPPORTED,
                      "%s: %s an engine of it that is one file and loads by itself",
                      exporting->artifact.path, id ? "that rung does not make" : "no rung makes");
}

/** This device, once for all: what is looked for and what is written down are the same. */
static rung_result name_device(struct exporting *exporting)
{
    struct rung__engine_device *device = &exporting->device;
    const struct rung__header *header = &exporting->artifact.view.header;
    (void)rung__text_format(device->rung, sizeof device->rung, "%s", exporting->rung->id);
    (void)rung__text_format(device->precision, sizeof device->precision, "%s",
                            rung__precision_text(rung__rung_precision(exporting->rung, header)));
    memcpy(device->artifact, exporting->artifact.digest_text, sizeof device->artifact);
    return rung__instance_fingerprint(exporting->instance, RUNG__FINGERPRINT_ENGINES,
                                      &device->depends_on);
}

static rung_result take_engine(struct exporting *exporting)
{
    struct rung__engine_key key;
    const struct rung__header *header = &exporting->artifact.view.header;
    rung_result result =
        rung__engine_key_make(exporting->rung, header, exporting->artifact.digest_text,
                              exporting->device.depends_on, &key);
    if (result == RUNG_OK)
        result = rung__engine_take(exporting->instance, &key, &exporting->engine);
    if (result == RUNG_OK || result == RUNG_NO_MEMORY)
        return result;
    return rung__fail(result, "%s on %s: %s", header->name, exporting->rung->id, rung_last_error());
}

static rung_result open_model(struct exporting *exporting)
{
    struct rung_instance *instance = exporting->instance;
    rung_result result =
        rung__artifact_admit(exporting->options->model_path, rung__admission_of(instance),
                             &instance->trust, &exporting->artifact);
    if (result == RUNG_OK)
        result = rung__own_device_refuse(&exporting->artifact);
    return result;
}

/* ---- the file that it becomes ---- */

/** The model's own spec, of another kind and with a device. */
static rung_result make_spec(struct exporting *exporting)
{
    struct rung__buffer device = {0};
    json_t *json = NULL;
    rung_result result = rung__device_print(&exporting->device, &device);
    if (result == RUNG_OK)
        result = rung__describe_spec(&exporting->artifact, &json);
    if (result == RUNG_OK) {
        json_t *text = json_stringn((const char *)device.data, device.size);
        bool failed = false;
        rung__json_set(json, "kind", json_string("engine"), &failed);
        rung__json_set(json, "device", json_pack("{s:o}", "text", text), &failed);
        result = failed ? no_memory()
                        : rung__spec_read(json, exporting->artifact.path, ".", &exporting->spec);
    }
    json_decref(json);
    rung__buffer_finish(&device);
    return result;
}

static rung_result write_file(const struct exporting *exporting,
                              const struct rung__payload *payload)
{
    struct rung__buffer message = {0};
    rung_result result = rung__pack(&exporting->spec, exporting->artifact.path, payload,
                                    exporting->key ? exporting->key_id : NULL, &message);
    if (result == RUNG_OK)
        result = rung__pack_save(&message, exporting->key, exporting->options->output_path);
    rung__buffer_finish(&message);
    return result;
}

static rung_result pack_engine(const struct exporting *exporting)
{
    struct rung__file file;
    struct rung__payload payload = {0};
    char *path = rung__path_join(exporting->engine.folder, exporting->rung->compiled);
    rung_result result = path ? rung__file_open(path, &file) : no_memory();
    free(path);
    if (result != RUNG_OK)
        return result;
    result = rung__file_map(&file, &payload.bytes);
    if (result == RUNG_OK)
        result = rung__sha256_of(payload.bytes.data, payload.bytes.size, payload.digest);
    if (result == RUNG_OK)
        result = write_file(exporting, &payload);
    rung__file_unmap(&payload.bytes);
    rung__file_close(&file);
    return result;
}

/* ---- the call ---- */

static rung_result check_options(const rung_engine_export_options *options)
{
    if (!options->model_path || !options->output_path)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_engine_export_options: a model and an output path are needed");
    return RUNG_OK;
}

static rung_result export(struct exporting *exporting)
{
    const char *key_path = exporting->options->key_path;
    rung_result result = check_options(exporting->options);
    if (result == RUNG_OK && key_path)
        result = rung__key_load_private(key_path, &exporting->key, exporting->key_id);
    if (result == RUNG_OK)
        result = open_model(exporting);
    if (result == RUNG_OK)
        result = find_rung(exporting);
    if (result == RUNG_OK)
        result = name_device(exporting);
    if (result == RUNG_OK)
        result = take_engine(exporting);
    if (result == RUNG_OK)
        result = make_spec(exporting);
    return result == RUNG_OK ? pack_engine(exporting) : result;
}

rung_result rung_engine_export(rung_instance *instance,
                               const rung_engine_export_options *caller_options)
{
    rung_engine_export_options options;
    if (!instance || !caller_options)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_engine_export: an argument is NULL");
    rung_result result = rung__structure_read(&options, sizeof options, caller_options,
                                              "rung_engine_export_options");
    if (result != RUNG_OK)
        return result;
    struct exporting exporting = {.instance = instance, .options = &options};
    result = export(&exporting);
    rung__spec_finish(&exporting.spec);
    rung__engine_use_finish(&exporting.engine);
    rung__device_finish(&exporting.device);
    rung__artifact_finish(&exporting.artifact);
    rung__key_free(exporting.key);
    return result;
}
