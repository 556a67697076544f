#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other machines, as the files that Rung reads of them: what sysfs, procfs, /dev and /etc show.

    trees.py FOLDER [NAME]...   writes these trees, or all, each into FOLDER/NAME

Tests hand one to Rung as RUNG_HARDWARE_ROOT. The files are few and small; what they say is what such a machine says,
with numbers and versions of our choice. A tree is a dictionary from path to text, to bytes, or to a Link; what several
machines have in common is made by the functions below, and a test may change one before it writes it:

    tree = trees.TREES["nvidia"]() | trees.nvidia_driver("560.28.03")
    trees.write(tree, folder)
"""
import pathlib
import shutil
import sys


class Link(str):
    """The target of a symbolic link."""


def cpuinfo_x86(model, family, number, stepping, flags, cpus):
    one = (f"vendor_id\t: GenuineIntel\ncpu family\t: {family}\nmodel\t\t: {number}\nmodel name\t: {model}\n"
           f"stepping\t: {stepping}\nmicrocode\t: 0x1\nflags\t\t: fpu tsc msr sse sse2 {flags}\nbugs\t\t:\n\n")
    return {"proc/cpuinfo": "".join(f"processor\t: {i}\n{one}" for i in range(cpus))}


def cpuinfo_arm(parts, features="fp asimd aes crc32 fphp asimdhp asimddp"):
    return {"proc/cpuinfo": "".join(
        f"processor\t: {i}\nBogoMIPS\t: 38.40\nFeatures\t: {features}\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
        f"CPU variant\t: 0x1\nCPU part\t: {part}\nCPU revision\t: 0\n\n" for i, part in enumerate(parts))}


def cpus(count, threads=1, allowed=None, kernel="6.1.0-40-amd64"):
    """CPUs, of which `threads` share a core, as the second half of the numbers are on PCs; the affinity is `allowed`."""
    cores = count // threads
    tree = {"proc/self/status": f"Name:\trung\nThreads:\t1\nCpus_allowed_list:\t{allowed or f'0-{count - 1}'}\n",
            "proc/sys/kernel/osrelease": kernel + "\n", "proc/self/cgroup": "0::/\n"}
    for cpu in range(count):
        siblings = ",".join(str(cpu % cores + i * cores) for i in range(threads))
        tree[f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"] = siblings + "\n"
    return tree


def pc(count=16, threads=2, **more):
    return cpus(count, threads, **more) | cpuinfo_x86("Processor of a PC @ 3.00GHz", 6, 183, 1,
                                                      "sse4_2 avx f16c fma avx2 avx_vnni", count)


def pci(address, vendor, device, class_number, driver=None, nodes=(), given=True):
    """A device on PCI, its folder behind a link as in sysfs. `nodes`: "drm/renderD128"; not `given`: /dev lacks them."""
    folder = f"sys/devices/pci0000:00/{address}"
    tree = {f"{folder}/vendor": f"{vendor:#06x}\n", f"{folder}/device": f"{device:#06x}\n",
            f"{folder}/class": f"{class_number:#08x}\n",
            f"sys/bus/pci/devices/{address}": Link(f"../../../devices/pci0000:00/{address}")}
    if driver:
        tree[f"sys/bus/pci/drivers/{driver}/uevent"] = ""
        tree[f"{folder}/driver"] = Link(f"../../../bus/pci/drivers/{driver}")
    for node in nodes:
        tree[f"{folder}/{node}/uevent"] = ""
        if given:
            tree["dev/" + node.replace("drm/", "dri/")] = ""
    return tree


def bridge():
    """What every PC has and nobody computes on."""
    return pci("0000:00:00.0", 0x8086, 0xa700, 0x060000) | pci("0000:00:1f.3", 0x8086, 0x7a50, 0x040300, "snd_hda_intel")


def module(name, version):
    return {f"sys/module/{name}/version": version + "\n"}


def opencl(**libraries):
    return {f"etc/OpenCL/vendors/{name}.icd": library + "\n" for name, library in libraries.items()}


def nvidia_driver(version):
    return module("nvidia", version) | {
        "proc/driver/nvidia/version": f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {version}  Fri May 31 09:35:42 "
                                      "UTC 2024\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n"}


def nvidia_gpu(address="0000:01:00.0", given=True):
    return pci(address, 0x10de, 0x2684, 0x030000, "nvidia", ["drm/renderD129"], given) | (
        {"dev/nvidiactl": "", "dev/nvidia0": ""} if given else {})


def intel_gpu():
    return pci("0000:00:02.0", 0x8086, 0xa780, 0x030000, "i915", ["drm/renderD128"])


def amd_gpu():
    return pci("0000:03:00.0", 0x1002, 0x744c, 0x030000, "amdgpu", ["drm/renderD128"]) | module("amdgpu", "6.8.5")


def soc(machine, family, number, *compatible):
    return {"sys/devices/soc0/machine": machine + "\n", "sys/devices/soc0/family": family + "\n",
            "sys/devices/soc0/soc_id": f"{number}\n",
            "proc/device-tree/compatible": "".join(name + "\0" for name in compatible)}


def phone(machine, number, *compatible):
    return (cpus(8, kernel="5.15.123-android13") | cpuinfo_arm(["0xd46"] * 3 + ["0xd4d"] * 4 + ["0xd4e"])
            | soc(machine, "Snapdragon", number, *compatible)
            | {"sys/class/kgsl/kgsl-3d0/gpu_model": "Adreno740v2\n", "dev/kgsl-3d0": "", "dev/fastrpc-cdsp": ""})


def cgroup1(quota, period=100000, folder="/docker/0123abcd"):
    """A container with a control group of its own, that the kernel names as its host sees it."""
    return {"proc/self/cgroup": f"5:cpu,cpuacct:{folder}\n4:cpuset:{folder}\n0::/\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": f"{quota}\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": f"{period}\n",
            "sys/fs/cgroup/cpu": Link("cpu,cpuacct")}


def cgroup2(folder, **files):
    """Control files such as cpu_max; each '_' stands for a dot."""
    return {"proc/self/cgroup": f"0::{folder}\n"} | {
        f"sys/fs/cgroup{folder}/{name.replace('_', '.')}": text + "\n" for name, text in files.items()}


def powercap(zone, name, energy, energy_range=262143328850, control="intel-rapl"):
    """An energy counter, in microjoules; None: it cannot be read."""
    folder, link = f"sys/devices/virtual/powercap/{control}/{control}:{zone}", f"sys/class/powercap/{control}:{zone}"
    return {f"{folder}/name": name + "\n", f"{folder}/max_energy_range_uj": f"{energy_range}\n",
            f"{folder}/energy_uj": "" if energy is None else f"{energy}\n", link: Link(f"../../../{folder}")}


def energy(*packages):
    """The counters of packages among what else there is, which must not be added to them."""
    tree = powercap("0:0", "core", 77777) | powercap("7", "psys", 88888) | powercap(
        "0", "package-0", 99999, control="intel-rapl-mmio") | {"sys/class/powercap/intel-rapl/enabled": "1\n"}
    for number, joules in enumerate(packages):
        tree |= powercap(number, f"package-{number}", joules)
    return tree


TREES = {
    "none": lambda: pc() | bridge(),
    "nvidia": lambda: pc() | bridge() | nvidia_gpu() | nvidia_driver("550.90.07"),
    "nvidia-opencl": lambda: (pc() | bridge() | nvidia_gpu() | nvidia_driver("550.90.07")
                              | opencl(nvidia="libnvidia-opencl.so.1")),
    "nvidia-not-given": lambda: pc() | bridge() | nvidia_gpu(given=False) | nvidia_driver("550.90.07"),
    "nvidia-no-driver": lambda: pc() | bridge() | pci("0000:01:00.0", 0x10de, 0x2684, 0x030000),
    "amd": lambda: pc() | bridge() | amd_gpu() | {"dev/kfd": ""},
    "amd-no-kfd": lambda: pc() | bridge() | amd_gpu(),
    "amd-instinct": lambda: (pc(96, 2) | pci("0000:c1:00.0", 0x1002, 0x740f, 0x120000, "amdgpu", ["drm/renderD128"])
                             | {"dev/kfd": ""}),
    "intel-gpu": lambda: pc() | bridge() | intel_gpu() | opencl(intel="/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so"),
    "intel-npu": lambda: (pc() | bridge() | intel_gpu()
                          | pci("0000:00:0b.0", 0x8086, 0x7d1d, 0x120000, "intel_vpu", ["accel/accel0"])
                          | module("intel_vpu", "1.13.0")),
    "laptop": lambda: (pc() | bridge() | intel_gpu() | nvidia_gpu() | nvidia_driver("550.90.07")
                       | opencl(intel="libigdrcl.so", nvidia="libnvidia-opencl.so.1")),
    "qualcomm-v73": lambda: phone("SM8550", 519, "qcom,sm8550-mtp", "qcom,sm8550"),
    "qualcomm-v66": lambda: phone("SM8250", 356, "qcom,sm8250-mtp", "qcom,sm8250"),
    "mali": lambda: (cpus(8, kernel="5.10.160") | cpuinfo_arm(["0xd05"] * 4 + ["0xd0b"] * 4)
                     | soc("Board with an RK3588", "Rockchip", 0, "radxa,rock-5b", "rockchip,rk3588")
                     | {"sys/class/misc/mali0/device/gpuinfo": "Mali-G610 4 cores r0p0 0xA8670000\n", "dev/mali0": ""}
                     | module("mali_kbase", "g18p0-01eac0")),
    "mali-panfrost": lambda: (cpus(4, kernel="6.6.31") | cpuinfo_arm(["0xd03"] * 4)
                              | {"proc/device-tree/compatible": "hardkernel,odroid-c4\0amlogic,sm1\0",
                                 "sys/bus/platform/drivers/panfrost/uevent": "",
                                 "sys/bus/platform/drivers/panthor/uevent": "",
                                 "sys/devices/platform/ffe40000.gpu/drm/card1/uevent": "",
                                 "sys/devices/platform/ffe40000.gpu/drm/renderD130/uevent": "",
                                 "sys/bus/platform/drivers/panfrost/ffe40000.gpu":
                                 Link("../../../../devices/platform/ffe40000.gpu"), "dev/dri/renderD130": ""}),
    "virtio": lambda: (cpus(4) | cpuinfo_x86("Processor of a virtual machine", 6, 85, 7, "sse4_2 avx f16c fma avx2 avx512f", 4)
                       | pci("0000:00:01.0", 0x1af4, 0x1050, 0x038000, "virtio-pci", ["drm/renderD128"])
                       | module("virtio_pci", "1")),
    "cgroup1-quota": lambda: pc() | cgroup1(100000),
    "cgroup1-cpuset": lambda: pc() | cgroup1(-1) | {"sys/fs/cgroup/cpuset/cpuset.effective_cpus": "1,9\n"},
    "cgroup2-quota": lambda: pc() | cgroup2("/app.slice/rung.service", cpu_max="150000 100000"),
    "cgroup2-cpuset": lambda: pc() | cgroup2("/app", cpuset_cpus_effective="2-4,10"),
    "one-cpu": lambda: pc() | cgroup2("/app", cpu_max="100000 100000"),
}

# One of these machines at other times, so that they are the same to the ladder.
MOMENTS = {
    "energy": lambda: pc() | energy(1000000, 262143328000),
    "energy-later": lambda: pc() | energy(1500000, 99150),
    "energy-unreadable": lambda: pc() | energy(1000000, None),
}


def write(tree, folder):
    """Writes a tree, by its name or itself, in the place of what is in the folder."""
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    for path, content in ((TREES | MOMENTS)[tree]() if isinstance(tree, str) else tree).items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            place.symlink_to(content)
        elif isinstance(content, bytes):
            place.write_bytes(content)
        else:
            place.write_text(content)
    return folder


def main(folder, *names):
    trees = TREES | MOMENTS
    for name in names or trees:
        if name not in trees:
            sys.exit(f"trees.py: there is no tree {name}; there are {', '.join(trees)}")
        write(name, pathlib.Path(folder) / name)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
