/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the size of each public structure and the offset of each member, in the form of
 * abi/structures.txt.
 */
#include <stdio.h>

#include <rung/artifact.h>
#include <rung/rung.h>

#define S(type)                                                                                    \
    {                                                                                              \
#type, sizeof(type)                                                                        \
    }
#define M(type, member)                                                                            \
    {                                                                                              \
#type "." #member, offsetof(type, member)                                                  \
    }

static const struct {
    const char *name;
    size_t bytes;
} rows[] = {
    S(rung_span),
    M(rung_span, data),
    M(rung_span, size),
    S(rung_environment_variable),
    M(rung_environment_variable, name),
    M(rung_environment_variable, text),
    S(rung_instance_options),
    M(rung_instance_options, struct_size),
    M(rung_instance_options, version),
    M(rung_instance_options, flags),
    M(rung_instance_options, log_level),
    M(rung_instance_options, log),
    M(rung_instance_options, log_user),
    M(rung_instance_options, runtime_path),
    M(rung_instance_options, trust_path),
    M(rung_instance_options, reserved),
    S(rung_pack_options),
    M(rung_pack_options, struct_size),
    M(rung_pack_options, version),
    M(rung_pack_options, spec_path),
    M(rung_pack_options, graph_path),
    M(rung_pack_options, output_path),
    M(rung_pack_options, key_path),
    M(rung_pack_options, reserved),
    S(rung_model_options),
    M(rung_model_options, struct_size),
    M(rung_model_options, version),
    M(rung_model_options, flags),
    M(rung_model_options, threads),
    M(rung_model_options, rung),
    M(rung_model_options, reserved),
    S(rung_model_info),
    M(rung_model_info, struct_size),
    M(rung_model_info, version),
    M(rung_model_info, name),
    M(rung_model_info, identity),
    M(rung_model_info, rung),
    M(rung_model_info, reason),
    M(rung_model_info, artifact),
    M(rung_model_info, key_id),
    M(rung_model_info, role),
    M(rung_model_info, form),
    M(rung_model_info, head),
    M(rung_model_info, canvas_width),
    M(rung_model_info, canvas_height),
    M(rung_model_info, max_targets),
    M(rung_model_info, class_count),
    M(rung_model_info, threads),
    M(rung_model_info, max_output_bytes),
    M(rung_model_info, reserved),
    S(rung_context_options),
    M(rung_context_options, struct_size),
    M(rung_context_options, version),
    M(rung_context_options, flags),
    M(rung_context_options, max_frame_width),
    M(rung_context_options, max_frame_height),
    M(rung_context_options, reserved),
    S(rung_rect),
    M(rung_rect, x),
    M(rung_rect, y),
    M(rung_rect, width),
    M(rung_rect, height),
    S(rung_frame),
    M(rung_frame, struct_size),
    M(rung_frame, version),
    M(rung_frame, pixels),
    M(rung_frame, stride),
    M(rung_frame, width),
    M(rung_frame, height),
    M(rung_frame, format),
    M(rung_frame, crop),
    M(rung_frame, source_id),
    M(rung_frame, display_id),
    M(rung_frame, frame_id),
    M(rung_frame, session_epoch),
    M(rung_frame, transform_epoch),
    M(rung_frame, topology_epoch),
    M(rung_frame, reserved),
    S(rung_run_info),
    M(rung_run_info, struct_size),
    M(rung_run_info, version),
    M(rung_run_info, identity),
    M(rung_run_info, rung),
    M(rung_run_info, artifact),
    M(rung_run_info, preprocess_ns),
    M(rung_run_info, run_ns),
    M(rung_run_info, postprocess_ns),
    M(rung_run_info, reserved),
    S(rung_packet_header),
    M(rung_packet_header, struct_size),
    M(rung_packet_header, version),
    M(rung_packet_header, count),
    M(rung_packet_header, stride),
    M(rung_packet_header, flags),
    M(rung_packet_header, space),
    M(rung_packet_header, scene_epoch),
    M(rung_packet_header, frame_id),
    M(rung_packet_header, model_epoch),
    M(rung_packet_header, session_epoch),
    M(rung_packet_header, transform_epoch),
    M(rung_packet_header, topology_epoch),
    M(rung_packet_header, source_id),
    M(rung_packet_header, targets_offset),
    M(rung_packet_header, total_size),
    S(rung_target),
    M(rung_target, target_id),
    M(rung_target, parent_id),
    M(rung_target, source_id),
    M(rung_target, display_id),
    M(rung_target, x),
    M(rung_target, y),
    M(rung_target, w),
    M(rung_target, h),
    M(rung_target, safe_x),
    M(rung_target, safe_y),
    M(rung_target, confidence),
    M(rung_target, class_id),
    M(rung_target, source_bits),
    M(rung_target, capabilities),
    M(rung_target, flags),
    M(rung_target, order),
    M(rung_target, attachment_offset),
    M(rung_target, attachment_bytes),
};

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("%s %zu\n", rows[i].name, rows[i].bytes);
    return 0;
}
