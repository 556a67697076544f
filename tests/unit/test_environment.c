/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: the listed variables are read once, unless told not to or the rights are elevated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/environment.h"

static void every_listed_variable_is_read(void **state)
{
    (void)state;
    struct rung__environment environment;
#define SET(field, name, text) assert_int_equal(setenv(name, "value of " name, 1), 0);
    RUNG__ENVIRONMENT(SET)
    assert_int_equal(rung__environment_read(&environment, false), RUNG_OK);
#define CHECK(field, name, text) assert_string_equal(environment.field, "value of " name);
    RUNG__ENVIRONMENT(CHECK)
    rung__environment_finish(&environment);
    assert_null(environment.home);
}

static void unset_and_empty_are_the_same(void **state)
{
    (void)state;
    struct rung__environment environment;
    setenv("RUNG_RUNG", "", 1);
    unsetenv("RUNG_RUNTIME");
    assert_int_equal(rung__environment_read(&environment, false), RUNG_OK);
    assert_null(environment.rung);
    assert_null(environment.runtime);
    rung__environment_finish(&environment);
}

static void nothing_is_read_when_told_so(void **state)
{
    (void)state;
    struct rung__environment environment;
    setenv("HOME", "/somewhere", 1);
    assert_int_equal(rung__environment_read(&environment, true), RUNG_OK);
    assert_null(environment.home);
    rung__environment_finish(&environment);
}

static void nothing_is_read_with_elevated_rights(void **state)
{
    (void)state;
    assert_false(rung__environment_is_elevated());
    if (geteuid() != 0)
        skip();
    setenv("HOME", "/somewhere", 1);
    pid_t id = fork();
    if (id == 0) {
        struct rung__environment environment;
        bool right = setreuid(12345, 0) == 0 && rung__environment_is_elevated() &&
                     rung__environment_read(&environment, false) == RUNG_OK && !environment.home;
        _exit(right ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(id, &status, 0), id);
    assert_int_equal(status, 0);
}

static void names_are_in_order(void **state)
{
    (void)state;
    const char *names[] = {
#define NAME(field, name, text) name,
        RUNG__ENVIRONMENT(NAME)};
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        assert_true(strcmp(names[i - 1], names[i]) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_listed_variable_is_read),
        cmocka_unit_test(unset_and_empty_are_the_same),
        cmocka_unit_test(nothing_is_read_when_told_so),
        cmocka_unit_test(nothing_is_read_with_elevated_rights),
        cmocka_unit_test(names_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
