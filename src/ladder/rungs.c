/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/rungs.h"

#include <string.h>

#include "base/text.h"
#include "ladder/devices.h"

/* No memory of a GPU is taken that a run does not need: 512 MiB of workspace. */
#define WORKSPACE_BYTES "536870912"

typedef struct rung__option option;

static const option no_options[] = {{0}};

/* The compiled model is one file, with all that it needs in it. */
#define QNN_COMPILED "context.onnx"
static const option qnn_session[] = {
    {"ep.context_enable", "{cached}"},
    {"ep.context_embed_mode", "{cached}"},
    {"ep.context_file_path", "{engines}/" QNN_COMPILED},
    {0},
};

static const option tensorrt_options[] = {
    {"device_id", "0"},
    {"trt_fp16_enable", "1"},
    {"trt_max_workspace_size", WORKSPACE_BYTES},
    {"trt_engine_cache_enable", "{cached}"},
    {"trt_engine_cache_path", "{engines}"},
    {"trt_timing_cache_enable", "{cached}"},
    {"trt_timing_cache_path", "{engines}"},
    {0},
};
static const option cuda_options[] = {
    {"device_id", "0"},
    {"gpu_mem_limit", WORKSPACE_BYTES},
    {"arena_extend_strategy", "kSameAsRequested"},
    {"cudnn_conv_algo_search", "HEURISTIC"},
    /* Its default rounds products to 10 bits of mantissa: that is not f32. */
    {"use_tf32", "0"},
    {0},
};
static const option migraphx_options[] = {
    {"device_id", "0"},
    {"migraphx_fp16_enable", "1"},
    /* Its cache key leaves the precision out, so each precision has its own folder. */
    {"migraphx_model_cache_dir", "{engines}"},
    {0},
};
static const option openvino_gpu_options[] = {
    {"device_type", "GPU"},
    {"precision", "FP16"},
    {"cache_dir", "{engines}"},
    {0},
};
static const option openvino_npu_options[] = {
    {"device_type", "NPU"},
    {"precision", "FP16"},
    {"cache_dir", "{engines}"},
    {0},
};
static const option openvino_cpu_options[] = {
    {"device_type", "CPU"},
    /* Its default on the CPU is bf16, which was off by 8 % of an output's largest value. */
    {"load_config", "{\"CPU\":{\"INFERENCE_PRECISION_HINT\":\"f32\"}}"},
    /* It takes no notice of ONNX Runtime's threads, and contexts of one model would wait for each
     * other where there is but one stream: a folder took 1.7 times as long. */
    {"num_of_threads", "{all_threads}"},
    {"num_streams", "{streams}"},
    {"cache_dir", "{engines}"},
    {0},
};
static const option qnn_options[] = {
    /* Without a backend it runs on the CPU in silence. */
    {"backend_type", "htp"},
    {"htp_performance_mode", "default"},
    {"htp_graph_finalization_optimization_mode", "3"},
    {0},
};
static const option directml_options[] = {
    {"device_filter", "gpu"},
    {"performance_preference", "high_performance"},
    {0},
};
static const option coreml_options[] = {
    {"ModelFormat", "MLProgram"},
    {"MLComputeUnits", "ALL"},
    {"RequireStaticInputShapes", "1"},
    {"ModelCacheDirectory", "{engines}"},
    {0},
};
static const option webgpu_options[] = {
    {"preferredLayout", "NCHW"},
    {0},
};
#define LINUX_AND_WINDOWS (RUNG__PLATFORM_LINUX | RUNG__PLATFORM_WINDOWS)

