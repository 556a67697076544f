/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: all rungs are measured unasked on a machine known to be idle, else only the first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/stat.h>

#include "folder_fixture.h"
#include "hardware/load.h"
#include "ladder/policy.h"

static void write_file(const char *name, const char *text)
{
    char path[256];
    FILE *file = fopen(in_test_folder(path, name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/** A machine of four CPUs. */
static int set_up(void **state)
{
    char path[256];
    if (make_test_folder(state) != 0 || mkdir(in_test_folder(path, "proc"), 0700) != 0 ||
        mkdir(in_test_folder(path, "proc/self"), 0700) != 0)
        return -1;
    write_file("proc/self/status", "Name:\trung\nCpus_allowed_list:\t0-3\n");
    return 0;
}

static void the_load_is_read(void **state)
{
    static const struct {
        const char *text;
        double load; /**< < 0: it is not told */
    } rows[] = {
        {"0.00 0.01 0.05 1/211 30042\n", 0},
        {"1.25 0.01 0.05 1/211 30042\n", 1.25},
        {"130.50 99.00 5.00 131/211 30042\n", 130.5},
        {"", -1},
        {"idle\n", -1},
        {"1 2 3\n", -1},
        {"-1.00 0.00 0.00\n", -1},
        {"1.2e9 0.00 0.00\n", -1},
        {"99999999999999999999.00 0.00 0.00\n", -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double load = 7;
        write_file("proc/loadavg", rows[i].text);
        const bool told = rung__load_read(test_folder, &load);
        assert_int_equal(told, rows[i].load >= 0);
        if (told)
            assert_true(load > rows[i].load - 1e-9 && load < rows[i].load + 1e-9);
    }
}

static void an_idle_machine_has_all_of_them_measured(void **state)
{
    (void)state;
    write_file("proc/loadavg", "1.99 3.00 3.00 1/211 30042\n");
    assert_int_equal(rung__policy_by_load(test_folder), RUNG_PROBE_ALL);
    write_file("proc/loadavg", "2.00 0.00 0.00 1/211 30042\n");
    assert_int_equal(rung__policy_by_load(test_folder), RUNG_PROBE_FIRST);
}

static void a_machine_that_does_not_tell_may_be_busy(void **state)
{
    (void)state;
    assert_int_equal(rung__policy_by_load(test_folder), RUNG_PROBE_FIRST);
}

static void each_policy_has_a_name(void **state)
{
    uint32_t value;
    (void)state;
    assert_null(rung__name_text(&rung__policy_names, RUNG_PROBE_DEFAULT));
    assert_string_equal(rung__name_text(&rung__policy_names, RUNG_PROBE_OFF), "off");
    assert_true(rung__name_value(&rung__policy_names, "first", &value));
    assert_int_equal(value, RUNG_PROBE_FIRST);
    assert_true(rung__name_value(&rung__policy_names, "all", &value));
    assert_int_equal(value, RUNG_PROBE_ALL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, remove_test_folder)
    const struct CMUnitTest tests[] = {
        TEST(the_load_is_read),
        TEST(an_idle_machine_has_all_of_them_measured),
        TEST(a_machine_that_does_not_tell_may_be_busy),
        TEST(each_policy_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
