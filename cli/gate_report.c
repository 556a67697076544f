/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a gate, and whether they suffice. */
#include "gate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

/* What a form must reach against f32 (docs/gate.md). */
#define LEAST_FOUND     0.97 /* of the targets of at least LEAST_SIZE pixels */
#define LEAST_SIZE      40.0
#define LEAST_OF_A_BAND 0.03 /* how far a band of sizes may stand below the rest of them */
#define BAND_TARGETS    30u  /* fewer prove nothing of a band */
#define LEAST_PICTURES  30u
#define LEAST_COSINE    0.999
#define LEAST_COSINES   0.999 /* the part of the pictures above LEAST_COSINE */
#define LEAST_MEAN_IOU  0.98

/** A report on its way. */
struct writing {
    json_t *report, *checks;
    bool complete, passed;
};

static void set_real(json_t *object, const char *key, double value, bool *complete)
{
    set_member(object, key, isfinite(value) ? json_real(value) : json_null(), complete);
}

static double part_of(uint64_t some, uint64_t all)
{
    return all ? (double)some / (double)all : 0;
}

/** What has to hold. */
static void check(struct writing *writing, const char *name, double value, double least)
{
    const bool passed = value >= least;
    json_t *row = json_object();
    set_member(row, "name", json_string(name), &writing->complete);
    set_real(row, "value", value, &writing->complete);
    set_real(row, "least", least, &writing->complete);
    set_member(row, "passed", json_boolean(passed), &writing->complete);
    append_item(writing->checks, row, &writing->complete);
    writing->passed = writing->passed && passed;
}

/* ---- spreads ------------------------------------------------------------------------------ */

#define PERCENTS 100

/** Sorted samples at 0, 1, … 100 %, for plots; null of none. */
static void report_spread(struct writing *writing, const char *key, const struct samples *samples)
{
    json_t *spreads = json_object_get(writing->report, "quantiles");
    json_t *row = samples->count ? json_array() : json_null();
    for (int i = 0; i <= PERCENTS && samples->count; i++)
        append_item(row, json_real(samples_at(samples, i / (double)PERCENTS)), &writing->complete);
    set_member(spreads, key, row, &writing->complete);
}

/** Those on which the form is furthest from f32, to look at. Records are given to others, so they
 * tell no folders. */
static void report_worst(struct writing *writing, const struct gate_tally *tally,
                         const struct sources *sources)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < tally->worst_count; i++) {
        const struct gate_worst *worst = &tally->worst[i];
        const char *path = sources->items[worst->picture].path, *slash = strrchr(path, '/');
        json_t *row = report_new_line(slash ? slash + 1 : path, &writing->complete);
        json_object_del(row, "schema");
        set_member(row, "place", json_integer((json_int_t)worst->picture), &writing->complete);
        set_real(row, "apart", worst->apart, &writing->complete);
        append_item(rows, row, &writing->complete);
    }
    set_member(writing->report, "worst", rows, &writing->complete);
}

/* ---- outputs ------------------------------------------------------------------------------ */

static void report_outputs(struct writing *writing, struct gate_tally *tally)
{
    json_t *outputs = json_object();
    samples_sort(&tally->off);
    const bool known = tally->off.count && !tally->not_alike;
    set_real(outputs, "median", known ? samples_at(&tally->off, 0.5) : INFINITY,
             &writing->complete);
    set_real(outputs, "largest", known ? samples_at(&tally->off, 1) : INFINITY, &writing->complete);
    set_member(writing->report, "outputs", outputs, &writing->complete);
    check(writing, "outputs are finite", !tally->not_finite, 1);
}

/* ---- detectors ---------------------------------------------------------------------------- */

static json_t *quantiles(struct samples *samples, bool *complete)
{
    static const struct {
        const char *name;
        double part;
    } rows[] = {{"smallest", 0}, {"median", 0.5}, {"p99", 0.99}, {"largest", 1}};
    json_t *object = json_object();
    samples_sort(samples);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        set_real(object, rows[i].name,
                 samples->count ? samples_at(samples, rows[i].part) : INFINITY, complete);
    return object;
}

static struct gate_count sum_of(const struct gate_tally *tally, double from)
{
    struct gate_count sum = {0};
    for (size_t i = 0; i < GATE_BANDS; i++)
        if (gate_bands[i].from >= from) {
            sum.all += tally->bands[i].all;
            sum.found += tally->bands[i].found;
            sum.exact += tally->bands[i].exact;
        }
    return sum;
}

