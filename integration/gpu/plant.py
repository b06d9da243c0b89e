#!/usr/bin/env python3
"""Runs this project's own row softmax with a fault planted in it, for a checker that must find it.

    compute-sanitizer --tool racecheck python3 plant.py --tools DIR "missing barrier"

`none` plants nothing and must be clean. Kernels get exact allocations; outputs are not filled before, and read after. Exits with 0 where the launch came to its end.
"""

import argparse
import pathlib
import re
from dataclasses import dataclass
from typing import Callable

import driver
import works
from kernel import Kernel, Tensor, compile_image

ROWS, COLUMNS = 64, 1000


def without_barriers(ptx):
    """The kernel with nothing between what one warp writes to shared memory and what another reads."""
    planted, count = re.subn(rb"^\s*(bar\.sync|barrier\.sync|barrier\.cta\.sync)[^;]*;", b"", ptx, flags=re.M)
    if count == 0 or b"st.shared" not in ptx:
        raise SystemExit("plant.py: the kernel has no barrier to remove")
    return planted


def with_divergent_barrier(ptx):
    """The kernel with two barriers of the whole block at its end; half a warp comes to the first one, all to the second.

    Threads that have ended are missed by no barrier, so the first one alone would be no fault."""
    barrier = (b"{ .reg .pred %planted; .reg .b32 %thread;\n mov.u32 %thread, %tid.x;\n setp.lt.u32 %planted, %thread, 16;\n"
               b" @!%planted bra PLANTED;\n bar.sync 0;\n PLANTED:\n bar.sync 1; }\n")
    before, end, after = ptx.rpartition(b"ret;")
    return before + barrier + end + after


@dataclass
class Fault:
    """What is done to the code, the rows that there is memory for, those that the kernel is told of."""

    patch: Callable = lambda ptx: ptx
    input_rows: int = ROWS
    output_rows: int = ROWS
    rows: int = ROWS
    input_is_written: bool = True


FAULTS = {
    "none": Fault(),
    "out-of-bounds write": Fault(output_rows=ROWS - 1),
    "out-of-bounds read": Fault(input_rows=ROWS - 1),
    "missing barrier": Fault(without_barriers),
    "input never written": Fault(input_is_written=False),
    "row left unwritten": Fault(rows=ROWS - 1),
    "divergent barrier": Fault(with_divergent_barrier),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("fault", choices=FAULTS)
    arguments = parser.parse_args()
    fault = FAULTS[arguments.fault]
    driver.use_device()
    ptx, manifest = compile_image(arguments.tools, works.row_text("softmax", ("?", COLUMNS), "f32", 1), driver.chip())
    kernel = Kernel(fault.patch(ptx), manifest)
    # Exact allocations, and an output that is not filled before: as softmax-run's with --guards=false.
    x = driver.Buffer(4 * fault.input_rows * COLUMNS, byte=0 if fault.input_is_written else None)
    y = driver.Buffer(4 * fault.output_rows * COLUMNS)
    shape, strides = (fault.rows, COLUMNS), (COLUMNS, 1)
    kernel.bind(Tensor(x.address, shape, strides), Tensor(y.address, shape, strides))()
    driver.synchronize()
    y.read()


if __name__ == "__main__":
    main()
