/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common.h"
#include "progress.h"
#include "report.h"

static uint32_t time_limit_s;
static bool again;

/* ---- rows ---- */

/** What is reported of engines, as rows or as JSON. */
struct listing {
    json_t *engines; /**< NULL: rows are printed */
    bool complete, begun;
    bool on_terminal, drawn; /**< the line of progress */
    uint32_t damaged, unreadable, unbuilt;
    int status; /**< of the first that could not be built */
    uint64_t bytes;
};

static void print_time(int64_t seconds)
{
    char text[32] = "-";
    struct tm parts;
    const time_t time = (time_t)seconds;
    if (seconds > 0 && localtime_r(&time, &parts))
        (void)strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
    printf("%-16s ", text);
}

static void print_engine(struct listing *listing, const rung_engine *engine)
{
    if (!listing->begun)
        printf("%-24s %-12s %-9s %8s %-16s %-16s %-8s %s\n", "MODEL", "RUNG", "PRECISION", "MB",
               "BUILT", "LAST USED", "STATE", "REASON");
    printf("%-24s %-12s %-9s %8.1f ", engine->model[0] ? engine->model : engine->name, engine->rung,
           engine->precision, (double)engine->bytes / 1e6);
    print_time(engine->built_s);
    print_time(engine->used_s);
    printf("%s%s%s\n", engine->state, engine->reason[0] ? "  " : "", engine->reason);
}

static json_t *engine_json(const rung_engine *engine)
{
    return json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:I,s:i,s:I,s:I}", "name", engine->name, "model",
                     engine->model, "rung", engine->rung, "precision", engine->precision,
                     "artifact", engine->artifact, "state", engine->state, "reason", engine->reason,
                     "bytes", (json_int_t)engine->bytes, "files", (int)engine->files, "built",
                     (json_int_t)engine->built_s, "used", (json_int_t)engine->used_s);
}

static void take_engine(void *user, const rung_engine *engine)
{
    struct listing *listing = user;
    if (listing->engines)
        append_item(listing->engines, engine_json(engine), &listing->complete);
    else
        print_engine(listing, engine);
    listing->begun = true;
    listing->bytes += engine->result == RUNG_OK ? engine->bytes : 0;
    if (engine->result == RUNG_BACKEND) /* it could not be built, which was told then */
        return;
    listing->damaged += engine->result == RUNG_INTEGRITY;
    listing->unreadable += engine->result != RUNG_OK && engine->result != RUNG_INTEGRITY;
}

static int list(rung_instance *instance, struct listing *listing, int count, char **operands)
{
    (void)count, (void)operands;
    const rung_result result = rung_engines_list(instance, take_engine, listing);
    return result == RUNG_OK ? EXIT_DONE : fail_with(result);
}

static int verify(rung_instance *instance, struct listing *listing, int count, char **operands)
{
    (void)count, (void)operands;
    const rung_result result = rung_engines_verify(instance, take_engine, listing);
    return result == RUNG_OK ? EXIT_DONE : fail_with(result);
}

static int clear(rung_instance *instance, struct listing *listing, int count, char **operands)
{
    uint32_t gone;
    (void)count, (void)operands;
    const rung_result result = rung_engines_clear(instance, &gone, &listing->bytes);
    if (result != RUNG_OK)
        return fail_with(result);
    listing->begun = true;
    if (!listing->engines)
        printf("%u engine%s removed, %.1f MB\n", gone, gone == 1 ? "" : "s",
               (double)listing->bytes / 1e6);
    return EXIT_DONE;
}

static int export(rung_instance *instance, struct listing *listing, int count, char **operands)
{
    char path[PATH_MAX];
    (void)count;
    rung_result result = find_model(instance, operands[0], path, sizeof path);
    const rung_engine_export_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .model_path = path,
        .output_path = common.output,
        .key_path = common.key,
        .rung = common.rung,
    };
    if (result == RUNG_OK)
        result = rung_engine_export(instance, &options);
    if (result != RUNG_OK)
        return fail_with(result);
    listing->begun = true;
    if (!listing->engines)
        printf("packed: %s (%s)\n", common.output, common.key ? "signed" : "unsigned");
    return EXIT_DONE;
}

/* ---- building ---- */

static void draw(struct listing *listing, const rung_engines_progress *progress)
{
    if (!listing->on_terminal)
        return;
    fprintf(stderr, "\r\033[KPreparing engines · %u of %u", progress->done + 1, progress->total);
    fflush(stderr);
    listing->drawn = true;
}

static void undraw(struct listing *listing)
{
    if (!listing->drawn)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    listing->drawn = false;
}

