/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__KERNEL_BLEND_AVX2_H
#define RUNG__KERNEL_BLEND_AVX2_H

#include "kernel/blend.h"

/* Lines go by blocks of 16 pixels, whose lanes hold 0..3, 8..11, 4..7 and 12..15. */
rung__blend rung__blend_planar_f32_avx2;
rung__blend rung__blend_planar_f16_avx2;
rung__blend rung__blend_planar_i8_avx2;
rung__blend rung__blend_planar_u8_avx2;
rung__blend rung__blend_interleaved_f32_avx2;
rung__blend rung__blend_interleaved_f16_avx2;
rung__blend rung__blend_interleaved_i8_avx2;
rung__blend rung__blend_interleaved_u8_avx2;
rung__blend rung__blend_bgra_avx2;

#endif
