/* SPDX-License-Identifier: Apache-2.0 */
/* The faults: a row each. */
#include "standin.h"

#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXIT_OF_THE_LIBRARY 7 /* told from every status of Rung's own */
#define MESSAGE_BYTES       128

/* Codes of a status. */
enum { RUNTIME_EXCEPTION = 6, PROVIDER_FAILED = 11 };

static struct {
    rung__ort_log_fn *write;
    void *user;
} log_target;

void standin_log_to(rung__ort_log_fn *log, void *user)
{
    log_target.write = log;
    log_target.user = user;
}

static void log_warning(const char *message)
{
    if (log_target.write)
        log_target.write(log_target.user, RUNG__ORT_WARNING, "onnxruntime", "", "standin", message);
}

rung__ort_result standin_refuse(const char *message)
{
    return standin_real.create_status(PROVIDER_FAILED, message);
}

/** As vendors' providers do: the status says what, and only the log says why. */
static rung__ort_result refuse(const char *place)
{
    char text[MESSAGE_BYTES];
    (void)snprintf(text, sizeof text, "the device of the %s is not available", place);
    log_warning(text);
    (void)snprintf(text, sizeof text, "the %s was refused", place);
    return standin_refuse(text);
}

static rung__ort_result lack_memory(const char *place)
{
    (void)place;
    return standin_real.create_status(RUNTIME_EXCEPTION, "std::bad_alloc");
}

/** In the words of a driver whose device is gone. */
static rung__ort_result lose(const char *place)
{
    (void)place;
    return standin_refuse("CUDA failure 719: unspecified launch failure ; GPU=0");
}

static rung__ort_result crash(const char *place)
{
    (void)place;
    (void)raise(SIGSEGV);
    return NULL;
}

static rung__ort_result end_abruptly(const char *place)
{
    (void)place;
    abort();
}

static rung__ort_result leave(const char *place)
{
    (void)place;
    exit(EXIT_OF_THE_LIBRARY);
}

static rung__ort_result hang(const char *place)
{
    (void)place;
    while (pause() == -1)
        ;
    return NULL;
}

static rung__ort_result dawdle(const char *place)
{
    const unsigned ms = standin_slow_ms();
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    (void)place;
    while (nanosleep(&left, &left) != 0)
        ;
    return NULL;
}

static void fill(void *data, size_t count, int type, float f32, uint16_t f16)
{
    for (size_t i = 0; i < count; i++)
        if (type == RUNG__ORT_FLOAT)
            ((float *)data)[i] = f32;
        else if (type == RUNG__ORT_FLOAT16)
            ((uint16_t *)data)[i] = f16;
}

static void make_nan(void *data, size_t count, int type)
{
    fill(data, count, type, NAN, 0x7e00);
}

static void make_infinite(void *data, size_t count, int type)
{
    fill(data, count, type, INFINITY, 0x7c00);
}

/** Finite and plausible: only a comparison with right ones tells. */
static void make_wrong(void *data, size_t count, int type)
{
    for (size_t i = 0; i < count; i++)
        if (type == RUNG__ORT_FLOAT)
            ((float *)data)[i] = ((float *)data)[i] * 0.75f + 0.125f;
        else if (type == RUNG__ORT_FLOAT16)
            ((uint16_t *)data)[i] ^= 0x0200;
        else if (type == RUNG__ORT_UINT8 || type == RUNG__ORT_INT8)
            ((uint8_t *)data)[i] ^= 0x20;
}

#define CALLED                                                                                     \
    (AT(PLACE_ENVIRONMENT) | AT(PLACE_APPEND) | AT(PLACE_SESSION) | AT(PLACE_ENGINE) |             \
     AT(PLACE_RUN))
#define EVERYWHERE (AT(PLACE_LOAD) | CALLED)

/* Those with neither function are looked for by name where their place is. */
static const struct fault faults[] = {
    {.name = "refuse", .places = CALLED, .instead = refuse},
    {.name = "no-memory", .places = CALLED, .instead = lack_memory},
    {.name = "crash", .places = EVERYWHERE, .instead = crash},
    {.name = "abort", .places = EVERYWHERE, .instead = end_abruptly},
    {.name = "exit", .places = EVERYWHERE, .instead = leave},
    {.name = "hang", .places = EVERYWHERE, .instead = hang},
    {.name = "slow", .places = EVERYWHERE, .instead = dawdle},
    {.name = "refuse", .places = AT(PLACE_LOAD)},       /* OrtGetApiBase gives nothing */
    {.name = "no-version", .places = AT(PLACE_LOAD)},   /* no version string */
    {.name = "no-api", .places = AT(PLACE_LOAD)},       /* no table of any version */
    {.name = "no-slots", .places = AT(PLACE_LOAD)},     /* a table of NULL */
    {.name = "no-status", .places = AT(PLACE_LOAD)},    /* an error cannot be made */
    {.name = "other-status", .places = AT(PLACE_LOAD)}, /* an error comes back as another */
    {.name = "cpu", .places = AT(PLACE_APPEND)},        /* accepted, and runs on the CPU */
    {.name = "unwritten", .places = AT(PLACE_ENGINE)},  /* an engine is not written: not told */
    {.name = "torn", .places = AT(PLACE_ENGINE)},       /* half of it is: not told */
    {.name = "lost", .places = AT(PLACE_RUN), .instead = lose}, /* the device is gone */
    {.name = "nan", .places = AT(PLACE_RUN), .numbers = make_nan},
    {.name = "inf", .places = AT(PLACE_RUN), .numbers = make_infinite},
    {.name = "wrong", .places = AT(PLACE_RUN), .numbers = make_wrong},
};
#define FAULTS (sizeof faults / sizeof *faults)

const struct fault *standin_find_fault(const char *name, enum place place)
{
    for (size_t i = 0; i < FAULTS; i++)
        if (faults[i].places & AT(place) && strcmp(faults[i].name, name) == 0)
            return &faults[i];
    return NULL;
}

void standin_list_faults(enum place place, char *to, size_t size)
{
    size_t used = 0;
    *to = '\0';
    for (size_t i = 0; i < FAULTS && used < size; i++)
        if (faults[i].places & AT(place))
            used += (size_t)snprintf(to + used, size - used, " %s", faults[i].name);
}

bool standin_is(const struct fault *fault, const char *name)
{
    return fault && strcmp(fault->name, name) == 0;
}
