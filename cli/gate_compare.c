/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"

#include <math.h>
#include <string.h>

#include "targets.h"

#define FOUND_IOU 0.5
#define EXACT_IOU 0.95
#define Q8        256.0 /* coordinates to a pixel */
/* Of an output that is all but zero, such as the mask of an empty scene, every noise is far away
 * relative to it: numbers count as at least so large, in the root of their mean square. */
#define NOTHING 1e-6

const struct gate_band gate_bands[GATE_BANDS] = {
    {0, "below 40 px"},
    {40, "40 to 80 px"},
    {80, "80 to 160 px"},
    {160, "160 px and more"},
};

/* ---- raw outputs -------------------------------------------------------------------------- */

/** Infinite where a number is not finite. */
static double distance(const rung_output *right, const rung_output *form)
{
    double apart = 0, length = 0;
    for (uint64_t i = 0; i < right->count; i++) {
        const double expected = (double)right->numbers[i], value = (double)form->numbers[i];
        if (!isfinite(value))
            return INFINITY;
        apart += (value - expected) * (value - expected);
        length += expected * expected;
    }
    return sqrt(apart / fmax(length, NOTHING * NOTHING * (double)right->count));
}

static bool read_output(const struct role_session *session, uint32_t index, rung_output *to)
{
    *to = (rung_output){.struct_size = sizeof *to, .version = RUNG_STRUCT_VERSION};
    return rung_context_get_output(session->context, index, to) == RUNG_OK;
}

/** A form may have other outputs, such as rows that were split: then there is no distance. */
static bool compare_outputs(struct gate_tally *tally, const struct role_session *right,
                            const struct role_session *form)
{
    double largest = 0;
    rung_output a, b;
    for (uint32_t i = 0;; i++) {
        const bool of_right = read_output(right, i, &a), of_form = read_output(form, i, &b);
        if (!of_right && !of_form)
            break;
        if (!of_right || !of_form || a.count != b.count || strcmp(a.name, b.name) != 0) {
            tally->not_alike = true;
            return true;
        }
        largest = fmax(largest, distance(&a, &b));
    }
    if (isinf(largest)) {
        tally->not_finite = true;
        return true;
    }
    return samples_add(&tally->off, largest);
}

/* ---- targets ------------------------------------------------------------------------------ */

static double overlap(int32_t a, int32_t a_length, int32_t b, int32_t b_length)
{
    const double from = a > b ? a : b;
    const double a_end = (double)a + a_length, b_end = (double)b + b_length;
    const double to = a_end < b_end ? a_end : b_end;
    return to > from ? to - from : 0;
}

static double area(const rung_target *target)
{
    return (double)target->w * (double)target->h;
}

static double iou_of(const rung_target *a, const rung_target *b)
{
    const double both = overlap(a->x, a->w, b->x, b->w) * overlap(a->y, a->h, b->y, b->h);
    return both / (area(a) + area(b) - both);
}

static struct gate_count *band_of(struct gate_tally *tally, const rung_target *target)
{
    const double size = sqrt(area(target)) / Q8;
    size_t i = GATE_BANDS - 1;
    while (i > 0 && size < gate_bands[i].from)
        i--;
    return &tally->bands[i];
}

/** Targets of the form that are taken are marked, in their own packet: nobody reads it again. */
#define TAKEN UINT64_C(0) /* no target_id */

/** The target of the same class that overlaps most, at least by FOUND_IOU; NULL: none is left. */
static rung_target *find_partner(const rung_target *target, rung_target *others, uint32_t count,
                                 double *iou)
{
    rung_target *best = NULL;
    *iou = FOUND_IOU;
    for (uint32_t i = 0; i < count; i++) {
        const double its = iou_of(target, &others[i]);
        if (others[i].target_id == TAKEN || others[i].class_id != target->class_id)
            continue;
        if (its > *iou || (!best && its == *iou)) {
            *iou = its;
            best = &others[i];
        }
    }
    return best;
}

