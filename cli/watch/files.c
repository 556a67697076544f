/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures in files, one after the other: of a folder, of a pattern, or a single one. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common.h"
#include "kind.h"
#include "list.h"
#include "sources.h"

#define PATH_SHOWN 200u /* bytes of a path, of its end, in a sentence */

struct files {
    struct list list;
    size_t next;
    uint64_t pixels_max;
};

/** Lists what an operand stands for. False with errno; ENOENT where that is nothing. */
typedef bool list_fn(struct list *list, const char *operand);

static int refuse(const char *operand, int error)
{
    if (error == ENOMEM)
        return fail_memory();
    fprintf(stderr, "rung watch: %s: %s\n", operand,
            error == ENOENT ? "there are no pictures of that name" : strerror(error));
    return EXIT_IO;
}

static void close_files(void *state)
{
    struct files *files = state;
    list_finish(&files->list);
    free(files);
}

static int open_files(const char *operand, const struct kind_options *options, list_fn *list,
                      struct kind_opened *out)
{
    struct files *files = calloc(1, sizeof *files);
    if (!files)
        return fail_memory();
    files->pixels_max = options->pixels_max;
    errno = 0;
    if (!list(&files->list, operand) || files->list.count == 0) {
        const int error = errno ? errno : ENOENT;
        close_files(files);
        return refuse(operand, error);
    }
    *out = (struct kind_opened){.state = files};
    return EXIT_DONE;
}

static enum kind_got read_file(void *state, uint64_t number, struct picture *to,
                               struct photo_error *error)
{
    struct files *files = state;
    struct photo_error why = {"NO_MEMORY", "there is no memory for the picture"};
    (void)number;
    if (files->next == files->list.count)
        return KIND_END;
    const char *path = files->list.paths[files->next++];
    const size_t length = strlen(path), shown = length < PATH_SHOWN ? length : PATH_SHOWN;
    to->format = RUNG_PIXEL_RGB8;
    if (photo_load(path, files->pixels_max, &to->photo, &why))
        return KIND_FRAME;
    error->code = why.code;
    snprintf(error->message, sizeof error->message, "%s: %.*s", path + length - shown,
             (int)(sizeof error->message - PATH_SHOWN - 3), why.message);
    return KIND_BROKEN;
}

static void rewind_files(void *state)
{
    struct files *files = state;
    files->next = 0;
}

/* ---- what there is ------------------------------------------------------------------------ */

static bool is_there(const char *operand, bool as_folder)
{
    struct stat status;
    return stat(operand, &status) == 0 && (S_ISDIR(status.st_mode) || !as_folder);
}

static bool claims_folder(const char *operand)
{
    return is_there(operand, true);
}

static bool list_folder(struct list *list, const char *operand)
{
    struct sources sources = {0};
    char *operands[] = {strdup(operand), NULL}, why[512];
    bool complete = operands[0] && sources_list(&sources, 1, operands, false, why, sizeof why);
    const int error = errno;
    /* A folder without pictures is its own only item. */
    for (size_t i = 0; complete && i < sources.count; i++)
        complete =
            strcmp(sources.items[i].path, operand) == 0 || list_add(list, sources.items[i].path);
    list_sort(list);
    sources_finish(&sources);
    free(operands[0]);
    errno = complete ? 0 : error;
    return complete;
}

static int open_folder(const char *operand, const struct kind_options *options,
                       struct kind_opened *out)
{
    return open_files(operand, options, list_folder, out);
}

/* ---- numbered files ----------------------------------------------------------------------- */

static bool claims_numbered(const char *operand)
{
    return !is_there(operand, false) && is_numbered(operand);
}

static int open_numbered(const char *operand, const struct kind_options *options,
                         struct kind_opened *out)
{
    return open_files(operand, options, list_numbered, out);
}

/* ---- names with * and ? ------------------------------------------------------------------- */

static bool claims_glob(const char *operand)
{
    return !is_there(operand, false) && strpbrk(operand, "*?[");
}

static bool list_glob(struct list *list, const char *operand)
{
    glob_t found = {0};
    const int result = glob(operand, GLOB_NOSORT, NULL, &found);
    bool complete = result == 0 || result == GLOB_NOMATCH;
    for (size_t i = 0; complete && i < found.gl_pathc; i++)
        complete = list_add(list, found.gl_pathv[i]);
    globfree(&found);
    list_sort(list);
    errno = result == GLOB_NOMATCH ? ENOENT : complete ? 0 : result == GLOB_ABORTED ? EIO : ENOMEM;
    return complete;
}

static int open_glob(const char *operand, const struct kind_options *options,
                     struct kind_opened *out)
{
    return open_files(operand, options, list_glob, out);
}

/* ---- a single file ------------------------------------------------------------------------ */

static bool claims_file(const char *operand)
{
    return is_there(operand, false);
}

static bool list_file(struct list *list, const char *operand)
{
    return is_there(operand, false) && list_add(list, operand);
}

static int open_file(const char *operand, const struct kind_options *options,
                     struct kind_opened *out)
{
    return open_files(operand, options, list_file, out);
}

/* ------------------------------------------------------------------------------------------- */

#define KIND_OF_FILES(NAME)                                                                        \
    {                                                                                              \
        .name = #NAME, .claims = claims_##NAME, .open = open_##NAME, .read = read_file,            \
        .rewind = rewind_files, .close = close_files, .has_pictures = true                         \
    }

const struct kind kind_folder = KIND_OF_FILES(folder);
const struct kind kind_numbered = KIND_OF_FILES(numbered);
const struct kind kind_glob = KIND_OF_FILES(glob);
const struct kind kind_file = KIND_OF_FILES(file);
