/* SPDX-License-Identifier: Apache-2.0 */
#include <rung/result.h>

const char *rung_result_name(rung_result result)
{
    switch (result) {
#define NAME(name, number, text)                                                                   \
    case number:                                                                                   \
        return #name;
        RUNG_RESULTS(NAME)
#undef NAME
    default:
        return "UNKNOWN";
    }
}

const char *rung_result_text(rung_result result)
{
    switch (result) {
#define TEXT(name, number, text)                                                                   \
    case number:                                                                                   \
        return text;
        RUNG_RESULTS(TEXT)
#undef TEXT
    default:
        return "not a result of this library";
    }
}
