/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_OPERATIONS_H
#define CHECK_OPERATIONS_H

#include "kernel_check.h"

/* For each operation a check and the times of it, in files check_….c. */
void check_bilinear(struct kernel_check *check);
void time_bilinear(struct kernel_check *check);
void check_triangle(struct kernel_check *check);
void time_triangle(struct kernel_check *check);
void check_nearest(struct kernel_check *check);
void time_nearest(struct kernel_check *check);
void check_scan_mark(struct kernel_check *check);
void time_scan_mark(struct kernel_check *check);
void check_scan_rate(struct kernel_check *check);
void time_scan_rate(struct kernel_check *check);
void check_scan_planes(struct kernel_check *check);
void time_scan_planes(struct kernel_check *check);
void check_scan_count(struct kernel_check *check);
void time_scan_count(struct kernel_check *check);
void check_scan_fold(struct kernel_check *check);
void time_scan_fold(struct kernel_check *check);
void check_scan_table(struct kernel_check *check);
void time_scan_table(struct kernel_check *check);
void check_mask(struct kernel_check *check);
void time_mask(struct kernel_check *check);
void check_select(struct kernel_check *check);
void time_select(struct kernel_check *check);
void check_normalise(struct kernel_check *check);
void time_normalise(struct kernel_check *check);
void check_decode_rows(struct kernel_check *check);
void time_decode_rows(struct kernel_check *check);
void check_decode_yolo(struct kernel_check *check);
void time_decode_yolo(struct kernel_check *check);
void check_decode_yolo_obj(struct kernel_check *check);
void time_decode_yolo_obj(struct kernel_check *check);
void check_decode_yolo_e2e(struct kernel_check *check);
void time_decode_yolo_e2e(struct kernel_check *check);
void check_decode_detr(struct kernel_check *check);
void time_decode_detr(struct kernel_check *check);
void check_decode_considered(struct kernel_check *check);
void time_decode_considered(struct kernel_check *check);
void check_decode_centernet(struct kernel_check *check);
void time_decode_centernet(struct kernel_check *check);
void check_decode_strided(struct kernel_check *check);
void time_decode_strided(struct kernel_check *check);
void check_decode_ssd(struct kernel_check *check);
void time_decode_ssd(struct kernel_check *check);
void check_decode_fastestdet(struct kernel_check *check);
void time_decode_fastestdet(struct kernel_check *check);

#endif
