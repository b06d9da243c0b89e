"""Times this project's kernels beside PyTorch on the CPU, taking turns, and writes the results.

    python cpu.py --softmax-run build/dev/bin/softmax-run [--threads N] [--rounds R]

Each round times PyTorch's call, a copy of the same bytes where that is the yardstick, and the
compiled kernel one after the other; a figure is the median of the rounds. Before timing, the
kernel is checked against the float64 reference on random data. Writes
results/<cpu>-cpu.json and the same as a table, with our ratio to PyTorch and to the ceiling
(the measured fma peak for attention, the copy for softmax).
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import torch

import torch_cpu

HERE = pathlib.Path(__file__).resolve().parent


def attention_text(dim: int, causal: bool) -> str:
    t = f"tensor<1x8x2048x{dim}xf32>"
    mask = " mask(#smx.band<top_left, right = 0>)" if causal else ""
    return (
        f"func.func @f(%q: {t}, %k: {t}, %v: {t}) -> {t} {{\n"
        f"  %o = smx.attention %q, %k, %v scale({dim ** -0.5:.9e}){mask} : {t}, {t}, {t} -> {t}\n"
        f"  return %o : {t}\n}}\n"
    )


def softmax_text(rows: int, columns: int, dtype: str) -> str:
    t = f"tensor<{rows}x{columns}x{dtype}>"
    return (
        f"func.func @f(%x: {t}) -> {t} {{\n"
        f"  %y = smx.softmax %x axis(1) : {t} -> {t}\n  return %y : {t}\n}}\n"
    )


def module_for(work: str) -> str:
    found = re.fullmatch(r"attention-f32-b1-h8-s2048-d(\d+)-(full|causal)", work)
    if found:
        return attention_text(int(found[1]), found[2] == "causal")
    found = re.fullmatch(r"softmax-(f32|bf16)-m(\d+)-n(\d+)", work)
    return softmax_text(int(found[2]), int(found[3]), found[1])


class Kernel:
    def __init__(self, tool: str, threads: int, work: str):
        self.command = [tool, f"--threads={threads}", "--json"]
        self.file = tempfile.NamedTemporaryFile("w", suffix=".mlir")
        self.file.write(module_for(work))
        self.file.flush()

    def run(self, *options: str) -> dict:
        done = subprocess.run(
            [*self.command, *options, self.file.name], capture_output=True, text=True
        )
        if done.returncode != 0:
            sys.exit(f"softmax-run failed:\n{done.stderr}{done.stdout}")
        return json.loads(done.stdout)


def timed(call, seconds: float) -> float:
    call()
    taken = []
    start = time.perf_counter()
    while len(taken) < 5 or time.perf_counter() - start < seconds:
        before = time.perf_counter()
        call()
        taken.append(time.perf_counter() - before)
    return statistics.median(taken)


def cpu_name() -> str:
    text = pathlib.Path("/proc/cpuinfo").read_text()
    name = re.search(r"model name\s*:\s*(.*)", text)[1]
    family = re.search(r"cpu family\s*:\s*(.*)", text)[1]
    return f"{name} family {family}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--softmax-run", required=True)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)

    peaks = []
    rows, table = [], []
    with torch.no_grad():
        for generate in (torch_cpu.attention_work, torch_cpu.softmax_work):
            for group in generate():
                work, peer, amount, unit = group[0]
                kernel = Kernel(options.softmax_run, options.threads, work)
                checked = kernel.run("--repeat=1", "--peaks")
                cold = checked["compile_ms"]
                seconds = {"torch": [], "copy": [], "smx": []}
                for _ in range(options.rounds):
                    seconds["torch"].append(timed(peer, 0.3))
                    if len(group) > 1:
                        seconds["copy"].append(timed(group[1][1], 0.2))
                    ours = kernel.run("--check=none", "--warmup=2", "--repeat=9", "--peaks")
                    seconds["smx"].append(ours["median_ms"] / 1e3)
                    peaks.append(ours["peak_gflops"])
                rate = {k: amount / statistics.median(v) / 1e9 for k, v in seconds.items() if v}
                for name, figure in rate.items():
                    rows.append(
                        {
                            "work": work,
                            "peer": name,
                            "ms": round(statistics.median(seconds[name]) * 1e3, 3),
                            "figure": round(figure, 2),
                            "unit": unit,
                        }
                    )
                recent = peaks[-options.rounds :]
                fma = statistics.median(recent)
                ceiling = rate.get("copy", fma)
                table.append((work, rate["smx"], rate["torch"], ceiling, unit, cold))
                print(
                    f"{work}: {rate['smx']:.1f} {unit}, {rate['smx'] / rate['torch']:.2f} x torch, "
                    f"{100 * rate['smx'] / ceiling:.0f} % of {ceiling:.1f}, cold {cold:.0f} ms",
                    flush=True,
                )

    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True
    ).stdout.strip()
    name = cpu_name()
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    date = datetime.date.today().isoformat()
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    (results / f"{slug}-cpu.json").write_text(
        json.dumps(
            {
                "date": date,
                "commit": commit,
                "cpu": name,
                "threads": options.threads,
                "torch": torch.__version__,
                "rows": rows,
            },
            indent=1,
        )
        + "\n"
    )
    lines = [
        f"# {name}, {options.threads} threads, {date}, commit {commit}, PyTorch {torch.__version__}",
        "",
        "Ceiling: the measured fma peak for attention, a copy of the same bytes for softmax.",
        "",
        "| work | smx | PyTorch | ratio | ceiling | of ceiling | cold compile |",
        "|---|---|---|---|---|---|---|",
    ]
    for work, ours, theirs, ceiling, unit, cold in table:
        lines.append(
            f"| {work} | {ours:.1f} {unit} | {theirs:.1f} | {ours / theirs:.2f} | {ceiling:.1f} "
            f"| {100 * ours / ceiling:.0f} % | {cold:.0f} ms |"
        )
    (results / f"{slug}-cpu.md").write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
