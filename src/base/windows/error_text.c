/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/error.h"

void rung__error_text(int error, char *to, size_t size)
{
    if (size && strerror_s(to, size, error))
        to[0] = 0;
}
