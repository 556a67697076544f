/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: each kind of machine is told by its files alone, and no file, of whatever kind and
 * content, crashes, blocks or misleads the reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder_fixture.h"
#include "hardware/describe.h"
#include "hardware/hardware.h"
#include "hardware/parts.h"

static struct rung__hardware hardware;

static const struct rung__hardware *read_root(const char *root)
{
    memset(&hardware, 0xa5, sizeof hardware);
    assert_int_equal(rung__hardware_read(root, &hardware), RUNG_OK);
    return &hardware;
}

static const struct rung__hardware *read_tree(const char *name)
{
    char root[512];
    snprintf(root, sizeof root, MACHINE_TREES "/%s", name);
    assert_int_equal(rung__path_kind(root), RUNG__PATH_FOLDER);
    read_root(root);
    assert_int_equal(hardware.unread, 0);
    assert_int_equal(hardware.devices_left_out, 0);
    return &hardware;
}

/** The only device of a machine. */
static const struct rung__device *only_device(const char *tree)
{
    assert_int_equal(read_tree(tree)->device_count, 1);
    return &hardware.devices[0];
}

static bool has_feature(const char *wanted)
{
    const char *name;
    for (uint32_t bit = 0; (name = rung__cpu_feature_name(bit)); bit++)
        if (strcmp(name, wanted) == 0)
            return hardware.cpu_features >> bit & 1;
    fail_msg("no such feature: %s", wanted);
    return false;
}

/* ---- machines ---------------------------------------------------------------------------- */

static void a_machine_without_a_gpu_has_no_device(void **state)
{
    (void)state;
    read_tree("none");
    assert_int_equal(hardware.device_count, 0);
    assert_int_equal(hardware.cpus.logical, 16);
    assert_int_equal(hardware.cpus.physical, 8);
    assert_string_equal(hardware.cpu_model,
                        "Processor of a PC @ 3.00GHz, family 6, model 183, stepping 1");
    assert_string_equal(hardware.kernel, "6.1.0-40-amd64");
    assert_true(has_feature("avx2") && has_feature("avx_vnni"));
    assert_false(has_feature("avx512f") || has_feature("avx512_vnni"));
    assert_false(hardware.has_kfd);
    assert_int_equal(hardware.soc.hexagon, 0);
}

static void nvidia_is_told_with_its_drivers_version(void **state)
{
    (void)state;
    const struct rung__device *device = only_device("nvidia");
    assert_int_equal(device->kind, RUNG__DEVICE_GPU);
    assert_int_equal(device->vendor, RUNG__VENDOR_NVIDIA);
    assert_int_equal(device->device, 0x2684);
    assert_int_equal(device->class, 0x030000);
    assert_string_equal(device->address, "0000:01:00.0");
    assert_string_equal(device->driver, "nvidia");
    assert_string_equal(device->version, "550.90.07");
    assert_string_equal(device->node, "nvidiactl");
    assert_true(device->has_node);
    assert_false(device->is_virtual);
}

static void a_gpu_that_a_container_was_not_given_has_no_node(void **state)
{
    (void)state;
    const struct rung__device *device = only_device("nvidia-not-given");
    assert_string_equal(device->driver, "nvidia");
    assert_string_equal(device->node, "nvidiactl");
    assert_false(device->has_node);
}

static void a_gpu_without_a_driver_has_no_version(void **state)
{
    (void)state;
    const struct rung__device *device = only_device("nvidia-no-driver");
    assert_string_equal(device->driver, "");
    assert_string_equal(device->version, "");
    assert_false(device->has_node);
}

static void amd_is_told_with_and_without_kfd(void **state)
{
    (void)state;
    const struct rung__device *device = only_device("amd");
    assert_int_equal(device->vendor, RUNG__VENDOR_AMD);
    assert_string_equal(device->driver, "amdgpu");
    assert_string_equal(device->version, "6.8.5");
    assert_string_equal(device->node, "dri/renderD128");
    assert_true(device->has_node);
    assert_true(hardware.has_kfd);
    assert_string_equal(only_device("amd-no-kfd")->driver, "amdgpu");
    assert_false(hardware.has_kfd);
}

