/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware/load.h"

#include "hardware/machine.h"

#define DIGITS_MOST 9

bool rung__load_read(const char *root, double *out)
{
    struct rung__machine machine = {.root = root};
    char line[64];
    double value = 0, unit = 1;
    const char *at = line;
    int digits = 0;
    if (!rung__machine_line(&machine, "/proc/loadavg", line, sizeof line))
        return false;
    for (; *at >= '0' && *at <= '9' && digits < DIGITS_MOST; at++, digits++)
        value = value * 10 + (*at - '0');
    if (digits == 0 || *at++ != '.')
        return false;
    for (; *at >= '0' && *at <= '9' && digits < DIGITS_MOST; at++, digits++)
        value += (unit /= 10) * (*at - '0');
    *out = value;
    return *at == ' ';
}