static json_t *count_json(const struct gate_count *count, bool *complete)
{
    json_t *object = json_object();
    set_member(object, "targets", json_integer((json_int_t)count->all), complete);
    set_member(object, "found", json_integer((json_int_t)count->found), complete);
    set_member(object, "exact", json_integer((json_int_t)count->exact), complete);
    return object;
}

/** A loss that lies in one band is worse than its share of the whole tells. */
static void check_bands(struct writing *writing, const struct gate_tally *tally)
{
    const struct gate_count sum = sum_of(tally, LEAST_SIZE);
    for (size_t i = 0; i < GATE_BANDS; i++) {
        const struct gate_count *band = &tally->bands[i];
        char name[64];
        if (gate_bands[i].from < LEAST_SIZE || band->all < BAND_TARGETS ||
            sum.all - band->all < BAND_TARGETS)
            continue;
        const double rest = part_of(sum.found - band->found, sum.all - band->all);
        snprintf(name, sizeof name, "found of %s", gate_bands[i].name);
        check(writing, name, part_of(band->found, band->all), rest - LEAST_OF_A_BAND);
    }
}

static void report_detector(struct writing *writing, struct gate_tally *tally)
{
    json_t *bands = json_array(), *report = writing->report;
    bool *complete = &writing->complete;
    const struct gate_count above = sum_of(tally, LEAST_SIZE), all = sum_of(tally, 0);
    for (size_t i = 0; i < GATE_BANDS; i++) {
        json_t *band = count_json(&tally->bands[i], complete);
        set_member(band, "size", json_string(gate_bands[i].name), complete);
        append_item(bands, band, complete);
    }
    set_member(report, "bands", bands, complete);
    set_member(report, "all", count_json(&all, complete), complete);
    set_member(report, "extra", json_integer((json_int_t)tally->extra), complete);
    set_real(report, "extra_share", part_of(tally->extra, tally->form_targets), complete);
    set_member(report, "confidence_change", quantiles(&tally->changes, complete), complete);
    set_member(report, "lost_confidence", quantiles(&tally->lost, complete), complete);
    set_member(report, "keypoints_moved", quantiles(&tally->moved, complete), complete);
    report_spread(writing, "confidence_change", &tally->changes);
    report_spread(writing, "lost_confidence", &tally->lost);
    report_spread(writing, "keypoints_moved", &tally->moved);
    /* Pictures without what the model detects prove nothing. */
    check(writing, "targets of 40 px and more", (double)above.all, BAND_TARGETS);
    check(writing, "found of 40 px and more", part_of(above.found, above.all), LEAST_FOUND);
    check_bands(writing, tally);
}

/** Over the IoUs from 0.5 to 0.95, and at 0.5. */
static json_t *precision_json(const struct labels *labels, struct boxes *found, bool *complete)
{
    double sum = 0, loose = 0, at = 0;
    json_t *object = json_object();
    for (int i = 10; i < 20; i++) {
        *complete = labels_average_precision(labels, found, i / 20.0, &at) && *complete;
        sum += at / 10;
        loose = i == 10 ? at : loose;
    }
    set_real(object, "ap", sum, complete);
    set_real(object, "ap50", loose, complete);
    return object;
}

/** Thresholds are the models' own, so it is lower than with all candidates: what counts is the
 * difference. */
static void report_labels(struct writing *writing, const struct labels *labels,
                          struct gate_tally *tally)
{
    bool *complete = &writing->complete;
    json_t *object = json_object();
    set_member(object, "pictures", json_integer((json_int_t)labels->picture_count), complete);
    set_member(object, "targets", json_integer((json_int_t)labels->boxes.count), complete);
    set_member(object, "f32", precision_json(labels, &tally->right_boxes, complete), complete);
    set_member(object, "form", precision_json(labels, &tally->form_boxes, complete), complete);
    set_member(writing->report, "labels", object, complete);
}

/* ---- the other roles ---------------------------------------------------------------------- */

/** The threshold may move by less than it is uncertain by. */
static void report_match(struct writing *writing, struct gate_tally *tally)
{
    struct match_fit right, form;
    json_t *match = json_object();
    bool *complete = &writing->complete;
    *complete = match_fit(&tally->matches, &right, &form) && *complete;
    set_real(match, "form", form.threshold, complete);
    set_real(match, "f32", right.threshold, complete);
    set_real(match, "from", right.from, complete);
    set_real(match, "to", right.to, complete);
    set_member(writing->report, "match", match, complete);
    check(writing, "interval of the match threshold, against its move", right.to - right.from,
          fabs(form.threshold - right.threshold));
}

