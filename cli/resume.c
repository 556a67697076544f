/* SPDX-License-Identifier: Apache-2.0 */
#include "resume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib.h>

#include "job.h"
#include "lines.h"
#include "output.h"

#define LINE_BYTES_MAX (64u << 20)

static int fail(const struct resume *resume, const char *what)
{
    const int error = errno;
    fprintf(stderr, "rung: --resume %s: %s: %s\n", resume->path, what, strerror(error));
    return error == ENOMEM ? EXIT_BACKEND : EXIT_IO;
}

static int refuse(const struct resume *resume, size_t line, const char *what)
{
    fprintf(stderr, "rung: --resume %s: line %zu %s; name another file, or move this one away\n",
            resume->path, line + 1, what);
    return EXIT_USAGE;
}

/* ---- sources by their path ---------------------------------------------------------------- */

/** The sources of one path are a chain; each line takes the first of them. */
struct chains {
    GHashTable *first;    /* path → source */
    struct source **next; /* of the source at the same place; NULL: it is the last one */
};

static bool chains_make(struct chains *chains, const struct sources *sources)
{
    chains->next = calloc(sources->count + 1, sizeof(struct source *));
    if (!chains->next)
        return false;
    chains->first = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = sources->count; i-- > 0;) {
        struct source *source = &sources->items[i];
        chains->next[i] = g_hash_table_lookup(chains->first, source->path);
        g_hash_table_insert(chains->first, source->path, source);
    }
    return true;
}

static void chains_free(struct chains *chains)
{
    if (chains->first)
        g_hash_table_destroy(chains->first);
    free(chains->next);
}

/** The place of a source of this path that no line had yet, or JOB_NO_INDEX. */
static size_t chains_take(struct chains *chains, const struct sources *sources, const char *path)
{
    struct source *source = g_hash_table_lookup(chains->first, path);
    if (!source)
        return JOB_NO_INDEX;
    const size_t place = (size_t)(source - sources->items);
    g_hash_table_insert(chains->first, source->path, chains->next[place]);
    source->done = true;
    return place;
}

/* ---- reading ------------------------------------------------------------------------------ */

/** The source's name as bytes, newly allocated; NULL: the line is no result. */
static char *source_of(const json_t *line)
{
    const char *text = json_string_value(json_object_get(line, "source"));
    const char *base64 = json_string_value(json_object_get(line, "source_base64"));
    if (!text || !base64)
        return text ? g_strdup(text) : NULL;
    gsize size;
    guchar *bytes = g_base64_decode(base64, &size);
    char *name = g_strndup((const char *)bytes, size);
    g_free(bytes);
    return name;
}

static bool note_index(struct resume *resume, size_t index)
{
    if (resume->count == resume->capacity) {
        const size_t capacity = resume->capacity ? 2 * resume->capacity : 256;
        size_t *indexes = realloc(resume->indexes, capacity * sizeof *indexes);
        if (!indexes)
            return false;
        resume->indexes = indexes;
        resume->capacity = capacity;
    }
    resume->indexes[resume->count++] = index;
    return true;
}

static int read_line(struct resume *resume, const char *text, size_t length, struct chains *chains,
                     struct sources *sources)
{
    bool is_json;
    json_t *line = load_json(text, length, &is_json);
    if (!line && is_json)
        return fail_memory();
    char *source = source_of(line);
    json_decref(line);
    if (!source)
        return refuse(resume, resume->count, "is no result of rung");
    const bool noted = note_index(resume, chains_take(chains, sources, source));
    g_free(source);
    if (!noted)
        return fail_memory();
    resume->bytes += (long long)length + 1;
    return EXIT_DONE;
}

static int read_all(struct resume *resume, struct sources *sources)
{
    struct lines lines = {.file = resume->file, .separator = '\n', .most = LINE_BYTES_MAX};
    struct chains chains = {0};
    enum lines_state state = LINES_END;
    char *text;
    size_t length;
    int status = chains_make(&chains, sources) ? EXIT_DONE : fail_memory();
    while (status == EXIT_DONE && (state = lines_next(&lines, &text, &length)) == LINES_LINE)
        status = read_line(resume, text, length, &chains, sources);
    if (status == EXIT_DONE && state == LINES_ERROR)
        status = fail(resume, "cannot be read");
    chains_free(&chains);
    lines_finish(&lines);
    return status;
}

