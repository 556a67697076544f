/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_MODEL_H
#define RUNG_MODEL_H

#include <rung/export.h>
#include <rung/instance.h>
#include <rung/result.h>
#include <rung/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags of rung_model_options. */
enum {
    /**
     * Also a precision that the model's role is pinned away from: an embedder is otherwise served
     * in f32 alone, unless its gate record says that it passed in another one on that rung. For
     * measuring what it is worth there: no other form serves in the file's place.
     */
    RUNG_MODEL_ANY_PRECISION = 1u << 0
};

/** How a model is opened. All zero (but for size and version) is a good default. */
typedef struct rung_model_options {
    uint32_t struct_size; /**< sizeof(rung_model_options) */
    uint32_t version;     /**< RUNG_STRUCT_VERSION */
    uint32_t flags;       /**< RUNG_MODEL_* */
    uint32_t threads;     /**< threads of one run; 0: the usable physical cores */
    const char *rung;     /**< the only rung allowed, such as "ort-cpu"; NULL: the one that a probe
                               chose (rung/probe.h), else the best one */
    uint64_t reserved[6];
} rung_model_options;

/** One admitted model, loaded into a runtime. Opaque. */
typedef struct rung_model rung_model;

/**
 * Opens, verifies and loads a model file.
 *
 * Before any byte of the graph reaches a runtime, the file's structure, digest, signature and trust
 * are checked. The loaded model's real inputs, outputs, shapes and types are then compared with
 * what the file declares, and the file with what it was when it was verified. A bundle is loaded
 * from a private copy in the user's cache folder ($XDG_CACHE_HOME/rung, default ~/.cache/rung),
 * which must be the user's alone (PERMISSION).
 *
 * The first call that loads ONNX Runtime sets ORT_DISABLE_TELEMETRY=1 in this process, without
 * which its official builds write a device id to the user's cache folder and report home. A program
 * that reads its environment on another thread makes this first call before, or sets it itself.
 *
 * A model in f32 may have other forms in its folder. One of them serves in its place where it
 * passed its gate on a rung and a probe found it faster there than the model in f32 is on this
 * machine, or where a rung is named that takes no model in f32 (docs/ladder.md#forms). An open
 * model keeps its form, and what rung_model_get_info tells is that form's. With
 * RUNG_MODEL_ANY_PRECISION, and with a rung named that takes the file, the file itself serves.
 *
 * `options` may be NULL and is not kept. `*out` belongs to the caller, who ends it with
 * rung_model_destroy after its contexts and before its instance. Safe from any thread.
 * Results: OK, INVALID_ARGUMENT, VERSION, IO (no model file), INTEGRITY (damaged, changed, or not
 * what it declares), PERMISSION (unsigned, unknown key), UNSUPPORTED (no rung can run it),
 * NOT_FOUND (no such rung), BACKEND, NO_MEMORY.
 */
RUNG_API rung_result rung_model_open(rung_instance *instance, const char *path,
                                     const rung_model_options *options, rung_model **out);

/**
 * Finds a model file by its name, such as "centerface": NAME.rung in the folders of
 * RUNG_MODEL_PATH, the user's ($XDG_DATA_HOME/rung/models, default ~/.local/share/rung/models) and
 * the installed ones, in that order. The name is only a file's name here; what the file is shows
 * when it is opened.
 *
 * `path` receives the path with a terminating zero; `*needed` (may be NULL) its size with that
 * zero, also when it does not fit. Safe from any thread. Results: OK, INVALID_ARGUMENT (no name:
 * `[a-z0-9][a-z0-9._-]*`, at most 64), NOT_FOUND (the detail lists the folders), CAPACITY,
 * NO_MEMORY.
 */
RUNG_API rung_result rung_model_find(const rung_instance *instance, const char *name,
                                     rung_span path, size_t *needed);

/** Flags of rung_model_list. */
enum {
    /** Read only what each file says of itself, and prove nothing: names in no time. */
    RUNG_MODEL_LIST_UNVERIFIED = 1u << 0
};

/** Flags of rung_model_file. */
enum {
    /** `path` is a folder that could not be listed, and `result` and `reason` tell why. */
    RUNG_MODEL_FILE_FOLDER = 1u << 0
};

/**
 * One file that rung_model_list found. What it says of itself is proved only when it was verified
 * and `result` is OK; it is zero and "" when it cannot be read. The strings live for the callback,
 * and none is NULL.
 */
