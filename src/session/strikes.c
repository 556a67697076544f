/* SPDX-License-Identifier: Apache-2.0 */
/* Which rungs killed their process here, for explanations. */
#include "session/strikes.h"

#include <stdlib.h>
#include <string.h>

#include "ladder/attempts.h"
#include "session/recall.h"

static json_t *explain_one(const struct rung__strike *strike, const char *fingerprint)
{
    const bool holds = strcmp(strike->fingerprint, fingerprint) == 0;
    return json_pack("{s:s,s:s,s:s,s:i,s:b,s:b,s:I}", "rung", strike->rung, "model", strike->model,
                     "what", rung__name_text(&rung__try_names, strike->kind), "strikes",
                     (int)strike->strikes, "holds", holds, "refused",
                     holds && strike->strikes >= RUNG__STRIKES_MOST, "time",
                     (json_int_t)strike->time);
}

static rung_result digest_now(struct rung_instance *instance, char hex[2 * RUNG__SHA256_BYTES + 1])
{
    char *text = NULL;
    rung_result result = rung__instance_fingerprint(instance, RUNG__FINGERPRINT_ENGINES, &text);
    if (result == RUNG_OK)
        result = rung__fingerprint_digest_of(text, hex);
    free(text);
    return result;
}

rung_result rung__explain_strikes(struct rung_instance *instance, json_t *to, bool *failed)
{
    struct rung__strike *strikes = NULL;
    uint32_t count = 0;
    char fingerprint[2 * RUNG__SHA256_BYTES + 1];
    json_t *list = json_array();
    rung_result result = RUNG_OK;
    if (instance->state)
        result = rung__attempts_settle(instance->state);
    if (result == RUNG_OK && instance->state)
        result = rung__strikes_list(instance->state, &strikes, &count);
    if (result != RUNG_OK && result != RUNG_NO_MEMORY) {
        rung__instance_tell_state(instance, "what tries did is not known");
        result = RUNG_OK;
    }
    if (result == RUNG_OK && count)
        result = digest_now(instance, fingerprint);
    for (uint32_t i = 0; i < count && result == RUNG_OK; i++)
        rung__json_append(list, explain_one(&strikes[i], fingerprint), failed);
    free(strikes);
    rung__json_set(to, "strikes", list, failed);
    return result;
}