static void report_embedder(struct writing *writing, struct gate_tally *tally)
{
    static const struct {
        const char *name;
        double part;
    } rows[] = {{"smallest", 0}, {"p0.1", 0.001}, {"p1", 0.01}, {"median", 0.5}};
    json_t *cosine = json_object();
    samples_sort(&tally->cosines);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        set_real(cosine, rows[i].name, samples_at(&tally->cosines, rows[i].part),
                 &writing->complete);
    set_member(writing->report, "cosine", cosine, &writing->complete);
    report_spread(writing, "cosine", &tally->cosines);
    check(writing, "pictures", (double)tally->pictures, LEAST_PICTURES);
    check(writing, "cosines above 0.999", samples_above(&tally->cosines, LEAST_COSINE),
          LEAST_COSINES);
    report_match(writing, tally);
}

/** Over the classes that f32 or the form has anywhere. */
static double mean_iou(const struct gate_tally *tally, uint32_t *classes)
{
    double sum = 0;
    *classes = 0;
    for (size_t i = 0; i < MASK_CLASSES; i++)
        if (tally->either[i]) {
            sum += part_of(tally->both[i], tally->either[i]);
            ++*classes;
        }
    return *classes ? sum / *classes : 0;
}

/** Of each class that f32 or the form has anywhere. */
static void report_classes(struct writing *writing, const struct gate_tally *tally,
                           const rung_model *model)
{
    json_t *rows = json_array();
    bool *complete = &writing->complete;
    for (uint32_t i = 0; i < MASK_CLASSES; i++) {
        const char *label = NULL;
        json_t *row;
        if (!tally->either[i])
            continue;
        row = json_object();
        set_member(row, "class_id", json_integer(i), complete);
        if (rung_model_get_label(model, i, &label) == RUNG_OK)
            set_member(row, "label", json_string(label), complete);
        set_real(row, "iou", part_of(tally->both[i], tally->either[i]), complete);
        set_member(row, "pixels", json_integer((json_int_t)tally->either[i]), complete);
        append_item(rows, row, complete);
    }
    set_member(writing->report, "class_iou", rows, complete);
}

static void report_segmenter(struct writing *writing, const struct gate_tally *tally,
                             const rung_model *model)
{
    uint32_t classes;
    const double iou = mean_iou(tally, &classes);
    set_real(writing->report, "same_pixels", part_of(tally->same, tally->pixels),
             &writing->complete);
    set_real(writing->report, "mean_iou", iou, &writing->complete);
    set_member(writing->report, "classes", json_integer(classes), &writing->complete);
    report_classes(writing, tally, model);
    /* Of one class alone nothing was to be told apart. */
    check(writing, "pictures", (double)tally->pictures, LEAST_PICTURES);
    check(writing, "classes", classes, 2);
    check(writing, "mean IoU", iou, LEAST_MEAN_IOU);
}

/* ---- the report --------------------------------------------------------------------------- */

json_t *gate_report(const struct gate_models *models, struct gate_tally *tally,
                    const struct labels *labels, const struct sources *sources)
{
    struct writing writing = {.complete = true, .passed = true};
    bool *complete = &writing.complete;
    const rung_model_info *right = &models->right.info, *form = &models->form.info;
    json_t *report = writing.report = role_settings(&models->form, form->identity, complete);
    writing.checks = json_array();
    set_member(report, "schema", json_integer(1), complete);
    set_member(report, "role", json_string(role_name(form->role)), complete);
    set_member(report, "against", role_settings(&models->right, right->identity, complete),
               complete);
    set_member(report, "cpu", models->cpu ? json_incref(models->cpu) : json_null(), complete);
    set_member(report, "pictures", json_integer((json_int_t)tally->pictures), complete);
    set_member(report, "quantiles", json_object(), complete);
    report_outputs(&writing, tally);
    if (form->role == RUNG_ROLE_DETECTOR)
        report_detector(&writing, tally);
    else if (form->role == RUNG_ROLE_EMBEDDER)
        report_embedder(&writing, tally);
    else
        report_segmenter(&writing, tally, models->right.model);
    if (labels->pictures)
        report_labels(&writing, labels, tally);
    report_worst(&writing, tally, sources);
    set_member(report, "checks", writing.checks, complete);
    set_member(report, "passed", json_boolean(writing.passed), complete);
    return json_if(report, writing.complete);
}
