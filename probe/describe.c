/* SPDX-License-Identifier: Apache-2.0 */
/* rung-probe describe RUNTIME LIBRARY: loads a library and tells what it is. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "probe.h"
#include "runtime/describe.h"

static const struct rung__runtime *find_runtime(const char *name)
{
    for (size_t i = 0; i < RUNG__RUNTIMES; i++)
        if (strcmp(rung__runtimes[i].name, name) == 0)
            return &rung__runtimes[i];
    return NULL;
}

rung_result describe(char **operands, struct rung__bytes input, struct answer *answer)
{
    (void)input;
    const struct rung__runtime *runtime = find_runtime(operands[0]);
    struct rung__runtime_description loaded;
    if (!runtime)
        return rung__fail(RUNG_UNSUPPORTED, "there is no runtime \"%s\"", operands[0]);
    rung_result result = runtime->open(operands[1]);
    if (result != RUNG_OK)
        return result;
    (void)runtime->describe(&loaded);
    struct rung__library_facts facts = {
        .file = (char *)loaded.path,
        .api = loaded.api,
        .providers = (char **)loaded.providers,
        .provider_count = loaded.provider_count,
    };
    (void)rung__text_format(facts.version, sizeof facts.version, "%s", loaded.version);
    answer->members = rung__library_facts_json(&facts);
    return answer->members ? RUNG_OK : rung__fail(RUNG_NO_MEMORY, "no memory for an answer");
}
