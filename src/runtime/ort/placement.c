/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/ort/placement.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

#define PROVIDERS_MAX 8

/** How many nodes each provider has. */
struct shares {
    struct {
        const char *provider;
        size_t nodes;
    } items[PROVIDERS_MAX];
    size_t count;
};

static void add(struct shares *shares, const char *provider, size_t nodes)
{
    size_t i = 0;
    while (i < shares->count && strcmp(shares->items[i].provider, provider) != 0)
        i++;
    if (i == PROVIDERS_MAX)
        return;
    if (i == shares->count)
        shares->items[shares->count++].provider = provider;
    shares->items[i].nodes += nodes;
}

static size_t share_of(const struct shares *shares, const char *provider)
{
    for (size_t i = 0; i < shares->count; i++)
        if (strcmp(shares->items[i].provider, provider) == 0)
            return shares->items[i].nodes;
    return 0;
}

static rung_result read_shares(const struct rung__ort *ort, const struct rung__ort_handle *session,
                               struct shares *out)
{
    const struct rung__ort_part *const *parts = NULL;
    size_t count = 0;
    rung_result result = rung__ort_check(ort, ort->call.get_assignment(session, &parts, &count),
                                         "asking what executes the model");
    for (size_t i = 0; i < count && result == RUNG_OK; i++) {
        const char *provider = "";
        const void *const *nodes = NULL;
        size_t node_count = 0;
        result = rung__ort_check(ort, ort->call.get_part_provider(parts[i], &provider),
                                 "asking what executes a part of the model");
        if (result == RUNG_OK)
            result = rung__ort_check(ort, ort->call.get_part_nodes(parts[i], &nodes, &node_count),
                                     "counting the nodes of a part of the model");
        if (result == RUNG_OK)
            add(out, provider, node_count);
    }
    return result;
}

static void describe(const struct shares *shares, char *to, size_t size)
{
    size_t used = 0;
    to[0] = '\0';
    for (size_t i = 0; i < shares->count; i++) {
        if (shares->count == 1)
            (void)rung__text_format(to, size, "%s", shares->items[i].provider);
        else
            (void)rung__text_format(to + used, size - used, "%s%s (%zu nodes)", i ? ", " : "",
                                    shares->items[i].provider, shares->items[i].nodes);
        used = strlen(to);
    }
}

rung_result rung__ort_forbid_silence(const struct rung__ort *ort, struct rung__ort_options *options)
{
    const char *key = ort->call.get_assignment ? "session.record_ep_graph_assignment_info"
                                               : "session.disable_cpu_ep_fallback";
    return rung__ort_check(ort, ort->call.set_config(options, key, "1"), key);
}

rung_result rung__ort_placement(const struct rung__ort *ort, const struct rung__ort_handle *session,
                                const char *provider, char *to, size_t size)
{
    struct shares shares = {0};
    (void)rung__text_format(to, size, "%s", provider);
    if (!ort->call.get_assignment)
        return RUNG_OK;
    rung_result result = read_shares(ort, session, &shares);
    if (result != RUNG_OK)
        return result;
    if (share_of(&shares, provider) == 0)
        return rung__fail(RUNG_BACKEND,
                          "%s takes none of the model's nodes: it would run on the CPU in silence",
                          provider);
    describe(&shares, to, size);
    return RUNG_OK;
}
