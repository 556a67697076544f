/* SPDX-License-Identifier: Apache-2.0 */
/* One line on what serves here, for an application's settings. */
#include <rung/instance.h>

#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "hardware/fingerprint.h"
#include "session/survey.h"

#define LINE_BYTES 1024
#define PART_BYTES 256

/** "ONNX Runtime 1.31.1"; "" without a runtime. */
static void name_runtime(const struct rung__rung *rung, char to[PART_BYTES])
{
    const struct rung__runtime *runtime = rung->provider->runtime;
    struct rung__runtime_description loaded;
    to[0] = '\0';
    if (runtime && runtime->describe(&loaded))
        (void)rung__text_format(to, PART_BYTES, "%s %s", runtime->text, loaded.version);
}

static const struct rung__outcome *proven_outcome(const struct rung__survey *survey)
{
    return survey->proven ? rung__verdict_of(survey->recall.verdict, survey->chosen->id) : NULL;
}

static void name_figures(const struct rung__survey *survey, char to[PART_BYTES])
{
    const struct rung__outcome *outcome = proven_outcome(survey);
    char runtime[PART_BYTES];
    name_runtime(survey->chosen, runtime);
    to[0] = '\0';
    if (outcome)
        (void)rung__text_format(to, PART_BYTES, " (%s%s%.*f ms)", runtime, *runtime ? ", " : "",
                                outcome->median_ns < 10000000 ? 1 : 0,
                                (double)outcome->median_ns / 1e6);
    else if (*runtime)
        (void)rung__text_format(to, PART_BYTES, " (%s)", runtime);
}

/** The first thing that changed since the last verdict. */
static rung_result name_change(struct rung_instance *instance, const struct rung__survey *survey,
                               char to[PART_BYTES])
{
    struct rung__fingerprint_change change = {0};
    char *now = NULL;
    const rung_result result =
        rung__instance_fingerprint(instance, RUNG__FINGERPRINT_VERDICT, &now);
    if (result != RUNG_OK)
        return result;
    const size_t count =
        rung__fingerprint_changes(survey->recall.store.fingerprint, now, &change, 1);
    (void)rung__text_format(to, PART_BYTES, "to be probed again: %s%s", change.text,
                            count > 1 ? ", and more" : "");
    free(now);
    return RUNG_OK;
}

static rung_result name_reason(struct rung_instance *instance, const struct rung__survey *survey,
                               char to[PART_BYTES])
{
    const struct rung__outcome *outcome = proven_outcome(survey);
    const uint64_t floor = rung__survey_floor_ns(survey);
    if (survey->recall.changed && !survey->wanted)
        return name_change(instance, survey, to);
    if (survey->wanted)
        (void)rung__text_format(to, PART_BYTES, "%s", rung__override_reason(&survey->override));
    else if (!outcome)
        (void)rung__text_format(to, PART_BYTES, "nothing was probed on this device");
    else if (survey->chosen->floor || !floor || !outcome->median_ns)
        (void)rung__text_format(to, PART_BYTES, "nothing here is faster");
    else
        (void)rung__text_format(to, PART_BYTES, "%.1f times as fast as the processor alone",
                                (double)floor / (double)outcome->median_ns);
    return RUNG_OK;
}

static rung_result summarise(struct rung_instance *instance, const struct rung__survey *survey,
                             char to[LINE_BYTES])
{
    char figures[PART_BYTES], reason[PART_BYTES], who[PART_BYTES] = "Models run";
    if (!survey->chosen) {
        (void)rung__text_format(to, LINE_BYTES, "No model can run: %s", survey->reason);
        return RUNG_OK;
    }
    const rung_result result = name_reason(instance, survey, reason);
    if (result != RUNG_OK)
        return result;
    name_figures(survey, figures);
    if (survey->proven)
        (void)rung__text_format(who, sizeof who, "%s runs", survey->recall.verdict->name);
    (void)rung__text_format(to, LINE_BYTES, "%s on %s%s: %s", who, survey->chosen->id, figures,
                            reason);
    return RUNG_OK;
}

rung_result rung_instance_summary(rung_instance *instance, rung_span to, size_t *needed)
{
    struct rung__survey survey;
    char line[LINE_BYTES];
    if (!instance || (!to.data && to.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_instance_summary: an argument is NULL");
    rung_result result = rung__survey_make(instance, &survey);
    if (result == RUNG_OK)
        result = summarise(instance, &survey, line);
    rung__survey_finish(&survey);
    return result == RUNG_OK ? rung__text_give(line, to, needed) : result;
}
