/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: a fingerprint changes with what a verdict depends on and with nothing else, and two of
 * them tell in words what changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "hardware/fingerprint.h"

static struct rung__hardware machine;
static struct rung__fingerprint first, second;

static void read_tree(const char *name)
{
    char root[512];
    snprintf(root, sizeof root, MACHINE_TREES "/%s", name);
    assert_int_equal(rung__hardware_read(root, &machine), RUNG_OK);
}

static void make_text(struct rung__fingerprint *out)
{
    assert_int_equal(rung__fingerprint_text(&machine, RUNG__FINGERPRINT_VERDICT, out), RUNG_OK);
    assert_int_equal(out->size, strlen(out->text));
}

/** The only difference between the two. */
static const char *only_change(void)
{
    static struct rung__fingerprint_change changes[4];
    assert_int_equal(rung__fingerprint_changes(first.text, second.text, changes, 4), 1);
    return changes[0].text;
}

static void the_text_is_canonical(void **state)
{
    (void)state;
    read_tree("laptop");
    make_text(&first);
    assert_string_equal(first.text,
                        "cpu.features=sse4_2 avx f16c fma avx2 avx_vnni\n"
                        "cpu.model=Processor of a PC @ 3.00GHz, family 6, model 183, stepping 1\n"
                        "cpu.usable=16 on 8 cores\n"
                        "device.10de:2684=GPU nvidia with its node\n"
                        "device.8086:a780=GPU i915 with its node\n"
                        "driver.i915=kernel 6.1.0-40-amd64\n"
                        "driver.nvidia=550.90.07\n"
                        "opencl=libigdrcl.so\n"
                        "opencl#2=libnvidia-opencl.so.1\n"
                        "policy=1\n"
                        "rung=" RUNG_VERSION_TEXT "\n");
}

static void the_kernel_counts_only_where_a_driver_is_its_own(void **state)
{
    (void)state;
    read_tree("none");
    make_text(&first);
    strcpy(machine.kernel, "6.12");
    make_text(&second);
    assert_string_equal(first.text, second.text);
}

static void the_usable_cpus_count_for_verdicts_alone(void **state)
{
    (void)state;
    char digests[2][2 * RUNG__SHA256_BYTES + 1];
    const char *const trees[] = {"none", "one-cpu"};
    for (int i = 0; i < 2; i++) {
        read_tree(trees[i]);
        assert_int_equal(rung__fingerprint_text(&machine, RUNG__FINGERPRINT_ENGINES, &first),
                         RUNG_OK);
        assert_null(strstr(first.text, "usable"));
        assert_int_equal(rung__fingerprint_digest(&first, digests[i]), RUNG_OK);
    }
    assert_string_equal(digests[0], digests[1]);

    read_tree("none");
    make_text(&first);
    read_tree("one-cpu");
    make_text(&second);
    assert_string_equal(only_change(), "usable CPUs 16 on 8 cores → 1 on 1 core");
}

static void another_slot_is_no_change_and_another_card_is(void **state)
{
    (void)state;
    read_tree("nvidia");
    make_text(&first);
    strcpy(machine.devices[0].address, "0000:09:00.0");
    make_text(&second);
    assert_string_equal(first.text, second.text);

    machine.device_count = 2;
    machine.devices[1] = machine.devices[0];
    make_text(&second);
    assert_string_equal(only_change(), "device 10de:2684#2 (GPU nvidia with its node) is new");
}

static void a_driver_is_named_with_both_versions(void **state)
{
    (void)state;
    read_tree("nvidia");
    make_text(&first);
    strcpy(machine.devices[0].version, "560.28.03");
    make_text(&second);
    assert_string_equal(only_change(), "driver nvidia 550.90.07 → 560.28.03");
}

static void what_is_gone_is_named(void **state)
{
    (void)state;
    read_tree("amd");
    make_text(&first);
    read_tree("amd-no-kfd");
    make_text(&second);
    assert_string_equal(only_change(), "/dev/kfd (present) is gone");
    read_tree("nvidia");
    make_text(&first);
    read_tree("nvidia-not-given");
    make_text(&second);
    assert_string_equal(only_change(),
                        "device 10de:2684 GPU nvidia with its node → GPU nvidia without its node");
}

static void libraries_are_added_by_their_digests(void **state)
{
    (void)state;
    static const char old_digest[] =
        "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    static const char new_digest[] =
        "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    read_tree("none");
    make_text(&first);
    make_text(&second);
    assert_int_equal(rung__fingerprint_add(&first, "runtime.tract", old_digest), RUNG_OK);
    assert_int_equal(rung__fingerprint_add(&second, "runtime.tract", new_digest), RUNG_OK);
    assert_string_equal(only_change(), "library tract 001122334455… → ff1122334455…");
    assert_int_equal(rung__fingerprint_add(&first, "runtime.tract", new_digest),
                     RUNG_ALREADY_EXISTS);
}

