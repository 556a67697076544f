/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_common.h"

void rung__decode_init(struct rung__decode_kernels *kernels, uint64_t cpu_flags)
{
    (void)cpu_flags; /* there are the oracles alone so far */
    *kernels = (struct rung__decode_kernels){{NULL}};
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

uint32_t rung__head_points(uint32_t head)
{
    return head == RUNG_HEAD_CENTERNET || head == RUNG_HEAD_STRIDED ? 5 : 0;
}
