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

#include <glib.h>

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

/** A file on its way in. */
struct reading {
    struct labels *labels;
    const char *path;
    GHashTable *sources;    /**< the name of a file → its place + 1; 0: it is not the only one */
    GHashTable *pictures;   /**< the file's number of a picture → the same */
    GHashTable *categories; /**< the file's number of a category → the class + 1 */
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

static gpointer number_key(const json_t *object, const char *key)
{
    return (gpointer)(intptr_t)json_integer_value(json_object_get(object, key));
}

/** The value of a table less one; false where there is none. */
static bool find(GHashTable *table, gconstpointer key, size_t *value)
{
    *value = GPOINTER_TO_SIZE(g_hash_table_lookup(table, key));
    return (*value)-- != 0;
}

static void list_sources(const struct reading *reading, const struct sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        char *name = (char *)name_of(sources->items[i].path);
        const bool again = g_hash_table_contains(reading->sources, name);
        g_hash_table_insert(reading->sources, name, GSIZE_TO_POINTER(again ? 0 : i + 1));
    }
}

static void read_pictures(const struct reading *reading, const json_t *list)
{
    const json_t *picture;
    size_t i, place;
    json_array_foreach(list, i, picture)
    {
        if (!find(reading->sources, name_of(text_of(picture, "file_name")), &place))
            continue;
        g_hash_table_insert(reading->pictures, number_key(picture, "id"),
                            GSIZE_TO_POINTER(place + 1));
        reading->labels->picture_count += !reading->labels->pictures[place];
        reading->labels->pictures[place] = true;
    }
}

static void read_categories(const struct reading *reading, const json_t *list,
                            const rung_model *model)
{
    const json_t *category;
    const char *label;
    size_t i;
    json_array_foreach(list, i, category)
    {
        for (size_t class_id = 0; class_id < LABELS_CLASSES; class_id++)
            if (rung_model_get_label(model, (uint32_t)class_id, &label) == RUNG_OK &&
                strcasecmp(label, text_of(category, "name")) == 0)
                g_hash_table_insert(reading->categories, number_key(category, "id"),
                                    GSIZE_TO_POINTER(class_id + 1));
    }
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
        if (!find(reading->pictures, number_key(annotation, "image_id"), &picture) ||
            !find(reading->categories, number_key(annotation, "category_id"), &class_id))
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

static int read_all(const struct reading *reading, const json_t *json, const rung_model *model)
{
    struct labels *labels = reading->labels;
    read_pictures(reading, json_object_get(json, "images"));
    read_categories(reading, json_object_get(json, "categories"), model);
    const int status = read_boxes(reading, json_object_get(json, "annotations"));
    if (status != EXIT_DONE)
        return status;
    if (labels->boxes.count)
        qsort(labels->boxes.items, labels->boxes.count, sizeof(struct box), compare);
    else
        return refuse(reading, "labels none of the photographs with a class of the model");
    return EXIT_DONE;
}

static int take(struct reading *reading, int file, const struct sources *sources,
                const rung_model *model)
{
    json_t *json = NULL;
    int status = read_file(reading, file, &json);
    if (status == EXIT_DONE) {
        reading->sources = g_hash_table_new(g_str_hash, g_str_equal);
        reading->pictures = g_hash_table_new(NULL, NULL);
        reading->categories = g_hash_table_new(NULL, NULL);
        list_sources(reading, sources);
        status = read_all(reading, json, model);
        g_hash_table_destroy(reading->sources);
        g_hash_table_destroy(reading->pictures);
        g_hash_table_destroy(reading->categories);
    }
    json_decref(json);
    return status;
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
    return status;
}

void labels_finish(struct labels *labels)
{
    boxes_finish(&labels->boxes);
    free(labels->pictures);
    labels->pictures = NULL;
}
