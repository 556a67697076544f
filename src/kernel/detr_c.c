/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/decode_scan.h"

#include "kernel/exact.h"

/*
 * `detr`: logits [Q, C] and boxes [Q, 4] of centre and size, normalised to the canvas. A row is one
 * query as one class.
 */
enum { LOGITS, BOXES };
enum { CX, CY, W, H, COLUMNS };

static struct rung__box box_of(const struct rung__canvas *canvas, const float *values)
{
    const float width = rung__decode_f32(canvas->width), height = rung__decode_f32(canvas->height);
    struct rung__box box = rung__decode_centred(values[CX], values[CY], values[W], values[H]);
    box.left = box.left * width;
    box.right = box.right * width;
    box.top = box.top * height;
    box.bottom = box.bottom * height;
    return box;
}

void rung__decode_detr_c(const struct rung__decode_request *request, struct rung__decoded *decoded)
{
    const struct rung__values *logits = &request->outputs[LOGITS];
    const uint32_t queries = rung__decode_dim(logits, 1), classes = rung__decode_dim(logits, 0);
    rung__decode_start(decoded, 0);
    for (uint32_t q = 0; q < queries; q++) {
        const float *values = request->outputs[BOXES].data + (size_t)q * COLUMNS;
        const float *scores = logits->data + (size_t)q * classes;
        if (!rung__decode_usable(values, COLUMNS, 1))
            continue;
        const struct rung__box box = box_of(request->canvas, values);
        for (uint32_t c = 0; c < classes; c++) {
            struct rung__candidate candidate;
            const uint16_t confidence = rung__sigmoid_confidence(scores[c]);
            if (rung__is_usable(scores[c]) &&
                rung__decode_may_pass(request->selection, confidence) &&
                rung__decode_candidate(request, &box, confidence, (uint8_t)c, &candidate))
                rung__decode_keep(request, decoded, &candidate, q * classes + c);
        }
    }
}

/** No confidence is so high. */
#define NEVER UINT32_MAX

/** The candidate of a query but for its class. Returns the least confidence that is admitted. */
static uint32_t decode_query(const struct rung__decode_request *request, uint32_t query,
                             struct rung__candidate *out)
{
    const float *values = request->outputs[BOXES].data + (size_t)query * COLUMNS;
    const uint16_t least[] = {rung__decode_least(request->selection),
                              request->selection->min_confidence};
    if (!rung__decode_usable(values, COLUMNS, 1))
        return NEVER;
    const struct rung__box box = box_of(request->canvas, values);
    for (int i = 0; i < 2; i++)
        if (rung__decode_candidate(request, &box, least[i], 0, out))
            return least[i];
    return NEVER;
}

/** A block of logits, of which some are marked. */
struct block {
    struct rung__scan_marks marks;
    uint32_t first, classes;
    uint16_t least; /**< confidence */
};

/** Keeps the marked classes of one query. Returns the next query's first mark. */
static uint32_t keep_classes(const struct rung__decode_request *request, const struct block *block,
                             uint32_t mark, struct rung__decoded *decoded)
{
    const struct rung__scan_marks *marks = &block->marks;
    const uint32_t query = (block->first + marks->positions[mark]) / block->classes;
    struct rung__candidate candidate;
    const uint32_t admitted = decode_query(request, query, &candidate);
    const uint32_t least = admitted > block->least ? admitted : block->least;
    for (; mark < marks->count; mark++) {
        const uint32_t row = block->first + marks->positions[mark];
        const uint32_t class_id = row - query * block->classes;
        if (class_id >= block->classes)
            break;
        if (marks->confidences[mark] >= least &&
            rung__decode_keep(request, decoded, &candidate, row)) {
            /* Only now: a copy of what was just written in parts would have to wait for it. */
            struct rung__candidate *kept = &decoded->candidates[decoded->count - 1];
            kept->confidence = marks->confidences[mark];
            kept->class_id = (uint8_t)class_id;
        }
    }
    return mark;
}

/** The rows of confidence `least` and more. */
static void scan_rows(const struct rung__decode_request *request, uint16_t least,
                      struct rung__decoded *decoded)
{
    const struct rung__values *logits = &request->outputs[LOGITS];
    const struct rung__scan_range range = rung__decode_range(least, true);
    struct block block = {.classes = rung__decode_dim(logits, 0), .least = least};
    const uint32_t rows = rung__decode_dim(logits, 1) * block.classes;
    rung__decode_start(decoded, 0);
    for (uint32_t count; block.first < rows; block.first += count) {
        count = rung__scan_block(block.first, rows);
        request->scan->mark(logits->data + block.first, count, range, &block.marks);
        request->scan->rate(true, &block.marks);
        for (uint32_t i = 0; i < block.marks.count;)
            i = keep_classes(request, &block, i, decoded);
    }
}

/**
 * Decodes the rows of a confidence that more have than are considered. False when that would not be
 * the same to Selection, or no less work.
 */
static bool scan_considered(const struct rung__decode_request *request, uint16_t least,
                            struct rung__decoded *decoded)
{
    const struct rung__values *logits = &request->outputs[LOGITS];
    const uint32_t rows = rung__decode_dim(logits, 1) * rung__decode_dim(logits, 0);
    const uint32_t considered = request->selection->considered;
    const uint32_t survivors_most =
        request->scan->count_in(logits->data, rows, rung__decode_range(least, true));
    /* A survivor beyond the capacity is none, whatever its confidence. */
    if (survivors_most > request->selection->capacity)
        return false;
    /* Some of the rows may have boxes that are dropped. */
    for (uint32_t wanted = considered + 1 + considered / 8;
         wanted < survivors_most && wanted <= RUNG__SCAN_FOLD_MAX * 3 / 4; wanted *= 2) {
        const uint16_t reached =
            rung__decode_reached(request->scan, logits->data, rows, wanted, least);
        if (reached <= least)
            return false;
        scan_rows(request, reached, decoded);
        if (decoded->count > considered)
            return true;
    }
    return false;
}

void rung__decode_detr_scan(const struct rung__decode_request *request,
                            struct rung__decoded *decoded)
{
    const uint16_t least = rung__decode_least(request->selection);
    if (!request->considered_only || !scan_considered(request, least, decoded))
        scan_rows(request, least, decoded);
}
