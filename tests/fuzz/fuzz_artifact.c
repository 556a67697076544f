/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a model file: header, section table, every section, the graph, and what `inspect`
 * makes of those that are well-formed. Digest and signature would stop every changed file first, so
 * they are left out.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/describe.h"
#include "artifact/header.h"
#include "fuzz.h"

/* Fields of the header (docs/artifact.md). */
enum { AT_FLAGS = 12, AT_FILE_BYTES = 16, AT_SIGNATURE = 232 };

/* Inserting and erasing changes the size, which the header tells twice: without this hardly any
 * input of another length would come further. */
static void mend_sizes(uint8_t *file, size_t size)
{
    rung__put_u64(file + AT_FILE_BYTES, size);
    if (rung__get_u32(file + AT_FLAGS) & RUNG__FLAG_SIGNED)
        rung__put_u64(file + AT_SIGNATURE, size - RUNG__SIGNATURE_BYTES);
}

static void walk_labels(const struct rung__artifact_view *view)
{
    const uint32_t count = rung__artifact_label_count(view);
    REQUIRE(count <= RUNG__CLASSES_MAX);
    for (uint32_t i = 0; i <= count; i++) {
        const struct rung__bytes label = rung__artifact_label(view, i);
        REQUIRE(label.size == 0 || (label.data >= view->file.data &&
                                    label.data + label.size <= view->file.data + view->file.size));
        (void)rung__artifact_capabilities(view, i);
    }
}

static void describe(const struct rung__artifact *artifact)
{
    json_t *json;
    REQUIRE(rung__describe_report(artifact, &json) == RUNG_OK);
    json_decref(json);
    const rung_result result = rung__describe_spec(artifact, &json);
    REQUIRE(result == RUNG_OK || result == RUNG_UNSUPPORTED);
    json_decref(json);
}

static void read_and_describe(struct rung__bytes file)
{
    struct rung__artifact artifact;
    if (read_model(file, &artifact) != RUNG_OK)
        return;
    walk_labels(&artifact.view);
    describe(&artifact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rung__layout layout;
    (void)rung__layout_read((struct rung__bytes){data, size}, size, &layout);
    if (size < RUNG__HEADER_BYTES)
        return 0;
    uint8_t *mended = malloc(size);
    if (!mended)
        return 0;
    memcpy(mended, data, size);
    mend_sizes(mended, size);
    read_and_describe((struct rung__bytes){mended, size});
    free(mended);
    return 0;
}
