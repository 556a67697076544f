/* SPDX-License-Identifier: Apache-2.0 */
/* What is called the same was computed alike, and nothing else is compared. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "session/identity.h"

static void require_identity(const char *rung, uint32_t form, const char *expected)
{
    struct rung__header header = {.name = "net", .form = form};
    char *identity = rung__identity_new(&header, rung__rung_named(rung));
    assert_string_equal(identity, expected);
    free(identity);
}

static void where_a_network_computes_does_not_name_it(void **state)
{
    (void)state;
    static const char *const in_f32[] = {"cuda",         "directml", "coreml", "webgpu",
                                         "openvino-cpu", "ort-cpu",  "tract"};
    for (size_t i = 0; i < sizeof in_f32 / sizeof *in_f32; i++)
        require_identity(in_f32[i], RUNG_FORM_F32, "net");
}

static void the_precision_that_executes_names_it(void **state)
{
    (void)state;
    require_identity("tensorrt", RUNG_FORM_F32, "net+f16");
    require_identity("migraphx", RUNG_FORM_F32, "net+f16");
    require_identity("openvino-gpu", RUNG_FORM_F32, "net+f16");
    require_identity("openvino-npu", RUNG_FORM_F32, "net+f16");
    require_identity("ort-cpu", RUNG_FORM_F16, "net+f16");
    require_identity("ort-cpu", RUNG_FORM_INT8, "net+i8");
    require_identity("qnn-htp", RUNG_FORM_A16W8, "net+a16w8");
    require_identity("qnn-htp", RUNG_FORM_A16W16, "net+a16w16");
}

static uint32_t covers(const char *have, const char *want)
{
    uint32_t covers = 7;
    if (rung_identity_covers(have, want, &covers) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    return covers;
}

static void an_identity_covers_itself(void **state)
{
    (void)state;
    static const char *const identities[] = {"a", "a+f16", "d/a", "d+i8/a", "d/a+a16w16"};
    for (size_t i = 0; i < sizeof identities / sizeof *identities; i++)
        for (size_t j = 0; j < sizeof identities / sizeof *identities; j++)
            if (i == j || (i == 2 && j == 3))
                assert_int_equal(covers(identities[i], identities[j]), 1);
            else
                assert_int_equal(covers(identities[i], identities[j]), 0);
}

static void a_detector_in_f32_covers_its_forms_and_none_of_them_another(void **state)
{
    (void)state;
    assert_int_equal(covers("d/e", "d+f16/e"), 1);
    assert_int_equal(covers("d/e", "d+i8/e"), 1);
    assert_int_equal(covers("d+f16/e", "d/e"), 0);
    assert_int_equal(covers("d+f16/e", "d+i8/e"), 0);
    assert_int_equal(covers("d/e", "other+i8/e"), 0);
}

static void numbers_of_another_embedder_are_never_covered(void **state)
{
    (void)state;
    assert_int_equal(covers("d/e", "d+i8/f"), 0);
    assert_int_equal(covers("d/e", "d/e+f16"), 0);
    assert_int_equal(covers("e", "e+f16"), 0);
    assert_int_equal(covers("e", "d/e"), 0);
    assert_int_equal(covers("d/e", "e"), 0);
}

static void what_is_no_identity_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",    "A",   "a+",   "a+f32", "a+f16+i8",
                                        "a/",  "/a",  "a//b", "a/b/c", "a b",
                                        "a+i", "a@b", "a+f1", "+f16",  "-a"};
    uint32_t found;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (rung_identity_covers("a", wrong[i], &found) != RUNG_INVALID_ARGUMENT)
            fail_msg("\"%s\" was taken", wrong[i]);
        assert_int_equal(rung_identity_covers(wrong[i], "a", &found), RUNG_INVALID_ARGUMENT);
    }
    assert_int_equal(rung_identity_covers("a", "a", NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_identity_covers(NULL, "a", &found), RUNG_INVALID_ARGUMENT);
}

static void a_name_may_be_as_long_as_a_model_file_allows_and_no_longer(void **state)
{
    (void)state;
    char name[66];
    uint32_t found;
    memset(name, 'n', sizeof name);
    name[64] = '\0';
    assert_int_equal(covers(name, name), 1);
    name[64] = 'n';
    name[65] = '\0';
    assert_int_equal(rung_identity_covers(name, name, &found), RUNG_INVALID_ARGUMENT);
}

static void a_pair_has_both_names_and_the_size_is_told(void **state)
{
    (void)state;
    char text[16] = "untouched";
    size_t needed = 0;
    assert_int_equal(rung_identity_pair("d+i8", "e", (rung_span){NULL, 0}, &needed), RUNG_CAPACITY);
    assert_int_equal(needed, sizeof "d+i8/e");
    assert_int_equal(rung_identity_pair("d+i8", "e", (rung_span){text, needed - 1}, &needed),
                     RUNG_CAPACITY);
    assert_string_equal(text, "untouched");
    assert_int_equal(rung_identity_pair("d+i8", "e", (rung_span){text, needed}, NULL), RUNG_OK);
    assert_string_equal(text, "d+i8/e");
}

static void a_pair_of_pairs_is_refused(void **state)
{
    (void)state;
    char text[32];
    const rung_span span = {text, sizeof text};
    assert_int_equal(rung_identity_pair("a/b", "c", span, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_identity_pair("a", "b/c", span, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_identity_pair("a", "", span, NULL), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_identity_pair("a", NULL, span, NULL), RUNG_INVALID_ARGUMENT);
}

static rung_result compare(const char *a, const char *b, const float *numbers, const float *others,
                           double *cosine)
{
    const rung_embedding first = {sizeof first, RUNG_STRUCT_VERSION, a, numbers, 2, 0, {0}};
    const rung_embedding second = {sizeof second, RUNG_STRUCT_VERSION, b, others, 2, 0, {0}};
    return rung_embedding_cosine(&first, &second, cosine);
}

static const float along[] = {3, 4}, across[] = {-4, 3}, against[] = {-6, -8}, nothing[] = {0, 0};

static void embeddings_of_one_identity_have_a_cosine(void **state)
{
    (void)state;
    double cosine = 7;
    assert_int_equal(compare("e", "e", along, along, &cosine), RUNG_OK);
    assert_true(cosine == 1);
    assert_int_equal(compare("d/e", "d+i8/e", along, against, &cosine), RUNG_OK);
    assert_true(cosine == -1);
    assert_int_equal(compare("d/e", "e", along, across, &cosine), RUNG_OK);
    assert_true(cosine == 0);
    assert_int_equal(compare("e", "e", along, nothing, &cosine), RUNG_OK);
    assert_true(cosine == 0);
}

static void embeddings_of_different_identities_are_an_error_and_not_a_number(void **state)
{
    (void)state;
    static const char *const others[] = {"f", "e+f16", "d/f", "d/e+i8"};
    double cosine = 7;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(compare("e", others[i], along, along, &cosine), RUNG_IDENTITY);
        assert_non_null(strstr(rung_last_error(), others[i]));
        assert_true(cosine == 7);
    }
}

static void numbers_that_cannot_be_compared_are_refused(void **state)
{
    (void)state;
    const float wrong[] = {1, NAN};
    double cosine = 7;
    rung_embedding first = {sizeof first, RUNG_STRUCT_VERSION, "e", along, 2, 0, {0}};
    rung_embedding second = {sizeof second, RUNG_STRUCT_VERSION, "e", along, 1, 0, {0}};
    assert_int_equal(compare("e", "e", along, wrong, &cosine), RUNG_INVALID_ARGUMENT);
    assert_int_equal(rung_embedding_cosine(&first, &second, &cosine), RUNG_INVALID_ARGUMENT);
    second.version = 0;
    assert_int_equal(rung_embedding_cosine(&first, &second, &cosine), RUNG_VERSION);
    assert_int_equal(rung_embedding_cosine(&first, NULL, &cosine), RUNG_INVALID_ARGUMENT);
    assert_true(cosine == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_a_network_computes_does_not_name_it),
        cmocka_unit_test(the_precision_that_executes_names_it),
        cmocka_unit_test(an_identity_covers_itself),
        cmocka_unit_test(a_detector_in_f32_covers_its_forms_and_none_of_them_another),
        cmocka_unit_test(numbers_of_another_embedder_are_never_covered),
        cmocka_unit_test(what_is_no_identity_is_refused),
        cmocka_unit_test(a_name_may_be_as_long_as_a_model_file_allows_and_no_longer),
        cmocka_unit_test(a_pair_has_both_names_and_the_size_is_told),
        cmocka_unit_test(a_pair_of_pairs_is_refused),
        cmocka_unit_test(embeddings_of_one_identity_have_a_cosine),
        cmocka_unit_test(embeddings_of_different_identities_are_an_error_and_not_a_number),
        cmocka_unit_test(numbers_that_cannot_be_compared_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
