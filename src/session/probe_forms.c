/* SPDX-License-Identifier: Apache-2.0 */
/* Behind the probe of a model: its other forms, each a model of its own. */
#include <stdatomic.h>

#include "base/error.h"
#include "session/forms.h"
#include "session/model.h"
#include "session/probe.h"

static bool is_ending(struct rung_instance *instance, bool unasked)
{
    return unasked && atomic_load(&instance->background.ending);
}

/** One that may not serve wherever it was measured need not be. */
static bool probe_all(struct rung_instance *instance, const struct rung__forms *forms,
                      const rung_probe_options *options, bool unasked)
{
    rung_result result = RUNG_OK;
    for (uint32_t i = 0; i < forms->count && result != RUNG_TIMEOUT; i++) {
        const struct rung__form *form = &forms->items[i];
        if (!rung__form_has_passed(form, &instance->table) || is_ending(instance, unasked))
            continue;
        rung__log_write(&instance->log, RUNG_LOG_INFO, "%s, a form of the model, is measured too",
                        form->path);
        result = rung__probe_form(instance, form->path, options, unasked);
        if (result != RUNG_OK)
            rung__log_write(&instance->log, RUNG_LOG_WARNING, "%s was not measured: %s", form->path,
                            rung_last_error());
    }
    return result != RUNG_TIMEOUT;
}

bool rung__probe_forms(rung_instance *instance, const char *path, const rung_probe_options *options,
                       bool unasked)
{
    const struct rung__recall nothing = {.table = &instance->table};
    struct rung__artifact artifact;
    struct rung__forms *forms = NULL;
    bool free_to_go_on = true;
    if (!instance->state || rung__artifact_admit(path, rung__admission_of(instance),
                                                 &instance->trust, &artifact) != RUNG_OK)
        return true;
    if (rung__forms_find(instance, &artifact, &nothing, RUNG__FORMS_ALL, &forms) == RUNG_OK)
        free_to_go_on = probe_all(instance, forms, options, unasked);
    rung__forms_free(forms);
    rung__artifact_finish(&artifact);
    return free_to_go_on;
}
