/* SPDX-License-Identifier: Apache-2.0 */
#include "session/model.h"

#include <stdlib.h>
#include <string.h>

#include <rung/artifact.h>
#include <rung/report.h>

#include "artifact/heads.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "kernel/decode.h"
#include "session/own_device.h"
#include "session/providers.h"
#include "session/structure.h"

enum rung__admission rung__admission_of(const struct rung_instance *instance)
{
    return instance->flags & RUNG_INSTANCE_ALLOW_UNSIGNED ? RUNG__ADMIT_UNSIGNED
                                                          : RUNG__ADMIT_TRUSTED;
}

rung_result rung_artifact_verify(rung_instance *instance, const char *path)
{
    struct rung__artifact artifact;
    if (!instance || !path)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_artifact_verify: an argument is NULL");
    rung_result result =
        rung__artifact_admit(path, rung__admission_of(instance), &instance->trust, &artifact);
    if (result != RUNG_OK)
        return result;
    const struct rung__rung *own;
    result = rung__own_device_check(instance, &artifact, &own);
    rung__artifact_finish(&artifact);
    return result;
}

static void copy_canonical(struct rung_model *model)
{
    const struct rung__bytes section = model->artifact.view.sections[RUNG__SECTION_CANONICAL];
    if (section.size == RUNG__SHA256_BYTES)
        rung__text_hex(model->canonical, section.data, section.size);
}

static rung_result copy_labels(struct rung_model *model)
{
    const struct rung__artifact_view *view = &model->artifact.view;
    uint32_t count = rung__artifact_label_count(view);
    for (uint32_t i = 0; i < RUNG__CLASSES_MAX; i++)
        model->capabilities[i] = rung__artifact_capabilities(view, i);
    model->labels = calloc(count + 1, sizeof *model->labels);
    if (!model->labels)
        return rung__fail(RUNG_NO_MEMORY, "no memory for the labels");
    for (; model->label_count < count; model->label_count++) {
        struct rung__bytes label = rung__artifact_label(view, model->label_count);
        char *text = rung__text_new("%.*s", (int)label.size, (const char *)label.data);
        if (!text)
            return rung__fail(RUNG_NO_MEMORY, "no memory for the labels");
        model->labels[model->label_count] = text;
    }
    return RUNG_OK;
}

/** A head that this version cannot decode is refused here. */
static rung_result check_head(const struct rung_model *model)
{
    const struct rung__header *header = &model->artifact.view.header;
    struct rung__decode_kernels decode;
    rung__decode_init(&decode, 0);
    if (header->role == RUNG_ROLE_DETECTOR && !decode.heads[header->head])
        return rung__fail(RUNG_UNSUPPORTED, "%s: this version has no decoder for head %u",
                          model->artifact.path, header->head);
    return RUNG_OK;
}

rung_result rung_model_open(rung_instance *instance, const char *path,
                            const rung_model_options *caller_options, rung_model **out)
{
    const uint64_t began = rung__clock_now();
    rung_model_options options;
    if (!instance || !path || !out)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_model_open: an argument is NULL");
    *out = NULL;
    rung_result result =
        rung__structure_read(&options, sizeof options, caller_options, "rung_model_options");
    if (result == RUNG_OK)
        result = rung__structure_check_flags(options.flags, RUNG_MODEL_ANY_PRECISION,
                                             "rung_model_options");
    if (result != RUNG_OK)
        return result;
    struct rung_model *model = calloc(1, sizeof *model);
    if (!model)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a model");
    model->instance = instance;
    rung__instance_close_providers(instance);
    model->teardown_ns = RUNG_REPORT_UNKNOWN;
    rung__mutex_init(&model->mutex);
    result = rung__artifact_admit_to_load(path, rung__admission_of(instance), &instance->trust,
                                          instance->cache, &model->artifact);
    if (result != RUNG_OK) {
        rung_model_destroy(model);
        return result;
    }
    result = check_head(model);
    if (result == RUNG_OK)
        result = rung__model_load(model, &options);
    if (result == RUNG_OK) /* of the form that serves */
        result = copy_labels(model);
    if (result != RUNG_OK) {
        rung_model_destroy(model);
        return result;
    }
    if (!model->artifact.is_signed)
        rung__log_write(&instance->log, RUNG_LOG_WARNING,
                        "%s is unsigned and was admitted as allowed", model->artifact.path);
    copy_canonical(model);
    model->open_ns = rung__clock_now() - began;
    *out = model;
    return RUNG_OK;
}

void rung_model_destroy(rung_model *model)
{
    if (!model)
        return;
    rung__background_forget(model);
    rung__serving_destroy(model->serving);
    rung__mutex_finish(&model->mutex);
    for (uint32_t i = 0; i < model->label_count; i++)
        free(model->labels[i]);
    free(model->labels);
    rung__artifact_finish(&model->artifact);
    free(model);
}

/** Of one channel there are two classes: not it, and it. */
static uint32_t mask_classes(const struct rung__artifact_view *view)
{
    struct rung__mask_form form;
    if (view->header.role != RUNG_ROLE_SEGMENTER ||
        rung__mask_form_read(&view->header, &view->tensors, &form) != RUNG_OK)
        return 0;
    return form.channels > 1 ? form.channels : 2;
}

rung_result rung_model_get_info(const rung_model *model, rung_model_info *caller_info)
{
    if (!model)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_model_get_info: model is NULL");
    const struct rung__header *header = &model->artifact.view.header;
    const struct rung__serving *serving = rung__model_serving(model);
    const rung_model_info info = {
        .name = header->name,
        .identity = serving->identity,
        .rung = serving->rung->id,
        .reason = serving->reason,
        .artifact = model->artifact.digest_text,
        .canonical = model->canonical,
        .key_id = model->artifact.key_id_text,
        .role = (rung_role)header->role,
        .form = (rung_form)header->form,
        .head = (rung_head)header->head,
        .canvas_width = header->canvas.width,
        .canvas_height = header->canvas.height,
        .max_targets = header->selection.max_targets,
        .class_count = model->label_count,
        .threads = serving->threads,
        .max_output_bytes = header->max_output_bytes,
        .embedding_length = header->embedding_length,
        .normalised = header->canvas.normalised,
        .mask_classes = mask_classes(&model->artifact.view),
        .min_confidence = header->selection.min_confidence,
        .iou = header->selection.iou,
        .suppression = header->selection.flags,
        .precision = serving->precision,
    };
    return rung__structure_write(caller_info, &info, sizeof info, "rung_model_info");
}

rung_result rung_model_get_label(const rung_model *model, uint32_t class_id, const char **out)
{
    if (!model || !out)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_model_get_label: an argument is NULL");
    *out = "";
    if (class_id >= model->label_count)
        return rung__fail(RUNG_NOT_FOUND, "%s has %u labels; there is none for class %u",
                          model->artifact.view.header.name, model->label_count, class_id);
    *out = model->labels[class_id];
    return RUNG_OK;
}
