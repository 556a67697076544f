/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "common.h"
#include "report.h"

#define NAME_BYTES   160
#define SIZE_BYTES   16
#define CANVAS_BYTES 24

static bool names_only;

/** A listing on its way. */
struct listing {
    rung_instance *instance;
    int status;
    unsigned damaged, unreadable;
    bool no_memory;
};

/** What a file is to somebody who would use it. */
static const char *state_of(const rung_model_file *file)
{
    switch (file->result) {
    case RUNG_OK:
        return file->key_id[0] ? "trusted" : "unsigned";
    case RUNG_PERMISSION:
        return file->key_id[0] ? "untrusted" : "unsigned";
    case RUNG_INTEGRITY:
        return "damaged";
    case RUNG_VERSION:
    case RUNG_UNSUPPORTED:
        return "unsupported";
    default:
        return "unreadable";
    }
}

static const char *role_name(rung_role role)
{
    switch (role) {
    case RUNG_ROLE_DETECTOR:
        return "detector";
    case RUNG_ROLE_EMBEDDER:
        return "embedder";
    case RUNG_ROLE_SEGMENTER:
        return "segmenter";
    }
    return "-";
}

static const char *form_name(rung_form form)
{
    switch (form) {
    case RUNG_FORM_F32:
        return "f32";
    case RUNG_FORM_F16:
        return "f16";
    case RUNG_FORM_INT8:
        return "int8";
    case RUNG_FORM_A16W8:
        return "a16w8";
    case RUNG_FORM_A16W16:
        return "a16w16";
    }
    return "-";
}

