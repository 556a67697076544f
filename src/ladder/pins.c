/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/pins.h"

#include "artifact/names.h"
#include "base/text.h"
#include "ladder/gates.h"

#define ANY_PRECISION RUNG__FORMS_ANY

/* An embedder's numbers are stored and compared with those of other devices and other days, so they
 * are the same everywhere. */
static const struct {
    uint32_t role;
    uint32_t precisions; /**< bits as of rung__rung.forms */
} pins[] = {
    {RUNG_ROLE_DETECTOR, ANY_PRECISION},
    {RUNG_ROLE_EMBEDDER, RUNG__FORMS_F32},
    {RUNG_ROLE_SEGMENTER, ANY_PRECISION},
};

const char *rung__precision_text(uint32_t precision)
{
    static const char *const classes[] = {
        [RUNG__PRECISION_OF_MODEL] = "the model's",
        [RUNG_FORM_F32] = "f32",
        [RUNG_FORM_F16] = "f16",
        [RUNG_FORM_INT8] = "i8",
        [RUNG_FORM_A16W8] = "a16w8",
        [RUNG_FORM_A16W16] = "a16w16",
    };
    return classes[precision];
}

const char *rung__forms_text(uint32_t forms)
{
    return forms == RUNG__FORMS_F32         ? "f32"
           : forms == RUNG__FORMS_QUANTISED ? "quantised"
           : forms == RUNG__FORMS_ANY       ? "any"
                                            : "some";
}

uint32_t rung__rung_precision(const struct rung__rung *rung, const struct rung__header *header)
{
    if (rung->precision == RUNG__PRECISION_OF_MODEL || header->form != RUNG_FORM_F32)
        return header->form;
    return rung->precision;
}

bool rung__rung_takes(const struct rung__rung *rung, const struct rung__header *header,
                      char *reason, size_t size)
{
    if (rung->forms & 1u << header->form)
        return true;
    (void)rung__text_format(reason, size, "it takes models in %s, and this one is in %s",
                            rung->forms == RUNG__FORMS_F32         ? "f32"
                            : rung->forms == RUNG__FORMS_QUANTISED ? "a quantised form"
                                                                   : "other forms",
                            rung__precision_text(header->form));
    return false;
}

static bool is_pinned_away(uint32_t role, uint32_t precision)
{
    for (size_t i = 0; i < sizeof pins / sizeof *pins; i++)
        if (pins[i].role == role)
            return !(pins[i].precisions & 1u << precision);
    return true;
}

bool rung__rung_serves(const struct rung__rung *rung, const struct rung__artifact_view *artifact,
                       char *reason, size_t size)
{
    const struct rung__header *header = &artifact->header;
    const uint32_t precision = rung__rung_precision(rung, header);
    if (!rung__rung_takes(rung, header, reason, size))
        return false;
    if (!is_pinned_away(header->role, precision) || rung__gates_passed(artifact, rung))
        return true;
    (void)rung__text_format(
        reason, size,
        "it would compute in %s there, and models of role %s are served in f32 unless their gate "
        "record says that they passed on that rung",
        rung__precision_text(precision), rung__name_text(&rung__role_names, header->role));
    return false;
}
