/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: a ladder file adds, removes and reorders rungs, and changes options; what it must not
 * do is refused in a sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ladder/table.h"

#define PATH "own.json"

static rung_result read_text(const char *text, struct rung__table *out)
{
    return rung__table_parse((struct rung__bytes){(const uint8_t *)text, strlen(text)}, PATH, out);
}

static void read_good(const char *text, struct rung__table *out)
{
    if (read_text(text, out) != RUNG_OK)
        fail_msg("%s", rung_last_error());
}

static void ids_are(const struct rung__table *table, const char *wanted)
{
    char ids[1024] = "";
    for (uint32_t i = 0; i < table->count; i++)
        snprintf(ids + strlen(ids), sizeof ids - strlen(ids), "%s%s", i ? " " : "",
                 table->rungs[i].id);
    assert_string_equal(ids, wanted);
}

static const char *option_of(const struct rung__option *options, const char *name)
{
    for (; options->name; options++)
        if (strcmp(options->name, name) == 0)
            return options->value;
    return NULL;
}

static void without_a_file_they_are_those_of_this_version(void **state)
{
    (void)state;
    struct rung__table table;
    rung__table_default(&table);
    assert_ptr_equal(rung__table_find(&table, "cuda"), rung__rung_named("cuda"));
    assert_null(rung__table_find(&table, "warp"));
    assert_string_equal(rung__rung_told(&table.rungs[0]), table.rungs[0].id);
    rung__table_finish(&table);
}

static void an_order_removes_and_moves(void **state)
{
    (void)state;
    struct rung__table table;
    read_good("{\"schema\":1,\"order\":[\"webgpu\",\"cuda\",\"tensorrt\",\"tract\"]}", &table);
    ids_are(&table, "webgpu cuda tensorrt tract");
    assert_string_equal(table.path, PATH);
    assert_int_equal(strlen(table.digest), 64);
    /* What is below them is below them here. */
    for (uint32_t i = 0; i < 3; i++)
        assert_string_equal(table.rungs[i].fallback, "tract");
    assert_null(table.rungs[3].fallback);
    rung__table_finish(&table);
}

static void a_rung_is_added_above_the_one_it_is_like(void **state)
{
    (void)state;
    struct rung__table table;
    read_good("{\"schema\":1,\"rungs\":[{\"rung\":\"cuda-second\",\"like\":\"cuda\",\"text\":\"the "
              "second card\",\"options\":{\"device_id\":\"1\",\"use_tf32\":null,\"new\":\"x\"}}]}",
              &table);
    const struct rung__rung *made = rung__table_find(&table, "cuda-second");
    const struct rung__rung *cuda = rung__rung_named("cuda");
    assert_int_equal(table.count, rung__rung_count + 1);
    assert_string_equal(made[1].id, "cuda");
    assert_string_equal(made->text, "the second card");
    assert_string_equal(option_of(made->options, "device_id"), "1");
    assert_string_equal(option_of(made->options, "new"), "x");
    assert_null(option_of(made->options, "use_tf32"));
    assert_string_equal(option_of(made->options, "gpu_mem_limit"),
                        option_of(cuda->options, "gpu_mem_limit"));
    assert_string_equal(option_of(cuda->options, "device_id"), "0");
    assert_ptr_equal(made->matches, cuda->matches);
    assert_ptr_equal(made->provider, cuda->provider);
    rung__table_finish(&table);
}

static void a_rung_of_this_version_is_changed_in_its_place(void **state)
{
    (void)state;
    struct rung__table table;
    read_good("{\"schema\":1,\"rungs\":[{\"rung\":\"openvino-cpu\",\"precision\":\"f16\","
              "\"automatic\":false,\"options\":{\"cache_dir\":\"{engines}/sub\"},\"session\":{"
              "\"session.intra_op.allow_spinning\":\"1\"}}]}",
              &table);
    const struct rung__rung *rung = rung__table_find(&table, "openvino-cpu");
    assert_int_equal(table.count, rung__rung_count);
    assert_int_equal(rung->precision, RUNG_FORM_F16);
    assert_false(rung->automatic);
    assert_string_equal(option_of(rung->session, "session.intra_op.allow_spinning"), "1");
    assert_string_equal(option_of(rung->options, "cache_dir"), "{engines}/sub");
    assert_string_equal(rung->fallback, rung__rung_named("openvino-cpu")->fallback);
    rung__table_finish(&table);
}

static void another_process_hears_the_same_rung(void **state)
{
    (void)state;
    struct rung__table table, other;
    const struct rung__rung *heard;
    read_good("{\"schema\":1,\"rungs\":[{\"rung\":\"second\",\"like\":\"cuda\",\"options\":{"
              "\"device_id\":\"1\"}}]}",
              &table);
    assert_int_equal(
        rung__rung_heard(rung__rung_told(rung__table_find(&table, "second")), &other, &heard),
        RUNG_OK);
    assert_string_equal(heard->id, "second");
    assert_string_equal(option_of(heard->options, "device_id"), "1");
    assert_string_equal(heard->executed_by, "CUDAExecutionProvider");
    rung__table_finish(&other);
    rung__table_finish(&table);
    assert_int_equal(rung__rung_heard("tract", &other, &heard), RUNG_OK);
    assert_ptr_equal(heard, rung__rung_named("tract"));
    rung__table_finish(&other);
    assert_int_equal(rung__rung_heard("warp", &other, &heard), RUNG_UNSUPPORTED);
    rung__table_finish(&other);
    assert_int_equal(rung__rung_heard("{\"rung\":\"warp\"}", &other, &heard),
                     RUNG_INVALID_ARGUMENT);
    rung__table_finish(&other);
}

