/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/outcome.h"

#include <stdarg.h>

#include "base/text.h"

static const struct rung__name rows[] = {
    {RUNG__OUTCOME_UNMEASURED, "unmeasured"}, {RUNG__OUTCOME_ABSENT, "absent"},
    {RUNG__OUTCOME_REFUSED, "refused"},       {RUNG__OUTCOME_FAILED, "failed"},
    {RUNG__OUTCOME_CRASHED, "crashed"},       {RUNG__OUTCOME_TIMEOUT, "timeout"},
    {RUNG__OUTCOME_WRONG, "wrong"},           {RUNG__OUTCOME_SLOWER, "slower"},
    {RUNG__OUTCOME_CHOSEN, "chosen"},
};
const struct rung__names rung__outcome_names = {"outcome", rows, sizeof rows / sizeof *rows};

void rung__outcome_set(struct rung__outcome *outcome, enum rung__outcome_kind kind,
                       const char *format, ...)
{
    va_list list;
    outcome->kind = kind;
    va_start(list, format);
    (void)rung__text_format_list(outcome->reason, sizeof outcome->reason, format, list);
    va_end(list);
    rung__text_clean(outcome->reason);
}
