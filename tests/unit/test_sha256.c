/* SPDX-License-Identifier: Apache-2.0 */
/* Promise: digests are those of FIPS 180-4, in one piece or in many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha256.h"
#include "base/text.h"

/* From NIST's examples of SHA-256, and its vectors of byte-oriented messages. */
static const struct vector {
    const char *message;
    const char *digest;
} vectors[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"\xd3", "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"},
    {"\x11\xaf", "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98"},
};

static void check(const uint8_t digest[RUNG__SHA256_BYTES], const char *expected)
{
    char digits[2 * RUNG__SHA256_BYTES + 1];
    rung__text_hex(digits, digest, RUNG__SHA256_BYTES);
    assert_string_equal(digits, expected);
}

static void one_call_gives_the_published_digests(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        uint8_t digest[RUNG__SHA256_BYTES];
        const char *message = vectors[i].message;
        assert_int_equal(rung__sha256_of(message, strlen(message), digest), RUNG_OK);
        check(digest, vectors[i].digest);
    }
}

static void pieces_give_the_digest_of_the_whole(void **state)
{
    (void)state;
    /* NIST: a million times "a", here in pieces of uneven length. */
    struct rung__sha256 sha;
    char piece[999];
    uint8_t digest[RUNG__SHA256_BYTES];
    memset(piece, 'a', sizeof piece);
    assert_int_equal(rung__sha256_init(&sha), RUNG_OK);
    for (size_t rest = 1000000; rest;) {
        size_t size = rest < sizeof piece ? rest : sizeof piece;
        assert_int_equal(rung__sha256_update(&sha, piece, size), RUNG_OK);
        rest -= size;
    }
    assert_int_equal(rung__sha256_result(&sha, digest), RUNG_OK);
    rung__sha256_finish(&sha);
    check(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_call_gives_the_published_digests),
        cmocka_unit_test(pieces_give_the_digest_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