static void an_accelerator_of_a_maker_of_gpus_is_a_gpu(void **state)
{
    (void)state;
    const struct rung__device *device = only_device("amd-instinct");
    assert_int_equal(device->class, 0x120000);
    assert_int_equal(device->kind, RUNG__DEVICE_GPU);
    /* Its driver came with the kernel. */
    assert_string_equal(device->version, "kernel 6.1.0-40-amd64");
    assert_int_equal(hardware.cpus.logical, 96);
    assert_int_equal(hardware.cpus.physical, 48);
}

static void intel_has_a_gpu_and_an_npu(void **state)
{
    (void)state;
    assert_string_equal(only_device("intel-gpu")->version, "kernel 6.1.0-40-amd64");
    assert_int_equal(hardware.opencl_count, 1);
    assert_int_equal(hardware.opencl[0].vendor, RUNG__VENDOR_INTEL);

    read_tree("intel-npu");
    assert_int_equal(hardware.device_count, 2);
    assert_int_equal(hardware.devices[0].kind, RUNG__DEVICE_GPU);
    const struct rung__device *npu = &hardware.devices[1];
    assert_int_equal(npu->kind, RUNG__DEVICE_NPU);
    assert_string_equal(npu->driver, "intel_vpu");
    assert_string_equal(npu->version, "1.13.0");
    assert_string_equal(npu->node, "accel/accel0");
    assert_true(npu->has_node);
}

static void a_laptop_has_two_gpus_in_the_order_of_the_bus(void **state)
{
    (void)state;
    read_tree("laptop");
    assert_int_equal(hardware.device_count, 2);
    assert_int_equal(hardware.devices[0].vendor, RUNG__VENDOR_INTEL);
    assert_int_equal(hardware.devices[1].vendor, RUNG__VENDOR_NVIDIA);
    assert_int_equal(hardware.opencl_count, 2);
    assert_int_equal(hardware.opencl[0].vendor, RUNG__VENDOR_INTEL);
    assert_int_equal(hardware.opencl[1].vendor, RUNG__VENDOR_NVIDIA);
}

static void the_opencl_of_one_vendor_is_not_that_of_another(void **state)
{
    (void)state;
    assert_int_equal(only_device("nvidia-opencl")->vendor, RUNG__VENDOR_NVIDIA);
    assert_int_equal(hardware.opencl_count, 1);
    assert_int_equal(hardware.opencl[0].vendor, RUNG__VENDOR_NVIDIA);
    assert_string_equal(hardware.opencl[0].library, "libnvidia-opencl.so.1");
}

static void a_hexagon_is_told_by_its_generation(void **state)
{
    (void)state;
    const struct rung__device *gpu = only_device("qualcomm-v73");
    assert_string_equal(hardware.soc.machine, "SM8550");
    assert_string_equal(hardware.soc.compatible, "qcom,sm8550-mtp qcom,sm8550");
    assert_int_equal(hardware.soc.id, 519);
    assert_int_equal(hardware.soc.hexagon, 73);
    assert_true(hardware.soc.has_fastrpc);
    assert_int_equal(gpu->vendor, RUNG__VENDOR_QUALCOMM);
    assert_string_equal(gpu->name, "Adreno740v2");
    assert_string_equal(hardware.cpu_model, "Arm 41:d46 41:d4d 41:d4e");
    assert_true(has_feature("asimddp"));
    assert_int_equal(hardware.cpus.physical, 8);
    read_tree("qualcomm-v66");
    assert_int_equal(hardware.soc.hexagon, 66);
}

static void a_mali_is_told_by_its_driver(void **state)
{
    (void)state;
    const struct rung__device *device = only_device("mali");
    assert_int_equal(device->vendor, RUNG__VENDOR_ARM);
    assert_int_equal(device->device, 0);
    assert_string_equal(device->name, "Mali-G610 4 cores r0p0 0xA8670000");
    assert_string_equal(device->version, "g18p0-01eac0");
    assert_true(device->has_node);
    assert_int_equal(hardware.soc.hexagon, 0);

    device = only_device("mali-panfrost");
    assert_string_equal(device->driver, "panfrost");
    assert_string_equal(device->version, "kernel 6.6.31");
    assert_string_equal(device->node, "dri/renderD130");
    assert_true(device->has_node);
}

