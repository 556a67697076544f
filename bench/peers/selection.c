/* SPDX-License-Identifier: Apache-2.0 */
#include "peers/ours.h"

#include <stdlib.h>

#include "kernel/cpu_flags.h"
#include "kernel/decode.h"
#include "kernel/select.h"

#define LINE 64u

struct bench_selection {
    struct rung__selection rules;
    struct rung__select_kernels kernels;
    void *workspace;
    uint32_t *order;
};

struct bench_head {
    struct rung__canvas canvas;
    struct rung__mapping mapping;
    struct rung__tensors tensors;
    struct rung__decode_request request;
    struct rung__decode_kernels kernels;
    rung__decode_fn *decode;
    struct rung__candidate *candidates;
    struct bench_selection *selection;
};

static void *allocate(uint64_t bytes)
{
    return aligned_alloc(LINE, (bytes + LINE) / LINE * LINE);
}

struct bench_selection *bench_selection_new(uint32_t level, const struct bench_rules *rules)
{
    const struct rung__cpu_level *found = rung__cpu_level(level);
    struct bench_selection *bench = calloc(1, sizeof *bench);
    if (!found || !bench)
        goto fail;
    bench->rules = (struct rung__selection){
        .min_confidence = (uint16_t)rules->min_confidence,
        .iou = (uint16_t)rules->iou,
        .flags = (uint16_t)rules->flags,
        .capacity = rules->capacity,
        .considered = rules->considered,
        .max_targets = rules->max_targets,
    };
    rung__select_init(&bench->kernels, found->flags);
    bench->workspace = allocate(bench->kernels.workspace_bytes(&bench->rules, rules->capacity));
    bench->order = allocate((uint64_t)rules->max_targets * sizeof *bench->order);
    if (bench->workspace && bench->order)
        return bench;
fail:
    bench_selection_delete(bench);
    return NULL;
}

uint32_t bench_selection_run(const struct bench_selection *bench,
                             const struct rung__candidate *candidates, uint32_t count)
{
    struct rung__selected selected = {.order = bench->order};
    bench->kernels.run(candidates, count, &bench->rules, 0, bench->workspace, &selected);
    return selected.count;
}

const uint32_t *bench_selection_order(const struct bench_selection *bench)
{
    return bench->order;
}

void bench_selection_delete(struct bench_selection *bench)
{
    if (bench) {
        free(bench->workspace);
        free(bench->order);
    }
    free(bench);
}

/* ---- heads -------------------------------------------------------------------------------- */

static void set_output(struct bench_head *bench, uint32_t purpose, uint32_t rows, uint32_t columns)
{
    struct rung__tensor *tensor = &bench->tensors.outputs[bench->tensors.output_count++];
    *tensor = (struct rung__tensor){
        .purpose = purpose, .dtype = RUNG_DTYPE_F32, .rank = 3, .dims = {1, rows, columns}};
    bench->request.outputs[purpose].tensor = tensor;
}

static void set_request(struct bench_head *bench, const struct bench_head_form *form)
{
    const uint32_t width = form->canvas_width, height = form->canvas_height;
    const struct rung__placement placement = {{0, 0, width, height}, width, height, 0, 0};
    bench->canvas = (struct rung__canvas){.width = width, .height = height, .channels = 3};
    rung__mapping(&placement, width, height, &bench->mapping);
    set_output(bench, 0, form->rows, form->columns);
    if (form->head == RUNG_HEAD_DETR)
        set_output(bench, 1, form->rows, 4);
    bench->request.canvas = &bench->canvas;
    bench->request.mapping = &bench->mapping;
    bench->request.selection = &bench->selection->rules;
    bench->request.tensors = &bench->tensors;
}

struct bench_head *bench_head_new(uint32_t level, const struct bench_head_form *form,
                                  const struct bench_rules *rules)
{
    const struct rung__cpu_level *found = rung__cpu_level(level);
    struct bench_head *bench = calloc(1, sizeof *bench);
    if (!found || !bench || (form->head != RUNG_HEAD_YOLO && form->head != RUNG_HEAD_DETR))
        goto fail;
    rung__decode_init(&bench->kernels, found->flags);
    bench->decode = bench->kernels.heads[form->head];
    bench->candidates = allocate((uint64_t)rules->capacity * sizeof *bench->candidates);
    bench->selection = bench_selection_new(level, rules);
    if (!bench->candidates || !bench->selection)
        goto fail;
    set_request(bench, form);
    bench->request.scan = &bench->kernels.scan;
    bench->request.considered_only = true;
    return bench;
fail:
    bench_head_delete(bench);
    return NULL;
}

uint32_t bench_head_run(struct bench_head *bench, const float *first, const float *second)
{
    struct rung__decoded decoded = {.candidates = bench->candidates};
    bench->request.outputs[0].data = first;
    bench->request.outputs[1].data = second;
    bench->decode(&bench->request, &decoded);
    return bench_selection_run(bench->selection, bench->candidates, decoded.count);
}

const struct rung__candidate *bench_head_candidates(const struct bench_head *bench)
{
    return bench->candidates;
}

const uint32_t *bench_head_order(const struct bench_head *bench)
{
    return bench->selection->order;
}

void bench_head_delete(struct bench_head *bench)
{
    if (bench) {
        bench_selection_delete(bench->selection);
        free(bench->candidates);
    }
    free(bench);
}
