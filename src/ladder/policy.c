/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/policy.h"

#include "hardware/cpus.h"
#include "hardware/load.h"

static const struct rung__name rows[] = {
    {RUNG_PROBE_OFF, "off"}, {RUNG_PROBE_FIRST, "first"}, {RUNG_PROBE_ALL, "all"}};
const struct rung__names rung__policy_names = {"policy", rows, sizeof rows / sizeof *rows};

rung_probe_policy rung__policy_by_load(const char *root)
{
    struct rung__cpus cpus;
    double load;
    if (!rung__load_read(root, &load))
        return RUNG_PROBE_FIRST;
    rung__cpus_read(root, &cpus);
    return 2 * load < cpus.logical ? RUNG_PROBE_ALL : RUNG_PROBE_FIRST;
}
