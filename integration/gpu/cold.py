#!/usr/bin/env python3
"""Processor time of a cold compilation without a GPU, with ptxas in the place of the driver's assembler.

    integration/gpu/cold.py --tools DIR [--repeat 3] [--ptxas ptxas] [PATTERN]

DIR holds softmax-compile. Times every kernel of the benchmark, attention also for sm_80, and every module of PyTorch that
has a kernel, if its name has the PATTERN (a regular expression). Prints a table, the slowest first; of each step the least
time of the repetitions. It is that of whole programs, start included; what the driver takes longer than ptxas differs from
version to version. `check.py works fixtures` has the figures of a GPU.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import check
import results
import works
from assembly import find

DEVICE = "sm_90a"


def seconds(command, text=None):
    """Processor time of a program, which reads `text`."""
    with tempfile.TemporaryFile() as stream:
        stream.write((text or "").encode())
        stream.seek(0)
        child = subprocess.Popen(list(map(str, command)), stdin=stream, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(said.strip()[:200])
    return usage.ru_utime + usage.ru_stime


def kernels():
    """(name, text, chip, alignment) of each."""
    for work in works.ATTENTION + works.SOFTMAX + works.REDUCTIONS:
        yield work.name, work.text, DEVICE, 16
    for work in works.ATTENTION:
        yield f"{work.name} ({check.PORTABLE})", work.text, check.PORTABLE, 16
    for name, entry in json.loads((check.PYTORCH / "fixtures.json").read_text()).items():
        yield name, (check.PYTORCH / entry["fixture"]).read_text(), DEVICE, check.largest_alignment(entry)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="?", default="", metavar="PATTERN")
    parser.add_argument("--tools", type=pathlib.Path, required=True, help="folder of softmax-compile")
    parser.add_argument("--ptxas", default=find("ptxas"))
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    rows, failed = [], []
    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin = pathlib.Path(folder, "kernel.ptx"), pathlib.Path(folder, "kernel.cubin")
        for name, text, chip, alignment in kernels():
            if not re.search(arguments.pattern, name):
                continue
            # Code for every GPU is assembled for the device.
            steps = [([arguments.tools / "softmax-compile", "-", "--emit=ptx", f"--chip={chip}", f"--alignment={alignment}",
                       f"--reproducer-dir={folder}", "-o", ptx], text),
                     ([arguments.ptxas, f"-arch={DEVICE if chip == DEVICE else 'sm_90'}", ptx, "-o", cubin], None)]
            try:
                rows.append([name, *(1e3 * min(seconds(*step) for _ in range(arguments.repeat)) for step in steps)])
            except RuntimeError as failure:
                failed.append(f"- {name}: {failure}")
    rows.sort(key=lambda row: -row[1] - row[2])
    cells = [[name, f"{ours + theirs:.0f}", f"{ours:.0f}", f"{theirs:.0f}"] for name, ours, theirs in rows]
    print("\n".join(results.table(["kernel", "ms", "to PTX", "ptxas"], cells) + failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