static void print_progress(struct listing *listing, const rung_engines_progress *progress)
{
    const char *slash = strrchr(progress->path, '/');
    if (!listing->begun)
        printf("%-24s %-12s %-8s %s\n", "MODEL", "RUNG", "STATE", "REASON");
    printf("%-24s %-12s %s%s%s\n", slash ? slash + 1 : progress->path,
           progress->rung[0] ? progress->rung : "-", progress->state,
           progress->reason[0] ? "  " : "", progress->reason);
    fflush(stdout);
}

static json_t *progress_json(const rung_engines_progress *progress)
{
    return json_pack("{s:s,s:s,s:s,s:s}", "path", progress->path, "rung", progress->rung, "state",
                     progress->state, "reason", progress->reason);
}

static void take_progress(void *user, const rung_engines_progress *progress)
{
    struct listing *listing = user;
    if (strcmp(progress->state, "building") == 0) {
        draw(listing, progress);
        return;
    }
    undraw(listing);
    if (listing->engines)
        append_item(listing->engines, progress_json(progress), &listing->complete);
    else
        print_progress(listing, progress);
    listing->begun = true;
    if (progress->result != RUNG_OK && !listing->unbuilt++)
        listing->status = exit_of(progress->result);
}

/** Paths of models. */
struct paths {
    char **items;
    uint32_t count;
    bool complete;
};

static void add_path(struct paths *paths, const char *path)
{
    char **longer = realloc(paths->items, (paths->count + 1) * sizeof *longer);
    char *copy = longer ? strdup(path) : NULL;
    if (longer)
        paths->items = longer;
    if (copy)
        longer[paths->count++] = copy;
    else
        paths->complete = false;
}

/** Those that -m finds by their names. */
static void take_file(void *user, const rung_model_file *file)
{
    if (file->result == RUNG_OK && !file->shadowed_by[0] && !(file->flags & RUNG_MODEL_FILE_FOLDER))
        add_path(user, file->path);
}

/** An exit status, after a message. */
static int find_paths(rung_instance *instance, int count, char **operands, struct paths *paths)
{
    char path[PATH_MAX];
    rung_result result = RUNG_OK;
    if (count == 0)
        result = rung_model_list(instance, RUNG_MODEL_LIST_UNVERIFIED, NULL, 0, take_file, paths);
    for (int i = 0; i < count && result == RUNG_OK; i++) {
        result = find_model(instance, operands[i], path, sizeof path);
        if (result == RUNG_OK)
            add_path(paths, path);
    }
    if (result != RUNG_OK)
        return fail_with(result);
    return paths->complete ? EXIT_DONE : fail_memory();
}

static int build_paths(rung_instance *instance, struct listing *listing, const struct paths *paths)
{
    const rung_engines_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .flags = again ? RUNG_ENGINES_AGAIN : 0,
        .threads = common.threads,
        .time_limit_ms = time_limit_s * 1000,
        .rung = common.rung,
    };
    if (!paths->count) {
        fprintf(stderr,
                "rung engines: there is no model; rung models lists those that are found\n");
        return EXIT_IO;
    }
    listing->on_terminal = progress_has_terminal();
    const rung_result result = rung_engines_build(instance, (const char *const *)paths->items,
                                                  paths->count, &options, take_progress, listing);
    undraw(listing);
    return result == RUNG_OK ? EXIT_DONE : fail_with(result);
}

static int build(rung_instance *instance, struct listing *listing, int count, char **operands)
{
    struct paths paths = {.complete = true};
    int status = find_paths(instance, count, operands, &paths);
    if (status == EXIT_DONE)
        status = build_paths(instance, listing, &paths);
    for (uint32_t i = 0; i < paths.count; i++)
        free(paths.items[i]);
    free(paths.items);
    return status;
}

/* ---- the command ---- */

static const char *const action_names[] = {"list", "build", "verify", "clear", "export", NULL};
static int (*const actions[])(rung_instance *, struct listing *, int count, char **operands) = {
    list, build, verify, clear, export,
};

/** What there is to say where nothing was printed. */
static int print_end(struct listing *listing, const char *action)
{
    if (listing->engines) {
        json_t *json = json_pack("{s:i,s:s,s:I,s:o}", "schema", 1, "action", action, "bytes",
                                 (json_int_t)listing->bytes, "engines", listing->engines);
        listing->engines = NULL;
        return report_print_line(json, listing->complete) ? EXIT_DONE : fail_memory();
    }
    if (!listing->begun)
        printf("there are no engines\n");
    return EXIT_DONE;
}

