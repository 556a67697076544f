/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_COMMON_H
#define RUNG_CLI_COMMON_H

#include <jansson.h>
#include <stdbool.h>

#include <rung/rung.h>

#include "options.h"

/** Exit statuses, the same for every command (rung help exit). */
enum {
    EXIT_DONE = 0,
    EXIT_VERDICT = 1, /**< a negative verdict */
    EXIT_USAGE = 2,
    EXIT_BACKEND = 3,   /**< no runtime, or it failed */
    EXIT_INTEGRITY = 4, /**< damaged, changed, not trusted, or of another identity */
    EXIT_IO = 5,        /**< reading or writing */
    EXIT_DEFECT = 70,   /**< ours */
    EXIT_INTERRUPTED = 130
};

/** Options that several commands share; their rows are macros so that each table stays one table.
 */
extern struct common_options {
    const char *model, *trust, *runtime, *rung, *require, *ladder, *output, *key, *public_key;
    const char *hint, *resume, *probe, *plan;
    bool json, allow_unsigned, verbose, null_separated;
    bool tells; /**< what takes long is told, as to somebody who waits */
    uint32_t threads;
    uint64_t max_pixels;
} common;

#define ROW_JSON                                                                                   \
    {                                                                                              \
        .name = "json", .text = "machine-readable output", .target = &common.json                  \
    }
#define ROW_MODEL                                                                                  \
    {                                                                                              \
        .letter = 'm', .name = "model", .argument = "MODEL",                                       \
        .text = "a model file, or the name of one (rung help models)", .kind = OPTION_TEXT,        \
        .value = VALUE_MODEL, .target = &common.model                                              \
    }
#define ROW_PLAN                                                                                   \
    {                                                                                              \
        .name = "plan", .argument = "PLAN",                                                        \
        .text = "which implementation each stage has: a file, or JSON itself (rung help plan)",    \
        .kind = OPTION_TEXT, .value = VALUE_FILE, .target = &common.plan                           \
    }
#define ROW_PROBE                                                                                  \
    {                                                                                              \
        .name = "probe", .argument = "POLICY",                                                     \
        .text = "which rungs are measured after the first answer, in the background, where "       \
                "nothing is proven on this device (default: RUNG_PROBE, else all on an idle "      \
                "machine, and the first that beats the floor on a busy one)",                      \
        .kind = OPTION_CHOICE, .target = &common.probe, .choices = probe_policies                  \
    }
#define ROW_THREADS(TEXT)                                                                          \
    {                                                                                              \
        .name = "threads", .argument = "N", .text = TEXT, .kind = OPTION_NUMBER,                   \
        .target = &common.threads, .least = 1, .most = 1024                                        \
    }
#define ROW_TRUST                                                                                  \
    {                                                                                              \
        .name = "trust", .argument = "PATH",                                                       \
        .text = "trust this public key, or the keys in this folder", .kind = OPTION_TEXT,          \
        .value = VALUE_PATH, .target = &common.trust                                               \
    }
#define ROW_RUNTIME                                                                                \
    {                                                                                              \
        .name = "runtime", .argument = "PATH", .text = "look for inference runtimes here first",   \
        .kind = OPTION_TEXT, .value = VALUE_PATH, .target = &common.runtime                        \
    }
#define ROW_RUNG                                                                                   \
    {                                                                                              \
        .name = "rung", .argument = "RUNG", .text = "allow this rung only, such as ort-cpu",       \
        .kind = OPTION_TEXT, .value = VALUE_RUNG, .target = &common.rung                           \
    }
#define ROW_REQUIRE                                                                                \
    {                                                                                              \
        .name = "require", .argument = "RUNG",                                                     \
        .text = "this rung serves, or the exit status is 1", .kind = OPTION_TEXT,                  \
        .value = VALUE_RUNG, .target = &common.require                                             \
    }
#define ROW_LADDER                                                                                 \
    {                                                                                              \
        .name = "ladder", .argument = "FILE",                                                      \
        .text = "add, remove or reorder rungs as this file says", .kind = OPTION_TEXT,             \
        .value = VALUE_FILE, .target = &common.ladder                                              \
    }