static int open_file(struct resume *resume)
{
    struct stat status;
    do
        resume->file = open(resume->path,
                            O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    while (resume->file < 0 && errno == EINTR);
    if (resume->file < 0 || fstat(resume->file, &status) != 0)
        return fail(resume, "cannot be opened");
    if (!S_ISREG(status.st_mode)) {
        fprintf(stderr, "rung: --resume %s: is no regular file\n", resume->path);
        close(resume->file);
        resume->file = -1;
        return EXIT_IO;
    }
    if (flock(resume->file, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK)
            return fail(resume, "cannot be locked");
        fprintf(stderr, "rung: --resume %s: another job is writing it\n", resume->path);
        return EXIT_IO;
    }
    return EXIT_DONE;
}

static bool cut(const struct resume *resume)
{
    int result;
    do
        result = ftruncate(resume->file, resume->bytes);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

int resume_open(struct resume *resume, const char *path, struct sources *sources)
{
    *resume = (struct resume){.path = path, .file = -1};
    int status = open_file(resume);
    if (status == EXIT_DONE)
        status = read_all(resume, sources);
    /* A line that was being written when the process ended. */
    if (status == EXIT_DONE && !cut(resume))
        status = fail(resume, "cannot be shortened");
    return status;
}

/* ---- what is there ------------------------------------------------------------------------ */

/** True when a result was made by what this job uses. */
static bool is_alike(const json_t *line, const json_t *settings)
{
    static const char *const members[] = {"identity", "artifact", "detector_artifact", "filter",
                                          "override"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const json_t *then = json_object_get(line, members[i]);
        const json_t *now = json_object_get(settings, members[i]);
        if ((then || now) && !json_equal(then, now))
            return false;
    }
    return true;
}

/** A job keeps one identity from its start to its end. */
static int refuse_identity(const struct resume *resume, size_t number, const json_t *line,
                           const json_t *settings)
{
    fprintf(stderr,
            "rung: --resume %s: line %zu is by %s on %s, and this job is by %s on %s; go on with "
            "what it began with, or name another file\n",
            resume->path, number + 1, text_of(line, "identity"), text_of(line, "rung"),
            text_of(settings, "identity"), text_of(settings, "rung"));
    return exit_of(RUNG_IDENTITY);
}

static bool is_of_another(const json_t *line, const json_t *settings)
{
    const char *identity = text_of(line, "identity");
    return identity[0] && strcmp(identity, text_of(settings, "identity")) != 0;
}

static int replay_line(struct resume *resume, size_t number, const char *text, size_t length,
                       const json_t *settings, resume_take *take, void *user)
{
    int status = EXIT_DONE;
    bool is_json;
    json_t *line = load_json(text, length, &is_json);
    if (!line || number >= resume->count) {
        json_decref(line);
        return line ? refuse(resume, number, "was added while the file was read") : fail_memory();
    }
    if (json_object_get(line, "error"))
        status = EXIT_DONE; /* whatever failed is of no identity */
    else if (is_of_another(line, settings))
        status = refuse_identity(resume, number, line, settings);
    else
        status =
            is_alike(line, settings)
                ? take(user, resume->indexes[number], line)
                : refuse(resume, number, "is of another model, or was made with other options");
    json_decref(line);
    return status;
}

int resume_replay(struct resume *resume, const json_t *settings, resume_take *take, void *user)
{
    int file, status = EXIT_DONE;
    do
        file = open(resume->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (file < 0 && errno == EINTR);
    if (file < 0)
        return fail(resume, "cannot be opened again");
    struct lines lines = {.file = file, .separator = '\n', .most = LINE_BYTES_MAX};
    enum lines_state state = LINES_END;
    char *text;
    size_t length, number = 0;
    while (status == EXIT_DONE && (state = lines_next(&lines, &text, &length)) == LINES_LINE)
        status = replay_line(resume, number++, text, length, settings, take, user);
    if (status == EXIT_DONE && state == LINES_ERROR)
        status = fail(resume, "cannot be read again");
    lines_finish(&lines);
    close(file);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------ */

int resume_append(struct resume *resume, const json_t *line)
{
    char *text = json_text(line, REPORT_JSON_FLAGS);
    if (!text)
        return fail_memory();
    const size_t size = strlen(text) + 1;
    text[size - 1] = '\n'; /* in place of the zero */
    int status = EXIT_DONE;
    if (output_write_all(resume->file, text, size))
        resume->bytes += (long long)size;
    else {
        status = fail(resume, "cannot be written");
        cut(resume);
    }
    free(text);
    return status;
}

int resume_close(struct resume *resume)
{
    int result = 0;
    int status = EXIT_DONE;
    if (resume->file >= 0) {
        do
            result = fsync(resume->file);
        while (result != 0 && errno == EINTR);
        if (result != 0)
            status = fail(resume, "is not safe on the disk");
        if (close(resume->file) != 0 && errno != EINTR && status == EXIT_DONE)
            status = fail(resume, "cannot be written");
    }
    free(resume->indexes);
    *resume = (struct resume){.file = -1};
    return status;
}
