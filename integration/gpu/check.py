#!/usr/bin/env python3
"""Checks and times the GPU road on a machine with an NVIDIA GPU and writes results/<gpu>.json and .md.

    scripts/package-static --tests          # where LLVM is: build/static/softmax-tools.tar.xz
    integration/gpu/check.py --tools DIR    # where the GPU is: DIR holds the unpacked programs

Three parts: the numeric suite of the CPU road on the device, torch-mlir's fixtures against PyTorch's own results, and
throughput of attention and softmax. A part that fails is in the results file as it is.
"""
import argparse
import concurrent.futures
import datetime
import json
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PYTORCH = HERE.parent / "pytorch"


def call(*command, text=None, seconds=300):
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=seconds)


def numeric_suite(tools):
    out = call(tools / "SmxNumericTests", "--target=cuda", "--gtest_filter=*Grid*:*Contract*:*Law*", seconds=400).stdout
    configurations = sum(map(int, re.findall(r"\[ CONFIGS  \] (\d+)", out)))
    wrong = sum(map(int, re.findall(r"failures\.size\(\)\n\s*Which is: (\d+)", out)))
    tests = {state: int((re.findall(rf"\[  {state}  \] (\d+) tests?", out) or [0])[0]) for state in ("PASSED", "FAILED")}
    return {"configurations": configurations, "configurations_failed": wrong, "tests": tests}


def fixture(tools, path):
    data = PYTORCH / "data" / path.stem
    flags = ["--target=cuda", "--json", "--repeat=1", "--warmup=0"]
    for flag, kind in (("--input", "input"), ("--expected", "output")):
        if files := sorted(data.glob(f"{kind}*.npy")):
            flags.append(f"{flag}=" + ",".join(map(str, files)))
    done = call(tools / "softmax-run", *flags, path)
    reason = done.stderr.strip().splitlines()[0] if done.stderr.strip() else "wrong"
    return path.stem, "" if done.returncode == 0 else re.sub(r"^.*?: ", "", reason)[:160]


def fixtures(tools):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = dict(pool.map(lambda path: fixture(tools, path), sorted((PYTORCH / "fixtures").glob("*.mlir"))))
    return {"passed": sum(not reason for reason in found.values()), "of": len(found),
            "failed": {name: reason for name, reason in found.items() if reason}}


def attention(tools, dim, length, causal):
    kind = f"tensor<{16384 // length}x{2048 // dim}x{length}x{dim}xbf16>"
    mask = " mask(#smx.band<top_left, right = 0>)" if causal else ""
    text = (f"func.func @attention(%q: {kind}, %k: {kind}, %v: {kind}) -> {kind} {{\n"
            f"  %o = smx.attention %q, %k, %v scale({dim ** -0.5}){mask} : {kind}, {kind}, {kind} -> {kind}\n"
            f"  return %o : {kind}\n}}\n")
    flops = 4 * 16384 * length * 2048 // (2 if causal else 1)
    return throughput(tools, f"attention bf16 d{dim} S{length} {'causal' if causal else 'full'}", text, flops / 1e9, "TFLOP/s")


def softmax(tools, rows, columns, dtype):
    kind = f"tensor<{rows}x{columns}x{dtype}>"
    text = (f"func.func @softmax(%x: {kind}) -> {kind} {{\n  %y = smx.softmax %x axis(1) : {kind} -> {kind}\n"
            f"  return %y : {kind}\n}}\n")
    size = 2 * rows * columns * (2 if dtype == "bf16" else 4)
    return throughput(tools, f"softmax {dtype} {rows}x{columns}", text, size / 1e6, "GB/s")


def throughput(tools, work, text, amount, unit):
    done = call(tools / "softmax-run", "--target=cuda", "--json", "--check=none", "--repeat=20", "--warmup=3", text=text)
    if done.returncode:
        return {"work": work, "error": done.stderr.strip()[:200]}
    report = json.loads(done.stdout)
    median = report["median_ms"]
    return {"work": work, "peer": "smx", "ms": median, "figure": round(amount / median, 1), "unit": unit,
            "compile_ms": round(report["compile_ms"], 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "results")
    arguments = parser.parse_args()
    tools = arguments.tools.resolve()
    gpu = call("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").stdout.splitlines()[0].strip()
    rows = [attention(tools, dim, length, causal)
            for dim in (64, 128, 256) for length in (1024, 4096, 16384) for causal in (False, True)]
    rows += [softmax(tools, 2**28 // columns, columns, dtype)
             for dtype in ("bf16", "f32") for columns in (256, 1024, 4096, 16384, 32768, 131072)]
    results = {"date": str(datetime.date.today()), "commit": arguments.commit, "gpu": gpu, "rows": rows,
               "fixtures": fixtures(tools), "numeric": numeric_suite(tools)}
    arguments.output.mkdir(parents=True, exist_ok=True)
    name = arguments.output / re.sub(r"\W+", "-", gpu.lower())
    name.with_suffix(".json").write_text(json.dumps(results, indent=1) + "\n")
    lines = [f"# {gpu}, {results['date']}, commit {arguments.commit}", "", "| work | figure | median | cold compile |",
             "|---|---|---|---|"]
    lines += [f"| {r['work']} | {r['figure']} {r['unit']} | {r['ms']:.3f} ms | {r['compile_ms']} ms |" if "ms" in r
              else f"| {r['work']} | {r['error']} | | |" for r in rows]
    lines += ["", f"Fixtures: {results['fixtures']['passed']} of {results['fixtures']['of']} pass.",
              f"Numeric suite: {results['numeric']['configurations'] - results['numeric']['configurations_failed']} of "
              f"{results['numeric']['configurations']} configurations pass."]
    name.with_suffix(".md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
