/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/gates.h"

#include <string.h>

#include "artifact/device.h"
#include "base/json.h"
#include "base/text.h"
#include "hardware/hardware.h"
#include "ladder/pins.h"

void rung__gates_read(const struct rung__artifact_view *artifact, struct rung__gates *out)
{
    const struct rung__bytes section = artifact->sections[RUNG__SECTION_GATE];
    *out = (struct rung__gates){.header = artifact->header};
    if (!section.size || rung__artifact_model_digest(artifact, out->digest) != RUNG_OK ||
        rung__json_parse(section, "gate", &out->record) != RUNG_OK)
        return;
    const struct rung__bytes canonical = artifact->sections[RUNG__SECTION_CANONICAL];
    if (canonical.size == RUNG__SHA256_BYTES)
        rung__text_hex(out->canonical, canonical.data, canonical.size);
    out->saturates = rung__hardware_sums_saturate();
    out->unsafe = json_is_true(json_object_get(out->record, "unsafe_no_gate"));
}

void rung__gates_finish(struct rung__gates *gates)
{
    json_decref(gates->record);
    *gates = (struct rung__gates){0};
}

static bool is_text(const json_t *object, const char *key, const char *text)
{
    const char *found = json_string_value(json_object_get(object, key));
    return found && strcmp(found, text) == 0;
}

/** An entry without its processor is of one that computes as the graph says. */
static bool entry_saturates(const json_t *entry)
{
    const json_t *name;
    uint32_t features = 0;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(entry, "cpu"), "features"), i,
                       name) if (json_is_string(name))
        rung__cpu_feature_set(&features, json_string_value(name), json_string_length(name));
    return rung__cpu_sums_saturate(features);
}

static bool counts_on_this_processor(const struct rung__gates *gates, const struct rung__rung *rung,
                                     const json_t *entry)
{
    return !rung->floor || gates->header.form != RUNG_FORM_INT8 || !gates->saturates ||
           entry_saturates(entry);
}

/** Where both tell what the form was made from and compared with. */
static bool is_against(const struct rung__gates *gates, const json_t *entry)
{
    const json_t *against = json_object_get(entry, "against");
    return !*gates->canonical || !json_object_get(against, "artifact") ||
           is_text(against, "artifact", gates->canonical);
}

enum rung__gate rung__gates_of(const struct rung__gates *gates, const struct rung__rung *rung)
{
    const char *precision = rung__precision_text(rung__rung_precision(rung, &gates->header));
    enum rung__gate best = RUNG__GATE_NONE;
    const json_t *entry;
    size_t i;
    json_array_foreach(json_object_get(gates->record, "gates"), i, entry)
    {
        if (!is_text(entry, "rung", rung->id) || !is_text(entry, "artifact", gates->digest) ||
            !is_text(entry, "precision", precision) || !is_against(gates, entry) ||
            !counts_on_this_processor(gates, rung, entry))
            continue;
        if (json_is_true(json_object_get(entry, "passed")))
            best = RUNG__GATE_PASSED;
        else if (best == RUNG__GATE_NONE)
            best = RUNG__GATE_MISSED;
    }
    return best;
}

bool rung__gates_passed(const struct rung__artifact_view *artifact, const struct rung__rung *rung)
{
    struct rung__gates gates;
    rung__gates_read(artifact, &gates);
    const bool passed = rung__gates_of(&gates, rung) == RUNG__GATE_PASSED;
    rung__gates_finish(&gates);
    return passed;
}
