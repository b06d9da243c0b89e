"""Writes the table of docs/front-ends.md: what is raised of every fixture, and how far its results are off.

    python table.py --softmax-opt PATH --softmax-run PATH [--check]

Every fixture is raised (`--smx-to-naive`), and the whole module run on the CPU and on the emulator of the GPU, on the
inputs and against the outputs that the front end stored.  --check compares with the table instead of writing it: every
cell but an error has to be the same, and no error above the one that the table names.  Needs Python alone.
"""

import argparse
import ast
import collections
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent
DOCUMENT = ROOT.parents[1] / "docs" / "front-ends.md"
BEGIN, END = "<!-- written by integration/models/table.py -->\n", "<!-- end -->\n"
HEAD = ("front end", "model", "spelling", "in it", "raised to", "CPU", "emulator")
NAMES = {"torch": "PyTorch", "jax": "JAX", "onnx": "ONNX"}
ROADS = {"CPU": ["--target=cpu"], "emulator": ["--target=emulator"]}
OPS = ("attention", "softmax", "log_softmax", "logsumexp", "layer_norm", "rms_norm")
# Of the largest magnitude of a result: f32, added in another order.
LIMIT = 5e-6


def read_f32(path: pathlib.Path) -> tuple[float, ...]:
    content = path.read_bytes()
    size = struct.unpack_from("<H", content, 8)[0]
    header = ast.literal_eval(content[10:10 + size].decode())
    if header["descr"] != "<f4":
        raise ValueError(f"{path.name} holds '{header['descr']}', not '<f4'")
    return struct.unpack(f"<{(len(content) - 10 - size) // 4}f", content[10 + size:])


def describe_attention(text: str, start: int) -> str:
    """What an attention has beside its operands: its mask and its regions."""
    line = text[start:text.index("\n", start)]
    parts = [f"`{mask.removeprefix('#smx.')}`" for mask in re.findall(r" mask\((#smx\.[^)]*)\)", line)]
    indent = re.search(r"^ *", text[text.rindex("\n", 0, start) + 1:])[0]
    block = text[start:text.index(f"\n{indent}}} :", start)] if line.endswith("{") else line
    parts += [name for name in ("score", "visible") if re.search(rf"[)}}\w] {name} {{$", block, re.M)]
    return f"attention ({', '.join(parts)})" if parts else "attention"


def list_raised(text: str) -> str:
    """The ops that were raised, the same ones counted."""
    found = []
    for match in re.finditer(rf"smx\.({'|'.join(OPS)}) %", text):
        found.append(describe_attention(text, match.start()) if match[1] == "attention" else match[1])
    counted = collections.Counter(found)
    return ", ".join(name if count == 1 else f"{count} {name}" for name, count in counted.items())


def count_ops(text: str) -> dict[str, int]:
    return dict(collections.Counter(re.findall(rf"smx\.({'|'.join(OPS)}) %", text)))


