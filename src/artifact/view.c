/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/view.h"

#include "artifact/bundle.h"
#include "artifact/contents.h"
#include "artifact/golden.h"
#include "artifact/header.h"
#include "artifact/heads.h"
#include "artifact/onnx.h"
#include "artifact/tensors.h"
#include "base/error.h"

rung_result rung__layout_read(struct rung__bytes head, uint64_t file_bytes,
                              struct rung__layout *out)
{
    rung_result result = rung__header_parse(head, file_bytes, &out->header);
    if (result == RUNG_OK)
        result = rung__section_table_parse(head, &out->header, &out->table);
    return result;
}

static void find_sections(const struct rung__section_table *table, struct rung__artifact_view *view)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct rung__section *row = &table->rows[i];
        if (row->kind < RUNG__SECTION_KNOWN)
            rung__bytes_slice(view->file, row->offset, row->bytes, &view->sections[row->kind]);
    }
}

static rung_result check_golden(const struct rung__artifact_view *view)
{
    struct rung__golden golden;
    if (!view->sections[RUNG__SECTION_GOLDEN].size)
        return RUNG_OK;
    return rung__golden_parse(view->sections[RUNG__SECTION_GOLDEN], &view->tensors, &golden);
}

static rung_result check_payload(const struct rung__artifact_view *view)
{
    if (view->header.flags & RUNG__FLAG_BUNDLE)
        return rung__locator_check(view->sections[RUNG__SECTION_PAYLOAD]);
    return rung__onnx_check(view->sections[RUNG__SECTION_PAYLOAD], &view->tensors);
}

rung_result rung__view_check_sections(struct rung__artifact_view *view)
{
    rung_result result = rung__tensors_parse(view->sections[RUNG__SECTION_TENSORS], &view->tensors);
    if (result == RUNG_OK)
        result = rung__head_check(&view->header, &view->tensors);
    if (result == RUNG_OK)
        result = rung__contents_check(view);
    if (result == RUNG_OK)
        result = check_golden(view);
    return result;
}

rung_result rung__view_read(struct rung__bytes file, const struct rung__layout *layout,
                            struct rung__artifact_view *out)
{
    *out = (struct rung__artifact_view){.file = file, .header = layout->header};
    find_sections(&layout->table, out);

    rung_result result = rung__section_gaps_check(file, &layout->header, &layout->table);
    if (result == RUNG_OK)
        result = rung__view_check_sections(out);
    if (result == RUNG_OK)
        result = check_payload(out);
    return result;
}
