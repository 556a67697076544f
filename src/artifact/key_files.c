/* SPDX-License-Identifier: Apache-2.0 */
/* Keys as PEM files. */
#include <rung/artifact.h>

#include <string.h>

#include "artifact/signature.h"
#include "base/error.h"
#include "base/file.h"

#define MODE_SECRET 0600u
#define MODE_PUBLIC 0644u

static void finish_secret(struct rung__buffer *secret)
{
    volatile uint8_t *at = secret->data;
    for (size_t i = 0; i < secret->size; i++)
        at[i] = 0;
    rung__buffer_finish(secret);
}

static rung_result refuse_existing(const char *path)
{
    if (rung__path_kind(path) == RUNG__PATH_MISSING)
        return RUNG_OK;
    return rung__fail(RUNG_ALREADY_EXISTS, "%s exists already; keys are never overwritten", path);
}

/* Half a pair would stand in the way of the next attempt. */
static rung_result save_pair(const char *private_path, const struct rung__buffer *private_pem,
                             const char *public_path, const struct rung__buffer *public_pem)
{
    rung_result result =
        rung__file_save(private_path, rung__buffer_bytes(private_pem), MODE_SECRET, false);
    if (result != RUNG_OK)
        return result;
    result = rung__file_save(public_path, rung__buffer_bytes(public_pem), MODE_PUBLIC, false);
    if (result != RUNG_OK)
        (void)rung__file_remove(private_path);
    return result;
}

rung_result rung_key_generate(const char *private_path, const char *public_path)
{
    struct rung__buffer private_pem = {0}, public_pem = {0};
    void *key = NULL;
    if (!private_path || !public_path || strcmp(private_path, public_path) == 0)
        return rung__fail(RUNG_INVALID_ARGUMENT, "a path for the private key and another one for "
                                                 "the public key are needed");
    rung_result result = refuse_existing(private_path);
    if (result == RUNG_OK)
        result = refuse_existing(public_path);
    if (result == RUNG_OK)
        result = rung__key_make(&key);
    if (result == RUNG_OK)
        result = rung__key_write_private(key, &private_pem);
    if (result == RUNG_OK)
        result = rung__key_write_public(key, &public_pem);
    if (result == RUNG_OK)
        result = save_pair(private_path, &private_pem, public_path, &public_pem);

    rung__key_free(key);
    finish_secret(&private_pem);
    rung__buffer_finish(&public_pem);
    return result;
}

rung_result rung__key_load_private(const char *path, void **key, uint8_t id[RUNG__KEY_ID_BYTES])
{
    struct rung__buffer pem = {0};
    rung_result result = rung__file_load(path, RUNG__PEM_BYTES_MAX, &pem);
    if (result == RUNG_OK)
        result = rung__key_read_private(rung__buffer_bytes(&pem), path, key);
    if (result == RUNG_OK)
        result = rung__key_id(*key, id);
    finish_secret(&pem);
    return result;
}

rung_result rung__key_load_public(const char *path, void **key, uint8_t id[RUNG__KEY_ID_BYTES])
{
    struct rung__buffer pem = {0};
    rung_result result = rung__file_load(path, RUNG__PEM_BYTES_MAX, &pem);
    if (result == RUNG_OK)
        result = rung__key_read_public(rung__buffer_bytes(&pem), path, key);
    if (result == RUNG_OK)
        result = rung__key_id(*key, id);
    rung__buffer_finish(&pem);
    return result;
}
