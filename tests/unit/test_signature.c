/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: signatures are those of RFC 6979's and everybody else's ECDSA, on P-256 alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "artifact/numbers.h"
#include "artifact/signature.h"

#define DER_BYTES 91

/* RFC 6979, A.2.5: the public key of P-256 as SubjectPublicKeyInfo. */
static const char key_der[] = "3059301306072a8648ce3d020106082a8648ce3d03010703420004"
                              "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
                              "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299";

/* The same section, SHA-256: message, and r followed by s. */
static const struct {
    const char *message, *signature;
} vectors[] = {
    {"sample", "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
               "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"},
    {"test", "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367"
             "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083"},
};

static void *read_public(const char *pem)
{
    void *key;
    const struct rung__bytes bytes = {(const uint8_t *)pem, strlen(pem)};
    if (rung__key_read_public(bytes, "key.pem", &key) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    return key;
}

static void *published_key(void)
{
    uint8_t der[DER_BYTES];
    unsigned char base64[2 * DER_BYTES];
    char pem[512];
    assert_true(rung__hex_read(key_der, strlen(key_der), der));
    EVP_EncodeBlock(base64, der, sizeof der);
    snprintf(pem, sizeof pem, "-----BEGIN PUBLIC KEY-----\n%.64s\n%s\n-----END PUBLIC KEY-----\n",
             (const char *)base64, (const char *)base64 + 64);
    return read_public(pem);
}

static void published_signatures_verify_and_their_neighbours_do_not(void **state)
{
    (void)state;
    void *key = published_key();
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint8_t digest[RUNG__SHA256_BYTES], signature[RUNG__SIGNATURE_BYTES];
        assert_true(rung__hex_read(vectors[i].signature, 2 * sizeof signature, signature));
        assert_int_equal(rung__sha256_of(vectors[i].message, strlen(vectors[i].message), digest),
                         RUNG_OK);
        assert_int_equal(rung__signature_verify(key, digest, signature), RUNG_OK);
        for (size_t bit = 0; bit < 8 * sizeof signature; bit++) {
            signature[bit / 8] ^= (uint8_t)(1u << bit % 8);
            assert_int_equal(rung__signature_verify(key, digest, signature), RUNG_INTEGRITY);
            signature[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        digest[31] ^= 1;
        assert_int_equal(rung__signature_verify(key, digest, signature), RUNG_INTEGRITY);
    }
    rung__key_free(key);
}

static void zero_and_huge_numbers_are_no_signature(void **state)
{
    (void)state;
    static const uint8_t digest[RUNG__SHA256_BYTES] = {0};
    uint8_t signature[RUNG__SIGNATURE_BYTES] = {0};
    void *key = published_key();
    assert_int_equal(rung__signature_verify(key, digest, signature), RUNG_INTEGRITY);
    memset(signature, 0xff, sizeof signature);
    assert_int_equal(rung__signature_verify(key, digest, signature), RUNG_INTEGRITY);
    rung__key_free(key);
}

static void a_key_id_begins_the_digest_of_the_public_key(void **state)
{
    (void)state;
    uint8_t der[DER_BYTES], digest[RUNG__SHA256_BYTES], id[RUNG__KEY_ID_BYTES];
    void *key = published_key();
    assert_true(rung__hex_read(key_der, strlen(key_der), der));
    assert_int_equal(rung__sha256_of(der, sizeof der, digest), RUNG_OK);
    assert_int_equal(rung__key_id(key, id), RUNG_OK);
    assert_memory_equal(id, digest, sizeof id);
    rung__key_free(key);
}

static void what_one_key_signs_no_other_verifies(void **state)
{
    (void)state;
    uint8_t digest[RUNG__SHA256_BYTES] = {1, 2, 3}, signature[RUNG__SIGNATURE_BYTES];
    void *mine, *other;
    assert_int_equal(rung__key_make(&mine), RUNG_OK);
    assert_int_equal(rung__key_make(&other), RUNG_OK);
    /* Often enough that some r and s begin with a zero byte. */
    for (uint8_t i = 0; i < 200; i++) {
        digest[0] = i;
        assert_int_equal(rung__signature_make(mine, digest, signature), RUNG_OK);
        assert_int_equal(rung__signature_verify(mine, digest, signature), RUNG_OK);
        assert_int_equal(rung__signature_verify(other, digest, signature), RUNG_INTEGRITY);
    }
    rung__key_free(other);
    rung__key_free(mine);
}

static void keys_come_back_from_pem(void **state)
{
    (void)state;
    static const uint8_t digest[RUNG__SHA256_BYTES] = {9};
    uint8_t signature[RUNG__SIGNATURE_BYTES];
    struct rung__buffer secret = {0}, public = {0};
    void *made, *private_key, *public_key;
    assert_int_equal(rung__key_make(&made), RUNG_OK);
    assert_int_equal(rung__key_write_private(made, &secret), RUNG_OK);
    assert_int_equal(rung__key_write_public(made, &public), RUNG_OK);
    assert_memory_equal(secret.data, "-----BEGIN PRIVATE KEY-----", 27);
    assert_int_equal(rung__key_read_private(rung__buffer_bytes(&secret), "s", &private_key),
                     RUNG_OK);
    assert_int_equal(rung__key_read_public(rung__buffer_bytes(&public), "p", &public_key), RUNG_OK);
    assert_int_equal(rung__signature_make(private_key, digest, signature), RUNG_OK);
    assert_int_equal(rung__signature_verify(public_key, digest, signature), RUNG_OK);

    void *none;
    assert_int_equal(rung__key_read_public(rung__buffer_bytes(&secret), "s", &none),
                     RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung__key_read_private(rung__buffer_bytes(&public), "p", &none),
                     RUNG_INVALID_ARGUMENT);
    rung__key_free(public_key);
    rung__key_free(private_key);
    rung__key_free(made);
    rung__buffer_finish(&public);
    rung__buffer_finish(&secret);
}

/* Takes over `other`. */
static void expect_other_kind(EVP_PKEY *other)
{
    struct rung__buffer pem = {0};
    void *key;
    assert_non_null(other);
    assert_int_equal(rung__key_write_public(other, &pem), RUNG_OK);
    assert_int_equal(rung__key_read_public(rung__buffer_bytes(&pem), "k", &key),
                     RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "another kind"));
    rung__buffer_finish(&pem);
    EVP_PKEY_free(other);
}

static void only_keys_of_p256_are_taken(void **state)
{
    (void)state;
    expect_other_kind(EVP_EC_gen("P-384"));
    expect_other_kind(EVP_EC_gen("secp256k1"));
    expect_other_kind(EVP_RSA_gen(1024));
    expect_other_kind(EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"));
}

static void what_is_no_pem_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "hello",
        "-----BEGIN PUBLIC KEY-----\n",
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        void *key;
        const struct rung__bytes bytes = {(const uint8_t *)texts[i], strlen(texts[i])};
        assert_int_equal(rung__key_read_public(bytes, "key.pem", &key), RUNG_INVALID_ARGUMENT);
        assert_non_null(strstr(rung_last_error(), "key.pem"));
        assert_int_equal(rung__key_read_private(bytes, "key.pem", &key), RUNG_INVALID_ARGUMENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_signatures_verify_and_their_neighbours_do_not),
        cmocka_unit_test(zero_and_huge_numbers_are_no_signature),
        cmocka_unit_test(a_key_id_begins_the_digest_of_the_public_key),
        cmocka_unit_test(what_one_key_signs_no_other_verifies),
        cmocka_unit_test(keys_come_back_from_pem),
        cmocka_unit_test(only_keys_of_p256_are_taken),
        cmocka_unit_test(what_is_no_pem_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
