#!/usr/bin/env python3
"""Runs this project's own row softmax with a fault planted in it, for a checker that must find it.

    compute-sanitizer --tool racecheck python3 plant.py --tools DIR missing-barrier

`none` plants nothing and must be clean. Exits with 0 where the launch came to its end.
"""

import argparse
import pathlib
import re

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


FAULTS = {  # what is done to the code, rows claimed beyond those that the output has, is the input written
    "none": (lambda ptx: ptx, 0, True),
    "out-of-bounds": (lambda ptx: ptx, 1, True),
    "missing-barrier": (without_barriers, 0, True),
    "never-written": (lambda ptx: ptx, 0, False),
    "divergent-barrier": (with_divergent_barrier, 0, True),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("fault", choices=FAULTS)
    arguments = parser.parse_args()
    patch, beyond, is_written = FAULTS[arguments.fault]
    driver.use_device()
    ptx, manifest = compile_image(arguments.tools, works.row_text("softmax", ("?", COLUMNS), "f32", 1), driver.chip())
    kernel = Kernel(patch(ptx), manifest)
    # Only the output is too small.
    x = driver.Buffer(4 * (ROWS + beyond) * COLUMNS, byte=0 if is_written else None)
    y = driver.Buffer(4 * ROWS * COLUMNS, byte=0xFF)
    shape, strides = (ROWS + beyond, COLUMNS), (COLUMNS, 1)
    kernel.bind(Tensor(x.address, shape, strides), Tensor(y.address, shape, strides))()
    driver.synchronize()


if __name__ == "__main__":
    main()