/** What exit status 1 says of commands with ROW_REQUIRE. */
#define REQUIRE_VERDICT "a rung of --require that cannot serve the model here"
#define ROW_UNSIGNED                                                                               \
    {                                                                                              \
        .name = "allow-unsigned", .text = "admit a model without a signature; reports say so",     \
        .target = &common.allow_unsigned                                                           \
    }
#define ROW_VERBOSE                                                                                \
    {                                                                                              \
        .letter = 'v', .name = "verbose", .text = "also show what the library reports",            \
        .target = &common.verbose                                                                  \
    }
/** The last rows of what opens an instance. */
#define ROWS_INSTANCE ROW_RUNTIME, ROW_TRUST, ROW_UNSIGNED, ROW_VERBOSE
#define ROW_KEY                                                                                    \
    {                                                                                              \
        .letter = 'k', .name = "key", .argument = "FILE", .text = "the private key, PEM",          \
        .kind = OPTION_TEXT, .value = VALUE_FILE, .target = &common.key                            \
    }
#define ROW_PUBLIC_KEY                                                                             \
    {                                                                                              \
        .name = "public-key", .argument = "FILE",                                                  \
        .text = "the public key of the one who signs, PEM", .kind = OPTION_TEXT,                   \
        .value = VALUE_FILE, .target = &common.public_key                                          \
    }
#define ROW_END                                                                                    \
    {                                                                                              \
        0                                                                                          \
    }

/** Nanoseconds on a clock that only goes forward: the library's. */
uint64_t now_ns(void);

/** The exit status that a result of the library means. */
int exit_of(rung_result result);

/** Prints "rung: " and the library's last detail, and gives the exit status of `result`. */
int fail_with(rung_result result);

/** The same after open_model: 1 where the rung of --require is in the way. */
int fail_to_open(rung_result result);

/** The folder of this program; false when it is unknown. */
bool program_folder(char *folder, size_t size);

/** The policies of probing, and that of a name (NULL: the default's). */
extern const char *const probe_policies[], *const asked_policies[];
rung_probe_policy probe_policy(const char *name);

/** An instance with the common options. */
rung_result open_instance(rung_instance **out);

/** The file of a model: a path, when it has a separator or ends in .rung, else looked up by name.
 */
rung_result find_model(rung_instance *instance, const char *model, char *path, size_t size);

/**
 * The model of a path, when it has a separator or ends in .rung, else of a name. `threads` are
 * those of one run, 0: the library's default.
 */
rung_result open_model(rung_instance *instance, const char *model, uint32_t threads,
                       rung_model **out);

/**
 * Calls a function of the two-call form that writes JSON, and parses what it wrote. Gives the exit
 * status; after a failure the message has been printed.
 */
int read_json(rung_result (*write)(void *user, rung_span to, size_t *needed), void *user,
              json_t **out);

/**
 * Parses JSON. NULL when it is none (`*is_json`), and without memory: then jansson says that it is
 * none, or leaves characters out of long strings, but not twice.
 */
json_t *load_json(const char *text, size_t length, bool *is_json);

/** Says that there is no memory, and gives the exit status. */
int fail_memory(void);

/** Without memory jansson makes NULL, and takes none: either is noted in `*complete`. */
void set_member(json_t *object, const char *key, json_t *value, bool *complete);
void append_item(json_t *array, json_t *item, bool *complete);

/** The JSON when it is complete; else frees it, and NULL. */
json_t *json_if(json_t *json, bool complete);

/** JSON as jansson's flags say, newly allocated; NULL without memory, and for NULL. */
char *json_text(const json_t *json, size_t flags);

/** How results are written: on one line, numbers with nine digits. */
#define REPORT_JSON_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(9))

/**
 * One line of JSON on standard output; all of it or nothing. False
 * without memory, and for NULL, which is what jansson makes then.
 */
bool print_json(const json_t *json);

/** A member's text, "" when it is missing. */
const char *text_of(const json_t *object, const char *key);

#endif
