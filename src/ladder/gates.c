/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/gates.h"

#include <string.h>

#include "artifact/device.h"
#include "base/json.h"
#include "ladder/pins.h"

void rung__gates_read(const struct rung__artifact_view *artifact, struct rung__gates *out)
{
    const struct rung__bytes section = artifact->sections[RUNG__SECTION_GATE];
    *out = (struct rung__gates){.header = artifact->header};
    if (!section.size || rung__artifact_model_digest(artifact, out->digest) != RUNG_OK ||
        rung__json_parse(section, "gate", &out->record) != RUNG_OK)
        return;
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

enum rung__gate rung__gates_of(const struct rung__gates *gates, const struct rung__rung *rung)
{
    const char *precision = rung__precision_text(rung__rung_precision(rung, &gates->header));
    enum rung__gate best = RUNG__GATE_NONE;
    const json_t *entry;
    size_t i;
    json_array_foreach(json_object_get(gates->record, "gates"), i, entry)
    {
        if (!is_text(entry, "rung", rung->id) || !is_text(entry, "artifact", gates->digest) ||
            !is_text(entry, "precision", precision))
            continue;
        if (json_is_true(json_object_get(entry, "passed")))
            best = RUNG__GATE_PASSED;
        else if (best == RUNG__GATE_NONE)
            best = RUNG__GATE_MISSED;
    }
    return best;
}
