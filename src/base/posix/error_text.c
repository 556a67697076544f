/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/error.h"
#include "base/text.h"

/* strerror_r returns the text in some C libraries and a number, with the text in `room`, in others.
 */
static const char *text_of_pointer(const char *returned, const char *room)
{
    (void)room;
    return returned;
}

static const char *text_of_number(int returned, const char *room)
{
    return returned ? "unknown reason" : room;
}

void rung__error_text(int error, char *to, size_t size)
{
    char room[256] = "";
    /* clang-format off */
    const char *text = _Generic(strerror_r(error, room, sizeof room),
        char *: text_of_pointer,
        int: text_of_number)(strerror_r(error, room, sizeof room), room);
    /* clang-format on */
    (void)rung__text_format(to, size, "%s", text);
}
