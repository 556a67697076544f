/* SPDX-License-Identifier: Apache-2.0 */
/* Reading labels; labels_score.c scores by them. */
#include "labels.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common.h"
#include "lines.h"

#define FILE_BYTES_MAX (256u << 20)
#define BOXES_FIRST    256u

bool boxes_add(struct boxes *boxes, struct box box)
{
    if (boxes->count == boxes->capacity) {
        const size_t capacity = boxes->capacity ? 2 * boxes->capacity : BOXES_FIRST;
        struct box *items = realloc(boxes->items, capacity * sizeof *items);
        if (!items)
            return false;
        boxes->items = items;
        boxes->capacity = capacity;
    }
    boxes->items[boxes->count++] = box;
    return true;
}

bool boxes_append(struct boxes *boxes, const struct boxes *others)
{
    for (size_t i = 0; i < others->count; i++)
        if (!boxes_add(boxes, others->items[i]))
            return false;
    return true;
}

void boxes_finish(struct boxes *boxes)
{
    free(boxes->items);
    *boxes = (struct boxes){0};
}

/* ---- the file ----------------------------------------------------------------------------- */

/** What a name or a number of the file leads to: the place of a source, or a class. */
struct entry {
    const char *name; /**< NULL: it goes by its number */
    json_int_t number;
    size_t value;
};

struct table {
    struct entry *entries;
    size_t count;
};

/** A file on its way in. */
struct reading {
    struct labels *labels;
    const char *path;
    struct table sources, pictures, categories;
};

static int fail(const char *path)
{
    const int error = errno;
    fprintf(stderr, "rung gate: cannot read %s: %s\n", path, strerror(error));
    return error == ENOMEM ? EXIT_BACKEND : EXIT_IO;
}

static int refuse(const struct reading *reading, const char *what)
{
    fprintf(stderr, "rung gate: %s %s\n", reading->path, what);
    return EXIT_IO;
}

/** Without a zero in it, the whole file is one part of a line. */
static int read_file(const struct reading *reading, int file, json_t **out)
{
    struct lines lines = {.file = file, .separator = '\0', .most = FILE_BYTES_MAX};
    char *text;
    size_t length;
    bool is_json = false;
    const enum lines_state state = lines_next(&lines, &text, &length);
    int status = state == LINES_ERROR ? fail(reading->path) : EXIT_DONE;
    if (state == LINES_PART) {
        *out = load_json(text, length, &is_json);
        if (!*out && is_json)
            status = fail_memory();
    }
    lines_finish(&lines);
    if (status == EXIT_DONE && !json_is_object(*out))
        status = refuse(reading, "is no JSON of COCO's format for annotations");
    return status;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static json_int_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->name)
        return strcmp(a->name, b->name);
    return (a->number > b->number) - (a->number < b->number);
}

static void sort(struct table *table)
{
    if (table->count)
        qsort(table->entries, table->count, sizeof *table->entries, compare_entries);
}

/** False where there is none, or more than one: which is meant nobody knows. */
static bool find(const struct table *table, struct entry key, size_t *value)
{
    const struct entry *end = table->entries + table->count;
    const struct entry *found =
        table->count ? bsearch(&key, table->entries, table->count, sizeof key, compare_entries)
                     : NULL;
    if (!found || (found > table->entries && compare_entries(found - 1, &key) == 0) ||
        (found + 1 < end && compare_entries(found + 1, &key) == 0))
        return false;
    *value = found->value;
    return true;
}

static void list_sources(struct reading *reading, const struct sources *sources)
{
    struct table *table = &reading->sources;
    for (; table->count < sources->count; table->count++)
        table->entries[table->count] = (struct entry){
            .name = name_of(sources->items[table->count].path), .value = table->count};
    sort(table);
}

static void list_pictures(struct reading *reading, const json_t *list)
{
    struct table *table = &reading->pictures;
    const json_t *picture;
    size_t i, place;
    json_array_foreach(list, i, picture)
    {
        const struct entry name = {.name = name_of(text_of(picture, "file_name"))};
        if (!find(&reading->sources, name, &place))
            continue;
        table->entries[table->count++] =
            (struct entry){.number = number_of(picture, "id"), .value = place};
        reading->labels->picture_count += !reading->labels->pictures[place];
        reading->labels->pictures[place] = true;
    }
    sort(table);
}

