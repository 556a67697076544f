/* SPDX-License-Identifier: Apache-2.0 */
/* Usable CPUs follow the affinity mask, the core topology and the quota of either cgroup version.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sched.h>
#include <string.h>

#include "folder_fixture.h"
#include "hardware/cpus.h"

/** Writes a file of another machine's tree. */
static void write_machine(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", test_folder, path);
    char *folder = rung__path_folder(full);
    assert_int_equal(rung__folder_make(folder), RUNG_OK);
    free(folder);
    const struct rung__bytes bytes = {(const uint8_t *)text, strlen(text)};
    assert_int_equal(rung__file_save(full, bytes, 0600, true), RUNG_OK);
}

static struct rung__cpus read_machine(void)
{
    struct rung__cpus cpus;
    rung__cpus_read(test_folder, &cpus);
    return cpus;
}

/** The first two CPUs that this process may use, for tests that need two. */
static bool two_cpus(int cpus[2])
{
    cpu_set_t set;
    int count = 0;
    sched_getaffinity(0, sizeof set, &set);
    for (int i = 0; i < CPU_SETSIZE && count < 2; i++)
        if (CPU_ISSET(i, &set))
            cpus[count++] = i;
    return count == 2;
}

static void an_empty_tree_limits_nothing(void **state)
{
    (void)state;
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    const struct rung__cpus cpus = read_machine();
    assert_int_equal(cpus.logical, CPU_COUNT(&set));
    assert_int_equal(cpus.physical, CPU_COUNT(&set));
}

static void the_affinity_mask_counts(void **state)
{
    (void)state;
    cpu_set_t whole, one;
    int cpus[2];
    sched_getaffinity(0, sizeof whole, &whole);
    if (!two_cpus(cpus)) {
        print_message("skipped: only one CPU here\n");
        skip();
    }
    CPU_ZERO(&one);
    CPU_SET(cpus[1], &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    const struct rung__cpus read = read_machine();
    sched_setaffinity(0, sizeof whole, &whole);
    assert_int_equal(read.logical, 1);
    assert_int_equal(read.physical, 1);
}

static void siblings_are_one_core(void **state)
{
    (void)state;
    int cpus[2];
    char path[128], list[32];
    if (!two_cpus(cpus)) {
        print_message("skipped: only one CPU here\n");
        skip();
    }
    const uint32_t before = read_machine().physical;
    snprintf(list, sizeof list, "%d,%d\n", cpus[0], cpus[1]);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                 cpus[i]);
        write_machine(path, list);
    }
    assert_int_equal(read_machine().physical, before - 1);
}

static void a_quota_of_cgroup2_limits_from_any_level(void **state)
{
    (void)state;
    write_machine("/proc/self/cgroup", "0::/app.slice/rung.service\n");
    write_machine("/sys/fs/cgroup/app.slice/rung.service/cpu.max", "max 100000\n");
    write_machine("/sys/fs/cgroup/app.slice/cpu.max", "50000 100000\n");
    const struct rung__cpus cpus = read_machine();
    assert_int_equal(cpus.logical, 1);
    assert_int_equal(cpus.physical, 1);
}

static void a_quota_of_cgroup1_limits(void **state)
{
    (void)state;
    write_machine("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
    write_machine("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    assert_int_equal(read_machine().logical, 1);
}

static void no_quota_is_no_limit(void **state)
{
    (void)state;
    const uint32_t before = read_machine().logical;
    write_machine("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    write_machine("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    assert_int_equal(read_machine().logical, before);
}

static void rubbish_is_no_limit(void **state)
{
    (void)state;
    const uint32_t before = read_machine().logical;
    write_machine("/proc/self/cgroup", "0::/../../../../..\n");
    write_machine("/sys/fs/cgroup/cpu.max", "99999999999999999999 0 -3 x\n");
    assert_int_equal(read_machine().logical, before);
}

static void larger_machines_keep_two_cores_free(void **state)
{
    (void)state;
    const struct {
        struct rung__cpus cpus;
        uint32_t threads;
    } cases[] = {{{1, 1}, 1}, {{2, 1}, 1}, {{4, 4}, 4}, {{8, 4}, 4}, {{5, 5}, 3}, {{16, 8}, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(rung__cpus_default_threads(&cases[i].cpus), cases[i].threads);
}

#define WITH_FOLDER(test)                                                                          \
    cmocka_unit_test_setup_teardown(test, make_test_folder, remove_test_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(an_empty_tree_limits_nothing),
        WITH_FOLDER(the_affinity_mask_counts),
        WITH_FOLDER(siblings_are_one_core),
        WITH_FOLDER(a_quota_of_cgroup2_limits_from_any_level),
        WITH_FOLDER(a_quota_of_cgroup1_limits),
        WITH_FOLDER(no_quota_is_no_limit),
        WITH_FOLDER(rubbish_is_no_limit),
        cmocka_unit_test(larger_machines_keep_two_cores_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
