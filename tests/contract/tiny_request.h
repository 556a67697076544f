/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TEST_TINY_REQUEST_H
#define RUNG_TEST_TINY_REQUEST_H

#include <stdio.h>
#include <stdlib.h>

#include "../unit/tiny_onnx.h"
#include "provider/provider.h"

/* What a provider is given to load: a real model of f32 [1,3,8,8] → [1,2,6]. */

struct tiny_request {
    struct rung__buffer graph;
    struct rung__artifact_view view;
    struct rung__model_request request;
};

#define TINY_INPUT_BYTES  (3u * 8 * 8 * 4)
#define TINY_OUTPUT_BYTES (2u * 6 * 4)

static const float tiny_request_rows[2][6] = {{0.25f, 0.25f, 0.5f, 0.5f, 0.75f, 0},
                                              {0, 0, 0.25f, 0.25f, 0.5f, 1}};

static void tiny_declare(struct rung__tensor *tensor, const char *name, uint32_t rank,
                         const uint32_t *dims)
{
    snprintf(tensor->name, sizeof tensor->name, "%s", name);
    tensor->dtype = RUNG_DTYPE_F32;
    tensor->rank = rank;
    memcpy(tensor->dims, dims, rank * sizeof *dims);
}

/** End with rung__buffer_finish of the graph. It must stay where it is. */
static void tiny_request_make(struct tiny_request *to)
{
    const struct tiny_rows model = {.input = "image",
                                    .output = "rows",
                                    .width = 8,
                                    .height = 8,
                                    .rows = tiny_request_rows[0],
                                    .row_count = 2,
                                    .opset = 17,
                                    .steps = 40};
    memset(to, 0, sizeof *to);
    tiny_rows(&to->graph, &model);
    snprintf(to->view.header.name, sizeof to->view.header.name, "tiny");
    to->view.header.providers = RUNG__PROVIDER_ORT | RUNG__PROVIDER_TRACT;
    to->view.header.role = RUNG_ROLE_DETECTOR;
    to->view.header.kind = RUNG_ARTIFACT_ONNX;
    to->view.header.form = RUNG_FORM_F32;
    to->view.header.canvas.layout = RUNG_LAYOUT_PLANAR;
    to->view.sections[RUNG__SECTION_PAYLOAD] = rung__buffer_bytes(&to->graph);
    tiny_declare(&to->view.tensors.input, "image", 4, (uint32_t[]){1, 3, 8, 8});
    tiny_declare(&to->view.tensors.outputs[0], "rows", 3, (uint32_t[]){1, 2, 6});
    to->view.tensors.output_count = 1;
    to->request = (struct rung__model_request){
        .artifact = &to->view,
        .threads = 1,
        .helper = getenv("RUNG_TEST_HELPER"),
    };
}

#endif
