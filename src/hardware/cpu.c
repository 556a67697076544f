/* SPDX-License-Identifier: Apache-2.0 */
/* The processor's model and the features that kernels of inference libraries choose by. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "hardware/parts.h"

/* Of /proc/cpuinfo, which has some 1500 bytes a CPU: the first few are like the others, and on
 * machines with cores of several kinds there are few CPUs. */
#define CPUINFO_BYTES 16384
#define VALUE_BYTES   4096
#define PARTS_BYTES   64

/* As the kernel writes them, x86 first, then Arm. New rows go to the end. */
static const char *const features[] = {
    "sse4_2",   "avx",      "f16c",     "fma",         "avx2",        "avx512f",
    "avx512bw", "avx512vl", "avx_vnni", "avx512_vnni", "avx512_bf16", "avx512_fp16",
    "amx_tile", "amx_int8", "amx_bf16", "asimd",       "asimdhp",     "asimddp",
    "i8mm",     "bf16",     "sve",      "sve2",        "sme",
};

#define FEATURES (sizeof features / sizeof *features)
_Static_assert(FEATURES <= 32, "a feature is a bit of cpu_features");

const char *rung__cpu_feature_name(uint32_t bit)
{
    return bit < FEATURES ? features[bit] : NULL;
}

void rung__cpu_feature_set(uint32_t *bits, const char *name, size_t length)
{
    for (uint32_t bit = 0; bit < FEATURES; bit++)
        if (strlen(features[bit]) == length && strncmp(features[bit], name, length) == 0)
            *bits |= UINT32_C(1) << bit;
}

/** The value of a line "key   : value"; `*line` goes behind it. False at the end of the text. */
static bool next_value(const char **line, const char *key, char value[VALUE_BYTES])
{
    const size_t key_length = strlen(key);
    while (**line) {
        const char *at = *line;
        const size_t length = strcspn(at, "\n");
        *line += length + (at[length] == '\n');
        const size_t name = strcspn(at, ":\n");
        if (at[name] != ':' || strncmp(at, key, key_length) != 0 ||
            key_length + strspn(at + key_length, " \t") != name)
            continue;
        const char *from = at + name + 1;
        from += strspn(from, " \t");
        (void)rung__text_format(value, VALUE_BYTES, "%.*s", (int)(at + length - from), from);
        rung__text_clean(value);
        return true;
    }
    return false;
}

static bool first_value(const char *text, const char *key, char value[VALUE_BYTES])
{
    return next_value(&text, key, value) && *value;
}

static void read_features(const char *list, uint32_t *bits)
{
    for (const char *word = list; *word;) {
        const size_t length = strcspn(word, " ");
        rung__cpu_feature_set(bits, word, length);
        word += length + (word[length] == ' ');
    }
}

/** "AMD EPYC, family 26, model 2, stepping 1": virtual machines call very different ones the same.
 */
static bool name_x86(const char *text, char *to, size_t size)
{
    char name[VALUE_BYTES], family[VALUE_BYTES], model[VALUE_BYTES], stepping[VALUE_BYTES];
    if (!first_value(text, "model name", name) || !first_value(text, "cpu family", family) ||
        !first_value(text, "model", model) || !first_value(text, "stepping", stepping))
        return false;
    (void)rung__text_format(to, size, "%.96s, family %.8s, model %.8s, stepping %.8s", name, family,
                            model, stepping);
    return true;
}

/** "Arm 41:d47 41:d0c": maker and part of each kind of core. */
static bool name_arm(const char *text, char *to, size_t size)
{
    char maker[VALUE_BYTES], part[VALUE_BYTES], kind[PARTS_BYTES];
    if (!first_value(text, "CPU implementer", maker))
        return false;
    (void)rung__text_format(to, size, "Arm");
    while (next_value(&text, "CPU part", part)) {
        (void)rung__text_format(kind, sizeof kind, " %lx:%lx", strtoul(maker, NULL, 16),
                                strtoul(part, NULL, 16));
        const size_t length = strlen(to);
        if (!strstr(to, kind) && length + strlen(kind) < size)
            memcpy(to + length, kind, strlen(kind) + 1);
    }
    return true;
}

void rung__hardware_read_cpu(struct rung__machine *machine, struct rung__hardware *out)
{
    char text[CPUINFO_BYTES], value[VALUE_BYTES];
    if (!rung__machine_text(machine, "/proc/cpuinfo", text, sizeof text)) {
        if (!*machine->root)
            rung__cpuid_read(out);
        return;
    }
    if (!name_x86(text, out->cpu_model, sizeof out->cpu_model) &&
        !name_arm(text, out->cpu_model, sizeof out->cpu_model) &&
        first_value(text, "model name", value))
        (void)rung__text_format(out->cpu_model, sizeof out->cpu_model, "%s", value);
    if (first_value(text, "flags", value) || first_value(text, "Features", value))
        read_features(value, &out->cpu_features);
}

static bool has_feature(uint32_t bits, const char *name)
{
    uint32_t bit = 0;
    rung__cpu_feature_set(&bit, name, strlen(name));
    return bits & bit;
}

bool rung__cpu_sums_saturate(uint32_t bits)
{
    return has_feature(bits, "sse4_2") && !has_feature(bits, "avx_vnni") &&
           !has_feature(bits, "avx512_vnni");
}

bool rung__hardware_sums_saturate(void)
{
    struct rung__machine machine = {.root = ""};
    struct rung__hardware hardware = {.cpu_features = 0};
    rung__hardware_read_cpu(&machine, &hardware);
    return rung__cpu_sums_saturate(hardware.cpu_features);
}

void rung__hardware_cpu_model(char to[RUNG__CPU_MODEL_BYTES])
{
    struct rung__machine machine = {.root = ""};
    struct rung__hardware hardware = {.cpu_features = 0};
    rung__hardware_read_cpu(&machine, &hardware);
    memcpy(to, hardware.cpu_model, RUNG__CPU_MODEL_BYTES);
}
