/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "artifact/describe_parts.h"
#include "artifact/device.h"
#include "base/text.h"

/* A record may say anything that is a JSON object: each member counts only where it has the type
 * that it should have, and this is how much of it is shown. */
#define GATES_MAX  64u
#define MISSED_MAX 16u
#define TEXT_BYTES 80 /* names of rungs and checks are shorter */

/* Checks of `rung gate` for detectors: of all targets that count, and of each band of sizes. */
#define FOUND_ALL  "found of 40 px and more"
#define FOUND_BAND "found of "

/** The record, parsed, and the digest that entries about this model have. */
struct record {
    json_t *json;
    char digest[2 * RUNG__SHA256_BYTES + 1];
};

/** Without a section `json` is NULL. Results: OK, INTEGRITY, INVALID_ARGUMENT, NO_MEMORY. */
static rung_result read_record(const struct rung__artifact_view *view, struct record *out)
{
    const struct rung__bytes section = view->sections[RUNG__SECTION_GATE];
    *out = (struct record){0};
    if (!section.size)
        return RUNG_OK;
    const rung_result result = rung__artifact_model_digest(view, out->digest);
    return result == RUNG_OK ? rung__json_parse(section, "gate", &out->json) : result;
}

static bool is_text(const json_t *object, const char *key, const char *text)
{
    const char *found = json_string_value(json_object_get(object, key));
    return found && strcmp(found, text) == 0;
}

static bool is_passed(const json_t *gate)
{
    return json_is_true(json_object_get(gate, "passed"));
}

static json_t *shown(const char *text)
{
    char copy[TEXT_BYTES];
    (void)rung__text_format(copy, sizeof copy, "%s", text ? text : "");
    copy[rung__text_whole(copy, strlen(copy))] = 0;
    rung__text_clean(copy);
    return json_string(copy);
}

static void set_shown(json_t *object, const char *key, const json_t *from, bool *failed)
{
    rung__json_set(object, key, shown(json_string_value(json_object_get(from, key))), failed);
}

static void set_number(json_t *object, const char *key, const json_t *number, bool *failed)
{
    if (json_is_number(number))
        rung__json_set(object, key, json_real(json_number_value(number)), failed);
}

static json_t *missed_of(const json_t *checks, bool *failed)
{
    json_t *array = json_array();
    const json_t *check;
    size_t i;
    json_array_foreach(checks, i, check)
    {
        if (!json_is_false(json_object_get(check, "passed")) ||
            json_array_size(array) == MISSED_MAX)
            continue;
        json_t *row = json_object();
        set_shown(row, "name", check, failed);
        set_number(row, "value", json_object_get(check, "value"), failed);
        set_number(row, "least", json_object_get(check, "least"), failed);
        rung__json_append(array, row, failed);
    }
    return array;
}

/** The part found of all targets that count, and of the band of which the least was found. */
static void set_found(const json_t *checks, json_t *object, bool *failed)
{
    const json_t *check, *worst = NULL;
    size_t i;
    json_array_foreach(checks, i, check)
    {
        const char *name = json_string_value(json_object_get(check, "name"));
        const json_t *value = json_object_get(check, "value");
        if (!name || !json_is_number(value) || strncmp(name, FOUND_BAND, strlen(FOUND_BAND)) != 0)
            continue;
        if (strcmp(name, FOUND_ALL) == 0)
            set_number(object, "found", value, failed);
        else if (!worst ||
                 json_number_value(value) < json_number_value(json_object_get(worst, "value")))
            worst = check;
    }
    if (!worst)
        return;
    json_t *band = json_object();
    const char *name = json_string_value(json_object_get(worst, "name"));
    rung__json_set(band, "size", shown(name + strlen(FOUND_BAND)), failed);
    set_number(band, "found", json_object_get(worst, "value"), failed);
    rung__json_set(object, "worst_band", band, failed);
}

/** As pycocotools has it where that was asked, else as `rung gate` has it. */
static void set_precision(const json_t *gate, json_t *object, bool *failed)
{
    static const char *const sides[] = {"form", "f32"};
    const json_t *coco = json_object_get(gate, "coco"), *labels = json_object_get(gate, "labels");
    json_t *part = json_object();
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const json_t *side = json_object_get(coco ? coco : labels, sides[i]);
        set_number(part, sides[i],
                   json_object_get(coco ? json_object_get(side, "all") : side, "ap"), failed);
    }
    if (json_object_size(part) == sizeof sides / sizeof *sides)
        rung__json_set(object, "ap", part, failed);
    else
        json_decref(part);
}

static void set_cosine(const json_t *cosine, json_t *object, bool *failed)
{
    static const char *const names[] = {"smallest", "p0.1", "median"};
    json_t *part = json_object();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        set_number(part, names[i], json_object_get(cosine, names[i]), failed);
    if (json_object_size(part))
        rung__json_set(object, "cosine", part, failed);
    else
        json_decref(part);
}

static json_t *measurement(const json_t *gate, const char *digest, bool *failed)
{
    json_t *object = json_object();
    const json_t *checks = json_object_get(gate, "checks");
    set_shown(object, "rung", gate, failed);
    set_shown(object, "precision", gate, failed);
    rung__json_set(object, "of_this", json_boolean(is_text(gate, "artifact", digest)), failed);
    rung__json_set(object, "passed", json_boolean(is_passed(gate)), failed);
    rung__json_set(object, "missed", missed_of(checks, failed), failed);
    set_number(object, "pictures", json_object_get(gate, "pictures"), failed);
    set_found(checks, object, failed);
    set_cosine(json_object_get(gate, "cosine"), object, failed);
    set_number(object, "mean_iou", json_object_get(gate, "mean_iou"), failed);
    set_precision(gate, object, failed);
    return object;
}

static const char *verdict_of(const struct rung__artifact_view *view, const struct record *record)
{
    const json_t *gate;
    bool known = false;
    size_t i;
    json_array_foreach(json_object_get(record->json, "gates"), i, gate)
    {
        const bool of_this = is_text(gate, "artifact", record->digest);
        if (of_this && is_passed(gate))
            return "passed";
        known = known || of_this;
    }
    return known ? "missed" : view->header.form == RUNG_FORM_F32 ? "not needed" : "not measured";
}

/** On how many photographs the form's ranges were found. */
static void set_calibration(const json_t *record, json_t *object, bool *failed)
{
    const json_t *calibration = json_object_get(record, "calibration");
    const size_t count = json_array_size(json_object_get(calibration, "photographs"));
    if (count)
        rung__json_set(object, "calibrated_on", json_integer((json_int_t)count), failed);
}

void rung__describe_gates(const struct rung__artifact_view *view, json_t *object, bool *failed)
{
    struct record record;
    const json_t *gate;
    size_t i;
    if (read_record(view, &record) != RUNG_OK) {
        *failed = true;
        return;
    }
    json_t *gated = json_object(), *measured = json_array();
    json_array_foreach(json_object_get(record.json, "gates"), i, gate)
    {
        if (json_is_object(gate) && json_array_size(measured) < GATES_MAX)
            rung__json_append(measured, measurement(gate, record.digest, failed), failed);
    }
    rung__json_set(gated, "verdict", json_string(verdict_of(view, &record)), failed);
    rung__json_set(gated, "unsafe_no_gate",
                   json_boolean(json_is_true(json_object_get(record.json, "unsafe_no_gate"))),
                   failed);
    rung__json_set(gated, "measured", measured, failed);
    set_calibration(record.json, gated, failed);
    rung__json_set(object, "gated", gated, failed);
    json_decref(record.json);
}
