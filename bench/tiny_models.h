/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_BENCH_TINY_MODELS_H
#define RUNG_BENCH_TINY_MODELS_H

#include <rung/context.h>

/* Signed models of one or two nodes in a folder of their own, for what a call costs beside its
 * model. A failure ends the program. */

#define TINY_SIDE   8 /* of the canvas */
#define TINY_MODELS 3

struct tiny_model {
    const char *name;
    const char *spec;         /**< what its spec has beyond that of all */
    rung_pixel_format format; /**< of a frame that needs the least work */
    const char *op;           /**< over the picture; NULL: a constant */
};

extern const struct tiny_model tiny_models[TINY_MODELS];

struct tiny_folder {
    char path[64];
    char graph[96], spec[96], private_key[96], public_key[96], model[96];
};

/** Makes the folder and keys. */
void tiny_folder_make(struct tiny_folder *folder);
/** Writes folder->model, in place of the one before. */
void tiny_model_make(const struct tiny_folder *folder, const struct tiny_model *model);
void tiny_folder_remove(const struct tiny_folder *folder);

/** Ends the program with the library's sentence unless the result is OK. */
void must(rung_result result);

#endif
