#!/usr/bin/env python3
"""What the hardware counters say: bytes of memory beside the compiler's report, and what attention and long rows wait for.

    integration/gpu/counters.py prepare FOLDER --tools DIR    # where LLVM is: DIR holds softmax-opt and softmax-compile
    integration/gpu/counters.py measure FOLDER                # where the GPU is; needs PyTorch with CUDA, and ncu

The clocks stay as they are. Every kernel runs once before it is counted, on random data. Writes
<gpu>-counters.{json,md} into ../bench/results.
"""

import argparse
import csv
import io
import json
import pathlib
import re
import subprocess
import sys

import results
import works

CHIP = "sm_90a"
# Much more than the L2 cache, which keeps what was written last: 2^30 elements.
ROWS, COLUMNS = 1 << 18, 4096
# {name: the module} of what is compared with `--smx-report`.
TRAFFIC = {
    "softmax bf16": works.row_text("softmax", (ROWS, COLUMNS), "bf16", 1),
    "logsumexp bf16": works.row_text("logsumexp", (ROWS, COLUMNS), "bf16", 1, result=(ROWS,)),
    "cross_entropy bf16": works.Reduction("cross_entropy", COLUMNS).text_of((ROWS, COLUMNS)),
    "softmax_backward bf16": works.Reduction("softmax_backward", COLUMNS).text_of((ROWS, COLUMNS)),
    # Longer rows are read again, from the cache.
    "layer_norm bf16": works.Reduction("layer_norm", 8 * COLUMNS).text_of((ROWS // 8, 8 * COLUMNS)),
}
# Of what is behind a goal.
PROFILES = [works.Attention(dim, length, causal) for dim, length, causal in (
    (64, 1024, True), (64, 4096, True), (128, 1024, True), (128, 4096, False), (128, 16384, False), (256, 4096, False))] + [
    works.Softmax("bf16", 1 << 20), works.Softmax("f32", 1 << 20), works.Reduction("layer_norm", 131072),
    works.Reduction("softmax_backward", 32768), works.Reduction("softmax_backward", 131072)]
SECTIONS = "SpeedOfLight", "ComputeWorkloadAnalysis", "WarpStateStats", "Occupancy", "LaunchStats"
BYTES = {"read": "dram__bytes_read.sum", "written": "dram__bytes_write.sum"}
# What of the sections is shown: of all multiprocessors and all of the time, in percent of a unit's peak; where several match, the
# largest.
AVERAGE = r".*\.avg\.pct_of_peak_sustained_elapsed"
SHOWN = {
    "tensor pipe %": rf"sm__(inst_executed_)?pipe_tensor{AVERAGE}",
    "MUFU %": rf"sm__inst_executed_pipe_xu{AVERAGE}",
    "FMA pipe %": rf"sm__(inst_executed_)?pipe_fma(_cycles_active)?{AVERAGE}",
    "DRAM %": rf"gpu__dram_throughput{AVERAGE}",
    "warps active %": r"sm__warps_active.*pct",
    "issued %": rf"(sm__inst_issued|smsp__issue_active){AVERAGE}",
}
DURATION = "gpu__time_duration.sum"
STALL = "smsp__average_warps_issue_stalled_"


def all_works():
    return {work.name: work.text for work in PROFILES} | TRAFFIC


def prepare(arguments):
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for name, text in all_works().items():
        stem = folder / name.replace(" ", "-").replace("/", "-")
        subprocess.run([arguments.tools / "softmax-compile", "-", "--emit=ptx", f"--chip={CHIP}", "--alignment=16", "-o",
                        stem.with_suffix(".ptx"), f"--manifest={stem.with_suffix('.json')}", f"--reproducer-dir={folder}"],
                       input=text, text=True, check=True)
        done = subprocess.run([arguments.tools / "softmax-opt", "-", "--smx-to-tiled", "--smx-report=json=true", "-o", "/dev/null"],
                              input=text, text=True, capture_output=True, check=True)
        report = json.loads(done.stdout or done.stderr)
        found[name] = {"stem": stem.name, "report": report}
    (folder / "kernels.json").write_text(json.dumps({"commit": arguments.commit, "kernels": found}, indent=1))


def run_one(arguments):
    """What ncu watches: the kernel of one work, twice."""
    import torch

    import driver
    from kernel import Kernel

    driver.start()
    stem = arguments.folder / json.loads((arguments.folder / "kernels.json").read_text())["kernels"][arguments.one]["stem"]
    manifest = json.loads(stem.with_suffix(".json").read_text())
    kernel = Kernel(stem.with_suffix(".ptx").read_bytes() + b"\0", manifest)
    tensors = []
    for spec in kernel.function["arguments"]:
        dtype = {"bf16": torch.bfloat16, "f32": torch.float32, "i64": torch.int64}[spec["dtype"]]
        integers = dtype == torch.int64
        tensors.append(torch.randint(COLUMNS, spec["sizes"], device="cuda") if integers
                       else torch.randn(spec["sizes"], device="cuda", dtype=dtype))
    call = kernel.bind(*tensors)
    for _ in range(2):
        call(torch.cuda.current_stream().cuda_stream)
    torch.cuda.synchronize()


def count(arguments, name, flags):
    """{metric: number} of each launch of the second run of a work."""
    done = subprocess.run(["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base", "-k", "regex:^f_kernel",
                           *flags, sys.executable, __file__, "one", arguments.folder, "--one", name], capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    # Behind the names there is a line of units.
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))[1:]
    if len(rows) < 2 or len(rows) % 2:
        raise SystemExit(f"ncu counts nothing of {name}: {done.stdout[-500:]} {done.stderr[-500:]}")

    def number(text):
        try:
            return float(text.replace(",", ""))
        except ValueError:
            return None

    return [{key: value for key, text in row.items() if (value := number(text)) is not None} for row in rows[len(rows) // 2:]]


def measure(arguments):
    prepared = json.loads((arguments.folder / "kernels.json").read_text())
    traffic, profiles = {}, {}
    arguments.commit = prepared["commit"]

    def save(show=False):
        results.write(arguments.output, "counters", results.head(arguments) | {"traffic": traffic, "profiles": profiles},
                      lines_of(traffic, profiles), show)

    for name in TRAFFIC:
        counted = count(arguments, name, ["--metrics", ",".join(BYTES.values())])
        traffic[name] = {"report": prepared["kernels"][name]["report"]} | {
            key: sum(launch[metric] for launch in counted) for key, metric in BYTES.items()}
        save()
    for work in PROFILES:
        counted = count(arguments, work.name, [flag for section in SECTIONS for flag in ("--section", section)])
        # Of several kernels the one that takes longest.
        longest = max(counted, key=lambda launch: launch[DURATION])
        kept = [DURATION, STALL, *SHOWN.values()]
        profiles[work.name] = {metric: value for metric, value in longest.items() if any(re.match(k, metric) for k in kept)}
        save()
    save(show=True)


def stalls_of(counted):
    """The three largest reasons: cycles of a warp between two instructions."""
    found = {key.removeprefix(STALL).split("_per_")[0].removesuffix("_"): value for key, value in counted.items()
             if key.startswith(STALL) and "not_issued" not in key}
    return ", ".join(f"{reason} {value:.1f}" for reason, value in sorted(found.items(), key=lambda item: -item[1])[:3])


def largest(counted, pattern):
    found = [value for metric, value in counted.items() if re.match(pattern, metric)]
    return f"{max(found):.1f}" if found else "-"


def lines_of(traffic, profiles):
    rows = []
    for name, of_name in traffic.items():
        function = of_name["report"]["functions"][0]
        reported = {key: function[f"bytes_{key}"] for key in BYTES}
        pairs = [*((key, reported[key], of_name[key]) for key in BYTES), ("both", sum(reported.values()), sum(of_name[key] for key in BYTES))]
        rows += [[name, key, f"{expected / 1e6:.1f}", f"{found / 1e6:.1f}", f"{found / expected - 1:+.2%}"] for key, expected, found in pairs]
    lines = ["Memory traffic, 2^30 elements in rows of 4096 (layer norm: 32768, which are read again, from the cache), MB: `--smx-report` and the DRAM "
             "counters.", "",
             *results.table(["kernel", "", "report", "counted", "off"], rows), ""]
    rows = [[name, f"{counted[DURATION] / 1e3:.0f}", *(largest(counted, pattern) for pattern in SHOWN.values()), stalls_of(counted)]
            for name, counted in profiles.items()]
    return lines + ["What limits the kernels that are behind a goal (ncu): percentages of each unit's peak, and what a warp waits for, in cycles "
                    "for each instruction.", "", *results.table(["kernel", "us", *SHOWN, "stalls"], rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["prepare", "measure", "one"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tools", type=pathlib.Path, default=pathlib.Path("build/dev/bin"))
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--commit", default=results.commit())
    parser.add_argument("--output", type=pathlib.Path, default=results.SPEED)
    arguments = parser.parse_args()
    return {"prepare": prepare, "measure": measure, "one": run_one}[arguments.step](arguments)


if __name__ == "__main__":
    sys.exit(main())
