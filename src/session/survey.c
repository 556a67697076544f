/* SPDX-License-Identifier: Apache-2.0 */
#include "session/survey.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

const struct rung__outcome *rung__survey_probed(const struct rung__survey *survey, uint32_t index)
{
    if (!survey->recall.verdict || !survey->standings[index].can_run)
        return NULL;
    return rung__verdict_of(survey->recall.verdict, survey->table->rungs[index].id);
}

uint64_t rung__survey_floor_ns(const struct rung__survey *survey)
{
    for (uint32_t i = 0; i < survey->table->count; i++) {
        const struct rung__outcome *probed = rung__survey_probed(survey, i);
        if (survey->table->rungs[i].floor && probed && probed->runs)
            return probed->median_ns;
    }
    return 0;
}

/** The last floor above the first that serves; NULL: there is none. */
static const struct rung__rung *find_above(const struct rung__survey *survey, uint32_t *index)
{
    const struct rung__rung *above = NULL, *rungs = survey->table->rungs;
    for (uint32_t i = 0; i < survey->table->count && !survey->standings[i].can_serve; i++)
        if (rungs[i].automatic && rungs[i].floor) {
            above = &rungs[i];
            *index = i;
        }
    return above;
}

static void explain_unwanted(struct rung__survey *survey)
{
    const struct rung__recall *recall = &survey->recall;
    const char *probed = recall->changed ? "what was probed has changed, rung probe measures again"
                                         : "nothing was probed on this device";
    char *to = survey->reason;
    uint32_t index = 0;
    const struct rung__rung *above = find_above(survey, &index);
    if (!survey->chosen)
        (void)rung__text_format(to, RUNG__STANDING_REASON,
                                "no rung can run: no runtime could be loaded");
    else if (survey->proven)
        (void)rung__text_format(to, RUNG__STANDING_REASON,
                                "chosen by a probe of %s on this device: %s", recall->verdict->name,
                                rung__verdict_of(recall->verdict, survey->chosen->id)->reason);
    else if (!above)
        (void)rung__text_format(to, RUNG__STANDING_REASON, "the best rung that serves unproven; %s",
                                probed);
    else
        (void)rung__text_format(to, RUNG__STANDING_REASON, "the next one down (%s: %s); %s",
                                above->id, survey->standings[index].reason, probed);
}

/** The one that a probe chose, when it can run; else the best that needs no proof. */
static void choose_unwanted(struct rung__survey *survey)
{
    const struct rung__rung *proven = rung__recall_rung(&survey->recall);
    const struct rung__table *table = survey->table;
    uint32_t best = table->count;
    for (uint32_t i = table->count; i-- > 0;) {
        if (survey->standings[i].can_serve)
            best = i;
        if (proven && &table->rungs[i] == proven && survey->standings[i].can_run)
            survey->proven = true;
    }
    survey->chosen = survey->proven ? proven : best < table->count ? &table->rungs[best] : NULL;
    explain_unwanted(survey);
}

/** Why the override does not serve; "" when it does. */
static const char *find_obstacle(const struct rung__survey *survey)
{
    const struct rung__rung *rung = survey->override.rung;
    if (!rung)
        return "there is no such rung";
    const struct rung__standing *standing = &survey->standings[rung - survey->table->rungs];
    return standing->can_run ? "" : standing->reason;
}

/** What is wanted goes before all; one that must not hand down leaves nothing else. */
static void choose(struct rung__survey *survey)
{
    const struct rung__override *override = &survey->override;
    const char *obstacle = find_obstacle(survey);
    char unwanted[RUNG__STANDING_REASON];
    if (*override->id && !*obstacle) {
        survey->chosen = override->rung;
        survey->wanted = true;
        (void)rung__text_format(survey->reason, RUNG__STANDING_REASON, "%s",
                                rung__override_reason(override));
        return;
    }
    if (!override->strict)
        choose_unwanted(survey);
    if (!*override->id)
        return;
    memcpy(unwanted, survey->reason, sizeof unwanted);
    (void)rung__text_format(
        survey->reason, RUNG__STANDING_REASON, "%s, %s, cannot run here: %s%s%s", override->id,
        rung__override_reason(override), obstacle, override->strict ? "" : "; so it is ", unwanted);
}

rung_result rung__survey_make(struct rung_instance *instance, struct rung__survey *out)
{
    *out = (struct rung__survey){.table = &instance->table};
    rung_result result = rung__instance_recall(instance, NULL, &out->recall);
    if (result == RUNG_OK)
        result = rung__instance_override(instance, &out->override);
    if (result == RUNG_OK)
        result = rung__instance_hardware(instance, &out->hardware);
    if (result != RUNG_OK)
        return result;
    out->standings = calloc(out->table->count, sizeof *out->standings);
    if (!out->standings)
        return rung__fail(RUNG_NO_MEMORY, "no memory to look at the rungs");
    for (uint32_t i = 0; i < out->table->count && result == RUNG_OK; i++)
        result =
            rung__rung_stand(instance, out->hardware, &out->table->rungs[i], &out->standings[i]);
    if (result == RUNG_OK)
        choose(out);
    return result;
}

void rung__survey_finish(struct rung__survey *survey)
{
    rung__recall_finish(&survey->recall);
    free(survey->hardware);
    free(survey->standings);
    *survey = (struct rung__survey){0};
}