static void lines_are_sorted_whatever_their_order(void **state)
{
    (void)state;
    static const char *const keys[] = {"b", "a", "a.b", "z", "ab", "a#2", "aa"};
    const size_t count = sizeof keys / sizeof *keys;
    read_tree("none");
    make_text(&first);
    make_text(&second);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rung__fingerprint_add(&first, keys[i], "x"), RUNG_OK);
        assert_int_equal(rung__fingerprint_add(&second, keys[count - 1 - i], "x"), RUNG_OK);
    }
    assert_string_equal(first.text, second.text);
}

static void bad_keys_are_refused_and_values_kept_to_a_line(void **state)
{
    (void)state;
    static const char *const keys[] = {"", "a=b", "a b", "a\n", "\x7f"};
    char digest[2 * RUNG__SHA256_BYTES + 1];
    read_tree("none");
    make_text(&first);
    make_text(&second);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_int_equal(rung__fingerprint_add(&first, keys[i], "x"), RUNG_INVALID_ARGUMENT);
    assert_string_equal(first.text, second.text);
    assert_int_equal(rung__fingerprint_add(&first, "runtime.x", "a\nrung=9\xff"), RUNG_OK);
    assert_non_null(strstr(first.text, "runtime.x=a rung=9?\n"));
    assert_int_equal(rung__fingerprint_digest(&first, digest), RUNG_OK);
    assert_int_equal(strlen(digest), 64);
}

static void a_full_record_fits_and_what_does_not_is_refused(void **state)
{
    (void)state;
    char key[32], value[600];
    rung_result result = RUNG_OK;
    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    read_tree("nvidia");
    machine.device_count = RUNG__DEVICES;
    machine.opencl_count = RUNG__OPENCL_DRIVERS;
    for (uint32_t i = 0; i < RUNG__DEVICES; i++) {
        struct rung__device *device = &machine.devices[i];
        memset(device, 0, sizeof *device);
        device->device = (uint16_t)i;
        memset(device->name, 'n', sizeof device->name - 1);
        memset(device->driver, 'd', sizeof device->driver - 1);
        snprintf(device->driver, sizeof device->driver - 1, "%02u", i);
        device->driver[2] = 'd';
        memset(device->version, 'v', sizeof device->version - 1);
        strcpy(device->node, "node");
    }
    for (uint32_t i = 0; i < RUNG__OPENCL_DRIVERS; i++)
        memset(machine.opencl[i].library, 'l', sizeof machine.opencl[i].library - 1);
    make_text(&first);
    for (int i = 0; i < 100 && result == RUNG_OK; i++) {
        snprintf(key, sizeof key, "runtime.%d", i);
        result = rung__fingerprint_add(&first, key, value);
    }
    assert_int_equal(result, RUNG_CAPACITY);
    assert_int_equal(first.size, strlen(first.text));
    assert_true(first.size < sizeof first.text);
}

static void a_damaged_text_is_compared_all_the_same(void **state)
{
    (void)state;
    static const char *const damaged[] = {
        "",      "\n\n\n",          "no line",      "=x\n",         "rung",
        "rung=", "z=1\na=2\nz=3\n", "a=\x1b[31m\n", "a==\n=\n\n=a="};
    struct rung__fingerprint_change changes[2];
    read_tree("none");
    make_text(&second);
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        memset(changes, 'x', sizeof changes);
        assert_true(rung__fingerprint_changes(damaged[i], second.text, changes, 2) >= 4);
        for (int at = 0; at < 2; at++) {
            assert_non_null(memchr(changes[at].text, 0, sizeof changes[at].text));
            assert_null(strchr(changes[at].text, '\x1b'));
        }
    }
    assert_true(rung__fingerprint_changes("", second.text, NULL, 0) >= 4);
    assert_int_equal(rung__fingerprint_changes(second.text, second.text, changes, 2), 0);
}

static void long_lists_are_not_spelled_out(void **state)
{
    (void)state;
    read_tree("none");
    make_text(&first);
    machine.cpu_features = 0x7fff;
    make_text(&second);
    assert_string_equal(only_change(), "CPU features: others than before");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_is_canonical),
        cmocka_unit_test(the_kernel_counts_only_where_a_driver_is_its_own),
        cmocka_unit_test(the_usable_cpus_count_for_verdicts_alone),
        cmocka_unit_test(another_slot_is_no_change_and_another_card_is),
        cmocka_unit_test(a_driver_is_named_with_both_versions),
        cmocka_unit_test(what_is_gone_is_named),
        cmocka_unit_test(libraries_are_added_by_their_digests),
        cmocka_unit_test(lines_are_sorted_whatever_their_order),
        cmocka_unit_test(bad_keys_are_refused_and_values_kept_to_a_line),
        cmocka_unit_test(a_full_record_fits_and_what_does_not_is_refused),
        cmocka_unit_test(a_damaged_text_is_compared_all_the_same),
        cmocka_unit_test(long_lists_are_not_spelled_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