/** How far each key point is from the form's. */
static bool compare_points(struct gate_tally *tally, const rung_packet_header *right_packet,
                           const rung_target *right, const rung_packet_header *form_packet,
                           const rung_target *form)
{
    const int32_t *a = target_points(right_packet, right), *b = target_points(form_packet, form);
    const size_t count = right->attachment_bytes / 8u;
    if (!a || !b || right->attachment_bytes != form->attachment_bytes)
        return true;
    for (size_t i = 0; i < count; i++) {
        const double x = (double)a[2 * i] - b[2 * i], y = (double)a[2 * i + 1] - b[2 * i + 1];
        if (!samples_add(&tally->moved, sqrt(x * x + y * y) / Q8))
            return false;
    }
    return true;
}

/** The best of f32 choose first. */
static bool compare_targets(struct gate_tally *tally, const rung_packet_header *right,
                            const rung_packet_header *form)
{
    const rung_target *targets = targets_of(right);
    rung_target *others = (rung_target *)targets_of(form);
    bool complete = true;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < right->count && complete; i++) {
        double iou;
        struct gate_count *count = band_of(tally, &targets[i]);
        rung_target *partner = find_partner(&targets[i], others, form->count, &iou);
        count->all++;
        if (!partner) {
            complete = samples_add(&tally->lost, targets[i].confidence / 65535.0);
            continue;
        }
        count->found++;
        count->exact += iou >= EXACT_IOU;
        complete =
            samples_add(&tally->changes,
                        ((double)partner->confidence - (double)targets[i].confidence) / 65535.0) &&
            compare_points(tally, right, &targets[i], form, partner);
        partner->target_id = TAKEN;
        taken++;
    }
    tally->form_targets += form->count;
    tally->extra += form->count - taken;
    return complete;
}

/* ---- the other roles ---------------------------------------------------------------------- */

static const float *numbers_of(const struct role_session *session)
{
    return (const float *)((const rung_packet_header *)session->packet + 1);
}

static bool keep_embeddings(struct match_set *matches, const struct gate_answers *answers)
{
    return near_add(&matches->rows, numbers_of(answers->right)) &&
           near_add(&matches->rows, numbers_of(answers->form));
}

static double cosine_of(const float *a, const float *b, uint32_t count)
{
    double product = 0, a_square = 0, b_square = 0;
    for (uint32_t i = 0; i < count; i++) {
        product += (double)a[i] * (double)b[i];
        a_square += (double)a[i] * (double)a[i];
        b_square += (double)b[i] * (double)b[i];
    }
    const double norms = sqrt(a_square) * sqrt(b_square);
    return norms > 0 ? product / norms : a_square == b_square;
}

static bool compare_embeddings(struct gate_tally *tally, const struct gate_answers *answers)
{
    const uint32_t count = ((const rung_packet_header *)answers->right->packet)->count;
    const double cosine = cosine_of(numbers_of(answers->right), numbers_of(answers->form), count);
    tally->matches.rows.columns = count;
    return samples_add(&tally->cosines, cosine) &&
           (answers->picture >= MATCH_PICTURES || (match_begin(&tally->matches, answers->picture) &&
                                                   keep_embeddings(&tally->matches, answers)));
}

bool gate_add_middle(struct gate_tally *tally, const struct gate_answers *answers)
{
    return answers->picture >= MATCH_PICTURES || keep_embeddings(&tally->matches, answers);
}

static void compare_masks(struct gate_tally *tally, const rung_packet_header *right,
                          const rung_packet_header *form)
{
    const size_t pixels = (size_t)right->count * right->stride;
    const uint8_t *a = (const uint8_t *)(right + 1) + sizeof(rung_mask);
    const uint8_t *b = (const uint8_t *)(form + 1) + sizeof(rung_mask);
    const bool alike = right->count == form->count && right->stride == form->stride;
    tally->pixels += pixels;
    for (size_t i = 0; i < pixels; i++) {
        tally->either[a[i]]++;
        if (!alike)
            continue; /* what is placed otherwise has nothing in common */
        if (a[i] == b[i]) {
            tally->both[a[i]]++;
            tally->same++;
        } else
            tally->either[b[i]]++;
    }
}