static void the_gpu_of_a_virtual_machine_is_told_as_such(void **state)
{
    (void)state;
    const struct rung__device *device = only_device("virtio");
    assert_int_equal(device->vendor, RUNG__VENDOR_VIRTIO);
    assert_true(device->is_virtual);
    assert_string_equal(device->driver, "virtio-pci");
    assert_string_equal(device->version, "1");
}

static void containers_limit_the_usable_cpus(void **state)
{
    (void)state;
    static const struct {
        const char *tree;
        uint32_t logical, physical;
    } cases[] = {
        {"cgroup1-quota", 1, 1}, {"cgroup1-cpuset", 2, 1},
        {"cgroup2-quota", 2, 2}, {"cgroup2-cpuset", 4, 3}, /* 2 and 10 share a core */
        {"one-cpu", 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        read_tree(cases[i].tree);
        assert_int_equal(hardware.cpus.logical, cases[i].logical);
        assert_int_equal(hardware.cpus.physical, cases[i].physical);
    }
}

static void this_machine_can_be_read(void **state)
{
    (void)state;
    struct rung__cpus cpus;
    read_root("");
    rung__cpus_read("", &cpus);
    assert_int_equal(hardware.cpus.logical, cpus.logical);
    assert_true(cpus.physical >= 1 && cpus.physical <= cpus.logical);
    assert_true(*hardware.kernel);
}

static void the_processor_says_what_the_kernel_says(void **state)
{
    (void)state;
    static struct rung__hardware own;
    rung__cpuid_read(&own);
    if (!*own.cpu_model) {
        print_message("skipped: only the kernel can ask this processor\n");
        skip();
    }
    read_root("");
    assert_int_equal(own.cpu_features & ~hardware.cpu_features, 0);
    assert_non_null(strstr(hardware.cpu_model, own.cpu_model));
    /* All but the tiles, which come last on x86. */
    for (uint32_t bit = 0; strcmp(rung__cpu_feature_name(bit), "amx_tile") != 0; bit++)
        assert_int_equal(own.cpu_features >> bit & 1, hardware.cpu_features >> bit & 1);
}

/* ---- hostile files ----------------------------------------------------------------------- */

static const char *const read_files[] = {
    "/proc/cpuinfo",
    "/proc/self/status",
    "/proc/self/cgroup",
    "/proc/sys/kernel/osrelease",
    "/proc/driver/nvidia/version",
    "/proc/device-tree/compatible",
    "/sys/devices/soc0/machine",
    "/sys/devices/soc0/family",
    "/sys/devices/soc0/soc_id",
    "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
    "/sys/fs/cgroup/cpu.max",
    "/sys/fs/cgroup/cpuset.cpus.effective",
    "/sys/fs/cgroup/cpu/cpu.cfs_quota_us",
    "/sys/fs/cgroup/cpu/cpu.cfs_period_us",
    "/sys/fs/cgroup/cpuset/cpuset.effective_cpus",
    "/sys/bus/pci/devices/0000:01:00.0/vendor",
    "/sys/bus/pci/devices/0000:01:00.0/device",
    "/sys/bus/pci/devices/0000:01:00.0/class",
    "/sys/module/nvidia/version",
    "/sys/class/misc/mali0/device/gpuinfo",
    "/sys/class/kgsl/kgsl-3d0/gpu_model",
    "/etc/OpenCL/vendors/a.icd",
};

#define READ_FILES (sizeof read_files / sizeof *read_files)

/** The path of a file of the test's machine, its folder made. */
static const char *place(const char *path)
{
    static char full[1024];
    snprintf(full, sizeof full, "%s%s", test_folder, path);
    char *folder = rung__path_folder(full);
    assert_non_null(folder);
    assert_int_equal(rung__folder_make(folder), RUNG_OK);
    free(folder);
    return full;
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    const struct rung__bytes content = {bytes, size};
    assert_int_equal(rung__file_save(place(path), content, 0600, true), RUNG_OK);
}

static void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

static void link_to(const char *path, const char *target)
{
    assert_int_equal(symlink(target, place(path)), 0);
}

static void is_text(const char *text, size_t size)
{
    const size_t length = strnlen(text, size);
    assert_true(length < size);
    assert_true(rung__bytes_are_text((struct rung__bytes){(const uint8_t *)text, length}));
    for (size_t i = 0; i < length; i++)
        assert_true((uint8_t)text[i] >= ' ');
}

/** Whatever was read, the record keeps its own bounds, and can be written as JSON. */
static void is_sound(void)
{
    bool failed = false;
    assert_true(hardware.cpus.logical >= 1 && hardware.cpus.physical >= 1);
    assert_true(hardware.cpus.physical <= hardware.cpus.logical);
    assert_true(hardware.device_count <= RUNG__DEVICES);
    assert_true(hardware.opencl_count <= RUNG__OPENCL_DRIVERS);
    is_text(hardware.cpu_model, sizeof hardware.cpu_model);
    is_text(hardware.kernel, sizeof hardware.kernel);
    is_text(hardware.soc.machine, sizeof hardware.soc.machine);
    is_text(hardware.soc.compatible, sizeof hardware.soc.compatible);
    for (uint32_t i = 0; i < hardware.device_count; i++) {
        const struct rung__device *device = &hardware.devices[i];
        is_text(device->address, sizeof device->address);
        is_text(device->name, sizeof device->name);
        is_text(device->driver, sizeof device->driver);
        is_text(device->version, sizeof device->version);
        is_text(device->node, sizeof device->node);
    }
    for (uint32_t i = 0; i < hardware.opencl_count; i++)
        is_text(hardware.opencl[i].library, sizeof hardware.opencl[i].library);
    json_t *json = rung__hardware_json(&hardware, &failed);
    assert_non_null(json);
    assert_false(failed);
    json_decref(json);
}

static void an_empty_machine_is_unknown(void **state)
{
    (void)state;
    read_root(test_folder);
    is_sound();
    assert_int_equal(hardware.device_count + hardware.opencl_count + hardware.unread, 0);
    assert_string_equal(hardware.cpu_model, "");
    assert_int_equal(hardware.cpu_features, 0);
    read_root("/nonexistent/root");
    is_sound();
    assert_int_equal(hardware.unread, 0);
}

static void what_is_no_file_is_passed_over_and_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < READ_FILES; i++)
        switch (i % 3) {
        case 0: /* to open it would wait for ever */
            assert_int_equal(mkfifo(place(read_files[i]), 0600), 0);
            break;
        case 1:
            assert_int_equal(mkdir(place(read_files[i]), 0700), 0);
            break;
        default: /* to itself */
            link_to(read_files[i], rung__path_name(read_files[i]));
        }
    read_root(test_folder);
    is_sound();
    assert_true(hardware.unread > 10);
    assert_int_equal(hardware.opencl_count, 0);
    for (uint32_t i = 0; i < hardware.device_count; i++) /* their folders are there */
        assert_int_equal(hardware.devices[i].class, 0);
}

