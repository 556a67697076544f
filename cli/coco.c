/* SPDX-License-Identifier: Apache-2.0 */
#include "coco.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common.h"
#include "job.h"

#define STEM_DIGITS_MAX 15 /* as exact in a double as in an integer */

/* COCO numbers 80 classes with 1..90, as 2014's list of 91 had them. */
static const struct {
    const char *label;
    int category;
} categories[] = {
    {"person", 1},         {"bicycle", 2},       {"car", 3},
    {"motorcycle", 4},     {"airplane", 5},      {"bus", 6},
    {"train", 7},          {"truck", 8},         {"boat", 9},
    {"traffic light", 10}, {"fire hydrant", 11}, {"stop sign", 13},
    {"parking meter", 14}, {"bench", 15},        {"bird", 16},
    {"cat", 17},           {"dog", 18},          {"horse", 19},
    {"sheep", 20},         {"cow", 21},          {"elephant", 22},
    {"bear", 23},          {"zebra", 24},        {"giraffe", 25},
    {"backpack", 27},      {"umbrella", 28},     {"handbag", 31},
    {"tie", 32},           {"suitcase", 33},     {"frisbee", 34},
    {"skis", 35},          {"snowboard", 36},    {"sports ball", 37},
    {"kite", 38},          {"baseball bat", 39}, {"baseball glove", 40},
    {"skateboard", 41},    {"surfboard", 42},    {"tennis racket", 43},
    {"bottle", 44},        {"wine glass", 46},   {"cup", 47},
    {"fork", 48},          {"knife", 49},        {"spoon", 50},
    {"bowl", 51},          {"banana", 52},       {"apple", 53},
    {"sandwich", 54},      {"orange", 55},       {"broccoli", 56},
    {"carrot", 57},        {"hot dog", 58},      {"pizza", 59},
    {"donut", 60},         {"cake", 61},         {"chair", 62},
    {"couch", 63},         {"potted plant", 64}, {"bed", 65},
    {"dining table", 67},  {"toilet", 70},       {"tv", 72},
    {"laptop", 73},        {"mouse", 74},        {"remote", 75},
    {"keyboard", 76},      {"cell phone", 77},   {"microwave", 78},
    {"oven", 79},          {"toaster", 80},      {"sink", 81},
    {"refrigerator", 82},  {"book", 84},         {"clock", 85},
    {"vase", 86},          {"scissors", 87},     {"teddy bear", 88},
    {"hair drier", 89},    {"toothbrush", 90},
};

#define CATEGORIES (sizeof categories / sizeof *categories)

static bool has_coco_labels(const rung_model *model)
{
    const char *label;
    for (uint32_t i = 0; i < CATEGORIES; i++)
        if (rung_model_get_label(model, i, &label) != RUNG_OK ||
            strcasecmp(label, categories[i].label) != 0)
            return false;
    return rung_model_get_label(model, CATEGORIES, &label) == RUNG_NOT_FOUND;
}

/** The number that a file is named by, without its ending; -1: it is no number. */
static long long number_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const size_t digits = strspn(name, "0123456789");
    if (digits == 0 || digits > STEM_DIGITS_MAX || (name[digits] && name[digits] != '.'))
        return -1;
    return strtoll(name, NULL, 10);
}

static int by_value(const void *a, const void *b)
{
    const long long first = *(const long long *)a, second = *(const long long *)b;
    return (first > second) - (first < second);
}

/** True when all files are named by numbers, each by another one. */
static bool read_numbers(const struct sources *sources, bool *complete)
{
    long long *numbers = calloc(sources->count + 1, sizeof *numbers);
    bool different = numbers != NULL;
    *complete = numbers != NULL;
    for (size_t i = 0; i < sources->count && different; i++)
        different = (numbers[i] = number_of(sources->items[i].path)) >= 0;
    if (different)
        qsort(numbers, sources->count, sizeof *numbers, by_value);
    for (size_t i = 1; i < sources->count && different; i++)
        different = numbers[i] != numbers[i - 1];
    free(numbers);
    return different;
}

bool coco_begin(struct coco *coco, const char *path, const struct sources *sources,
                const rung_model *model, char *why, size_t why_size)
{
    bool complete;
    *coco = (struct coco){.sources = sources, .is_coco80 = has_coco_labels(model)};
    coco->output.file = -1;
    coco->numbered = read_numbers(sources, &complete);
    if (!complete) {
        snprintf(why, why_size, "there is no memory for the numbers of the pictures");
        errno = ENOMEM;
        return false;
    }
    return output_begin(&coco->output, path, why, why_size);
}

static json_t *annotation(const struct coco *coco, size_t index, const json_t *line,
                          const json_t *target, bool *complete)
{
    const json_int_t id = json_integer_value(json_object_get(target, "class_id"));
    const long long image =
        coco->numbered ? number_of(coco->sources->items[index].path) : (long long)index + 1;
    const bool known = coco->is_coco80 && id >= 0 && id < (json_int_t)CATEGORIES;
    json_t *json = json_object();
    set_member(json, "image_id", json_integer(image), complete);
    set_member(json, "category_id", json_integer(known ? categories[id].category : id + 1),
               complete);
    set_member(json, "bbox", json_incref(json_object_get(target, "box")), complete);
    set_member(json, "score", json_incref(json_object_get(target, "score")), complete);
    set_member(json, "file_name", json_incref(json_object_get(line, "source")), complete);
    return json;
}

static bool add_text(struct coco *coco, const char *text, char *why, size_t why_size)
{
    return output_add(&coco->output, text, strlen(text), why, why_size);
}

bool coco_add(struct coco *coco, size_t index, const json_t *line, char *why, size_t why_size)
{
    const json_t *target;
    size_t i;
    bool added = true;
    if (index == JOB_NO_INDEX) /* its picture has no number here */
        return true;
    json_array_foreach(json_object_get(line, "targets"), i, target)
    {
        bool complete = true;
        json_t *json = annotation(coco, index, line, target, &complete);
        char *text = complete ? json_text(json, REPORT_JSON_FLAGS) : NULL;
        if (!text) {
            snprintf(why, why_size, "there is no memory to write %s", coco->output.path);
            errno = ENOMEM;
        }
        added = text && add_text(coco, coco->any ? ",\n" : "[\n", why, why_size) &&
                add_text(coco, text, why, why_size);
        coco->any = true;
        free(text);
        json_decref(json);
        if (!added)
            return false;
    }
    return true;
}

bool coco_commit(struct coco *coco, char *why, size_t why_size)
{
    if (add_text(coco, coco->any ? "\n]\n" : "[]\n", why, why_size))
        return output_commit(&coco->output, why, why_size);
    output_abandon(&coco->output);
    return false;
}

void coco_abandon(struct coco *coco)
{
    output_abandon(&coco->output);
}
