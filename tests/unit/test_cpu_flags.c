/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels use no instruction that the processor has not, and none above what is asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rung/instance.h>

#include "kernel/cpu_flags.h"
#include "session/instance.h"

static void levels_rise_from_the_scalar_one(void **state)
{
    const struct rung__cpu_level *level, *last = rung__cpu_level(0);
    (void)state;
    assert_string_equal(last->name, "scalar");
    assert_int_equal(last->flags, 0);
    for (size_t i = 1; (level = rung__cpu_level(i)); i++) {
        assert_int_equal(level->flags & last->flags, last->flags);
        assert_true(level->flags > last->flags);
        last = level;
    }
    assert_ptr_equal(rung__cpu_level_best(), last);
}

static void a_level_is_found_by_its_name(void **state)
{
    const struct rung__cpu_level *level, *found;
    (void)state;
    for (size_t i = 0; (level = rung__cpu_level(i)); i++) {
        assert_int_equal(rung__cpu_level_find(level->name, &found), RUNG_OK);
        assert_ptr_equal(found, level);
    }
    assert_int_equal(rung__cpu_level_find(NULL, &found), RUNG_OK);
    assert_ptr_equal(found, rung__cpu_level_best());
}

static void an_instance_refuses_what_the_processor_does_not_run(void **state)
{
    rung_instance *instance;
    (void)state;
    setenv("RUNG_CPU_FLAGS", "avx9", 1);
    assert_int_equal(rung_instance_create(NULL, &instance), RUNG_INVALID_ARGUMENT);
    assert_non_null(strstr(rung_last_error(), "RUNG_CPU_FLAGS"));
    assert_non_null(strstr(rung_last_error(), "avx9"));
    assert_null(instance);
    setenv("RUNG_CPU_FLAGS", "scalar", 1);
    assert_int_equal(rung_instance_create(NULL, &instance), RUNG_OK);
    assert_int_equal(instance->cpu_flags, 0);
    rung_instance_destroy(instance);
    unsetenv("RUNG_CPU_FLAGS");
    assert_int_equal(rung_instance_create(NULL, &instance), RUNG_OK);
    assert_int_equal(instance->cpu_flags, rung__cpu_level_best()->flags);
    rung_instance_destroy(instance);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_rise_from_the_scalar_one),
        cmocka_unit_test(a_level_is_found_by_its_name),
        cmocka_unit_test(an_instance_refuses_what_the_processor_does_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
