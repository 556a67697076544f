/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/numbers.h"

#include <stdio.h>
#include <stdlib.h>

#define ONE        65535.0
#define Q3_UNITS   8.0
#define TEXT_BYTES 32

uint16_t rung__fraction_to_u16(double fraction)
{
    const double scaled = fraction * ONE;
    const uint32_t whole = (uint32_t)scaled;
    const double rest = scaled - whole;
    const bool up = rest > 0.5 || (rest == 0.5 && whole % 2 == 1);
    return (uint16_t)(whole + up);
}

static double decimal(double value, int digits)
{
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "%.*g", digits, value);
    return strtod(text, NULL);
}

double rung__fraction_from_u16(uint16_t field)
{
    const double exact = field / ONE;
    for (int digits = 1; digits < RUNG__NUMBER_DIGITS; digits++) {
        const double value = decimal(exact, digits);
        if (value <= 1.0 && rung__fraction_to_u16(value) == field)
            return value;
    }
    return decimal(exact, RUNG__NUMBER_DIGITS);
}

double rung__decimal_of_f32(float field)
{
    for (int digits = 1; digits < RUNG__NUMBER_DIGITS; digits++) {
        const double value = decimal((double)field, digits);
        if ((float)value == field)
            return value;
    }
    return decimal((double)field, RUNG__NUMBER_DIGITS);
}

bool rung__pixels_to_q3(double pixels, uint16_t *field)
{
    const double scaled = pixels * Q3_UNITS;
    if (!(scaled >= 0.0 && scaled <= (double)UINT16_MAX))
        return false;
    *field = (uint16_t)scaled;
    return (double)*field == scaled;
}

double rung__pixels_from_q3(uint16_t field)
{
    return field / Q3_UNITS;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool rung__hex_read(const char *text, size_t length, uint8_t *to)
{
    if (length % 2 != 0)
        return false;
    for (size_t i = 0; i < length; i += 2) {
        const int high = digit_value(text[i]), low = digit_value(text[i + 1]);
        if (high < 0 || low < 0)
            return false;
        to[i / 2] = (uint8_t)(high << 4 | low);
    }
    return true;
}
