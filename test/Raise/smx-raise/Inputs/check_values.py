"""Runs every function of the raise tests and compares its results with those of the function before raising.

Usage: check_values.py SOFTMAX_OPT SOFTMAX_RUN DIRECTORY

Open dimensions have other sizes than their neighbours. Arithmetic on whole tensors that is not raised does not run: such
functions are compared with that in loops.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# Sizes of open dimensions, by their place in the type.
OPEN = ["2", "5", "6", "3"]

# The runner's exit status where a module can not be compiled.
CANNOT_RUN = 2


def functions(path):
    """Name, inputs and module of each function: the sizes of a tensor, or None for a scalar."""
    for module in re.split(r"^// -----$", path.read_text(), flags=re.M):
        for name, arguments in re.findall(r"func\.func @(\w+)\((.*?)\)", module):
            shapes = re.findall(r": (?:tensor<((?:[\d?]+x)*)\w+>|index)", arguments)
            yield name, [shape.strip("x").split("x") if shape else None for shape in shapes], module


def run(runner, module, name, shapes):
    sizes = ["x".join(OPEN[k] if n == "?" else n for k, n in enumerate(shape)) for shape in shapes if shape]
    # An index is the size of an open first dimension.
    numbers = ["" if shape else OPEN[0] for shape in shapes]
    command = [runner, module, "--entry=" + name, "--check=naive", "--repeat=0", "--threads=1", "--opt-level=0", "--random=normal:5"]
    command += ["--dims=" + ",".join(sizes)] * any("?" in shape for shape in shapes if shape) + ["--input=" + ",".join(numbers)] * any(numbers)
    return subprocess.run(command, capture_output=True, text=True)


def main(opt, runner, directory):
    wrong = passed = 0
    left_out = []
    with tempfile.TemporaryDirectory() as folder:
        written, in_loops = pathlib.Path(folder) / "written.mlir", pathlib.Path(folder) / "loops.mlir"
        for path in sorted(pathlib.Path(directory).glob("*.mlir")):
            for name, shapes, module in functions(path):
                written.write_text(module)
                result = run(runner, written, name, shapes)
                if result.returncode == CANNOT_RUN:
                    subprocess.run([opt, written, "--convert-elementwise-to-linalg", "-o", in_loops], capture_output=True)
                    result = run(runner, in_loops, name, shapes)
                if result.returncode == 0:
                    passed += 1
                elif result.returncode == CANNOT_RUN:
                    left_out.append(name)
                    print(f"{path.name} @{name} does not run: {result.stderr}")
                else:
                    wrong += 1
                    print(f"{path.name} @{name} is wrong: {result.stdout}{result.stderr}")
    print(f"{passed} functions pass, {wrong} are wrong, {len(left_out)} do not run: {' '.join(left_out)}")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
