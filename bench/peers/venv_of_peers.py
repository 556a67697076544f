# SPDX-License-Identifier: Apache-2.0
"""
The Python that has the pinned peers.

The wheel of torch is built for a GPU and names eleven libraries, of several gigabytes, that its CPU code never calls. Empty
libraries of the same names stand in for them, so that it loads. Their functions would be looked up when they are called
(RTLD_LAZY, compare.py); the one variable is there.
"""
import subprocess
import tempfile

import harness

STAND_INS = {
    "libcublas.so.13": "", "libcublasLt.so.13": "", "libcudnn.so.9": "", "libcufft.so.12": "", "libcufile.so.0": "",
    "libcupti.so.13": "", "libcusparse.so.12": "", "libcusparseLt.so.0": "", "libnccl.so.2": "", "libnvrtc.so.13": "",
    "libnvshmem_host.so.3": "int nvshmem_selected_device_transport;",
}
VERSIONS = {"libnvshmem_host.so.3": "NVSHMEM"}  # of the symbol


def make_stand_ins(venv):
    """Where torch looks for them: beside the one library of the kind that is really there."""
    (folder,) = {file.parent for file in venv.glob("lib/python*/site-packages/nvidia/*/lib/libcudart.so.*")}
    with tempfile.TemporaryDirectory() as work:
        for name, text in STAND_INS.items():
            command = ["cc", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-x", "c", "-", "-o", folder / name]
            if version := VERSIONS.get(name):
                script = f"{work}/versions"
                with open(script, "w", encoding="ascii") as file:
                    file.write(f"{version} {{ global: *; }};")
                command.append(f"-Wl,--version-script={script}")
            subprocess.run(command, input=text, text=True, check=True)


def make(venv):
    lists = [harness.ROOT / "scripts/requirements.txt", harness.HERE / "requirements.txt",
             harness.HERE / "peers/requirements.txt"]
    return harness.python_with(venv, lists, ["--no-deps"], make_stand_ins)