static void list_categories(struct reading *reading, const json_t *list, const rung_model *model)
{
    struct table *table = &reading->categories;
    const json_t *category;
    const char *label;
    size_t i;
    json_array_foreach(list, i, category)
    {
        for (uint32_t class_id = 0; rung_model_get_label(model, class_id, &label) == RUNG_OK;
             class_id++) {
            if (strcasecmp(label, text_of(category, "name")) != 0)
                continue;
            table->entries[table->count++] =
                (struct entry){.number = number_of(category, "id"), .value = class_id};
            break;
        }
    }
    sort(table);
}

static bool make_table(struct table *table, size_t most)
{
    table->entries = calloc(most + 1, sizeof *table->entries);
    return table->entries != NULL;
}

static bool list_all(struct reading *reading, const json_t *json, const struct sources *sources,
                     const rung_model *model)
{
    const json_t *pictures = json_object_get(json, "images");
    const json_t *categories = json_object_get(json, "categories");
    if (!make_table(&reading->sources, sources->count) ||
        !make_table(&reading->pictures, json_array_size(pictures)) ||
        !make_table(&reading->categories, json_array_size(categories)))
        return false;
    list_sources(reading, sources);
    list_pictures(reading, pictures);
    list_categories(reading, categories, model);
    return true;
}

static bool read_sides(const json_t *array, double sides[4])
{
    for (size_t i = 0; i < 4; i++) {
        const json_t *side = json_array_get(array, i);
        sides[i] = json_number_value(side);
        if (!json_is_number(side) || !isfinite(sides[i]))
            return false;
    }
    return sides[2] >= 0 && sides[3] >= 0;
}

static int read_boxes(const struct reading *reading, const json_t *list)
{
    const json_t *annotation;
    size_t i, picture, class_id;
    double sides[4];
    json_array_foreach(list, i, annotation)
    {
        const struct entry image = {.number = number_of(annotation, "image_id")};
        const struct entry category = {.number = number_of(annotation, "category_id")};
        if (!find(&reading->pictures, image, &picture) ||
            !find(&reading->categories, category, &class_id))
            continue;
        if (!read_sides(json_object_get(annotation, "bbox"), sides))
            return refuse(reading, "has an annotation whose bbox is not x, y, width and height");
        const struct box box = {
            .picture = picture,
            .class_id = (uint16_t)class_id,
            .crowd = json_integer_value(json_object_get(annotation, "iscrowd")) == 1,
            .x = sides[0],
            .y = sides[1],
            .width = sides[2],
            .height = sides[3],
        };
        if (!boxes_add(&reading->labels->boxes, box))
            return fail_memory();
    }
    return EXIT_DONE;
}

/** Those of a picture and class together, the crowds last. */
static int compare(const void *left, const void *right)
{
    const struct box *a = left, *b = right;
    if (a->picture != b->picture)
        return a->picture < b->picture ? -1 : 1;
    if (a->class_id != b->class_id)
        return a->class_id < b->class_id ? -1 : 1;
    return (int)a->crowd - (int)b->crowd;
}

static int take(struct reading *reading, int file, const struct sources *sources,
                const rung_model *model)
{
    struct boxes *boxes = &reading->labels->boxes;
    json_t *json = NULL;
    int status = read_file(reading, file, &json);
    if (status == EXIT_DONE && !list_all(reading, json, sources, model))
        status = fail_memory();
    if (status == EXIT_DONE)
        status = read_boxes(reading, json_object_get(json, "annotations"));
    json_decref(json);
    if (status != EXIT_DONE)
        return status;
    if (!boxes->count)
        return refuse(reading, "labels none of the photographs with a class of the model");
    qsort(boxes->items, boxes->count, sizeof *boxes->items, compare);
    return EXIT_DONE;
}

int labels_read(struct labels *labels, const char *path, bool optional,
                const struct sources *sources, const rung_model *model)
{
    struct reading reading = {.labels = labels, .path = path};
    int file;
    do
        file = open(path, O_RDONLY | O_CLOEXEC);
    while (file < 0 && errno == EINTR);
    if (file < 0 && optional && (errno == ENOENT || errno == ENOTDIR))
        return EXIT_DONE;
    if (file < 0)
        return fail(path);
    labels->pictures = calloc(sources->count + 1, sizeof *labels->pictures);
    const int status = labels->pictures ? take(&reading, file, sources, model) : fail_memory();
    close(file);
    free(reading.sources.entries);
    free(reading.pictures.entries);
    free(reading.categories.entries);
    return status;
}

void labels_finish(struct labels *labels)
{
    boxes_finish(&labels->boxes);
    free(labels->pictures);
    labels->pictures = NULL;
}
