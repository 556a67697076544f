/* SPDX-License-Identifier: Apache-2.0 */
#include "sources.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const char *const picture_endings[] = {
    ".jpg", ".jpeg", ".jpe", ".png", ".webp", ".tif", ".tiff", ".heic", ".heif", ".avif", ".gif",
};

static bool is_picture_name(const char *name)
{
    const char *ending = strrchr(name, '.');
    for (size_t i = 0; ending && i < sizeof picture_endings / sizeof *picture_endings; i++)
        if (strcasecmp(ending, picture_endings[i]) == 0)
            return true;
    return false;
}

static bool add(struct sources *sources, const char *path, const char *inside)
{
    if (sources->count == sources->capacity) {
        size_t capacity = sources->capacity ? 2 * sources->capacity : 64;
        struct source *items = realloc(sources->items, capacity * sizeof *items);
        if (!items)
            return false;
        sources->items = items;
        sources->capacity = capacity;
    }
    struct source source = {.path = strdup(path), .inside = strdup(inside)};
    sources->items[sources->count++] = source;
    return source.path && source.inside;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/** What is below `root` in `path`. */
static const char *below(const char *root, const char *path)
{
    const char *inside = path + strlen(root);
    return inside + strspn(inside, "/");
}

static bool add_folder(struct sources *sources, char *root)
{
    char *roots[] = {root, NULL};
    bool complete = true;
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    if (!tree)
        return false;
    /* Loops come as FTS_DC and are passed over; what cannot be read is reported when it is opened.
     */
    FTSENT *entry;
    while (complete && (errno = 0, entry = fts_read(tree))) {
        const int info = entry->fts_info;
        bool is_file = info == FTS_F || info == FTS_SLNONE || info == FTS_NS;
        if ((is_file && is_picture_name(entry->fts_name)) || info == FTS_DNR)
            complete = add(sources, entry->fts_path, below(root, entry->fts_path));
    }
    const int error = errno; /* of the reading, or of the adding; 0 at the end */
    fts_close(tree);
    errno = error;
    return complete && error == 0;
}

static int by_inside(const void *a, const void *b)
{
    const struct source *first = *(struct source *const *)a, *second = *(struct source *const *)b;
    int order = strcmp(first->inside, second->inside);
    return order ? order : (first > second) - (first < second);
}

/** "a/x.jpg" becomes "a/x-2.jpg". */
static bool rename_inside(struct source *source, unsigned number)
{
    size_t size = strlen(source->inside) + 16;
    char *fresh = malloc(size);
    const char *slash = strrchr(source->inside, '/');
    const char *dot = strrchr(slash ? slash : source->inside, '.');
    int stem = dot ? (int)(dot - source->inside) : (int)strlen(source->inside);
    if (!fresh)
        return false;
    snprintf(fresh, size, "%.*s-%u%s", stem, source->inside, number, dot ? dot : "");
    free(source->inside);
    source->inside = fresh;
    return true;
}

/** Gives each source a place of its own, so that no output is written over another. */
static bool separate(struct sources *sources)
{
    struct source **order = calloc(sources->count + 1, sizeof(struct source *));
    bool complete = order != NULL;
    for (bool again = complete; again && complete;) {
        again = false;
        for (size_t i = 0; i < sources->count; i++)
            order[i] = &sources->items[i];
        qsort(order, sources->count, sizeof(struct source *), by_inside);
        unsigned number = 1;
        for (size_t i = 1; i < sources->count && complete; i++) {
            bool same = strcmp(order[i]->inside, order[i - number]->inside) == 0;
            number = same ? number + 1 : 1;
            if (!same)
                continue;
            complete = rename_inside(order[i], number);
            again = true;
        }
    }
    free(order);
    return complete;
}

static bool list(struct sources *sources, int count, char **operands)
{
    for (int i = 0; i < count; i++) {
        struct stat status;
        const char *slash = strrchr(operands[i], '/');
        if (stat(operands[i], &status) == 0 && S_ISDIR(status.st_mode)) {
            if (!add_folder(sources, operands[i]))
                return false;
        } else if (!add(sources, operands[i], slash ? slash + 1 : operands[i]))
            return false;
    }
    return separate(sources);
}

bool sources_list(struct sources *sources, int count, char **operands, bool null_separated,
                  char *why, size_t why_size)
{
    (void)null_separated;
    if (list(sources, count, operands))
        return true;
    snprintf(why, why_size, "the pictures cannot be listed: %s", strerror(errno));
    return false;
}

void sources_finish(struct sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        free(sources->items[i].path);
        free(sources->items[i].inside);
    }
    free(sources->items);
    *sources = (struct sources){0};
}