static bool keep_boxes(struct boxes *boxes, const rung_packet_header *packet, size_t picture)
{
    const rung_target *targets = targets_of(packet);
    for (uint32_t i = 0; i < packet->count; i++) {
        const struct box box = {
            .picture = picture,
            .class_id = targets[i].class_id,
            .confidence = targets[i].confidence / 65535.0,
            .x = targets[i].x / Q8,
            .y = targets[i].y / Q8,
            .width = targets[i].w / Q8,
            .height = targets[i].h / Q8,
        };
        if (!boxes_add(boxes, box))
            return false;
    }
    return true;
}

/* ---- the worst ---------------------------------------------------------------------------- */

/** How far the form is from f32 on all pictures so far, in the unit of `gate_worst.apart`. */
static double apart_so_far(const struct gate_tally *tally, rung_role role)
{
    if (role == RUNG_ROLE_DETECTOR)
        return (double)(tally->lost.count + tally->extra);
    return (double)(tally->pixels - tally->same);
}

/** The same of the last picture alone. */
static double apart_at_last(const struct gate_tally *tally, const struct gate_answers *answers,
                            double before)
{
    const rung_packet_header *mask = answers->right->packet;
    const double more = apart_so_far(tally, answers->role) - before;
    if (answers->role == RUNG_ROLE_EMBEDDER)
        return 1 - tally->cosines.items[tally->cosines.count - 1];
    return answers->role == RUNG_ROLE_DETECTOR ? more : more / ((double)mask->count * mask->stride);
}

bool gate_compare(struct gate_tally *tally, const struct gate_answers *answers)
{
    const rung_packet_header *right = answers->right->packet, *form = answers->form->packet;
    const double before = apart_so_far(tally, answers->role);
    bool complete = compare_outputs(tally, answers->right, answers->form);
    tally->pictures++;
    if (answers->labelled)
        complete = keep_boxes(&tally->right_boxes, right, answers->picture) &&
                   keep_boxes(&tally->form_boxes, form, answers->picture) && complete;
    if (answers->role == RUNG_ROLE_DETECTOR)
        complete = compare_targets(tally, right, form) && complete;
    else if (answers->role == RUNG_ROLE_EMBEDDER)
        complete = compare_embeddings(tally, answers) && complete;
    else
        compare_masks(tally, right, form);
    if (complete)
        gate_keep_if_worst(
            tally, (struct gate_worst){answers->picture, apart_at_last(tally, answers, before)});
    return complete;
}

/* ---- tallies ------------------------------------------------------------------------------ */

static void add_counts(struct gate_tally *tally, const struct gate_tally *other)
{
    tally->pictures += other->pictures;
    tally->not_finite = tally->not_finite || other->not_finite;
    tally->not_alike = tally->not_alike || other->not_alike;
    for (size_t i = 0; i < GATE_BANDS; i++) {
        tally->bands[i].all += other->bands[i].all;
        tally->bands[i].found += other->bands[i].found;
        tally->bands[i].exact += other->bands[i].exact;
    }
    tally->form_targets += other->form_targets;
    tally->extra += other->extra;
    tally->pixels += other->pixels;
    tally->same += other->same;
    for (size_t i = 0; i < other->worst_count; i++)
        gate_keep_if_worst(tally, other->worst[i]);
    for (size_t i = 0; i < MASK_CLASSES; i++) {
        tally->both[i] += other->both[i];
        tally->either[i] += other->either[i];
    }
}

bool gate_tally_add(struct gate_tally *tally, const struct gate_tally *other)
{
    add_counts(tally, other);
    return samples_append(&tally->off, &other->off) &&
           samples_append(&tally->changes, &other->changes) &&
           samples_append(&tally->lost, &other->lost) &&
           samples_append(&tally->moved, &other->moved) &&
           samples_append(&tally->cosines, &other->cosines) &&
           match_append(&tally->matches, &other->matches) &&
           boxes_append(&tally->right_boxes, &other->right_boxes) &&
           boxes_append(&tally->form_boxes, &other->form_boxes);
}

void gate_tally_finish(struct gate_tally *tally)
{
    samples_finish(&tally->off);
    samples_finish(&tally->changes);
    samples_finish(&tally->lost);
    samples_finish(&tally->moved);
    samples_finish(&tally->cosines);
    match_finish(&tally->matches);
    boxes_finish(&tally->right_boxes);
    boxes_finish(&tally->form_boxes);
}
