"""Runs fixtures in 16-bit floats: every f32 in them, constants too, becomes bf16 or f16, as models are deployed.

    python narrow.py --softmax-run PATH [--types bf16,f16] [NAME ...]

Each is compiled for the CPU and for the emulator of a GPU, and compared on random inputs with the module as it was raised,
in float64 (softmax-run's own check: twice the error of that module taken by its word).  Needs Python alone.
"""

import argparse
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import table

ROOT = pathlib.Path(__file__).resolve().parent
ROADS = {"CPU": ["--target=cpu"], "emulator": ["--target=emulator"], "emulator of sm_90a": ["--target=emulator", "--chip=sm_90a"]}


def narrow_bits(value: float, kind: str) -> int:
    if kind == "bf16":
        return struct.unpack("<I", struct.pack("<f", value))[0] >> 16
    try:
        return struct.unpack("<H", struct.pack("<e", value))[0]
    except OverflowError:
        return 0x7C00 if value > 0 else 0xFC00


def narrow_blob(blob: str, kind: str) -> str:
    values = struct.unpack(f"<{len(blob) // 8}f", bytes.fromhex(blob))
    return b"".join(struct.pack("<H", narrow_bits(value, kind)) for value in values).hex().upper()


def narrow(text: str, kind: str) -> str:
    """A constant that the type has no room for becomes infinite, or of bf16 the largest number: it is cut, not rounded."""
    text = re.sub(r'dense<"0x([0-9A-F]+)">( : tensor<[0-9x]*f32>)', lambda m: f'dense<"0x{narrow_blob(m[1], kind)}">{m[2]}', text)
    text = re.sub(r"\b0x[0-9A-F]{8}\b", lambda m: f"0x{narrow_bits(struct.unpack('>f', bytes.fromhex(m[0][2:]))[0], kind):04X}", text)
    lowest = f"0x{narrow_bits(-3.4028234e38, kind):04X}"
    text = re.sub(r"-3\.4028\d*E\+38", lowest, text)
    return re.sub(r"(\b|x)f32\b", rf"\1{kind}", text)


def run(softmax_run: str, module: pathlib.Path, flags: list[str]) -> str:
    """Nothing if every result is right, else why not."""
    done = subprocess.run([softmax_run, module, *flags, "--repeat=0", "--json"], capture_output=True, text=True, check=False)
    try:
        checks = [check for output in json.loads(done.stdout)["outputs"] for check in output["checks"]]
    except (ValueError, KeyError):
        return table.find_reason(done.stderr)
    wrong = [check["text"] for check in checks if check["wrong_elements"]]
    return "" if checks and not wrong else wrong[0] if wrong else "nothing was checked"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--softmax-run", required=True)
    parser.add_argument("--types", default="bf16,f16")
    parser.add_argument("names", nargs="*", metavar="NAME", help="fixtures (default: all)")
    options = parser.parse_args()
    entries = json.loads((ROOT / "fixtures.json").read_text())
    if unknown := [name for name in options.names if "fixture" not in entries.get(name, {})]:
        parser.error(f"no such fixture: {', '.join(unknown)}")
    right = wrong = 0
    for name, entry in sorted(entries.items()):
        if "refused" in entry or (options.names and name not in options.names):
            continue
        for kind in options.types.split(","):
            with tempfile.TemporaryDirectory() as folder:
                module = pathlib.Path(folder) / f"{name}-{kind}.mlir"
                module.write_text(narrow((ROOT / entry["fixture"]).read_text(), kind))
                for road, flags in ROADS.items():
                    reason = run(options.softmax_run, module, flags)
                    right, wrong = right + (not reason), wrong + bool(reason)
                    if reason:
                        print(f"{name}, {kind}, {road}: {reason}")
    print(f"{right} runs are right, {wrong} are not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
