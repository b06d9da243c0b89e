"""Exports transformer blocks and attention of three front ends, as input for the compiler.

    python export.py torch|jax|onnx [--mlir-opt PATH] [--only NAME ...] [--check]

writes fixtures/NAME.mlir (linalg on tensors), data/NAME.npz (seeded inputs, weights among them, and
what the front end itself computes of them) and the entries of fixtures.json.  --check compares
instead of writing.  A case that the front end does not bring to upstream MLIR is an entry with
the reason, and has no files.
"""

import argparse
import importlib
import shutil
import sys

from fixtures import Refused, keep, write_table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("front_end", choices=("torch", "jax", "onnx"))
    parser.add_argument("--mlir-opt", default=shutil.which("mlir-opt-22") or shutil.which("mlir-opt") or "mlir-opt-22")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="export these cases only")
    parser.add_argument("--check", action="store_true", help="compare with the stored files")
    options = parser.parse_args()
    cases = importlib.import_module(f"{options.front_end}_cases").CASES
    if unknown := set(options.only or ()) - set(cases):
        parser.error(f"no case named {sorted(unknown)}; the cases are {sorted(cases)}")
    entries, failures = {}, 0
    for name in options.only or cases:
        case = cases[name]
        entry = {"front_end": options.front_end, "model": case.model, "spelling": case.spelling, "holds": case.holds}
        try:
            text, inputs, outputs = case.export(name)
            entries[name] = entry | keep(name, text, inputs, outputs, options.mlir_opt, options.check)
            print(f"{name}: {len(text)} bytes")
        except Refused as refusal:
            entries[name] = entry | {"refused": str(refusal)}
            print(f"{name}: refused: {refusal}")
        except Exception as error:  # One case that fails must not hide the others.
            failures += 1
            print(f"{name}: error: {error!r}", file=sys.stderr)
    if not options.check:
        write_table(entries)
    print(f"{len(entries)} cases, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
