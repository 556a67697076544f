/* SPDX-License-Identifier: Apache-2.0 */
#include "session/libraries.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "base/thread.h"
#include "session/library_store.h"

#define AT_ONCE_MOST 8u

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory for the list of libraries");
}

void rung__libraries_finish(struct rung__libraries *libraries)
{
    for (size_t i = 0; i < libraries->count; i++) {
        free(libraries->items[i].path);
        rung__library_facts_finish(&libraries->items[i].facts);
    }
    free(libraries->items);
    *libraries = (struct rung__libraries){0};
}

bool rung__library_is_usable(const struct rung__known_library *library)
{
    return library->described && library->facts.result == RUNG_OK;
}

bool rung__library_is_no_plugin(const struct rung__known_library *library)
{
    return library->runtime == &rung__runtimes[RUNG__RUNTIME_PLUGIN] && library->described &&
           library->facts.result == RUNG_UNSUPPORTED;
}

/* ---- which there are ------------------------------------------------------------------------ */

/** Takes the paths of one runtime's candidates. */
static rung_result take_candidates(struct rung__runtime_candidates *found,
                                   struct rung__libraries *out)
{
    struct rung__known_library *items =
        realloc(out->items, (out->count + found->count + 1) * sizeof *items);
    if (!items)
        return no_memory();
    out->items = items;
    for (size_t i = 0; i < found->count; i++) {
        items[out->count++] = (struct rung__known_library){
            .runtime = found->runtime,
            .path = found->items[i].path,
            .origin = found->items[i].origin,
        };
        found->items[i].path = NULL;
    }
    return RUNG_OK;
}

static rung_result search(const struct rung__runtime_places *places, struct rung__libraries *out)
{
    rung_result result = RUNG_OK;
    for (size_t i = 0; i < RUNG__RUNTIMES && result == RUNG_OK; i++) {
        struct rung__runtime_candidates found;
        result = rung__runtime_search(&rung__runtimes[i], places, &found);
        if (result == RUNG_OK)
            result = take_candidates(&found, out);
        rung__runtime_candidates_finish(&found);
    }
    return result;
}

/* ---- what is remembered --------------------------------------------------------------------- */

static bool is_bare(const char *path)
{
    return rung__path_name(path) == path;
}

static bool same_stamp(const struct rung__file_stamp *a, const struct rung__file_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->modified_ns == b->modified_ns && a->changed_ns == b->changed_ns;
}

/** The stamp of a file that is there; false without one. */
static bool look_at(const char *path, struct rung__file_stamp *out)
{
    struct rung__file file;
    if (rung__file_open(path, &file) != RUNG_OK)
        return false;
    *out = file.stamp;
    rung__file_close(&file);
    return true;
}

/** The places that matter for a library: a bare name's are the system's alone. "" when they cannot
 * be told. Results: OK, NO_MEMORY. */
static rung_result read_places(const char *path, char to[RUNG__LIBRARY_PLACES])
{
    char *folder = is_bare(path) ? NULL : rung__path_folder(path);
    if (!folder && !is_bare(path))
        return no_memory();
    const rung_result result = rung__library_places(folder, to);
    free(folder);
    return result == RUNG_NO_MEMORY ? result : RUNG_OK;
}

/** What did not load may do so when another library was installed, and a bare name may lead
 * elsewhere then; of a file that loads nothing matters but itself. */
static bool depends_on_places(const struct rung__known_library *library)
{
    return is_bare(library->path) || library->facts.result != RUNG_OK;
}

/** Says whether what is remembered is so still. */
static rung_result is_so_still(const struct rung__known_library *remembered, bool *still)
{
    struct rung__file_stamp now = {0};
    char places[RUNG__LIBRARY_PLACES] = "";
    const char *file = is_bare(remembered->path) ? remembered->facts.file : remembered->path;
    *still = !file || (look_at(file, &now) && same_stamp(&now, &remembered->stamp));
    if (!*still || !depends_on_places(remembered))
        return RUNG_OK;
    const rung_result result = read_places(remembered->path, places);
    *still = result == RUNG_OK && *places && strcmp(places, remembered->places) == 0;
    return result;
}

