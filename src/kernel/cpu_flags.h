/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_CPU_FLAGS_H
#define RUNG__KERNEL_CPU_FLAGS_H

#include <stddef.h>
#include <stdint.h>

#include <rung/result.h>

#if defined(__x86_64__)
#define RUNG__HAVE_X86 1
#else
#define RUNG__HAVE_X86 0
#endif
#if defined(__aarch64__)
#define RUNG__HAVE_NEON 1
#else
#define RUNG__HAVE_NEON 0
#endif

/** The instruction sets that kernels are written for. */
enum rung__cpu_flag {
    RUNG__CPU_AVX2 = 1u << 0,
    RUNG__CPU_AVX512 =
        1u << 1, /**< F, BW, DQ, VL, VBMI, VBMI2 and VNNI: Ice Lake, Zen 4 and later */
    RUNG__CPU_NEON = 1u << 2,
};

/** A choice of kernels. A level includes the ones below it that this architecture has. */
struct rung__cpu_level {
    const char *name; /**< such as "avx2"; "scalar": the oracles */
    uint64_t flags;   /**< for the functions rung__…_init */
};

/** The levels that this processor runs, "scalar" first, then rising; NULL past the end. */
const struct rung__cpu_level *rung__cpu_level(size_t index);

/** The highest of them. */
const struct rung__cpu_level *rung__cpu_level_best(void);

/** The name of the level with these flags. */
const char *rung__cpu_level_name(uint64_t flags);

/**
 * The level of a name, the best one for NULL. Results: OK, INVALID_ARGUMENT (a name that is
 * unknown, or that this processor does not run), with a sentence.
 */
rung_result rung__cpu_level_find(const char *name, const struct rung__cpu_level **out);

#endif