static const char *kind_name(rung_artifact_kind kind)
{
    switch (kind) {
    case RUNG_ARTIFACT_ONNX:
        return "onnx";
    case RUNG_ARTIFACT_COREML:
        return "coreml";
    case RUNG_ARTIFACT_ENGINE:
        return "engine";
    }
    return "-";
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/** What -m takes: the file's name without its ending. */
static int lookup_length(const rung_model_file *file)
{
    const char *name = file_name(file->path);
    return (int)(strlen(name) - strlen(".rung"));
}

/** Names come from outside: a terminal obeys control characters. */
static void print_clean(const char *text)
{
    for (; *text; text++)
        putchar(iscntrl((unsigned char)*text) ? '?' : *text);
}

static void format_name(char to[NAME_BYTES], const rung_model_file *file)
{
    const char *stem = file_name(file->path);
    const int length = lookup_length(file);
    const bool same = (int)strlen(file->name) == length && strncmp(stem, file->name, length) == 0;
    if (same || !file->name[0])
        snprintf(to, NAME_BYTES, "%.*s", length, stem);
    else
        snprintf(to, NAME_BYTES, "%.*s (%s)", length, stem, file->name);
    for (char *at = to; *at; at++)
        if (iscntrl((unsigned char)*at))
            *at = '?';
}

static void format_size(char to[SIZE_BYTES], uint64_t bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1000;
    snprintf(to, SIZE_BYTES, "%.*f %s", unit && value < 99.5 ? 1 : 0, value, units[unit]);
}

static void print_head(void)
{
    printf("%-24s %-9s %-6s %-9s %8s  %-11s %-16s %-16s %s\n", "NAME", "ROLE", "FORM", "CANVAS",
           "SIZE", "TRUST", "SIGNER", "KEY", "FILE");
}

/** The path, and the sentence about what keeps the file from being looked at or used at all. */
static void print_file(const rung_model_file *file)
{
    const bool tells = file->result != RUNG_OK && file->result != RUNG_PERMISSION;
    if (!tells || !strstr(file->reason, file->path)) {
        print_clean(file->path);
        printf("%s", tells ? ": " : "");
    }
    if (tells)
        print_clean(file->reason);
    if (file->kind == RUNG_ARTIFACT_ENGINE)
        printf(" (an engine for one device)");
    if (file->shadowed_by[0]) {
        printf(" (shadowed by ");
        print_clean(file->shadowed_by);
        printf(")");
    }
}

static void print_row(const rung_model_file *file)
{
    char name[NAME_BYTES], size[SIZE_BYTES] = "-", canvas[CANVAS_BYTES] = "-";
    format_name(name, file);
    if (file->bytes)
        format_size(size, file->bytes);
    if (file->canvas_width)
        snprintf(canvas, sizeof canvas, "%ux%u", file->canvas_width, file->canvas_height);
    printf("%-24s %-9s %-6s %-9s %8s  %-11s %-16s %-16s ", name, role_name(file->role),
           form_name(file->form), canvas, size, state_of(file),
           file->key_id[0] ? file->key_id : "-",
           file->key_path[0] ? file_name(file->key_path) : "-");
    print_file(file);
    putchar('\n');
    fflush(stdout); /* hashing the next one may take its time */
}

/** Names are bytes and JSON is UTF-8: what is no UTF-8 is replaced. */
static void set_text(json_t *object, const char *key, const char *text, bool *complete)
{
    char *valid = g_utf8_make_valid(text, -1);
    set_member(object, key, json_string(valid), complete);
    g_free(valid);
}

static void set_facts(json_t *line, const rung_model_file *file, bool *complete)
{
    set_member(line, "name", json_string(file->name), complete);
    set_member(line, "role", json_string(role_name(file->role)), complete);
    set_member(line, "form", json_string(form_name(file->form)), complete);
    set_member(line, "kind", json_string(kind_name(file->kind)), complete);
    set_member(line, "canvas",
               json_pack("{s:i,s:i}", "width", (int)file->canvas_width, "height",
                         (int)file->canvas_height),
               complete);
    set_member(line, "artifact", json_string(file->artifact), complete);
    if (file->key_id[0])
        set_member(line, "key_id", json_string(file->key_id), complete);
    if (file->key_path[0])
        set_text(line, "key", file->key_path, complete);
}

/** True for what a listing has to tell, and is none the worse for. */
static bool is_news(rung_result result)
{
    return result == RUNG_PERMISSION || result == RUNG_VERSION || result == RUNG_UNSUPPORTED;
}

static void set_reason(json_t *line, const rung_model_file *file, bool *complete)
{
    if (is_news(file->result)) {
        set_text(line, "reason", file->reason, complete);
        return;
    }
    json_t *error = json_object();
    set_member(error, "code", json_string(rung_result_name(file->result)), complete);
    set_text(error, "message", file->reason, complete);
    set_member(line, "error", error, complete);
}

static bool print_line(const rung_model_file *file)
{
    bool complete = true;
    json_t *line = report_new_line(file->path, &complete);
    if (!(file->flags & RUNG_MODEL_FILE_FOLDER)) {
        set_member(line, "state", json_string(state_of(file)), &complete);
        set_member(line, "bytes", json_integer((json_int_t)file->bytes), &complete);
    }
    if (file->name[0])
        set_facts(line, file, &complete);
    if (file->shadowed_by[0])
        set_text(line, "shadowed_by", file->shadowed_by, &complete);
    if (file->result != RUNG_OK)
        set_reason(line, file, &complete);
    return report_print_line(line, complete);
}

/** What a listing is not complete without counts more than a file that is there and damaged. */
static void note_status(struct listing *listing, const rung_model_file *file)
{
    if (file->result == RUNG_OK || is_news(file->result))
        return;
    const bool is_damaged = file->result == RUNG_INTEGRITY;
    int status = exit_of(file->result);
    if (!is_damaged && status != EXIT_BACKEND)
        status = EXIT_IO;
    if (is_damaged)
        listing->damaged++;
    else if (!(file->flags & RUNG_MODEL_FILE_FOLDER))
        listing->unreadable++;
    if (listing->status == EXIT_DONE || status == EXIT_BACKEND ||
        (status == EXIT_IO && listing->status == EXIT_INTEGRITY))
        listing->status = status;
}

static void take_file(void *user, const rung_model_file *file)
{
    struct listing *listing = user;
    note_status(listing, file);
    if (common.json)
        listing->no_memory |= !print_line(file);
    else if (file->flags & RUNG_MODEL_FILE_FOLDER)
        fprintf(stderr, "rung models: %s\n", file->reason);
    else
        print_row(file);
}

/** True for the name of a file that -m can be told. */
static bool is_name(const rung_instance *instance, const char *name)
{
    return rung_model_find(instance, name, (rung_span){NULL, 0}, NULL) != RUNG_INVALID_ARGUMENT;
}

/** A name that -m takes: of a file that comes first, and that begins as a model file does. */
static void take_name(void *user, const rung_model_file *file)
{
    const struct listing *listing = user;
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%.*s", lookup_length(file), file_name(file->path));
    if (file->result == RUNG_OK && !file->shadowed_by[0] && is_name(listing->instance, name))
        puts(name);
}

static void summarise(const struct listing *listing)
{
    if (common.json || !(listing->damaged || listing->unreadable))
        return;
    fprintf(stderr, "rung models: %u damaged, %u unreadable; their lines tell why\n",
            listing->damaged, listing->unreadable);
}

static int run(int count, char **operands)
{
    struct listing listing = {0};
    rung_result result = open_instance(&listing.instance);
    if (result != RUNG_OK)
        return fail_with(result);
    if (!common.json && !names_only)
        print_head();
    result = rung_model_list(listing.instance, names_only ? RUNG_MODEL_LIST_UNVERIFIED : 0,
                             (const char *const *)operands, (uint32_t)count,
                             names_only ? take_name : take_file, &listing);
    rung_instance_destroy(listing.instance);
    if (result != RUNG_OK)
        return fail_with(result);
    if (listing.no_memory)
        return fail_memory();
    summarise(&listing);
    return listing.status;
}

static const struct option_row options[] = {
    ROW_JSON,
    {.name = "names",
     .text = "only the names that -m takes, one a line, and nothing is verified",
     .target = &names_only},
    ROW_TRUST,
    ROW_UNSIGNED,
    ROW_VERBOSE,
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung models", "What -m finds by name."},
    {"rung models --trust key.pub.pem downloads", "Is what was fetched signed by that key?"},
    {NULL, NULL},
};

const struct command command_models = {
    .name = "models",
    .operands = "[FOLDER…]",
    .text = "List the model files there are, and which of them are trusted",
    .operand = VALUE_FOLDER,
    .more =
        "A model is one signed file, NAME.rung. -m takes its path (anything with a '/' or ending "
        "in .rung) or its name, which is looked up in the folders of RUNG_MODEL_PATH, in "
        "$XDG_DATA_HOME/rung/models (~/.local/share/rung/models), and beside the installed "
        "library. Those are the folders that are listed when no FOLDER is given, in that order; a "
        "file that an earlier folder has too is marked as shadowed.\n\n"
        "It is trusted when its signature is by a trusted key: --trust, RUNG_TRUST_PATH, the *.pem "
        "files in $XDG_CONFIG_HOME/rung/trust (~/.config/rung/trust), and what was installed with "
        "this program.\n\n"
        "Each file whose signer is trusted is read and hashed, as rung verify does, so that a "
        "large "
        "one takes its time; a line is printed when its file is done. What a file that "
        "is not trusted says of itself is shown, not proved. That a file is not trusted is no "
        "failure; a damaged one gives exit status 4, and what cannot be read 5.",
    .options = options,
    .examples = examples,
    .see = (const char *const[]){"verify", "inspect", NULL},
    .run = run,
    .least_operands = 0,
    .most_operands = -1,
};