static void files_in_the_place_of_folders_are_passed_over(void **state)
{
    (void)state;
    write_text("/sys/bus/pci/devices", "0000:01:00.0\n");
    write_text("/etc/OpenCL/vendors", "libnvidia-opencl.so.1\n");
    write_text("/sys/bus/platform/drivers/panfrost", "fb000000.gpu\n");
    write_text("/proc/self", "");
    read_root(test_folder);
    is_sound();
    assert_int_equal(hardware.device_count, 0);
    assert_true(hardware.unread >= 2);
}

/** A generator that gives the same bytes each time. */
static uint8_t next_byte(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint8_t)(*seed >> 56);
}

static void no_bytes_mislead(void **state)
{
    (void)state;
    static uint8_t bytes[40000];
    uint64_t seed = 1;
    for (int round = 0; round < 40; round++) {
        /* Real beginnings lead further in. */
        write_text("/sys/bus/pci/devices/0000:02:00.0/class", "0x030000\n");
        write_text("/sys/bus/pci/devices/0000:02:00.0/vendor", "0x10de\n");
        write_text("/sys/bus/pci/devices/0000:02:00.0/device", "0x2684\n");
        for (size_t i = 0; i < READ_FILES; i++) {
            static const char letters[] = "0123456789 ,-:.\n\tmax/x\xff\xc3\x80=#";
            const size_t size = round % 4 ? (size_t)next_byte(&seed) * (round % 4) : sizeof bytes;
            for (size_t at = 0; at < size; at++)
                bytes[at] = round % 2 ? (uint8_t)letters[next_byte(&seed) % (sizeof letters - 1)]
                                      : next_byte(&seed);
            write_bytes(read_files[i], bytes, size);
        }
        read_root(test_folder);
        is_sound();
    }
}

