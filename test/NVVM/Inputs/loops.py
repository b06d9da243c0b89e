"""Assembles PTX, disassembles it and prints what its loops of warpgroups' products are made of: of natural loops with exponentials
the innermost.

Fails on what such a loop is not to have: local memory (LDL, STL), values that go back to uniform
registers (R2UR), barriers where paths meet (BSSY, BSYNC). Usage: loops.py <ptxas> <nvdisasm> <chip> <file, or - for stdin>
"""
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "integration" / "gpu"))
import sass  # noqa: E402

UNWANTED = ("LDL", "STL", "R2UR", "BSSY", "BSYNC")


def is_wanted(code):
    return any(map(sass.is_exponential, code)) and any(x[2].startswith("HGMMA") for x in code)


def main() -> int:
    ptxas, nvdisasm, chip, file = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "kernel.cubin")
        subprocess.run([ptxas, "-arch=" + chip, file, "-o", cubin], check=True)
        text = subprocess.run([nvdisasm, "-c", cubin], check=True, capture_output=True, text=True).stdout
    bad = False
    for kernel in sass.kernels(text):
        for code in sass.innermost_loops(kernel, is_wanted):
            counts = collections.Counter("MUFU.EX2" if sass.is_exponential(x) else x[2].split(".")[0] for x in code)
            print(f"{len(code)} instructions: " + ", ".join(f"{counts[name]} {name}" for name in ("HGMMA", "MUFU.EX2", "FFMA")))
            for name in UNWANTED:
                if counts[name]:
                    bad = True
                    print(f"loops.py: {counts[name]} {name} in a loop of {len(code)} instructions", file=sys.stderr)
    return 1 if bad else 0


sys.exit(main())