/** An exit status, with a sentence where all is not well. */
static int judge(const struct listing *listing)
{
    if (listing->damaged || listing->unreadable)
        fprintf(stderr, "rung engines: %u damaged, %u unreadable; their lines tell why\n",
                listing->damaged, listing->unreadable);
    if (listing->unbuilt)
        fprintf(stderr, "rung engines: %u could not be built; their lines tell why\n",
                listing->unbuilt);
    return listing->unbuilt      ? listing->status
           : listing->damaged    ? EXIT_INTEGRITY
           : listing->unreadable ? EXIT_IO
                                 : EXIT_DONE;
}

static int act(size_t action, int count, char **operands)
{
    rung_instance *instance;
    struct listing listing = {.complete = true};
    rung_result result = open_instance(&instance);
    if (result != RUNG_OK)
        return fail_with(result);
    listing.engines = common.json ? json_array() : NULL;
    int status = common.json && !listing.engines
                     ? fail_memory()
                     : actions[action](instance, &listing, count, operands);
    if (status == EXIT_DONE)
        status = print_end(&listing, action_names[action]);
    if (status == EXIT_DONE)
        status = judge(&listing);
    json_decref(listing.engines);
    rung_instance_destroy(instance);
    return status;
}

/** True when the action takes what it is given; else a sentence is printed. */
static bool fits(size_t action, int count, char **operands)
{
    if (actions[action] == export) {
        if (count == 2 && common.output)
            return true;
        fprintf(stderr, "rung engines export takes one model, and -o FILE\n");
    } else if (common.output || common.key) {
        fprintf(stderr, "rung engines %s writes no file; -o and --key are for export\n",
                operands[0]);
    } else if (count > 1 && actions[action] != build) {
        fprintf(stderr, "rung engines %s takes no model, from %s\n", operands[0], operands[1]);
    } else {
        return true;
    }
    return false;
}

static int run(int count, char **operands)
{
    size_t action = 0;
    while (action_names[action] && strcmp(action_names[action], operands[0]) != 0)
        action++;
    if (!action_names[action]) {
        fprintf(stderr, "rung engines: it is list, build, verify, clear or export, not \"%s\"\n",
                operands[0]);
        return EXIT_USAGE;
    }
    if (!fits(action, count, operands))
        return EXIT_USAGE;
    return act(action, count - 1, operands + 1);
}

static const struct option_row options[] = {
    ROW_JSON,
    ROW_RUNG,
    {.name = "again", .text = "also build what could not be built before", .target = &again},
    ROW_THREADS(
        "threads of one run, where a rung takes more than one (default: the physical cores)"),
    {
        .name = "time-limit",
        .argument = "SECONDS",
        .text = "how long an engine may take (default 600)",
        .kind = OPTION_NUMBER,
        .target = &time_limit_s,
        .least = 1,
        .most = 86400,
    },
    {.letter = 'o',
     .name = "output",
     .argument = "FILE",
     .text = "export: the model file to write",
     .kind = OPTION_TEXT,
     .value = VALUE_FILE,
     .target = &common.output},
    ROW_KEY,
    ROWS_INSTANCE,
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung engines build centerface", "Compile a model for this device before it is needed."},
    {"rung engines verify", "Is every engine as it was built? What is not is removed."},
    {"rung engines export small --rung qnn-htp -o small-here.rung -k key.pem",
     "The engine as a model file that devices like this one need not compile."},
    {NULL, NULL},
};

const struct command command_engines = {
    .name = "engines",
    .operands = "list|build|verify|clear|export [MODEL…]",
    .operand = VALUE_MODEL,
    .actions = action_names,
    .text = "List, build, verify, remove or export what was compiled for this device",
    .more =
        "Some rungs compile a model for the device before they can run it. What they make is kept "
        "in $XDG_CACHE_HOME/rung/engines (~/.cache/rung/engines) with the digests of its files, "
        "and "
        "verified each time that it is used.\n\n"
        "build makes what is missing of the models that are named, or of all that are found, for "
        "the rung that a probe chose for each, or for --rung; the smallest first, one at a time. "
        "What cannot be built is remembered, and left alone until the model, the device, a driver "
        "or a library changes, or --again is given.\n\n"
        "verify removes engines that are damaged. Where there are any the exit status is 4, and 5 "
        "where one cannot be read, for list too. clear removes all.\n\n"
        "export makes a model file of a built engine that is one file (of qnn-htp): signed with "
        "--key, it serves on its rung alone, and only where device, drivers and libraries are the "
        "same; elsewhere it is refused with what differs.",
    .options = options,
    .examples = examples,
    .see = (const char *const[]){"probe", "explain", NULL},
    .run = run,
    .least_operands = 1,
    .most_operands = -1,
};