def find_reason(stderr: str) -> str:
    """The first line of what a tool says, without the place in the file."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return re.sub(r"^.*?\.mlir:\d+:\d+: (error: )?", "", lines[0]).replace("|", "/") if lines else "no output"


def raise_fixture(softmax_opt: str, entry: dict) -> tuple[str, dict[str, int]]:
    command = [softmax_opt, str(ROOT / entry["fixture"]), "--smx-to-naive", "--mlir-print-local-scope"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"fails: {find_reason(done.stderr)}", {}
    cell, counts = list_raised(done.stdout), count_ops(done.stdout)
    reasons = [reason for op, reason in re.findall(r"remark: not raised to smx\.(\w+): (.*)", done.stderr) if op in OPS]
    return "; ".join([cell or "nothing"] + [f"not: {reason}" for reason in dict.fromkeys(reasons)]), counts


def run_fixture(softmax_run: str, entry: dict, flags: list[str]) -> float | str:
    """The largest error over the largest magnitude of a result, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(ROOT / entry["data"]).extractall(folder)
        files = {kind: [f"{folder}/{kind}{n}.npy" for n in range(entry[f"{kind}s"])] for kind in ("input", "output")}
        command = [softmax_run, str(ROOT / entry["fixture"]), *flags, "--repeat=0", "--check=none", "--json",
                   f"--input={','.join(files['input'])}", f"--expected={','.join(files['output'])}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        try:
            outputs = json.loads(done.stdout)["outputs"]
        except (ValueError, KeyError):
            return f"fails: {find_reason(done.stderr)}"
        errors = []
        for path, output in zip(files["output"], outputs, strict=True):
            check = output["checks"][0]
            if check["wrong_elements"]:
                return f"wrong: {check['text']}"
            errors.append(check["worst_absolute"] / max(map(abs, read_f32(pathlib.Path(path)))))
    return max(errors) if max(errors) <= LIMIT else f"wrong: {max(errors):.1e}"


def round_up(error: float) -> float:
    """1, 2 or 5 times a power of ten, at least twice the error: the order of a sum depends on the machine."""
    return next(bound for exponent in range(-7, 1) for bound in (1 * 10.0**exponent, 2 * 10.0**exponent, 5 * 10.0**exponent)
                if bound >= 2 * error)


def make_rows(entries: dict, softmax_opt: str, softmax_run: str):
    """For each fixture its cells, errors as numbers where there are any, and the ops that were missed."""
    for name, entry in sorted(entries.items(), key=lambda item: ("torch jax onnx".split().index(item[1]["front_end"]), item[0])):
        holds = ", ".join(op if count == 1 else f"{count} {op}" for op, count in entry["holds"].items())
        cells = [NAMES[entry["front_end"]], entry["model"], entry["spelling"], holds]
        if "refused" in entry:
            yield name, [*cells, f"no export: {entry['refused']}", "", ""], []
            continue
        cell, counts = raise_fixture(softmax_opt, entry)
        missed = [op for op, count in entry["holds"].items() if counts.get(op, 0) != count]
        yield name, [*cells, cell, *(run_fixture(softmax_run, entry, flags) for flags in ROADS.values())], missed


def show(cell: float | str) -> str:
    return cell if isinstance(cell, str) else f"{round_up(cell):.0e}".replace("e-0", "e-")


def split_table(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|\n").split("|")] for line in text.splitlines() if line.startswith("|")][2:]


def agrees(now: float | str, written: str) -> bool:
    return now == written if isinstance(now, str) else re.fullmatch(r"\de-\d+", written) is not None and now <= float(written)


def check_rows(rows, written: list[list[str]]) -> int:
    """The number of rows that are not as written, each of which is printed."""
    wrong = abs(len(rows) - len(written))
    if wrong:
        print(f"the table has {len(written)} rows; there are {len(rows)} fixtures")
    for (name, cells, missed), line in zip(rows, written):
        differing = [f"{head}: '{show(now)}', written '{was}'" for head, now, was in zip(HEAD, cells, line) if not agrees(now, was)]
        if differing:
            wrong += 1
            print(f"{name}: {'; '.join(differing)}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--softmax-opt", required=True)
    parser.add_argument("--softmax-run", required=True)
    parser.add_argument("--check", action="store_true", help="compare with the table that is there")
    options = parser.parse_args()
    entries = json.loads((ROOT / "fixtures.json").read_text())
    rows = list(make_rows(entries, options.softmax_opt, options.softmax_run))
    before, rest = DOCUMENT.read_text().split(BEGIN)
    table, after = rest.split(END)
    misses = [name for name, _, missed in rows if missed]
    exported = sum("refused" not in entry for entry in entries.values())
    if options.check:
        wrong = check_rows(rows, split_table(table))
        print(f"{len(rows)} rows, {exported} exported, {len(misses)} with something missed, {wrong} not as written")
        return 1 if wrong else 0
    lines = [HEAD, ["---"] * len(HEAD), *([show(cell) for cell in cells] for _, cells, _ in rows)]
    summary = f"\n{len(rows)} cases, {exported} exported, {exported - len(misses)} of them raised wholly.\n"
    if misses:
        summary += f"Missed: {', '.join(misses)}.\n"
    DOCUMENT.write_text(before + BEGIN + "".join(f"| {' | '.join(line)} |\n" for line in lines) + summary + END + after)
    print(f"{len(rows)} rows, {exported} exported, {len(misses)} with something missed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
