/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a gate, and whether they suffice. */
#include "gate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static void report_segmenter(struct writing *writing, const struct gate_tally *tally)
{
    uint32_t classes;
    const double iou = mean_iou(tally, &classes);
    set_real(writing->report, "same_pixels", part_of(tally->same, tally->pixels),
             &writing->complete);
    set_real(writing->report, "mean_iou", iou, &writing->complete);
    set_member(writing->report, "classes", json_integer(classes), &writing->complete);
    /* Of one class alone nothing was to be told apart. */
    check(writing, "pictures", (double)tally->pictures, LEAST_PICTURES);
    check(writing, "classes", classes, 2);
    check(writing, "mean IoU", iou, LEAST_MEAN_IOU);
}

/* ---- the report --------------------------------------------------------------------------- */

json_t *gate_report(const struct gate_models *models, struct gate_tally *tally,
                    const struct labels *labels)
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
    set_member(report, "pictures", json_integer((json_int_t)tally->pictures), complete);
    report_outputs(&writing, tally);
    if (form->role == RUNG_ROLE_DETECTOR)
        report_detector(&writing, tally);
    else if (form->role == RUNG_ROLE_EMBEDDER)
        report_embedder(&writing, tally);
    else
        report_segmenter(&writing, tally);
    if (labels->pictures)
        report_labels(&writing, labels, tally);
    set_member(report, "checks", writing.checks, complete);
    set_member(report, "passed", json_boolean(writing.passed), complete);
    return json_if(report, writing.complete);
}

/* ---- for people --------------------------------------------------------------------------- */

static double real_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static json_int_t count_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void print_model(const char *label, const json_t *model)
{
    printf("%-11s%s on %s in %s, artifact %.16s…\n", label, text_of(model, "identity"),
           text_of(model, "rung"), text_of(model, "precision"), text_of(model, "artifact"));
}

static void print_quantiles(const char *label, const json_t *report, const char *key,
                            const char *format)
{
    const json_t *object = json_object_get(report, key), *value;
    const char *name;
    if (!json_is_number(json_object_get(object, "median")))
        return;
    printf("%-11s", label);
    json_object_foreach((json_t *)object, name, value)
    {
        printf("%s ", name);
        printf(format, json_number_value(value));
        printf("   ");
    }
    putchar('\n');
}

static void print_bands(const json_t *report)
{
    const json_t *band;
    size_t i;
    printf("%-11s%-18s %9s %9s %9s\n", "found", "SIZE", "F32", "IOU 0.5", "IOU 0.95");
    json_array_foreach(json_object_get(report, "bands"), i, band)
    {
        printf("%-11s%-18s %9" JSON_INTEGER_FORMAT " %9" JSON_INTEGER_FORMAT
               " %9" JSON_INTEGER_FORMAT "\n",
               "", text_of(band, "size"), count_of(band, "targets"), count_of(band, "found"),
               count_of(band, "exact"));
    }
    printf("%-11s%" JSON_INTEGER_FORMAT " targets that f32 does not find, %.2f %%\n", "extra",
           count_of(report, "extra"), 100 * real_of(report, "extra_share"));
}

static void print_labels(const json_t *report)
{
    const json_t *labels = json_object_get(report, "labels");
    const json_t *right = json_object_get(labels, "f32"), *form = json_object_get(labels, "form");
    if (labels)
        printf("%-11sAP %.4f, f32 %.4f; AP at IoU 0.5 %.4f, f32 %.4f; of %" JSON_INTEGER_FORMAT
               " targets\n",
               "labels", real_of(form, "ap"), real_of(right, "ap"), real_of(form, "ap50"),
               real_of(right, "ap50"), count_of(labels, "targets"));
}

static void print_match(const json_t *match)
{
    if (match)
        printf("%-11sfrom a cosine of %.4f on, f32 %.4f (%.4f to %.4f)\n", "match",
               real_of(match, "form"), real_of(match, "f32"), real_of(match, "from"),
               real_of(match, "to"));
}

static void print_checks(const json_t *report)
{
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(report, "checks"), i, row)
    {
        printf("%-11s%s: %.5g, at least %.5g%s\n", i ? "" : "checks", text_of(row, "name"),
               real_of(row, "value"), real_of(row, "least"),
               json_is_true(json_object_get(row, "passed")) ? "" : "  MISSED");
    }
}

void gate_print(const json_t *report)
{
    const json_t *outputs = json_object_get(report, "outputs");
    print_model("gate", report);
    print_model("against", json_object_get(report, "against"));
    printf("%-11s%" JSON_INTEGER_FORMAT "\n", "pictures", count_of(report, "pictures"));
    if (json_is_number(json_object_get(outputs, "median")))
        printf("%-11srelative L2 from f32: median %.2g, largest %.2g\n", "outputs",
               real_of(outputs, "median"), real_of(outputs, "largest"));
    if (json_object_get(report, "bands"))
        print_bands(report);
    print_quantiles("confidence", report, "confidence_change", "%+.5f");
    print_quantiles("lost", report, "lost_confidence", "%.3f");
    print_quantiles("key points", report, "keypoints_moved", "%.3f px");
    print_quantiles("cosine", report, "cosine", "%.6f");
    print_match(json_object_get(report, "match"));
    if (json_object_get(report, "mean_iou"))
        printf("%-11s%.3f %% of the pixels the same, mean IoU %.4f\n", "masks",
               100 * real_of(report, "same_pixels"), real_of(report, "mean_iou"));
    print_labels(report);
    print_checks(report);
    printf("%-11s%s\n", "verdict",
           json_is_true(json_object_get(report, "passed")) ? "passed" : "not passed");
}
