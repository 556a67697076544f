/* SPDX-License-Identifier: Apache-2.0 */
#include "gated.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <rung/artifact.h>

/** What is looked for among the files of a folder. */
struct search {
    const char *artifact;
    json_t *gated;
};

static rung_result write_report(void *path, rung_span to, size_t *needed)
{
    return rung_artifact_inspect(path, RUNG_INSPECT_REPORT, to, needed);
}

/** Takes what the file's gate record comes to, if it has the payload that is looked for. */
static void look_into(struct search *search, const char *path)
{
    json_t *report;
    if (read_json(write_report, (void *)path, &report) != EXIT_DONE)
        return;
    if (strcmp(text_of(report, "digest"), search->artifact) == 0)
        search->gated = json_incref(json_object_get(report, "gated"));
    json_decref(report);
}

static void on_file(void *user, const rung_model_file *file)
{
    struct search *search = user;
    if (!search->gated && file->result == RUNG_OK && strcmp(file->artifact, search->artifact) == 0)
        look_into(search, file->path);
}

/** The folder of a path, in its place. */
static void cut_to_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash)
        snprintf(path, PATH_MAX, ".");
    else
        slash[slash == path] = '\0';
}

json_t *gated_find(rung_instance *instance, const char *model, const char *artifact)
{
    char path[PATH_MAX];
    const char *const folder = path;
    struct search search = {.artifact = artifact};
    if (find_model(instance, model, path, sizeof path) != RUNG_OK)
        return NULL;
    look_into(&search, path);
    if (search.gated)
        return search.gated;
    cut_to_folder(path); /* another form may serve, and lies beside it */
    (void)rung_model_list(instance, 0, &folder, 1, on_file, &search);
    return search.gated;
}
