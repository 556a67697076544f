#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a kernel object holds a fused multiply-add.

    contraction.py OBJDUMP CONTROL ARCHIVE...

A fused instruction rounds once where the design rounds twice, so it changes bytes. Every ARCHIVE must
hold none. CONTROL, which was compiled with contraction on, must hold one: it proves that this test
can see them.
"""
import re
import subprocess
import sys

# x86: vfmadd132ps, vfmsubadd…, vfnmadd… (also 4FMAPS and AMD's FMA4). Arm: fmadd, fmla, vfma, …
FUSED = re.compile(
    r"^(v?4?f(n?m(add|sub)|maddsub|msubadd)\w*"  # x86 and AArch64 scalar
    r"|fn?ml[as]\w*|fcmla"  # AArch64 vector
    r"|vfn?m[as](\.\w+)?)$"  # Arm
)
# "  1a:\tvfmadd213ss %xmm0,..." once objdump leaves the bytes out.
INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\s+(?:(?:rep|lock|bnd|data16|notrack)\s+)*(\S+)")
SYMBOL = re.compile(r"^[0-9a-f]+ <(.+)>:$")


def disassemble(objdump, path):
    done = subprocess.run(
        [objdump, "--disassemble", "--no-show-raw-insn", path],
        check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def fused(objdump, path):
    """-> the number of instructions, and "function: instruction" for each fused one."""
    count, found, symbol = 0, [], "?"
    for line in disassemble(objdump, path):
        named = SYMBOL.match(line)
        if named:
            symbol = named[1]
        instruction = INSTRUCTION.match(line)
        if instruction:
            count += 1
            if FUSED.match(instruction[1]):
                found.append(f"{symbol}: {instruction[1]}")
    return count, found


def main(objdump, control, *archives):
    failures = []
    _, seen = fused(objdump, control)
    print(f"{control}: {', '.join(seen) or 'nothing'}")
    if not seen:
        failures.append(f"{control} was compiled with contraction and shows none: "
                        "this test cannot see fused instructions")
    for archive in archives:
        count, found = fused(objdump, archive)
        print(f"{archive}: {count} instructions, {len(found)} fused")
        if not count:
            failures.append(f"{archive} holds no code")
        failures += [f"{archive}: {each}; compile it with -ffp-contract=off" for each in found]
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