static void a_huge_file_is_not_read_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < READ_FILES; i++) {
        write_text(read_files[i], "1");
        assert_int_equal(truncate(place(read_files[i]), INT64_C(1) << 40), 0); /* a hole */
    }
    read_root(test_folder);
    is_sound();
}

static void absurd_numbers_are_no_numbers(void **state)
{
    (void)state;
    static const char *const classes[] = {"0x1030000\n", "0x99999999999999999999\n",
                                          "-196608\n",   "0x\n",
                                          "\n",          "0x030000 x\n",
                                          "030000x\n",   "0x0300zz\n",
                                          "196608.5\n"};
    write_text("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
    write_text("/sys/bus/pci/devices/0000:01:00.0/device", "0x2684\n");
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        write_text("/sys/bus/pci/devices/0000:01:00.0/class", classes[i]);
        assert_int_equal(read_root(test_folder)->device_count, 0);
    }
    write_text("/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n");
    assert_int_equal(read_root(test_folder)->device_count, 1);
    write_text("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x110de\n");
    assert_int_equal(read_root(test_folder)->device_count, 0);
}

static void a_quota_or_cpuset_of_nonsense_does_not_limit(void **state)
{
    (void)state;
    static const char *const quotas[] = {"9223372036854775807 1",
                                         "99999999999999999999 100000",
                                         "-1 100000",
                                         "0 100000",
                                         "100000 0",
                                         "max",
                                         "x"};
    static const char *const sets[] = {"",  "9000",          "3-1",  "0-",
                                       ",", "0-99999999999", "1,,2", "400"};
    write_text("/proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-7\n");
    for (size_t i = 0; i < sizeof quotas / sizeof *quotas; i++) {
        write_text("/sys/fs/cgroup/cpu.max", quotas[i]);
        assert_int_equal(read_root(test_folder)->cpus.logical, 8);
    }
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        write_text("/sys/fs/cgroup/cpuset.cpus.effective", sets[i]);
        assert_int_equal(read_root(test_folder)->cpus.logical, 8);
    }
    write_text("/proc/self/status", "Name:\tx\nCpus_allowed_list:\t8191-9000\n");
    assert_true(read_root(test_folder)->cpus.logical >= 1);
}

static void more_devices_than_there_is_room_for_are_counted(void **state)
{
    (void)state;
    char path[128];
    for (int i = 0; i < RUNG__DEVICES + 3; i++) {
        snprintf(path, sizeof path, "/sys/bus/pci/devices/0000:%02x:00.0/class", i);
        write_text(path, "0x030000\n");
        snprintf(path, sizeof path, "/sys/bus/pci/devices/0000:%02x:00.0/vendor", i);
        write_text(path, "0x10de\n");
        snprintf(path, sizeof path, "/sys/bus/pci/devices/0000:%02x:00.0/device", i);
        write_text(path, "0x2684\n");
    }
    for (int i = 0; i < RUNG__OPENCL_DRIVERS + 3; i++) {
        snprintf(path, sizeof path, "/etc/OpenCL/vendors/%d.icd", i);
        write_text(path, "libx.so\n");
    }
    read_root(test_folder);
    is_sound();
    assert_int_equal(hardware.device_count, RUNG__DEVICES);
    assert_int_equal(hardware.devices_left_out, 3);
    assert_int_equal(hardware.opencl_count, RUNG__OPENCL_DRIVERS);
}

