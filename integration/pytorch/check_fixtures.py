"""Runs every fixture through upstream MLIR alone and compares with PyTorch's outputs.

    python check_fixtures.py --llvm-bin DIR [--only NAME ...]

DIR holds mlir-opt, mlir-translate and clang, and DIR/../lib MLIR's runner library.
No pass of this project takes part: what fails here is a fixture whose IR and data do
not belong together, or an export that means something else than PyTorch computes.
Needs numpy and ml_dtypes only.
"""

import argparse
import ctypes
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import ml_dtypes
import numpy

ROOT = Path(__file__).resolve().parent
PIPELINE = ",".join(
    [
        "one-shot-bufferize{bufferize-function-boundaries"
        " function-boundary-type-conversion=identity-layout-map}",
        "func.func(convert-linalg-to-loops)",
        "func.func(llvm-request-c-wrappers)",
        "convert-scf-to-cf",
        "expand-strided-metadata",
        "lower-affine",
        "arith-expand{include-bf16=true}",
        "convert-math-to-funcs{min-width-of-fpowi-exponent=1}",
        "convert-math-to-llvm",
        "convert-math-to-libm",
        "convert-scf-to-cf",
        "finalize-memref-to-llvm",
        "convert-func-to-llvm",
        "convert-arith-to-llvm",
        "convert-cf-to-llvm",
        "convert-index-to-llvm",
        "reconcile-unrealized-casts",
    ]
)
DTYPES = {
    "float16": numpy.float16,
    "float32": numpy.float32,
    "float64": numpy.float64,
    "bfloat16": ml_dtypes.bfloat16,
    "int64": numpy.int64,
    "bool": numpy.bool_,
}
# Largest |actual - expected| relative to the largest |expected|: loops add in another
# order than PyTorch, and the bf16 matmul of PyTorch may round once less.
TOLERANCE = {"float64": 1e-13, "float32": 5e-6, "float16": 4e-3, "bfloat16": 2e-2}


def descriptor_type(rank: int):
    fields = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64)]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type(f"MemRef{rank}", (ctypes.Structure,), {"_fields_": fields})


def make_descriptor(array: numpy.ndarray):
    descriptor = descriptor_type(array.ndim)()
    descriptor.allocated = descriptor.aligned = array.ctypes.data
    for axis in range(array.ndim):
        descriptor.sizes[axis] = array.shape[axis]
        descriptor.strides[axis] = array.strides[axis] // array.itemsize
    return descriptor


def read_result(descriptor, rank: int, dtype) -> numpy.ndarray:
    shape = [descriptor.sizes[axis] for axis in range(rank)]
    itemsize = numpy.dtype(dtype).itemsize
    strides = [descriptor.strides[axis] * itemsize for axis in range(rank)]
    span = (sum((n - 1) * s for n, s in zip(shape, strides)) + itemsize) if all(shape) else 0
    start = descriptor.aligned + descriptor.offset * itemsize
    raw = ctypes.string_at(start, span)
    return numpy.ndarray(shape, dtype, raw, strides=strides).copy()


def load(entry: dict) -> numpy.ndarray:
    array = numpy.load(ROOT / entry["file"], allow_pickle=False)
    dtype = numpy.dtype(DTYPES[entry["dtype"]])
    array = array.view(dtype) if array.dtype.kind == "V" else array
    if list(array.shape) != entry["shape"] or array.dtype != dtype:
        raise ValueError(f"{entry['file']} is {array.dtype}{list(array.shape)}, not as listed")
    return numpy.ascontiguousarray(array)


def compile_fixture(fixture: Path, llvm_bin: Path, folder: Path) -> ctypes.CDLL:
    runtime = llvm_bin.resolve().parent / "lib"
    lowered, source, library = (folder / n for n in ("lowered.mlir", "kernel.ll", "kernel.so"))
    for command in (
        [llvm_bin / "mlir-opt", fixture, f"--pass-pipeline=builtin.module({PIPELINE})", "-o", lowered],
        [llvm_bin / "mlir-translate", "--mlir-to-llvmir", lowered, "-o", source],
        [llvm_bin / "clang", "-O1", "-march=native", "-shared", "-fPIC", "-x", "ir", source,
         f"-L{runtime}", f"-Wl,-rpath,{runtime}", "-lmlir_c_runner_utils", "-lm", "-o", library],
    ):
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise ValueError(f"{Path(command[0]).name} failed:\n{result.stderr[:2000]}")
    return ctypes.CDLL(str(library))


def run_fixture(entry: dict, library: ctypes.CDLL) -> list[numpy.ndarray]:
    inputs = [load(i) for i in entry["inputs"]]
    arguments = [ctypes.byref(make_descriptor(a)) for a in inputs]
    ranks = [len(o["shape"]) for o in entry["outputs"]]
    results = type(
        "Results", (ctypes.Structure,),
        {"_fields_": [(f"r{i}", descriptor_type(rank)) for i, rank in enumerate(ranks)]},
    )()
    library._mlir_ciface_main(ctypes.byref(results), *arguments)
    return [
        read_result(getattr(results, f"r{i}"), rank, DTYPES[entry["outputs"][i]["dtype"]])
        for i, rank in enumerate(ranks)
    ]


def compare(actual: numpy.ndarray, expected: numpy.ndarray, dtype: str) -> float:
    """The relative error; ValueError where it is over the bound or a NaN or inf is misplaced."""
    if dtype in ("int64", "bool"):
        if not numpy.array_equal(actual, expected):
            raise ValueError("integer outputs differ")
        return 0.0
    actual, expected = (a.astype(numpy.float64) for a in (actual, expected))
    special = ~numpy.isfinite(expected)
    if not numpy.array_equal(actual[special], expected[special], equal_nan=True):
        raise ValueError("NaN or inf stand in other places")
    scale = max(numpy.abs(expected[~special]).max(initial=0), 1e-30)
    error = numpy.abs(actual[~special] - expected[~special]).max(initial=0) / scale
    if not error <= TOLERANCE[dtype]:
        raise ValueError(f"relative error {error:.3g}; the bound for {dtype} is {TOLERANCE[dtype]}")
    return float(error)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--llvm-bin", type=Path, required=True)
    parser.add_argument("--only", nargs="+", metavar="NAME")
    options = parser.parse_args()
    table = json.loads((ROOT / "fixtures.json").read_text())
    failures = 0
    for name in options.only or table:
        try:
            with tempfile.TemporaryDirectory() as folder:
                library = compile_fixture(ROOT / table[name]["fixture"], options.llvm_bin, Path(folder))
                actual = run_fixture(table[name], library)
            errors = [
                compare(a, load(o), o["dtype"]) for a, o in zip(actual, table[name]["outputs"])
            ]
            print(f"{name}: relative error {max(errors):.2g}")
        except (OSError, ValueError, KeyError) as error:
            failures += 1
            print(f"{name}: error: {error}", file=sys.stderr)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
