/* SPDX-License-Identifier: Apache-2.0 */
#include "list.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MOST 18u /* of the number of a file */

bool list_add(struct list *list, const char *path)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 64;
        char **paths = realloc(list->paths, capacity * sizeof *paths);
        if (!paths)
            return false;
        list->paths = paths;
        list->capacity = capacity;
    }
    list->paths[list->count] = strdup(path);
    return list->paths[list->count] && ++list->count;
}

void list_finish(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (struct list){0};
}

static int compare(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

void list_sort(struct list *list)
{
    if (list->count)
        qsort(list->paths, list->count, sizeof *list->paths, compare);
}

/* ---- numbered files ----------------------------------------------------------------------- */

/** A pattern in its parts. */
struct numbering {
    const char *name; /**< of the file, in the pattern; what is before it is the folder */
    size_t before;    /**< bytes of the name in front of the number */
    size_t digits;    /**< at least; 0: just as many as the number has */
    const char *after;
};

/** Reads %d or %0Nd at `text`: its bytes, 0 where it is none. */
static size_t read_conversion(const char *text, size_t *digits)
{
    const size_t width = strspn(text + 1, "0123456789");
    *digits = 0;
    if (text[1 + width] != 'd' || width > 3 || (width > 0 && text[1] != '0'))
        return 0;
    if (width > 0)
        *digits = (size_t)strtoul(text + 1, NULL, 10);
    return *digits <= DIGITS_MOST ? width + 2 : 0;
}

static bool read_pattern(const char *pattern, struct numbering *out)
{
    const char *slash = strrchr(pattern, '/');
    out->name = slash ? slash + 1 : pattern;
    out->before = strcspn(out->name, "%");
    const char *percent = out->name + out->before;
    const size_t length = *percent ? read_conversion(percent, &out->digits) : 0;
    out->after = percent + length;
    return length > 0 && !strchr(out->after, '%');
}

bool is_numbered(const char *pattern)
{
    struct numbering numbering;
    return read_pattern(pattern, &numbering);
}

/** True for a name that printing some number by the pattern gives. */
static bool matches(const struct numbering *numbering, const char *name)
{
    if (strncmp(name, numbering->name, numbering->before) != 0)
        return false;
    name += numbering->before;
    const size_t digits = strspn(name, "0123456789");
    const bool is_padded = digits > 1 && *name == '0';
    return digits > 0 && digits <= DIGITS_MOST && digits >= numbering->digits &&
           !(is_padded && digits > numbering->digits) &&
           strcmp(name + digits, numbering->after) == 0;
}

static bool add_matching(struct list *list, const struct numbering *numbering, const char *pattern,
                         const char *name)
{
    const size_t folder = (size_t)(numbering->name - pattern), size = folder + strlen(name) + 1;
    char *path = malloc(size);
    bool complete = path != NULL;
    if (complete) {
        memcpy(path, pattern, folder);
        memcpy(path + folder, name, size - folder);
        complete = list_add(list, path);
    }
    free(path);
    return complete;
}

static bool add_folder(struct list *list, const struct numbering *numbering, const char *pattern,
                       DIR *folder)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry)
            return errno == 0;
        if (matches(numbering, entry->d_name) &&
            !add_matching(list, numbering, pattern, entry->d_name)) {
            errno = ENOMEM;
            return false;
        }
    }
}

/* The numbers differ in no more than their digits, and no shorter one has a zero in front that a
 * longer one lacks: by length, then by bytes, is by number. */
static int compare_numbers(const void *a, const void *b)
{
    const char *one = *(char *const *)a, *other = *(char *const *)b;
    const size_t length = strlen(one), others = strlen(other);
    return length != others ? (length > others) - (length < others) : strcmp(one, other);
}

bool list_numbered(struct list *list, const char *pattern)
{
    struct numbering numbering;
    if (!read_pattern(pattern, &numbering)) {
        errno = EINVAL;
        return false;
    }
    const size_t length = (size_t)(numbering.name - pattern);
    char *name = strdup(length ? pattern : ".");
    if (name && length)
        name[length] = '\0';
    DIR *folder = name ? opendir(name) : NULL;
    const bool complete = folder && add_folder(list, &numbering, pattern, folder);
    const int error = errno;
    if (folder)
        closedir(folder);
    free(name);
    if (list->count)
        qsort(list->paths, list->count, sizeof *list->paths, compare_numbers);
    errno = error;
    return complete;
}
