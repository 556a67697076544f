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

#include "names.h"

#define READ_BYTES 65536

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

/** The whole of standard input with a NUL behind it, to be freed; NULL with errno. */
static char *read_standard_input(size_t *size)
{
    char *text = NULL;
    ssize_t got = 1;
    for (*size = 0; got > 0; *size += (size_t)got) {
        char *larger = *size % READ_BYTES == 0 ? realloc(text, *size + READ_BYTES + 1) : text;
        if (!larger)
            break;
        text = larger;
        do
            got = read(STDIN_FILENO, text + *size, READ_BYTES - *size % READ_BYTES);
        while (got < 0 && errno == EINTR);
    }
    if (got != 0) {
        free(text);
        return NULL;
    }
    text[*size] = '\0';
    return text;
}

/** Each of the names in `text`, which `separator` ends; empty ones are passed over. */
static bool add_names(struct sources *sources, char *text, size_t size, char separator)
{
    for (char *name = text; name < text + size;) {
        char *end = memchr(name, separator, (size_t)(text + size - name));
        if (!end)
            end = text + size;
        *end = '\0';
        if (*name && !add_operand(sources, name))
            return false;
        name = end + 1;
    }
    return true;
}

static bool add_list(struct sources *sources, bool null_separated)
{
    size_t size;
    char *text = read_standard_input(&size);
    if (!text)
        return false;
    /* A name ends at a NUL whatever the list says, so what follows would be lost without a word. */
    const bool mixed = !null_separated && memchr(text, '\0', size);
    bool complete = !mixed && add_names(sources, text, size, null_separated ? '\0' : '\n');
    const int error = mixed ? EILSEQ : errno;
    free(text);
    errno = error;
    return complete;
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
