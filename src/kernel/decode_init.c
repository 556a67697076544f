/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/cpu_flags.h"
#include "kernel/decode_scan.h"

static void init_oracles(struct rung__decode_kernels *kernels)
{
    kernels->heads[RUNG_HEAD_ROWS] = rung__decode_rows_c;
    kernels->heads[RUNG_HEAD_YOLO] = rung__decode_yolo_c;
    kernels->heads[RUNG_HEAD_YOLO_OBJ] = rung__decode_yolo_obj_c;
    kernels->heads[RUNG_HEAD_YOLO_E2E] = rung__decode_yolo_e2e_c;
    kernels->heads[RUNG_HEAD_DETR] = rung__decode_detr_c;
    kernels->heads[RUNG_HEAD_CENTERNET] = rung__decode_centernet_c;
    kernels->heads[RUNG_HEAD_STRIDED] = rung__decode_strided_c;
    kernels->heads[RUNG_HEAD_SSD] = rung__decode_ssd_c;
    kernels->heads[RUNG_HEAD_FASTESTDET] = rung__decode_fastestdet_c;
}

/** For every level above the oracles' own. */
static void init_scans(struct rung__decode_kernels *kernels)
{
    kernels->heads[RUNG_HEAD_ROWS] = rung__decode_rows_scan;
    kernels->heads[RUNG_HEAD_YOLO] = rung__decode_yolo_scan;
    kernels->heads[RUNG_HEAD_YOLO_OBJ] = rung__decode_yolo_obj_scan;
    kernels->heads[RUNG_HEAD_YOLO_E2E] = rung__decode_yolo_e2e_scan;
    kernels->heads[RUNG_HEAD_DETR] = rung__decode_detr_scan;
    kernels->heads[RUNG_HEAD_CENTERNET] = rung__decode_centernet_scan;
    kernels->heads[RUNG_HEAD_STRIDED] = rung__decode_strided_scan;
    kernels->heads[RUNG_HEAD_SSD] = rung__decode_ssd_scan;
    kernels->heads[RUNG_HEAD_FASTESTDET] = rung__decode_fastestdet_scan;
}

void rung__decode_init(struct rung__decode_kernels *kernels, uint64_t cpu_flags)
{
    *kernels = (struct rung__decode_kernels){.heads = {NULL}};
    init_oracles(kernels);
    rung__scan_init_c(&kernels->scan);
    if (cpu_flags != 0)
        init_scans(kernels);
#if RUNG__HAVE_X86
    if (cpu_flags & RUNG__CPU_AVX2)
        rung__scan_init_avx2(&kernels->scan);
    if (cpu_flags & RUNG__CPU_AVX512)
        rung__scan_init_avx512(&kernels->scan);
#endif
#if RUNG__HAVE_NEON
    if (cpu_flags & RUNG__CPU_NEON)
        rung__scan_init_neon(&kernels->scan);
#endif
}

uint32_t rung__head_points(uint32_t head)
{
    return head == RUNG_HEAD_CENTERNET || head == RUNG_HEAD_STRIDED ? 5 : 0;
}
