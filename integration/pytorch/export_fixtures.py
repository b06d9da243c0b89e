"""Exports ordinary PyTorch code with torch-mlir, as input for the compiler.

    python export_fixtures.py [--mlir-opt PATH] [--only NAME ...] [--check]

writes fixtures/NAME.mlir (linalg on tensors), data/NAME/{input,output}N.npy (what
PyTorch itself computes on seeded inputs) and fixtures.json, the table of both with
the op the raise pass is expected to find.  --check compares instead of writing.

scaled_dot_product_attention is decomposed by torch-mlir's default table into its
"math" form.  The IR is what torch-mlir prints, with two mechanical edits: a comment
line on top, and tensors that a module holds moved from the resource section into
their constants.  A dialect that upstream MLIR lacks is an error.  Every file is
parsed by `mlir-opt` before it is kept.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import torch
from torch_mlir import fx

import attention_cases  # noqa: F401  (registers its cases)
import sdpa_cases  # noqa: F401
import softmax_cases  # noqa: F401
from cases import CASES, Case
from npy import load_array, save_tensor

ROOT = Path(__file__).resolve().parent
MAX_DATA_BYTES = 200_000
MAX_CONSTANT_DIGITS = 20_000


def inline_resources(text: str) -> str:
    """Writes `dense_resource<name>` as `dense<"0x...">` and drops the resource section.

    The section holds a four-byte alignment before the elements, which are laid out as
    in `dense` for every type but i1.
    """
    body, separator, section = text.partition("{-#")
    if not separator:
        return text
    blobs = dict(re.findall(r'([\w.]+): "0x[0-9A-F]{8}([0-9A-F]*)"', section))

    def inline(match: re.Match) -> str:
        if len(blobs[match[1]]) > MAX_CONSTANT_DIGITS:
            raise ValueError(f"the module holds a tensor of {len(blobs[match[1]]) // 2} bytes")
        return f'dense<"0x{blobs[match[1]]}">'

    return re.sub(r"dense_resource<([\w.]+)>(?!.*xi1>)", inline, body).rstrip() + "\n"


def export_ir(module: torch.nn.Module, inputs, dynamic_shapes, comment: str) -> str:
    """The linalg-on-tensors text of a module; raises ValueError where it is not plain upstream MLIR."""
    exported = fx.export_and_import(
        module,
        *inputs,
        output_type="linalg-on-tensors",
        func_name="main",
        dynamic_shapes=dynamic_shapes,
    )
    text = inline_resources(str(exported).rstrip() + "\n")
    for marker in ("dense_resource", "torch.", "tm_tensor."):
        if marker in text:
            raise ValueError(f"the exported IR contains '{marker}'")
    return f"// {comment}\n{text}"


def parse_with(mlir_opt: str, text: str) -> None:
    result = subprocess.run(
        [mlir_opt, "--verify-roundtrip", "-o", "/dev/null"],
        input=text, text=True, capture_output=True, check=False,
    )
    if result.returncode != 0:
        raise ValueError(f"'{mlir_opt}' rejects the exported IR:\n{result.stderr}")


def describe(tensor: torch.Tensor, path: Path) -> dict:
    return {
        "file": str(path.relative_to(ROOT)),
        "shape": list(tensor.shape),
        "dtype": str(tensor.dtype).removeprefix("torch."),
    }


def run_case(case: Case):
    """The case's inputs and PyTorch's outputs, in order."""
    inputs = case.make_inputs()
    with torch.no_grad():
        outputs = case.module()(*inputs)
    return inputs, outputs if isinstance(outputs, tuple) else (outputs,)


def export_case(case: Case, mlir_opt: str, check: bool) -> dict:
    inputs, outputs = run_case(case)
    text = export_ir(case.module(), inputs, case.dynamic_shapes(), f"{case.module_name}: {case.note}")
    parse_with(mlir_opt, text)
    fixture = ROOT / "fixtures" / f"{case.name}.mlir"
    folder = ROOT / "data" / case.name
    entry = {"fixture": str(fixture.relative_to(ROOT)), "raises": case.raises, "note": case.note}
    named = {
        "inputs": [(t, folder / f"input{i}.npy") for i, t in enumerate(inputs)],
        "outputs": [(t, folder / f"output{i}.npy") for i, t in enumerate(outputs)],
    }
    for key, tensors in named.items():
        entry[key] = [describe(t, path) for t, path in tensors]
    if check:
        if not fixture.exists() or fixture.read_text() != text:
            raise ValueError(f"{fixture.name} differs from what is exported now")
        for tensor, path in named["inputs"] + named["outputs"]:
            stored = torch.from_numpy(load_array(path))
            torch.testing.assert_close(stored, tensor.to(stored.dtype), equal_nan=True)
        return entry
    fixture.parent.mkdir(exist_ok=True)
    fixture.write_text(text)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    size = sum(save_tensor(path, t) for t, path in named["inputs"] + named["outputs"])
    if size > MAX_DATA_BYTES:
        raise ValueError(f"data/{case.name} has {size} bytes; the limit is {MAX_DATA_BYTES}")
    return entry


def write_table(entries: dict) -> None:
    """Replaces or adds the given entries of fixtures.json; the rest stays."""
    path = ROOT / "fixtures.json"
    table = json.loads(path.read_text()) if path.exists() else {}
    table.update(entries)
    lines = [f"  {json.dumps(name)}: {json.dumps(table[name])}" for name in sorted(table)]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def find_mlir_opt() -> str:
    return shutil.which("mlir-opt-22") or shutil.which("mlir-opt") or "mlir-opt-22"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mlir-opt", default=find_mlir_opt())
    parser.add_argument("--only", nargs="+", metavar="NAME", help="export these cases only")
    parser.add_argument("--check", action="store_true", help="compare with the stored files")
    options = parser.parse_args()
    unknown = set(options.only or ()) - set(CASES)
    if unknown:
        parser.error(f"no case named {sorted(unknown)}; the cases are {sorted(CASES)}")
    numpy.seterr(all="ignore")
    entries, failures = {}, 0
    for name in options.only or CASES:
        try:
            entries[name] = export_case(CASES[name], options.mlir_opt, options.check)
            print(f"{name}: {CASES[name].raises}")
        except Exception as error:  # One case that fails must not hide the others.
            failures += 1
            print(f"{name}: error: {error}", file=sys.stderr)
    if not options.check:
        write_table(entries)
    print(f"{len(entries)} fixtures, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
