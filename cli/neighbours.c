/* SPDX-License-Identifier: Apache-2.0 */
#include "neighbours.h"

#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "report.h"

/* The source is bytes, which JSON may not hold as they are (report.h). */
static const char *const about_members[] = {"source",   "source_base64", "target", "class",
                                            "class_id", "score",         "box"};

void neighbours_copy_about(const json_t *from, json_t *to, bool *complete)
{
    for (size_t i = 0; i < sizeof about_members / sizeof *about_members; i++) {
        json_t *member = json_object_get(from, about_members[i]);
        if (member)
            set_member(to, about_members[i], json_incref(member), complete);
    }
}

json_t *neighbours_json(const struct near_set *set, const json_t *abouts, const float *vector,
                        size_t skip, size_t most)
{
    const size_t wanted = most < set->count ? most : set->count;
    struct near_match *best = calloc(wanted + 1, sizeof *best);
    json_t *array = json_array();
    bool complete = best != NULL;
    const size_t found = best ? near_find(set, vector, skip, best, wanted) : 0;
    for (size_t i = 0; i < found; i++) {
        json_t *entry = json_object();
        neighbours_copy_about(json_array_get(abouts, best[i].row), entry, &complete);
        set_member(entry, "cosine", json_real(best[i].cosine), &complete);
        append_item(array, entry, &complete);
    }
    free(best);
    if (complete)
        return array;
    json_decref(array);
    return NULL;
}

/** "picture.jpg", or "picture.jpg, target 3 (face)". */
static void print_about(const json_t *about)
{
    const json_t *target = json_object_get(about, "target");
    report_print_source(about);
    if (target)
        printf(", target %" JSON_INTEGER_FORMAT " (%s)", json_integer_value(target),
               text_of(about, "class"));
    putchar('\n');
}

void neighbours_print(const json_t *about, const json_t *neighbours)
{
    const json_t *neighbour;
    size_t i;
    print_about(about);
    json_array_foreach(neighbours, i, neighbour)
    {
        printf("  %7.4f  ", json_real_value(json_object_get(neighbour, "cosine")));
        print_about(neighbour);
    }
    fflush(stdout);
}