#define RUNG_OF(members)       "{\"schema\":1,\"rungs\":[{" members "}]}"
#define OPTION_OF(name, value) RUNG_OF("\"rung\":\"cuda\",\"options\":{\"" name "\":" value "}")

static const struct {
    const char *text, *said;
} bad[] = {
    {"", "own.json"},
    {"[]", "own.json"},
    {"{\"schema\":2}", "schema"},
    {"{\"schema\":1,\"rung\":[]}", "rung"},
    {"{\"schema\":1,\"rungs\":{}}", "a list of at most"},
    {"{\"schema\":1,\"rungs\":[1]}", "an object"},
    {"{\"schema\":1,\"order\":[]}", "a list of 1 to"},
    {"{\"schema\":1,\"order\":[1]}", "there is no rung"},
    {"{\"schema\":1,\"order\":[\"warp\",\"tract\"]}", "there is no rung \"warp\""},
    {"{\"schema\":1,\"order\":[\"tract\",\"tract\"]}", "twice"},
    {"{\"schema\":1,\"order\":[\"cuda\"]}", "a floor has to stay"},
    {"{\"schema\":1,\"order\":[\"dummy\"]}", "a floor has to stay"},
    {RUNG_OF("\"rung\":\"warp\""), "\"like\" says which"},
    {RUNG_OF("\"rung\":\"warp\",\"like\":\"speed\""), "speed is no rung of this version"},
    {RUNG_OF("\"rung\":\"cuda\",\"like\":\"webgpu\""), "leave \"like\" out"},
    {RUNG_OF("\"rung\":\"../x\",\"like\":\"cuda\""), "of a-z, 0-9 and -"},
    {RUNG_OF("\"rung\":\"\",\"like\":\"cuda\""), "of a-z, 0-9 and -"},
    {RUNG_OF("\"rung\":\"abcdefghijklmnopqrstuvwxyz-abcdefgh\",\"like\":\"cuda\""), "of a-z"},
    {RUNG_OF("\"rung\":\"made-up\",\"like\":\"dummy\",\"automatic\":true"), "is for tests"},
    {RUNG_OF("\"rung\":\"cuda\",\"provider\":\"tract\""), "provider"},
    {RUNG_OF("\"rung\":\"cuda\",\"text\":\"a\\u0007\""), "printable"},
    {RUNG_OF("\"rung\":\"cuda\",\"precision\":\"i8\""), "f32 or f16"},
    {RUNG_OF("\"rung\":\"cuda\",\"options\":[]"), "must be an object"},
    {RUNG_OF("\"rung\":\"ort-cpu\",\"automatic\":false},{\"rung\":\"tract\",\"automatic\":false"),
     "a floor has to stay"},
    {RUNG_OF("\"rung\":\"cuda\"},{\"rung\":\"cuda\""), "twice"},
    {OPTION_OF("device_id", "1"), "as text, or null"},
    {OPTION_OF("device_id", "\"\""), "printable"},
    {OPTION_OF("", "\"1\""), "the name of an option"},
    {OPTION_OF("user_compute", "\"/tmp/x.so\""), "names a file"},
    {OPTION_OF("backend_path", "\"evil.so\""), "names a file"},
    {OPTION_OF("ModelCacheDirectory", "\"here\""), "names a file"},
    {OPTION_OF("custom_ops_library", "\"evil\""), "names a file"},
    {OPTION_OF("cache_dir", "\"{engines}/../..\""), "names a file"},
    {OPTION_OF("cache_dir", "\"C:\\\\windows\""), "names a file"},
};

static void what_it_must_not_say_is_refused_in_a_sentence(void **state)
{
    (void)state;
    struct rung__table table;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (read_text(bad[i].text, &table) != RUNG_INVALID_ARGUMENT)
            fail_msg("taken: %s", bad[i].text);
        if (!strstr(rung_last_error(), bad[i].said))
            fail_msg("%s\n%s", bad[i].text, rung_last_error());
        rung__table_finish(&table);
    }
}

static void too_many_options_are_refused(void **state)
{
    (void)state;
    struct rung__table table;
    char text[2048] = "{\"schema\":1,\"rungs\":[{\"rung\":\"cuda\",\"options\":{";
    for (int i = 0; i < 20; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\"o%d\":\"1\"", i ? "," : "",
                 i);
    snprintf(text + strlen(text), sizeof text - strlen(text), "}}]}");
    assert_int_equal(read_text(text, &table), RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "more than 16 options"));
    rung__table_finish(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_file_they_are_those_of_this_version),
        cmocka_unit_test(an_order_removes_and_moves),
        cmocka_unit_test(a_rung_is_added_above_the_one_it_is_like),
        cmocka_unit_test(a_rung_of_this_version_is_changed_in_its_place),
        cmocka_unit_test(another_process_hears_the_same_rung),
        cmocka_unit_test(what_it_must_not_say_is_refused_in_a_sentence),
        cmocka_unit_test(too_many_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
