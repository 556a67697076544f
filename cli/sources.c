/* SPDX-License-Identifier: Apache-2.0 */
#include "sources.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lines.h"
#include "names.h"

#define NAME_BYTES_MAX 65536 /* of a list; the system takes less */

static const char *const picture_endings[] = {
    ".jpg",  ".jpeg", ".jpe",  ".jfif", ".mpo",  ".png", ".webp", ".tif",
    ".tiff", ".heic", ".heif", ".hif",  ".avif", ".gif", ".bmp",
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

/** Gives each source a place of its own, so that no output is written over another. */
static bool separate(struct sources *sources)
{
    struct names names;
    bool complete = names_start(&names, sources->count);
    for (size_t i = 0; i < sources->count && complete; i++)
        names_claim(&names, sources->items[i].inside);
    /* Now that each name has its first owner, none of the others takes one that is in use. */
    for (size_t i = 0; i < sources->count && complete; i++)
        complete = names_make_unique(&names, &sources->items[i].inside);
    names_finish(&names);
    return complete;
}

static bool add_operand(struct sources *sources, char *operand)
{
    struct stat status;
    const char *slash = strrchr(operand, '/');
    if (stat(operand, &status) == 0 && S_ISDIR(status.st_mode)) {
        const size_t before = sources->count;
        if (!add_folder(sources, operand))
            return false;
        if (sources->count > before)
            return true;
        /* Opening it then tells that it is a folder without pictures. */
    }
    return add(sources, operand, slash ? slash + 1 : operand);
}

/** Each of the names that standard input lists; empty ones are passed over. */
static bool add_list(struct sources *sources, bool null_separated)
{
    struct lines lines = {
        .file = STDIN_FILENO, .separator = null_separated ? '\0' : '\n', .most = NAME_BYTES_MAX};
    enum lines_state state = LINES_END;
    char *name;
    size_t length;
    bool complete = true;
    while (complete && (state = lines_next(&lines, &name, &length)) < LINES_END) {
        /* A name ends at a NUL whatever the list says: what follows would be lost without a word.
         */
        complete = strlen(name) == length;
        if (!complete)
            errno = EILSEQ;
        else if (length > 0)
            complete = add_operand(sources, name);
    }
    const int error = errno;
    lines_finish(&lines);
    errno = error;
    return complete && state == LINES_END;
}

static void explain(const char *operand, char *why, size_t why_size)
{
    const int error = errno;
    const bool is_list = strcmp(operand, "-") == 0;
    if (error == ENOMEM)
        snprintf(why, why_size, "there is no memory to list the pictures");
    else if (is_list && error == EILSEQ)
        snprintf(why, why_size,
                 "the list on standard input holds a NUL byte; -0 reads names that NUL ends");
    else if (is_list)
        snprintf(why, why_size, "the list on standard input cannot be read: %s", strerror(error));
    else
        snprintf(why, why_size, "the pictures in %s cannot be listed: %s", operand,
                 strerror(error));
    errno = error;
}

bool sources_list(struct sources *sources, int count, char **operands, bool null_separated,
                  char *why, size_t why_size)
{
    for (int i = 0; i < count; i++) {
        bool complete = strcmp(operands[i], "-") == 0 ? add_list(sources, null_separated)
                                                      : add_operand(sources, operands[i]);
        if (!complete) {
            explain(operands[i], why, why_size);
            return false;
        }
    }
    if (separate(sources))
        return true;
    errno = ENOMEM;
    explain("", why, why_size);
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
