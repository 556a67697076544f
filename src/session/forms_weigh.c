/* SPDX-License-Identifier: Apache-2.0 */
/* Which form of a model is worth taking: it passed its gate on the rung, and a probe found it
 * faster there than the model in f32 is on its best one. */
#include <stdarg.h>

#include "base/file.h"
#include "base/text.h"
#include "ladder/probe.h"
#include "ladder/table.h"
#include "session/forms.h"

static double ms(const struct rung__outcome *outcome)
{
    return (double)outcome->median_ns / 1e6;
}

static bool is_right(const struct rung__outcome *outcome)
{
    return outcome->runs &&
           (outcome->kind == RUNG__OUTCOME_CHOSEN || outcome->kind == RUNG__OUTCOME_SLOWER);
}

/** The rung of the table's that a verdict has as the fastest on which the form passed its gate. */
static void find_fastest(const struct rung__table *table, const struct rung__verdict *verdict,
                         struct rung__form *form)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct rung__rung *rung = &table->rungs[i];
        const struct rung__outcome *outcome = rung__verdict_of(verdict, rung->id);
        if (rung->automatic && outcome && is_right(outcome) &&
            (!form->outcome || outcome->median_ns < form->outcome->median_ns) &&
            rung__gates_of(&form->gates, rung) == RUNG__GATE_PASSED) {
            form->rung = rung;
            form->outcome = outcome;
        }
    }
}

/** The rung that a verdict chose, NULL without. */
static const struct rung__rung *chosen_by(const struct rung__table *table,
                                          const struct rung__verdict *verdict)
{
    const uint32_t chosen = verdict ? rung__verdict_chosen(verdict) : 0;
    return verdict && chosen < verdict->rung_count
               ? rung__table_find(table, verdict->rungs[chosen].rung)
               : NULL;
}

/** The first rung that its record says it missed on, NULL for none. */
static const struct rung__rung *find_missed(const struct rung__table *table,
                                            const struct rung__form *form)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (rung__gates_of(&form->gates, &table->rungs[i]) == RUNG__GATE_MISSED)
            return &table->rungs[i];
    return NULL;
}

/** Of a form that passed its gate on no rung where it answers. */
static void explain_gate(const struct rung__table *table, const struct rung__verdict *verdict,
                         struct rung__form *form)
{
    const struct rung__rung *chosen = chosen_by(table, verdict);
    const struct rung__rung *missed = chosen ? chosen : find_missed(table, form);
    if (form->gates.unsafe)
        rung__form_judge(form, RUNG__FORM_UNGATED,
                         "it was packed without having passed a gate (unsafe_no_gate)");
    else if (missed && rung__gates_of(&form->gates, missed) == RUNG__GATE_MISSED)
        rung__form_judge(form, RUNG__FORM_UNGATED, "it missed its gate on %s", missed->id);
    else
        rung__form_judge(form, RUNG__FORM_UNGATED, "no gate record says that it passed on %s",
                         chosen ? chosen->id : "any rung");
}

static void weigh(const struct rung__recall *recall, const struct rung__outcome *of,
                  struct rung__form *form)
{
    const struct rung__verdict *verdict =
        rung__store_find(&recall->store, form->artifact.digest_text);
    if (recall->changed)
        verdict = NULL;
    if (verdict)
        find_fastest(recall->table, verdict, form);
    if (!form->outcome && (verdict || !rung__form_has_passed(form, recall->table)))
        explain_gate(recall->table, verdict, form);
    else if (form->artifact.view.header.role == RUNG_ROLE_EMBEDDER)
        rung__form_judge(form, RUNG__FORM_BY_NAME,
                         "an embedder stays in f32, as its numbers are compared with those of "
                         "other days; name this file to have it");
    else if (!form->outcome || !of)
        rung__form_judge(form, RUNG__FORM_UNMEASURED,
                         "how fast %s is here was not measured (rung probe)",
                         form->outcome ? "the model in f32" : "it");
    else if (!rung__outcome_beats(form->outcome, of))
        rung__form_judge(form, RUNG__FORM_SLOWER,
                         "%.1f ms on %s against the %.1f ms of the model in f32", ms(form->outcome),
                         form->rung->id, ms(of));
    else
        form->state = RUNG__FORM_CHOSEN;
}

/** Of those that are faster than the model in f32 one serves. */
static void explain_faster(struct rung__forms *forms, const char *of_rung,
                           const struct rung__outcome *of)
{
    struct rung__form *best = NULL;
    for (uint32_t i = 0; i < forms->count; i++)
        if (forms->items[i].state == RUNG__FORM_CHOSEN &&
            (!best || forms->items[i].outcome->median_ns < best->outcome->median_ns))
            best = &forms->items[i];
    for (uint32_t i = 0; i < forms->count && best; i++) {
        struct rung__form *form = &forms->items[i];
        if (form == best)
            rung__form_judge(form, RUNG__FORM_CHOSEN,
                             "%.1f ms on %s against the %.1f ms of the model in f32 on %s, and it "
                             "passed its gate there",
                             ms(form->outcome), form->rung->id, ms(of), of_rung);
        else if (form->state == RUNG__FORM_CHOSEN)
            rung__form_judge(form, RUNG__FORM_SLOWER, "%.1f ms on %s against the %.1f ms of %s",
                             ms(form->outcome), form->rung->id, ms(best->outcome),
                             rung__path_name(best->path));
    }
}

void rung__forms_weigh(const struct rung__recall *recall, struct rung__forms *forms)
{
    const struct rung__verdict *own = recall->own ? recall->verdict : NULL;
    const uint32_t chosen = own ? rung__verdict_chosen(own) : 0;
    const struct rung__outcome *of =
        own && chosen < own->rung_count && own->rungs[chosen].outcome.runs
            ? &own->rungs[chosen].outcome
            : NULL;
    for (uint32_t i = 0; i < forms->count; i++)
        if (forms->items[i].admitted)
            weigh(recall, of, &forms->items[i]);
    if (of)
        explain_faster(forms, own->rungs[chosen].rung, of);
}
