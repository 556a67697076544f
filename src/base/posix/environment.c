/* SPDX-License-Identifier: Apache-2.0 */
#include "base/environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

#include "base/error.h"
#include "base/text.h"

bool rung__environment_is_elevated(void)
{
#if defined(__linux__)
    /* Set by the kernel also for capabilities of the program's file, which leave the ids alone. */
    if (getauxval(AT_SECURE))
        return true;
#endif
    return getuid() != geteuid() || getgid() != getegid();
}

rung_result rung__environment_get(const char *name, char **out)
{
    const char *value = getenv(name);
    *out = NULL;
    if (!value || !*value)
        return RUNG_OK;
    *out = rung__text_new("%s", value);
    return *out ? RUNG_OK : rung__fail(RUNG_NO_MEMORY, "no memory for the variable %s", name);
}

rung_result rung__environment_set(const char *name, const char *value)
{
    const char *present = getenv(name);
    if (present && strcmp(present, value) == 0)
        return RUNG_OK;
    if (setenv(name, value, true))
        return rung__fail(RUNG_NO_MEMORY, "no memory for the variable %s", name);
    return RUNG_OK;
}
