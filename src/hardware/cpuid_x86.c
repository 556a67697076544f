/* SPDX-License-Identifier: Apache-2.0 */
/* The processor itself, where /proc is not mounted. */
#include <cpuid.h>
#include <string.h>

#include "base/text.h"
#include "hardware/parts.h"

#define BRAND_LEAF 0x80000002u /* and the next two, 16 bytes each */

enum { EAX, EBX, ECX, EDX, REGISTERS };

struct feature {
    uint32_t leaf, subleaf;
    uint8_t at, bit;
    uint8_t state; /**< what of the state the system has to keep, bits of XCR0 */
    const char *name;
};

#define STATE_AVX    0x06
#define STATE_AVX512 0xe6

/* Intel's manual, volume 2, CPUID. Tiles need a leave of the system's besides: they are left out.
 */
static const struct feature rows[] = {
    {1, 0, ECX, 20, 0, "sse4_2"},
    {1, 0, ECX, 28, STATE_AVX, "avx"},
    {1, 0, ECX, 29, STATE_AVX, "f16c"},
    {1, 0, ECX, 12, STATE_AVX, "fma"},
    {7, 0, EBX, 5, STATE_AVX, "avx2"},
    {7, 0, EBX, 16, STATE_AVX512, "avx512f"},
    {7, 0, EBX, 30, STATE_AVX512, "avx512bw"},
    {7, 0, EBX, 31, STATE_AVX512, "avx512vl"},
    {7, 0, ECX, 11, STATE_AVX512, "avx512_vnni"},
    {7, 0, EDX, 23, STATE_AVX512, "avx512_fp16"},
    {7, 1, EAX, 4, STATE_AVX, "avx_vnni"},
    {7, 1, EAX, 5, STATE_AVX512, "avx512_bf16"},
};

static bool ask(uint32_t leaf, uint32_t subleaf, uint32_t to[REGISTERS])
{
    return __get_cpuid_count(leaf, subleaf, &to[EAX], &to[EBX], &to[ECX], &to[EDX]) != 0;
}

/** What of the vector state the system keeps; 0 when it does not tell. */
static uint32_t kept_state(void)
{
    uint32_t registers[REGISTERS], low, high;
    if (!ask(1, 0, registers) || !(registers[ECX] & bit_OSXSAVE))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static void read_brand(char *to, size_t size)
{
    char brand[3 * 4 * REGISTERS + 1] = {0};
    uint32_t registers[REGISTERS];
    for (uint32_t i = 0; i < 3; i++) {
        if (!ask(BRAND_LEAF + i, 0, registers))
            return;
        memcpy(brand + i * sizeof registers, registers, sizeof registers);
    }
    rung__text_clean(brand);
    for (size_t length = strlen(brand); length && brand[length - 1] == ' '; length--)
        brand[length - 1] = '\0'; /* some are padded, which the kernel takes away too */
    (void)rung__text_format(to, size, "%s", brand + strspn(brand, " "));
}

void rung__cpuid_read(struct rung__hardware *out)
{
    const uint32_t state = kept_state();
    uint32_t registers[REGISTERS];
    read_brand(out->cpu_model, sizeof out->cpu_model);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((state & rows[i].state) == rows[i].state &&
            ask(rows[i].leaf, rows[i].subleaf, registers) &&
            registers[rows[i].at] >> rows[i].bit & 1)
            rung__cpu_feature_set(&out->cpu_features, rows[i].name, strlen(rows[i].name));
}