/** Moves what is remembered of a library, if that is so still. */
static rung_result recall(struct rung__libraries *remembered, struct rung__known_library *to)
{
    for (size_t i = 0; i < remembered->count; i++) {
        struct rung__known_library *from = &remembered->items[i];
        bool still = false;
        if (from->runtime != to->runtime || strcmp(from->path, to->path) != 0)
            continue;
        const rung_result result = is_so_still(from, &still);
        if (result != RUNG_OK || !still)
            return result;
        to->described = true;
        to->facts = from->facts;
        to->stamp = from->stamp;
        memcpy(to->digest, from->digest, sizeof to->digest);
        from->facts = (struct rung__library_facts){0};
        from->path[0] = '\0'; /* a second one of the same path finds out for itself */
        return RUNG_OK;
    }
    return RUNG_OK;
}

static rung_result recall_all(const struct rung__library_finder *finder,
                              struct rung__libraries *out)
{
    struct rung__libraries remembered;
    rung_result result = rung__library_store_read(finder->state, &remembered);
    for (size_t i = 0; i < out->count && result == RUNG_OK; i++)
        result = recall(&remembered, &out->items[i]);
    rung__libraries_finish(&remembered);
    /* What is missing, damaged or foreign is found out again. */
    return result == RUNG_NO_MEMORY ? result : RUNG_OK;
}

/* ---- what they are -------------------------------------------------------------------------- */

/** A file that a path names and that is not there needs no process to be known as missing. */
static rung_result note_missing(struct rung__known_library *library)
{
    if (is_bare(library->path) || rung__path_kind(library->path) != RUNG__PATH_MISSING)
        return RUNG_OK;
    library->described = true;
    library->facts.result = RUNG_NOT_FOUND;
    library->facts.reason = rung__text_new("there is no library %s", library->path);
    return library->facts.reason ? RUNG_OK : no_memory();
}

/** Loads it in a process of its own. One that cannot be made leaves it undescribed. */
static rung_result load_elsewhere(const char *helper, struct rung__known_library *library)
{
    const rung_result result =
        rung__runtime_describe(helper, library->runtime, library->path, &library->facts);
    library->described = result == RUNG_OK;
    if (!library->described)
        rung__library_facts_finish(&library->facts);
    return result == RUNG_UNSUPPORTED ? RUNG_OK : result;
}

/** A file that was written meanwhile has no stamp. What a bare name leads to is known only
 * afterwards. */
static rung_result load_and_look(const char *helper, struct rung__known_library *library)
{
    struct rung__file_stamp before = {0}, after = {0};
    if (is_bare(library->path)) {
        const rung_result result = load_elsewhere(helper, library);
        if (library->facts.file)
            (void)look_at(library->facts.file, &library->stamp);
        return result;
    }
    const bool there = look_at(library->path, &before);
    const rung_result result = load_elsewhere(helper, library);
    if (there && look_at(library->path, &after) && same_stamp(&before, &after))
        library->stamp = after;
    return result;
}

static bool has_stamp(const struct rung__known_library *library)
{
    static const struct rung__file_stamp none;
    return !same_stamp(&library->stamp, &none);
}

static rung_result describe(const struct rung__library_finder *finder,
                            struct rung__known_library *library)
{
    rung_result result = note_missing(library);
    if (result != RUNG_OK || library->described)
        return result;
    result = load_and_look(finder->helper, library);
    if (result == RUNG_OK && depends_on_places(library))
        result = read_places(library->path, library->places);
    library->fresh = library->described && (has_stamp(library) || *library->places);
    return result;
}

/** Only of the very file that was described. */
static rung_result read_digest(const struct rung__library_finder *finder,
                               struct rung__known_library *library)
{
    struct rung__file file;
    uint8_t digest[RUNG__SHA256_BYTES];
    (void)finder;
    if (rung__file_open(is_bare(library->path) ? library->facts.file : library->path, &file) !=
        RUNG_OK)
        return RUNG_OK;
    rung_result result = RUNG_OK;
    if (same_stamp(&file.stamp, &library->stamp)) {
        result = rung__sha256_of_file(&file, digest);
        if (result == RUNG_OK && rung__file_is_unchanged(&file)) {
            rung__text_hex(library->digest, digest, sizeof digest);
            library->fresh = true;
        }
    }
    rung__file_close(&file);
    return result == RUNG_NO_MEMORY ? result : RUNG_OK;
}