const struct rung__rung rung__rungs[] = {
    {
        .id = "tensorrt",
        .text = "TensorRT, an engine in f16 for this GPU",
        .provider = &rung__provider_ort,
        .automatic = true,
        .compiling = true,
        .platforms = LINUX_AND_WINDOWS,
        .device = "an NVIDIA GPU",
        .matches = rung__has_nvidia_gpu,
        .rank = RUNG__RANK_VENDOR,
        .executed_by = "TensorrtExecutionProvider",
        .forms = RUNG__FORMS_F32,
        .precision = RUNG_FORM_F16,
        .fallback = "cuda",
        .session = no_options,
        .options = tensorrt_options,
    },
    {
        .id = "cuda",
        .text = "CUDA, in f32",
        .provider = &rung__provider_ort,
        .automatic = true,
        .platforms = LINUX_AND_WINDOWS,
        .device = "an NVIDIA GPU",
        .matches = rung__has_nvidia_gpu,
        .rank = RUNG__RANK_VENDOR,
        .executed_by = "CUDAExecutionProvider",
        .forms = RUNG__FORMS_F32,
        .precision = RUNG_FORM_F32,
        .fallback = "ort-cpu",
        .session = no_options,
        .options = cuda_options,
    },
    {
        .id = "migraphx",
        .text = "MIGraphX, a program in f16 for this GPU",
        .provider = &rung__provider_ort,
        .automatic = true,
        .compiling = true,
        .platforms = RUNG__PLATFORM_LINUX,
        .device = "an AMD GPU with ROCm",
        .matches = rung__has_rocm_gpu,
        .rank = RUNG__RANK_VENDOR,
        .executed_by = "MIGraphXExecutionProvider",
        .forms = RUNG__FORMS_F32,
        .precision = RUNG_FORM_F16,
        .fallback = "ort-cpu",
        .session = no_options,
        .options = migraphx_options,
    },
    {
        .id = "openvino-gpu",
        .text = "OpenVINO on an Intel GPU, in f16",
        .provider = &rung__provider_ort,
        .automatic = true,
        .compiling = true,
        .platforms = LINUX_AND_WINDOWS,
        .device = "an Intel GPU",
        .matches = rung__has_intel_gpu,
        .rank = RUNG__RANK_INTEL,
        .executed_by = "OpenVINOExecutionProvider",
        .forms = RUNG__FORMS_F32,
        .precision = RUNG_FORM_F16,
        .fallback = "ort-cpu",
        .session = no_options,
        .options = openvino_gpu_options,
    },
    {
        .id = "openvino-npu",
        .text = "OpenVINO on an Intel NPU, in f16",
        .provider = &rung__provider_ort,
        .automatic = true,
        .compiling = true,
        .platforms = LINUX_AND_WINDOWS,
        .device = "an Intel NPU",
        .matches = rung__has_intel_npu,
        .rank = RUNG__RANK_INTEL,
        .executed_by = "OpenVINOExecutionProvider",
        .forms = RUNG__FORMS_F32,
        .precision = RUNG_FORM_F16,
        .fallback = "ort-cpu",
        .session = no_options,
        .options = openvino_npu_options,
    },
    {
        .id = "qnn-htp",
        .text = "Qualcomm's Hexagon, the model's quantised form",
        .provider = &rung__provider_ort,
        .automatic = true,
        .compiling = true,
        .platforms = RUNG__PLATFORM_LINUX | RUNG__PLATFORM_WINDOWS | RUNG__PLATFORM_ANDROID,
        .device = "a Hexagon of V68 to V81",
        .matches = rung__has_hexagon,
        .rank = RUNG__RANK_VENDOR,
        .executed_by = "QNNExecutionProvider",
        .forms = RUNG__FORMS_QUANTISED,
        .precision = RUNG__PRECISION_OF_MODEL,
        .fallback = "ort-cpu",
        .compiled = QNN_COMPILED,
        .session = qnn_session,
        .options = qnn_options,
    },
    {
        .id = "directml",
        .text = "DirectML, in f32",
        .provider = &rung__provider_ort,
        .automatic = true,
        .platforms = RUNG__PLATFORM_WINDOWS,
        .device = "a GPU",
        .matches = rung__has_gpu,
        .rank = RUNG__RANK_ANY_GPU,
        .executed_by = "DmlExecutionProvider",
        .forms = RUNG__FORMS_F32,
        .precision = RUNG_FORM_F32,
        .fallback = "ort-cpu",
        .session = no_options,
        .options = directml_options,
    },
    {
        .id = "coreml",
        .text = "Core ML, an ML Program",
        .provider = &rung__provider_ort,
        .automatic = true,
        .compiling = true,
        .platforms = RUNG__PLATFORM_MACOS,
        .rank = RUNG__RANK_VENDOR,
        .executed_by = "CoreMLExecutionProvider",
        .forms = RUNG__FORMS_F32,
        .precision = RUNG_FORM_F32,
        .fallback = "ort-cpu",
        .session = no_options,
        .options = coreml_options,
    },
    {
        .id = "webgpu",
        .text = "WebGPU, in f32, on a GPU of any vendor",
        .provider = &rung__provider_ort,
        .automatic = true,
        .platforms = RUNG__PLATFORM_ANY,
        .device = "a GPU",
        .matches = rung__has_gpu,
        .rank = RUNG__RANK_ANY_GPU,
        .executed_by = "WebGpuExecutionProvider",
        .forms = RUNG__FORMS_F32,
        .precision = RUNG_FORM_F32,
        .fallback = "ort-cpu",
        .session = no_options,
        .options = webgpu_options,
    },
    {
        .id = "openvino-cpu",
        .text = "OpenVINO on the CPU, forced to f32",
        .provider = &rung__provider_ort,
        .automatic = true,
        .compiling = true,
        .platforms = LINUX_AND_WINDOWS,
        .device = "an x86 CPU",
        .matches = rung__has_x86_cpu,
        .executed_by = "OpenVINOExecutionProvider",
        .forms = RUNG__FORMS_F32,
        .precision = RUNG_FORM_F32,
        .fallback = "ort-cpu",
        .session = no_options,
        .options = openvino_cpu_options,
    },
    {
        .id = "ort-cpu",
        .text = "ONNX Runtime on the CPU",
        .provider = &rung__provider_ort,
        .automatic = true,
        .floor = true,
        .platforms = RUNG__PLATFORM_ANY,
        .executed_by = "CPUExecutionProvider",
        .forms = RUNG__FORMS_ANY,
        .precision = RUNG__PRECISION_OF_MODEL,
        .fallback = "tract",
        .session = no_options,
        .options = no_options,
    },
    {
        .id = "tract",
        .text = "tract on the CPU, one thread",
        .provider = &rung__provider_tract,
        .automatic = true,
        .floor = true,
        .platforms = RUNG__PLATFORM_ANY,
        .forms = RUNG__FORMS_F32,
        .precision = RUNG_FORM_F32,
        .session = no_options,
        .options = no_options,
    },
    {
        .id = "dummy",
        .text = "made-up numbers without a runtime, for tests",
        .provider = &rung__provider_dummy,
        .platforms = RUNG__PLATFORM_ANY,
        .forms = RUNG__FORMS_ANY,
        .precision = RUNG__PRECISION_OF_MODEL,
        .session = no_options,
        .options = no_options,
    },
};
const uint32_t rung__rung_count = sizeof rung__rungs / sizeof *rung__rungs;

