/* SPDX-License-Identifier: Apache-2.0 */
#include "base/environment.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/error.h"
#include "base/wide.h"

bool rung__environment_is_elevated(void)
{
    return false; /* a program never starts with more rights than the user who starts it agreed to
                   */
}

rung_result rung__environment_get(const char *name, char **out)
{
    rung_result result = RUNG_NO_MEMORY;
    wchar_t *value = NULL;
    wchar_t *wide = rung__wide_new(name);
    *out = NULL;
    if (!wide)
        return RUNG_NO_MEMORY;

    DWORD length = GetEnvironmentVariableW(wide, NULL, 0), room = length;
    if (length < 2) {
        result = RUNG_OK;
        goto done;
    }
    value = malloc(room * sizeof *value);
    if (!value) {
        result = rung__fail(RUNG_NO_MEMORY, "no memory for the variable %s", name);
        goto done;
    }
    length = GetEnvironmentVariableW(wide, value, room);
    if (length && length < room) /* else it was changed meanwhile: then it counts as unset */
        *out = rung__wide_to_text(value);
    result = *out || !length || length >= room ? RUNG_OK : RUNG_NO_MEMORY;

done:
    free(value);
    free(wide);
    return result;
}

rung_result rung__environment_set(const char *name, const char *value)
{
    const char *present = getenv(name);
    if (present && strcmp(present, value) == 0)
        return RUNG_OK;
    /* Both the system's copy and the C runtime's, since nobody knows which one a library reads. */
    if (!SetEnvironmentVariableA(name, value) || _putenv_s(name, value))
        return rung__fail(RUNG_NO_MEMORY, "no memory for the variable %s", name);
    return RUNG_OK;
}
