/* SPDX-License-Identifier: Apache-2.0 */
#include "session/identity.h"

#include <math.h>
#include <string.h>

#include "artifact/header.h"
#include "base/error.h"
#include "base/text.h"
#include "kernel/embedding.h"
#include "ladder/pins.h"
#include "session/structure.h"

#define PAIR_SIGN  '/'
#define CLASS_SIGN '+'

/** An identity in its parts. */
struct identity {
    char model[RUNG__NAME_BYTES + 1]; /**< that made the numbers: of a pair the embedder */
    uint32_t precision;
    char detector[RUNG__NAME_BYTES + 1]; /**< "": it is no pair */
    uint32_t detector_precision;
};

char *rung__identity_new(const struct rung__header *header, const struct rung__rung *rung)
{
    const uint32_t precision = rung__rung_precision(rung, header);
    if (precision == RUNG_FORM_F32)
        return rung__text_new("%s", header->name);
    return rung__text_new("%s%c%s", header->name, CLASS_SIGN, rung__precision_text(precision));
}

/** The class behind a name; f32 is never written. */
static bool read_class(const char *text, size_t length, uint32_t *precision)
{
    for (*precision = RUNG_FORM_F16; *precision <= RUNG_FORM_A16W16; ++*precision) {
        const char *name = rung__precision_text(*precision);
        if (strlen(name) == length && memcmp(name, text, length) == 0)
            return true;
    }
    return false;
}

/** NAME or NAME+CLASS. */
static bool read_model(const char *text, size_t length, char name[RUNG__NAME_BYTES + 1],
                       uint32_t *precision)
{
    const char *sign = memchr(text, CLASS_SIGN, length);
    const size_t name_length = sign ? (size_t)(sign - text) : length;
    *precision = RUNG_FORM_F32;
    if (name_length > RUNG__NAME_BYTES)
        return false;
    memcpy(name, text, name_length);
    name[name_length] = '\0';
    return rung__name_is_valid(name) &&
           (!sign || read_class(sign + 1, length - name_length - 1, precision));
}

static rung_result read_identity(const char *text, const char *function, struct identity *to)
{
    const char *sign = strchr(text, PAIR_SIGN);
    const char *model = sign ? sign + 1 : text;
    *to = (struct identity){0};
    if (read_model(model, strlen(model), to->model, &to->precision) &&
        (!sign || read_model(text, (size_t)(sign - text), to->detector, &to->detector_precision)))
        return RUNG_OK;
    return rung__fail(RUNG_INVALID_ARGUMENT,
                      "%s: \"%.200s\" is no identity: that is NAME, NAME+CLASS, or two of these "
                      "with / between them",
                      function, text);
}

rung_result rung_identity_pair(const char *detector, const char *embedder, rung_span to,
                               size_t *needed)
{
    static const char function[] = "rung_identity_pair";
    struct identity parts;
    if (!detector || !embedder || (!to.data && to.size))
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: an argument is NULL", function);
    rung_result result = read_identity(detector, function, &parts);
    if (result == RUNG_OK && !parts.detector[0])
        result = read_identity(embedder, function, &parts);
    if (result != RUNG_OK)
        return result;
    if (parts.detector[0])
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: \"%s\" and \"%s\": one of them is a pair",
                          function, detector, embedder);
    const size_t size = strlen(detector) + 1 + strlen(embedder) + 1;
    if (needed)
        *needed = size;
    if (to.size < size)
        return rung__fail(RUNG_CAPACITY, "%s: it takes %zu bytes, and there are %zu", function,
                          size, to.size);
    (void)rung__text_format(to.data, to.size, "%s%c%s", detector, PAIR_SIGN, embedder);
    return RUNG_OK;
}

/** True when what made the numbers is the same. */
static bool same_numbers(const struct identity *a, const struct identity *b)
{
    return strcmp(a->model, b->model) == 0 && a->precision == b->precision;
}

/** True when what found the targets is the same, or found all that the other one finds. */
static bool same_targets(const struct identity *have, const struct identity *want)
{
    return strcmp(have->detector, want->detector) == 0 &&
           (have->detector_precision == want->detector_precision ||
            have->detector_precision == RUNG_FORM_F32);
}

rung_result rung_identity_covers(const char *have, const char *want, uint32_t *covers)
{
    static const char function[] = "rung_identity_covers";
    struct identity had, wanted;
    if (!have || !want || !covers)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s: an argument is NULL", function);
    *covers = 0;
    rung_result result = read_identity(have, function, &had);
    if (result == RUNG_OK)
        result = read_identity(want, function, &wanted);
    if (result == RUNG_OK)
        *covers = same_numbers(&had, &wanted) && same_targets(&had, &wanted);
    return result;
}

static rung_result read_embedding(const rung_embedding *caller_embedding, rung_embedding *to,
                                  struct identity *identity)
{
    rung_result result = rung__structure_read(to, sizeof *to, caller_embedding, "rung_embedding");
    if (result != RUNG_OK)
        return result;
    if (!to->identity || !to->numbers || !to->count)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_embedding: identity and numbers are needed, and count is not 0");
    const uint32_t at = rung__embedding_find_not_finite(to->numbers, to->count);
    if (at < to->count)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_embedding: number %u is not finite", at);
    return read_identity(to->identity, "rung_embedding", identity);
}

static double cosine_of(const rung_embedding *a, const rung_embedding *b)
{
    double product = 0, a_square = 0, b_square = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const double x = (double)a->numbers[i], y = (double)b->numbers[i];
        product += x * y;
        a_square += x * x;
        b_square += y * y;
    }
    const double norms = sqrt(a_square) * sqrt(b_square);
    const double cosine = norms > 0 ? product / norms : 0;
    return cosine < -1 ? -1 : cosine > 1 ? 1 : cosine;
}

rung_result rung_embedding_cosine(const rung_embedding *a, const rung_embedding *b, double *cosine)
{
    rung_embedding first, second;
    struct identity of_first = {0}, of_second = {0};
    if (!a || !b || !cosine)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_embedding_cosine: an argument is NULL");
    rung_result result = read_embedding(a, &first, &of_first);
    if (result == RUNG_OK)
        result = read_embedding(b, &second, &of_second);
    if (result != RUNG_OK)
        return result;
    if (!same_numbers(&of_first, &of_second))
        return rung__fail(RUNG_IDENTITY,
                          "an embedding by %s cannot be compared with one by %s: embed one of them "
                          "again",
                          first.identity, second.identity);
    if (first.count != second.count)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_embedding_cosine: %u numbers against %u",
                          first.count, second.count);
    *cosine = cosine_of(&first, &second);
    return RUNG_OK;
}
