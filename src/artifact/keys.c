/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/signature.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>

#include "base/error.h"

static const char curve[] = "prime256v1"; /* P-256 in libcrypto's words */

/* libcrypto would otherwise ask on the terminal. */
static int no_password(char *to, int size, int writing, void *user)
{
    (void)writing, (void)user;
    if (size > 0)
        to[0] = '\0';
    return -1;
}

bool rung__crypto_lacks_memory(void)
{
    bool lacks = false;
    for (unsigned long error; (error = ERR_get_error());)
        lacks |= ERR_GET_REASON(error) == ERR_R_MALLOC_FAILURE;
    return lacks;
}

static bool is_p256(EVP_PKEY *key)
{
    char group[32];
    size_t length;
    return EVP_PKEY_is_a(key, "EC") &&
           EVP_PKEY_get_group_name(key, group, sizeof group, &length) == 1 &&
           strcmp(group, curve) == 0;
}

typedef EVP_PKEY *read_pem(BIO *, EVP_PKEY **, pem_password_cb *, void *);

static rung_result read_once(struct rung__bytes pem, const char *what, read_pem *read,
                             const char *wanted, void **key)
{
    BIO *bio = BIO_new_mem_buf(pem.data, (int)pem.size);
    if (!bio)
        return rung__fail(RUNG_NO_MEMORY, "no memory to read %s", what);
    ERR_clear_error();
    EVP_PKEY *read_key = read(bio, NULL, no_password, NULL);
    const bool was_read = read_key != NULL;
    BIO_free(bio);
    if (was_read && is_p256(read_key)) {
        ERR_clear_error();
        *key = read_key;
        return RUNG_OK;
    }
    EVP_PKEY_free(read_key);
    if (rung__crypto_lacks_memory())
        return rung__fail(RUNG_NO_MEMORY, "no memory to read %s", what);
    if (!was_read)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s holds no %s", what, wanted);
    return rung__fail(RUNG_INVALID_ARGUMENT,
                      "%s holds a key of another kind; an ECDSA key on P-256 is needed, such "
                      "as `rung keygen` makes",
                      what);
}

static rung_result read_key(struct rung__bytes pem, const char *what, read_pem *read,
                            const char *wanted, void **key)
{
    *key = NULL;
    if (pem.size == 0 || pem.size > RUNG__PEM_BYTES_MAX)
        return rung__fail(RUNG_INVALID_ARGUMENT, "%s is no PEM file: it has %zu bytes", what,
                          pem.size);
    rung_result result = read_once(pem, what, read, wanted, key);
    /* Where libcrypto has no memory for the name of a curve it says so nowhere: the key is then of
     * no curve. Asked again it is of one. */
    if (result == RUNG_INVALID_ARGUMENT)
        result = read_once(pem, what, read, wanted, key);
    return result;
}

rung_result rung__key_read_public(struct rung__bytes pem, const char *what, void **key)
{
    return read_key(pem, what, PEM_read_bio_PUBKEY, "public key in PEM form (BEGIN PUBLIC KEY)",
                    key);
}

rung_result rung__key_read_private(struct rung__bytes pem, const char *what, void **key)
{
    return read_key(pem, what, PEM_read_bio_PrivateKey,
                    "private key in PEM form without a password (BEGIN PRIVATE KEY)", key);
}

void rung__key_free(void *key)
{
    EVP_PKEY_free(key);
}

rung_result rung__key_make(void **key)
{
    *key = EVP_EC_gen(curve);
    ERR_clear_error();
    return *key ? RUNG_OK : rung__fail(RUNG_BACKEND, "libcrypto cannot make a P-256 key");
}

/* Takes what was written to `bio`, and wipes it there: it may be a secret. */
static rung_result take_text(BIO *bio, bool written, struct rung__buffer *to)
{
    char *text = NULL;
    const long size = bio ? BIO_get_mem_data(bio, &text) : 0;
    rung_result result = RUNG_OK;

    if (!written || size <= 0)
        result = rung__fail(RUNG_BACKEND, "libcrypto cannot write a key as PEM");
    else
        result = rung__buffer_append(to, text, (size_t)size);
    if (size > 0)
        OPENSSL_cleanse(text, (size_t)size);
    BIO_free(bio);
    ERR_clear_error();
    return result;
}

rung_result rung__key_write_private(void *key, struct rung__buffer *to)
{
    BIO *bio = BIO_new(BIO_s_mem());
    const bool written =
        bio && PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) == 1;
    return take_text(bio, written, to);
}

rung_result rung__key_write_public(void *key, struct rung__buffer *to)
{
    BIO *bio = BIO_new(BIO_s_mem());
    const bool written = bio && PEM_write_bio_PUBKEY(bio, key) == 1;
    return take_text(bio, written, to);
}

rung_result rung__key_id(void *key, uint8_t id[RUNG__KEY_ID_BYTES])
{
    uint8_t digest[RUNG__SHA256_BYTES];
    unsigned char *der = NULL;
    const int size = i2d_PUBKEY(key, &der);
    if (size <= 0) {
        ERR_clear_error();
        return rung__fail(RUNG_NO_MEMORY, "no memory for the id of a key");
    }
    rung_result result = rung__sha256_of(der, (size_t)size, digest);
    OPENSSL_free(der);
    if (result == RUNG_OK)
        memcpy(id, digest, RUNG__KEY_ID_BYTES);
    return result;
}