static void a_driver_has_a_plain_name_or_none(void **state)
{
    (void)state;
    static const char *const targets[] = {
        "../x/..", "nvi dia",     "nvidia\n",
        "a\xff",   "../drivers/", "a-name-that-is-longer-than-any-driver-has"};
    write_text("/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n");
    write_text("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
    write_text("/sys/bus/pci/devices/0000:01:00.0/device", "0x2684\n");
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        const char *path = place("/sys/bus/pci/devices/0000:01:00.0/driver");
        (void)unlink(path);
        assert_int_equal(symlink(targets[i], path), 0);
        assert_int_equal(read_root(test_folder)->device_count, 1);
        assert_string_equal(hardware.devices[0].driver, "");
    }
}

static void half_a_version_is_none(void **state)
{
    (void)state;
    char line[400];
    snprintf(line, sizeof line, "NVRM version:%300s\n", "550.90.07");
    write_text("/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n");
    write_text("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
    write_text("/sys/bus/pci/devices/0000:01:00.0/device", "0x2684\n");
    link_to("/sys/bus/pci/devices/0000:01:00.0/driver", "../drivers/nvidia");
    write_text("/proc/driver/nvidia/version", line);
    assert_string_equal(read_root(test_folder)->devices[0].version, "550.90.07");
    memset(line, '5', sizeof line - 1);
    write_text("/proc/driver/nvidia/version", line);
    write_text("/sys/module/nvidia/version", line);
    assert_string_equal(read_root(test_folder)->devices[0].version, "");
}

static void the_open_driver_has_its_version_elsewhere_in_the_line(void **state)
{
    (void)state;
    write_text("/sys/bus/pci/devices/0000:01:00.0/class", "0x030200\n");
    write_text("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
    write_text("/sys/bus/pci/devices/0000:01:00.0/device", "0x2684\n");
    link_to("/sys/bus/pci/devices/0000:01:00.0/driver", "../drivers/nvidia");
    write_text(
        "/proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  560.28.03  Release Build\n");
    assert_string_equal(read_root(test_folder)->devices[0].version, "560.28.03");
}

#define WITH_FOLDER(test)                                                                          \
    cmocka_unit_test_setup_teardown(test, make_test_folder, remove_test_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_without_a_gpu_has_no_device),
        cmocka_unit_test(nvidia_is_told_with_its_drivers_version),
        cmocka_unit_test(a_gpu_that_a_container_was_not_given_has_no_node),
        cmocka_unit_test(a_gpu_without_a_driver_has_no_version),
        cmocka_unit_test(amd_is_told_with_and_without_kfd),
        cmocka_unit_test(an_accelerator_of_a_maker_of_gpus_is_a_gpu),
        cmocka_unit_test(intel_has_a_gpu_and_an_npu),
        cmocka_unit_test(a_laptop_has_two_gpus_in_the_order_of_the_bus),
        cmocka_unit_test(the_opencl_of_one_vendor_is_not_that_of_another),
        cmocka_unit_test(a_hexagon_is_told_by_its_generation),
        cmocka_unit_test(a_mali_is_told_by_its_driver),
        cmocka_unit_test(the_gpu_of_a_virtual_machine_is_told_as_such),
        cmocka_unit_test(containers_limit_the_usable_cpus),
        cmocka_unit_test(this_machine_can_be_read),
        cmocka_unit_test(the_processor_says_what_the_kernel_says),
        WITH_FOLDER(an_empty_machine_is_unknown),
        WITH_FOLDER(what_is_no_file_is_passed_over_and_counted),
        WITH_FOLDER(files_in_the_place_of_folders_are_passed_over),
        WITH_FOLDER(no_bytes_mislead),
        WITH_FOLDER(a_huge_file_is_not_read_whole),
        WITH_FOLDER(absurd_numbers_are_no_numbers),
        WITH_FOLDER(a_quota_or_cpuset_of_nonsense_does_not_limit),
        WITH_FOLDER(more_devices_than_there_is_room_for_are_counted),
        WITH_FOLDER(a_driver_has_a_plain_name_or_none),
        WITH_FOLDER(half_a_version_is_none),
        WITH_FOLDER(the_open_driver_has_its_version_elsewhere_in_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
