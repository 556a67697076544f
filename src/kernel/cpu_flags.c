/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/cpu_flags.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"

/* The processor itself is asked, not the machine's record: that one may be another machine's
 * (RUNG_HARDWARE_ROOT), and a wrong answer here is an illegal instruction. */

#if RUNG__HAVE_X86
/** These ask for what the system keeps of the state, too. */
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("avx512vnni");
}
#endif

/** Every AArch64 processor has NEON, and none has an instruction set less. */
static bool always(void)
{
    return true;
}

static const struct {
    struct rung__cpu_level level;
    bool (*runs)(void);
} levels[] = {
    {{"scalar", 0}, always},
#if RUNG__HAVE_X86
    {{"avx2", RUNG__CPU_AVX2}, has_avx2},
    {{"avx512", RUNG__CPU_AVX2 | RUNG__CPU_AVX512}, has_avx512},
#endif
#if RUNG__HAVE_NEON
    {{"neon", RUNG__CPU_NEON}, always},
#endif
};

#define LEVELS (sizeof levels / sizeof *levels)

const struct rung__cpu_level *rung__cpu_level(size_t index)
{
    return index < LEVELS && levels[index].runs() ? &levels[index].level : NULL;
}

const struct rung__cpu_level *rung__cpu_level_best(void)
{
    size_t best = 0;
    while (rung__cpu_level(best + 1))
        best++;
    return &levels[best].level;
}

const char *rung__cpu_level_name(uint64_t flags)
{
    for (size_t i = 0; i < LEVELS; i++)
        if (levels[i].level.flags == flags)
            return levels[i].level.name;
    return "unknown";
}

rung_result rung__cpu_level_find(const char *name, const struct rung__cpu_level **out)
{
    const struct rung__cpu_level *level, *best = rung__cpu_level_best();
    *out = best;
    if (!name)
        return RUNG_OK;
    for (size_t i = 0; (level = rung__cpu_level(i)); i++)
        if (strcmp(level->name, name) == 0) {
            *out = level;
            return RUNG_OK;
        }
    return rung__fail(
        RUNG_INVALID_ARGUMENT,
        "RUNG_CPU_FLAGS: \"%s\" is no level of instructions that this processor runs; "
        "name scalar or one up to %s",
        name, best->name);
}
