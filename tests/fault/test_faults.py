# SPDX-License-Identifier: Apache-2.0
"""Each system call and each allocation of a command fails once. Whatever it is, the command ends with a documented
status and one sentence, its outputs are as they were or whole, and nothing is kept: no file, no descriptor, no memory.

Of many calls of one kind, of the allocations of descriptions and of libcrypto an even sample is tried; RUNG_FAULT_ALL=1 tries all."""

import os
import re
import subprocess

import pytest
import trees
from faults import ERRORS, faults_of, run, run_all
from operations import BUILD, INTERPOSE, OPERATIONS, RUNG, RUNTIMES, make

MEMORY, CRYPTO = "memory", "memory_crypto"
ALL = bool(os.environ.get("RUNG_FAULT_ALL"))
CALL_SAMPLE, SAMPLE, CRYPTO_SAMPLE = 16, 120, 30

# What commands read of the machine is the same everywhere, and as many calls.
MACHINE = (trees.pc(2, 2) | trees.nvidia_gpu() | trees.nvidia_driver("550.90.07") | trees.opencl(nvidia="libnvidia-opencl.so.1"))

# Imported from libc, and not made to fail: they cannot, or their failing is the tests' of base/ (processes, locks).
SAFE = """
__assert_fail __cxa_atexit __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __cxa_finalize __errno_location __libc_start_main __stack_chk_fail __tls_get_addr _exit abort
clock_gettime clock_nanosleep closedir dladdr dlerror dlsym environ __environ execve fclose fflush fileno flock fork fprintf free
fts64_close ioctl
getauxval getegid globfree64 getpriority getrusage getenv geteuid getgid getopt_long getpid getppid getrlimit64 getuid kill localtime_r memchr memcmp memcpy memmove
cbrt exp2 fmin log10 log2 lround pow sysconf
feof ferror fmax isatty lseek64 memset munmap nanosleep dup2 pipe2 poll prctl printf putc putchar puts fputc fputs fwrite qsort raise round sqrt setpgid
setpriority setvbuf stderr stdout sigaction sigaddset sigdelset sigemptyset sigfillset sigismember sigpending sigprocmask sigwait snprintf
strcasecmp strftime strncasecmp strpbrk strchr strcmp strcspn strerror strerror_r strlen strncmp strnlen strrchr strsignal strspn strstr strtod
strtol strtoll strtoul strtoull strverscmp syscall time timespec_get umask vfork vfprintf vsnprintf waitid waitpid malloc calloc realloc
aligned_alloc strdup
""".split()


def learn(folder):
    """What the libraries are is remembered, so that an operation meets the calls of its own work alone."""
    known = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    subprocess.run([RUNG, "explain", "--runtime", RUNTIMES], check=True, capture_output=True, env={**known, "HOME": str(folder)})


@pytest.fixture(scope="session")
def origin(tmp_path_factory):
    if not INTERPOSE.exists() or BUILD.name.endswith("asan"):
        pytest.skip("the interposer is not built, or a sanitizer stands in its place")
    folder = tmp_path_factory.mktemp("origin")
    trees.write(MACHINE, folder.parent / "machine")
    make(folder, lambda *arguments: subprocess.run([RUNG, *arguments], cwd=folder, check=True, capture_output=True))
    learn(folder)
    return folder


@pytest.fixture(scope="session", params=OPERATIONS, ids=lambda operation: operation.name)
def subject(request, origin):
    """An operation, and how it ends without a fault."""
    if str(RUNTIMES) in request.param.arguments and not RUNTIMES.exists():
        pytest.skip("there is no runtime; scripts/fetch-runtimes brings one")
    whole = run(request.param, origin)
    assert whole.status == request.param.status, whole
    return request.param, whole


def check(title, subject, origin, names, at_most=None):
    operation, whole = subject
    if operation.standing:
        names = names - {operation.standing.split(":")[0]}
    faults = list(faults_of(whole.report["calls"], names, operation.at_most or at_most))
    assert faults
    problems = run_all(f"{title}: {operation.name}", operation, origin, whole, faults)
    assert not problems, f"{len(problems)} problems\n" + "\n".join(problems)


def test_each_system_call_fails_once(subject, origin):
    check("system calls", subject, origin, ERRORS.keys() - {MEMORY, CRYPTO}, None if ALL else CALL_SAMPLE)


def test_each_allocation_fails_once(subject, origin):
    check("allocations", subject, origin, {MEMORY}, None if ALL else SAMPLE)


def test_allocations_of_libcrypto_fail_once(subject, origin):
    check("allocations of libcrypto", subject, origin, {CRYPTO},
          None if ALL else CRYPTO_SAMPLE)


@pytest.mark.parametrize("file", [RUNG, BUILD / "cli" / "rung-pictures.so", BUILD / "src" / "librung.so"], ids=lambda path: path.name)
def test_no_call_of_the_system_is_forgotten(file):
    """A function that is imported from libc has a fault, or stands in the list of those that need none."""
    listing = subprocess.run(["nm", "-D", "--undefined-only", file], check=True, capture_output=True, text=True).stdout
    imported = {match.group(1) for match in re.finditer(r" U (\w+)@GLIBC_", listing)}
    unknown = {name for name in imported - ERRORS.keys() - set(SAFE) if not name.startswith("pthread_")}
    assert imported and not unknown