typedef struct rung_model_file {
    uint32_t struct_size; /**< sizeof(rung_model_file), set by the library */
    uint32_t version;     /**< RUNG_STRUCT_VERSION, set by the library */
    uint32_t flags;       /**< RUNG_MODEL_FILE_* */
    rung_result result;   /**< what rung_artifact_verify gives for it, whichever device an
                               engine is for; unverified: of its header */
    const char *reason;   /**< the sentence about it; "" when OK */
    const char *path;
    const char *shadowed_by; /**< the file of an earlier folder that has the same name; "": none */
    const char *name;        /**< what the model is called in its file */
    const char *artifact;    /**< content digest: 64 hexadecimal digits */
    const char *key_id;      /**< of the signer, 16 hexadecimal digits; "" when unsigned */
    const char *key_path;    /**< the file of that key, when it is a trusted one; else "" */
    uint64_t bytes;          /**< the size of the file */
    rung_role role;
    rung_form form;
    uint32_t canvas_width, canvas_height; /**< pixels */
    rung_artifact_kind kind;              /**< an engine serves on its own device alone */
    uint32_t reserved_0;
    uint64_t reserved[7];
} rung_model_file;

/** Receives the files one after the other, on the calling thread. */
typedef void (*rung_model_file_callback)(void *user, const rung_model_file *file);

/**
 * Verifies each `*.rung` of `count` folders, in their order and by the bytes of its name within
 * one, and hands what came of it to `callback`. Without folders (`count` 0) they are those of
 * rung_model_find, as far as they exist.
 *
 * A file that is damaged or no model, or a folder that cannot be listed, is one call of `callback`
 * like the others. `flags` are RUNG_MODEL_LIST_*. A folder with more than 65536 names is not
 * listed. Each file whose signer is trusted is read and hashed. Safe from any thread. Results: OK,
 * INVALID_ARGUMENT, NO_MEMORY.
 */
RUNG_API rung_result rung_model_list(const rung_instance *instance, uint32_t flags,
                                     const char *const *folders, uint32_t count,
                                     rung_model_file_callback callback, void *user);

/**
 * Tells of the other forms of a model in f32 that lie in its folder (docs/ladder.md#forms): a JSON
 * object whose `forms` has, of each, what it is and what it is worth here (docs/explain.md). Files
 * that are no form of it are left out; a model in another form has none.
 *
 * `*needed` (may be NULL) is set to the size with the zero behind it; too small a span is CAPACITY,
 * and nothing is written. It reads and hashes the forms. Safe from any thread. Results: those of
 * rung_artifact_verify, CAPACITY.
 */
RUNG_API rung_result rung_model_forms(rung_instance *instance, const char *path, rung_span to,
                                      size_t *needed);

/** Ends a model whose contexts are all destroyed, on any thread, while no other call of it is under
 * way. NULL is allowed. */
RUNG_API void rung_model_destroy(rung_model *model);

/** What a model is. The strings live as long as the model. */
typedef struct rung_model_info {
    uint32_t struct_size; /**< sizeof(rung_model_info), set by the caller */
    uint32_t version;     /**< RUNG_STRUCT_VERSION, set by the caller */
    const char *name;
    const char *identity; /**< what the results are: the name, and the precision when not f32
                               (rung/identity.h) */
    const char *rung;     /**< the path that serves, such as "ort-cpu" */
    const char *reason;   /**< why that one, one sentence */
    const char *artifact; /**< content digest: SHA-256 of the payload, 64 hexadecimal digits */
    const char *key_id;   /**< 16 hexadecimal digits; "" when unsigned */
    rung_role role;
    rung_form form;
    rung_head head;
    uint32_t canvas_width, canvas_height; /**< pixels */
    uint32_t max_targets;
    uint32_t class_count;      /**< number of labels; 0: the file has none */
    uint32_t threads;          /**< threads of one run, resolved */
    uint64_t max_output_bytes; /**< a span of this size holds every packet of the model, as long
                                    as a context does not override max_targets */
    uint32_t embedding_length; /**< numbers of an embedder's vector; else 0 */
    uint32_t normalised;       /**< embedders: 1: vectors are divided by their L2 norm */
    uint32_t mask_classes;     /**< segmenters: classes of a mask, 2..256; else 0 */
    uint32_t min_confidence;   /**< the artifact's own, 65535 = 1.0 */
    uint32_t iou;              /**< detectors: the artifact's own, 65535 = 1.0 */
    uint32_t suppression;      /**< detectors: RUNG_SUPPRESS* */
    const char *precision;     /**< of the numbers that are executed: "f32", "f16", "i8", "a16w8",
                                    "a16w16" */
    const char *canonical;     /**< the digest of the model in f32 that this form was made from, 64
                                    hexadecimal digits; "": the file does not tell */
    uint64_t reserved[3];
} rung_model_info;

/** Fills `*info`, whose size and version the caller has set. Safe from any thread. Results: OK,
 * INVALID_ARGUMENT, VERSION. */
RUNG_API rung_result rung_model_get_info(const rung_model *model, rung_model_info *info);

/**
 * The label of a class, UTF-8, as long as the model lives. Without labels, or past their end,
 * NOT_FOUND, and `*out` is "". Safe from any thread. Results: OK, INVALID_ARGUMENT, NOT_FOUND.
 */
RUNG_API rung_result rung_model_get_label(const rung_model *model, uint32_t class_id,
                                          const char **out);

#ifdef __cplusplus
}
#endif

#endif
