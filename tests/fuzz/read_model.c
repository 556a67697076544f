/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "fuzz.h"

rung_result read_model(struct rung__bytes file, struct rung__artifact *out)
{
    static char path[] = "model.rung";
    *out = (struct rung__artifact){.path = path};
    rung_result result = rung__layout_read(file, file.size, &out->layout);
    if (result == RUNG_OK)
        result = rung__view_read(file, &out->layout, &out->view);
    out->is_signed = out->layout.header.flags & RUNG__FLAG_SIGNED;
    return result;
}
