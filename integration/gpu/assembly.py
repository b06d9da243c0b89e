#!/usr/bin/env python3
"""What ptxas makes of every kernel of the benchmark: registers, spills, notices, and what a loop costs for each score.

    integration/gpu/assembly.py --tools DIR [--chip sm_90a]

DIR holds softmax-compile; ptxas and nvdisasm are those of the PATH unless named. Needs no GPU. Writes
results/<chip>-assembly.{json,md}; the exit status is 1 if a kernel spills, has a stack frame or a C75xx notice.

An element is one score of attention, or one element of a row. Its cost is the number of instructions of one kind in a
loop over those of its elements that a thread holds; loops are natural loops of the control flow of the machine code.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import results
import sass
import works
from kernel import compile_image

TRITON = "triton/backends/nvidia/bin"  # its wheel carries both programs


def find(name):
    places = [pathlib.Path(place) / TRITON / name for place in sys.path]
    return shutil.which(name) or next((str(place) for place in places if place.exists()), name)


def assemble(ptxas, ptx, chip, cubin):
    """What ptxas reports, {"registers", "spilled_bytes", "stack_bytes", "notices"}; the worst of the image's kernels."""
    done = subprocess.run([ptxas, "-v", f"-arch={chip}", "-", "-o", cubin], input=ptx.rstrip(b"\0").decode(),
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[:300])
    most = lambda pattern: max(map(int, re.findall(pattern, done.stderr)), default=0)  # noqa: E731
    return {"registers": most(r"Used (\d+) registers"), "stack_bytes": most(r"(\d+) bytes stack frame"),
            "spilled_bytes": most(r"(\d+) bytes spill stores") + most(r"(\d+) bytes spill loads"),
            "notices": sorted(set(re.findall(r"C75\d\d", done.stderr)))}


def examine(work, tools, chip, ptxas, nvdisasm):
    row = {"work": work.name}
    try:
        ptx, _ = compile_image(tools, work.text, chip)
        with tempfile.TemporaryDirectory() as folder:
            cubin = pathlib.Path(folder, "kernel.cubin")
            row |= assemble(ptxas, ptx, chip, cubin)
            text = subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True, check=True).stdout
    except (OSError, RuntimeError, subprocess.CalledProcessError) as failure:
        return row | {"error": str(failure)[:300]}
    macs_of_element = 2 * work.dim if isinstance(work, works.Attention) else None
    element_bytes = 4 if isinstance(work, works.Softmax) and work.dtype == "f32" else 2
    row["loops"] = [loop for kernel in sass.kernels(text) for loop in sass.loops(kernel, macs_of_element, element_bytes)]
    return row


def is_clean(row):
    return "error" not in row and not (row["spilled_bytes"] or row["stack_bytes"] or row["notices"])


def lines_of(rows):
    cells = []
    for row in rows:
        if "error" in row:
            cells.append([row["work"], row["error"]] + ["-"] * 8)
            continue
        head = [row["work"], row["registers"], row["spilled_bytes"], row["stack_bytes"], " ".join(row["notices"]) or "none"]
        for loop in row["loops"] or [{}]:
            cells.append(head + [loop.get(key, "-") for key in ("instructions", "elements", "ex2", "ffma", "per_element")])
            head = [""] * len(head)
    return ["One line for each loop that takes exponentials; a kernel without one is counted as a whole.", "",
            *results.table(["kernel", "registers", "spilled bytes", "stack bytes", "notices", "instructions of the loop",
                            "elements of a thread", "MUFU.EX2 for each", "FFMA for each", "instructions for each"], cells)]


def main():
    parser = results.parser(__doc__, results.CHECKS)
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--ptxas", default=find("ptxas"))
    parser.add_argument("--nvdisasm", default=find("nvdisasm"))
    arguments = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wanted, rows = works.ATTENTION + works.SOFTMAX, []
        head = results.head(arguments) | {"gpu": arguments.chip}
        for row in pool.map(lambda work: examine(work, arguments.tools, arguments.chip, arguments.ptxas, arguments.nvdisasm), wanted):
            rows.append(row)
            left = len(wanted) - len(rows)
            results.write(arguments.output, "assembly", head | {"rows": rows}, results.unfinished(left) + lines_of(rows), show=not left)
    return 0 if all(map(is_clean, rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
