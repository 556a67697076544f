/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/ort/plugin_library.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/library.h"
#include "base/text.h"

#define NAME_BYTES 96

static const char entry[] = "CreateEpFactories";
/* What a bridge takes from its own build, whether it has the entry as well or not. */
static const char of_bridges[] = "Provider_GetHost";

/* What the library that was described last is. It is the process's, as the library is. */
static struct {
    char *path; /**< the file itself: ONNX Runtime takes a relative one for one of its own folder */
    char provider[NAME_BYTES];
    char *providers[1];
} described;

/** Looks for a text with its zero. */
static bool holds(struct rung__bytes bytes, const char *text, size_t size)
{
    const uint8_t *at = bytes.data, *end = bytes.data + bytes.size;
    while ((size_t)(end - at) >= size) {
        at = memchr(at, text[0], (size_t)(end - at) - size + 1);
        if (!at)
            return false;
        if (memcmp(at, text, size) == 0)
            return true;
        at++;
    }
    return false;
}

/** The names of what a library exports and needs stand in its file. */
static rung_result check_names(const char *path)
{
    struct rung__file file;
    struct rung__bytes bytes;
    rung_result result = rung__file_open(path, &file);
    if (result != RUNG_OK)
        return result;
    result = rung__file_map(&file, &bytes);
    if (result == RUNG_OK) {
        if (!holds(bytes, entry, sizeof entry) || holds(bytes, of_bridges, sizeof of_bridges))
            result = rung__fail(RUNG_UNSUPPORTED, "%s is no plugin library", path);
        rung__file_unmap(&bytes);
    }
    rung__file_close(&file);
    return result;
}

/** "QNNExecutionProvider" of ".../libonnxruntime_providers_qnn.so". */
static void name_provider(const char *path)
{
    static const struct {
        const char *file, *provider;
    } known[] = {
        {"cuda", "CUDA"},     {"qnn", "QNN"},           {"openvino", "OpenVINO"},
        {"webgpu", "WebGpu"}, {"migraphx", "MIGraphX"}, {"coreml", "CoreML"},
        {"dml", "Dml"},
    };
    static const char prefix[] = "libonnxruntime_providers_";
    const char *name = rung__path_name(path);
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    static const char ending[] = "_plugin"; /* of what lies beside a bridge of the same name */
    int length = (int)strcspn(name, ".");
    const int shorter = length - (int)(sizeof ending - 1);
    if (shorter > 0 && strncmp(name + shorter, ending, sizeof ending - 1) == 0)
        length = shorter;
    (void)rung__text_format(described.provider, sizeof described.provider, "%.*sExecutionProvider",
                            length, name);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(known[i].file, name, (size_t)length) == 0 && !known[i].file[length])
            (void)rung__text_format(described.provider, sizeof described.provider,
                                    "%sExecutionProvider", known[i].provider);
}

rung_result rung__ort_plugin_open(const char *path)
{
    struct rung__library library;
    rung_result result = check_names(path);
    if (result == RUNG_OK)
        result = rung__library_open(path, &library);
    if (result != RUNG_OK)
        return result;
    const void *symbol = rung__library_symbol(&library, entry);
    if (!symbol)
        return rung__fail(RUNG_UNSUPPORTED, "%s is no plugin library: it exports no %s", path,
                          entry);
    free(described.path);
    described.path = rung__library_path_of(symbol);
    if (!described.path)
        return rung__fail(RUNG_NO_MEMORY, "no memory to describe %s", path);
    name_provider(path);
    return RUNG_OK;
}

bool rung__ort_plugin_describe(struct rung__runtime_description *out)
{
    if (!described.path)
        return false;
    described.providers[0] = described.provider;
    *out = (struct rung__runtime_description){
        .path = described.path,
        .version = "",
        .providers = described.providers,
        .provider_count = 1,
    };
    return true;
}