const struct rung__rung *rung__rung_named(const char *id)
{
    for (uint32_t i = 0; i < rung__rung_count; i++)
        if (strcmp(rung__rungs[i].id, id) == 0)
            return &rung__rungs[i];
    return NULL;
}

static bool offers(const struct rung__runtime_description *ort, const char *provider)
{
    for (uint32_t i = 0; i < ort->provider_count; i++)
        if (strcmp(ort->providers[i], provider) == 0)
            return true;
    return false;
}

bool rung__rung_is_present(const struct rung__rung *rung, const struct rung__hardware *hardware,
                           const struct rung__runtime_description *ort, bool has_plugin,
                           char *reason, size_t size)
{
    if (!(rung->platforms & RUNG__PLATFORM))
        (void)rung__text_format(reason, size, "it is for other platforms than this one");
    else if (rung->matches && !rung->matches(hardware))
        (void)rung__text_format(reason, size, "it needs %s, and none was found", rung->device);
    else if (rung->executed_by && !ort)
        (void)rung__text_format(reason, size, "no ONNX Runtime could be loaded");
    else if (rung->executed_by && !has_plugin && !offers(ort, rung->executed_by))
        (void)rung__text_format(reason, size, "the ONNX Runtime here (%s) does not offer %s",
                                ort->version, rung->executed_by);
    else
        return true;
    return false;
}
