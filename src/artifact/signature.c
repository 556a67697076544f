/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/signature.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include "base/error.h"

#define HALF_BYTES (RUNG__SIGNATURE_BYTES / 2)

/* The DER of two 32-byte integers: 2 + 2 × (2 + 1 + 32). */
#define DER_BYTES_MAX 72

/* libcrypto keeps its own list of errors for the thread; what it says of is ours to tell. */
static rung_result fail_crypto(rung_result result, const char *what)
{
    ERR_clear_error();
    return rung__fail(result, "%s", what);
}

/* ---- r and s as bytes, and the DER that libcrypto speaks ---------------------------------- */

static int der_of(const uint8_t raw[RUNG__SIGNATURE_BYTES], uint8_t der[DER_BYTES_MAX])
{
    int size = -1;
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(raw, HALF_BYTES, NULL);
    BIGNUM *s = BN_bin2bn(raw + HALF_BYTES, HALF_BYTES, NULL);
    if (pair && r && s && ECDSA_SIG_set0(pair, r, s) == 1) {
        r = s = NULL; /* they are the pair's now */
        uint8_t *at = der;
        size = i2d_ECDSA_SIG(pair, &at);
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(pair);
    return size;
}

bool rung__signature_from_der(struct rung__bytes der, uint8_t raw[RUNG__SIGNATURE_BYTES])
{
    if (der.size > DER_BYTES_MAX)
        return false;
    const uint8_t *at = der.data;
    ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &at, (long)der.size);
    const bool fits =
        pair && at == der.data + der.size &&
        BN_bn2binpad(ECDSA_SIG_get0_r(pair), raw, HALF_BYTES) == (int)HALF_BYTES &&
        BN_bn2binpad(ECDSA_SIG_get0_s(pair), raw + HALF_BYTES, HALF_BYTES) == (int)HALF_BYTES;
    ECDSA_SIG_free(pair);
    ERR_clear_error();
    return fits;
}

/* libcrypto gives no other answer when it had no memory to find out. */
static rung_result refuse_signature(void)
{
    if (rung__crypto_lacks_memory())
        return rung__fail(RUNG_NO_MEMORY, "no memory to verify a signature");
    return rung__fail(RUNG_INTEGRITY,
                      "the signature is wrong: the file was changed after it was signed, or was "
                      "signed with another key");
}

rung_result rung__signature_verify(void *key, const uint8_t digest[RUNG__SHA256_BYTES],
                                   const uint8_t signature[RUNG__SIGNATURE_BYTES])
{
    uint8_t der[DER_BYTES_MAX];
    const int der_bytes = der_of(signature, der);
    ERR_clear_error();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    rung_result result = RUNG_OK;

    if (der_bytes <= 0 || !context || EVP_PKEY_verify_init(context) != 1)
        result = fail_crypto(RUNG_NO_MEMORY, "no memory to verify a signature");
    else if (EVP_PKEY_verify(context, der, (size_t)der_bytes, digest, RUNG__SHA256_BYTES) != 1)
        result = refuse_signature();
    EVP_PKEY_CTX_free(context);
    return result;
}

rung_result rung__signature_make(void *key, const uint8_t digest[RUNG__SHA256_BYTES],
                                 uint8_t signature[RUNG__SIGNATURE_BYTES])
{
    uint8_t der[DER_BYTES_MAX];
    size_t der_bytes = sizeof der;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    const bool made = context && EVP_PKEY_sign_init(context) == 1 &&
                      EVP_PKEY_sign(context, der, &der_bytes, digest, RUNG__SHA256_BYTES) == 1 &&
                      rung__signature_from_der((struct rung__bytes){der, der_bytes}, signature);
    EVP_PKEY_CTX_free(context);
    return made ? RUNG_OK : fail_crypto(RUNG_BACKEND, "libcrypto cannot make a signature");
}