/* ---- several at once ------------------------------------------------------------------------ */

typedef rung_result step_fn(const struct rung__library_finder *finder,
                            struct rung__known_library *library);

/** What is to be done with some of the libraries. */
struct work {
    const struct rung__library_finder *finder;
    struct rung__libraries *libraries;
    const bool *wanted; /**< for each */
    step_fn *step;
    atomic_size_t next;
    atomic_bool failed; /**< memory was missing */
};

static void work_on(void *argument)
{
    struct work *work = argument;
    for (size_t i; (i = atomic_fetch_add(&work->next, 1)) < work->libraries->count;)
        if (work->wanted[i] && work->step(work->finder, &work->libraries->items[i]) != RUNG_OK)
            atomic_store(&work->failed, true);
}

/** On this thread and on as many others as there is work for. */
static rung_result share(struct work *work, size_t parts)
{
    struct rung__thread threads[AT_ONCE_MOST];
    size_t most = work->finder->at_once, started = 0;
    if (most > AT_ONCE_MOST)
        most = AT_ONCE_MOST;
    if (most > parts)
        most = parts;
    while (started + 1 < most &&
           rung__thread_start(&threads[started], "rung-libraries", work_on, work) == RUNG_OK)
        started++;
    work_on(work);
    while (started)
        rung__thread_join(&threads[--started]);
    return atomic_load(&work->failed) ? no_memory() : RUNG_OK;
}

/** Where it cannot be, the next start finds out again. Results: OK, NO_MEMORY. */
static rung_result remember(const struct rung__library_finder *finder,
                            struct rung__libraries *libraries)
{
    bool any = false;
    for (size_t i = 0; i < libraries->count; i++)
        any = any || libraries->items[i].fresh;
    if (!any || !finder->state)
        return RUNG_OK;
    const rung_result result = rung__library_store_put(finder->state, libraries);
    for (size_t i = 0; i < libraries->count; i++)
        libraries->items[i].fresh = false;
    if (result == RUNG_OK || result == RUNG_NO_MEMORY)
        return result;
    rung__log_write(finder->log, RUNG_LOG_INFO, "what the libraries are is not remembered: %s",
                    rung_last_error());
    return RUNG_OK;
}

static rung_result do_each(const struct rung__library_finder *finder,
                           struct rung__libraries *libraries, const bool *wanted, step_fn *step)
{
    struct work work = {.finder = finder, .libraries = libraries, .wanted = wanted, .step = step};
    size_t parts = 0;
    for (size_t i = 0; i < libraries->count; i++)
        parts += wanted[i];
    if (!parts)
        return RUNG_OK;
    const rung_result result = share(&work, parts);
    return result == RUNG_OK ? remember(finder, libraries) : result;
}

/** A flag for each library, none set; NULL without memory. */
static bool *new_flags(const struct rung__libraries *libraries)
{
    return calloc(libraries->count + 1, sizeof(bool));
}

rung_result rung__libraries_describe(const struct rung__library_finder *finder,
                                     const struct rung__runtime *runtime,
                                     struct rung__libraries *libraries)
{
    bool *wanted = new_flags(libraries);
    if (!wanted)
        return no_memory();
    for (size_t i = 0; i < libraries->count; i++)
        wanted[i] = finder->helper && libraries->items[i].runtime == runtime &&
                    !libraries->items[i].described;
    const rung_result result = do_each(finder, libraries, wanted, describe);
    free(wanted);
    return result;
}

rung_result rung__libraries_digest(const struct rung__library_finder *finder,
                                   struct rung__libraries *libraries)
{
    bool *wanted = new_flags(libraries);
    if (!wanted)
        return no_memory();
    for (size_t i = 0; i < libraries->count; i++)
        wanted[i] = !*libraries->items[i].digest && has_stamp(&libraries->items[i]) &&
                    !rung__library_is_no_plugin(&libraries->items[i]);
    const rung_result result = do_each(finder, libraries, wanted, read_digest);
    free(wanted);
    return result;
}

rung_result rung__libraries_find(const struct rung__library_finder *finder,
                                 struct rung__libraries *out)
{
    *out = (struct rung__libraries){0};
    const rung_result result = search(&finder->places, out);
    return result == RUNG_OK && finder->helper && finder->state ? recall_all(finder, out) : result;
}
