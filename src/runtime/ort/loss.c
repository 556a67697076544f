/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/ort/loss.h"

#include <stddef.h>
#include <string.h>

static const char *const words[] = {
    /* DirectML: DXGI's codes of devices that are removed, hang, were reset, or whose driver failed
     */
    "887A0005",
    "887A0006",
    "887A0007",
    "887A0020",
    /* CUDA, and TensorRT on it: errors that stay with the process' context (cudaError_t) */
    "CUDA failure 46:", /* all devices are unavailable */
    "CUDA failure 100:",
    "CUDA failure 700:", /* an illegal address */
    "CUDA failure 702:", /* a launch took too long */
    "CUDA failure 709:", /* the context is gone */
    "CUDA failure 719:", /* a launch failed */
    "cudaErrorDevicesUnavailable",
    "cudaErrorNoDevice",
    "cudaErrorIllegalAddress",
    "cudaErrorLaunchTimeout",
    "cudaErrorContextIsDestroyed",
    "cudaErrorLaunchFailure",
    /* MIGraphX and ROCm */
    "hipErrorNoDevice",
    "hipErrorIllegalAddress",
    "hipErrorLaunchFailure",
    "hipErrorContextIsDestroyed",
    /* OpenVINO's GPU and NPU plugins: OpenCL's and Level Zero's */
    "CL_DEVICE_NOT_AVAILABLE",
    "ZE_RESULT_ERROR_DEVICE_LOST",
    /* WebGPU on Dawn, and Vulkan */
    "VK_ERROR_DEVICE_LOST",
    "device is lost",
    "Device is lost",
    "device was lost",
    "Device was lost",
};

bool rung__ort_tells_of_loss(const char *message)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(message, words[i]))
            return true;
    return false;
}
