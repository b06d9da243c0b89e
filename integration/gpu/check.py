#!/usr/bin/env python3
"""Checks the GPU road on a machine with an NVIDIA GPU: the numeric suite of the CPU road, torch-mlir's fixtures against
PyTorch's own results, the tensors of a real encoder, blocks of models as front ends export them and in 16-bit floats, a C
program; and says how long a cold compilation takes.

    scripts/package-static --tests          # where LLVM is: build/static/softmax-tools.tar.xz
    integration/gpu/check.py --tools DIR    # where the GPU is: DIR holds the unpacked programs

Writes results/<gpu>-checks.{json,md} as checks end, of the parts (and `--suites`) that are named or of all. What fails is in them as it
is; the exit status is 1 if anything does.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import driver
import results
import works

PYTORCH = results.HERE.parent / "pytorch"
C = results.HERE.parent / "c"
MODELS = results.HERE.parent / "models"
sys.path.insert(0, str(MODELS))
import narrow  # noqa: E402
import table  # noqa: E402

# GoogleTest's filters, and how many processes share the tests: in one process the driver compiles one module at a time.
SUITES = {"attention, sm_80": ("*attention_sm_80_*", 16), "attention, sm_90a": ("*attention_sm_90a_*", 16),
          "head dims": ("*head_dims_*", 16), "decoding": ("*decoding_*", 4), "softmax": ("*/softmax_sm_*", 4), "long rows": ("*/long_softmax_*:*/long_log*:*/long_layer_norm_*:*/long_rms_norm_*:*/long_cross*:*/long_topk*", 8),
          "other rows": ("*/log*:*/layer_norm_*:*/rms_norm_*:*/softmax_dot_*:*/cross_entropy_*:*/softmax_backward_*:*/topk_*", 4),
          "rows of two blocks": ("*/quarter_*", 4), "rows of clusters": ("*/cluster_*", 4), "walks": ("*LastWave*:*DealtWaves*:*RampedWalk*:*IdleGroups*:*InfiniteScores*", 4),
          "contract and laws": ("*Contract.*:Laws.*:*Jumps*", 8)}
PARTS = "works", "fixtures", "models", "c", "numeric"
# IR to loaded kernel, in milliseconds: of attention on the warpgroups of a Hopper, and of all else.
GOAL_OF_WARPGROUPS, GOAL = 1000, 500
TRIES_ALONE = 4
PORTABLE = "sm_80"
# A cold compilation is one that the driver does not know either.
ENVIRONMENT = os.environ | {"CUDA_CACHE_DISABLE": "1"}


def call(*command, text=None, seconds=300, environment=ENVIRONMENT):
    """Like subprocess.run; a process that does not start or end in time failed."""
    command = list(map(str, command))
    try:
        return subprocess.run(command, input=text, capture_output=True, text=True, timeout=seconds, env=environment)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"no end within {seconds} s")
    except OSError as failure:
        return subprocess.CompletedProcess(command, 127, "", str(failure))


def numeric_suite(tools, tests, processes):
    def run_shard(index):
        shard = {"GTEST_TOTAL_SHARDS": str(processes), "GTEST_SHARD_INDEX": str(index)}
        return call(tools / "SmxNumericTests", "--target=cuda", f"--gtest_filter={tests}", seconds=480,
                    environment=ENVIRONMENT | shard)

    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        shards = list(pool.map(run_shard, range(processes)))
    output = "".join(shard.stdout for shard in shards)
    passed, failed = (sum(map(int, re.findall(rf"\[  {state}  \] (\d+) tests?[.,]", output))) for state in ("PASSED", "FAILED"))
    return {"configurations": sum(map(int, re.findall(r"\[ CONFIGS  \] (\d+)", output))),
            "wrong": sum(map(int, re.findall(r"\[ WRONG    \] (\d+)", output))),
            "tests": passed + failed, "tests_failed": failed, "ended": max(shard.returncode for shard in shards),
            "reasons": [reason[:300] for reason in re.findall(r"Failure\nFailed\n(.+)", output)]}


def largest_alignment(entry):
    """What pointers and the strides of rows are multiples of, up to 16 bytes."""
    width = {"float64": 8, "int64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "bool": 1}
    found = 16
    for tensor in entry["inputs"] + entry["outputs"]:
        stride = width[tensor["dtype"]]
        for size in reversed(tensor["shape"][1:]):
            stride *= size
            while stride % found:
                found //= 2
    return found


def without_folders(text):
    """Files by their names: results are read elsewhere."""
    return re.sub(r"(?<!\S)/\S*/", "", text)


def run(tools, flags, module, text=None):
    """The JSON of softmax-run, and why it failed if it did."""
    done = call(tools / "softmax-run", "--target=cuda", "--json", *flags, module, text=text)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        said = done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"]
        return None, without_folders(re.sub(r"^softmax-run: ", "", said[0]))[:200]
    texts = [check["text"] for output in report["outputs"] for check in output["checks"] if not check["pass"]]
    return report, "; ".join(texts)[:200]


def fixture(tools, name, entry):
    """The same data as PyTorch's; the reference of softmax-run is compared with, too."""
    files = {kind: ",".join(str(PYTORCH / tensor["file"]) for tensor in entry[kind]) for kind in ("inputs", "outputs")}
    flags = ["--repeat=1", "--warmup=0", f"--alignment={largest_alignment(entry)}"]
    flags += [f"--{flag}={files[kind]}" for flag, kind in (("input", "inputs"), ("expected", "outputs")) if files[kind]]
    report, reason = run(tools, flags, PYTORCH / entry["fixture"])
    return {"reason": reason, "compile_ms": report and report["compile_ms"], "steps": report and report["compile_steps_ms"]}


def model(tools, entry, kind):
    """A block that a front end exported: in f32 with its inputs, against its own results; else on random ones."""
    if kind == "f32":
        error = table.run_fixture(str(tools / "softmax-run"), entry, ["--target=cuda"])
        return {"reason": error if isinstance(error, str) else ""}
    text = narrow.narrow((MODELS / entry["fixture"]).read_text(), kind)
    return {"reason": run(tools, ["--repeat=1", "--warmup=0"], "-", text)[1]}


def cold(tools, work, *more):
    """A kernel of the benchmark, with less to do."""
    report, reason = run(tools, ["--repeat=1", "--warmup=0", "--check=none", "--alignment=16", *more], "-", work.small)
    return {"reason": reason, "compile_ms": report and report["compile_ms"], "steps": report and report["compile_steps_ms"]}


def c_program(tools, chip, alignment):
    """The example in C with what is compiled for a chip, built by this machine's C compiler; it compares with its own reference."""
    with tempfile.TemporaryDirectory() as folder:
        header, program = pathlib.Path(folder, "example.h"), pathlib.Path(folder, "example")
        loader = [C / f"smx_{name}.c" for name in ("driver", "loader", "numbers")]
        for step in ([tools / "softmax-compile", C / "example.mlir", "--emit=c-header", "--image=ptx", f"--chip={chip}",
                      f"--alignment={alignment}", "-o", header],
                     ["cc", "-std=c99", "-O1", f"-I{folder}", f"-I{C}", C / "example.c", *loader, "-ldl", "-lm", "-o", program],
                     [program]):
            done = call(*step)
            if done.returncode:
                said = (done.stdout + done.stderr).strip() or f"it ended with {done.returncode}"
                return {"reason": without_folders(f"{pathlib.Path(step[0]).name}: {said}").replace("\n", "; ")[:300]}
    calls = len(re.findall(r": \d+ elements, 0 wrong", done.stdout))
    return {"reason": "" if calls == 3 else f"{calls} of 3 calls are right: {done.stdout}"}


def percentiles(found):
    times = sorted(one["compile_ms"] for one in found.values() if one["compile_ms"])
    if len(times) < 2:
        return {"count": len(times)}
    slowest = max((name for name in found if found[name]["compile_ms"]), key=lambda name: found[name]["compile_ms"])
    cuts = statistics.quantiles(times, n=20, method="inclusive")
    return {"count": len(times), "p50_ms": round(cuts[9], 1), "p95_ms": round(cuts[18], 1), "most_ms": round(times[-1], 1),
            "most": slowest}


def is_portable(name):
    return name.endswith(f"({PORTABLE})")


def flags_of(name):
    return [f"--chip={PORTABLE}"] if is_portable(name) else []


def goal_of(key, name):
    return GOAL_OF_WARPGROUPS if key == "works" and name.startswith("attn") and not is_portable(name) else GOAL


def compile_alone(tools, entries, found):
    """Compiles what took longer than it may again, with nothing beside it, and keeps the shortest time: what else runs on the
    machine is not ours."""
    modules = {work.name: work for work in works.ATTENTION + works.SOFTMAX + works.REDUCTIONS + works.NORMS + works.COLUMNS}
    for key in "works", "fixtures":
        for name, before in found[key].items():
            for _ in range(TRIES_ALONE):
                if not before["compile_ms"] or before["compile_ms"] <= goal_of(key, name):
                    break
                if key == "fixtures":
                    again = fixture(tools, name, entries[name])
                else:
                    again = cold(tools, modules[name.removesuffix(f" ({PORTABLE})")], *flags_of(name))
                before["tries_alone"] = before.get("tries_alone", 0) + 1
                if again["compile_ms"] and again["compile_ms"] < before["compile_ms"]:
                    before.update(compile_ms=again["compile_ms"], steps=again["steps"])


def lines_of_slow(found):
    """The kernels that take longer than they may, and what takes it."""
    slow = [(name, one, goal_of(key, name)) for key in ("works", "fixtures") for name, one in found[key].items()
            if one["compile_ms"] and one["compile_ms"] > goal_of(key, name)]
    again = sum(one.get("tries_alone", 0) > 1 for key in ("works", "fixtures") for one in found[key].values())
    title = (f"{again} were compiled more than once by themselves. "
             f"{len(slow)} take longer than {GOAL} ms ({GOAL_OF_WARPGROUPS} ms: attention on warpgroups)")
    if not slow:
        return [title + "."]
    steps = "nvvm", "ptx", "load"
    rows = [[name, f"{one['compile_ms']:.0f}", goal, *(f"{one['steps'].get(step, 0):.0f}" for step in steps)]
            for name, one, goal in sorted(slow, key=lambda of_one: -of_one[1]["compile_ms"])]
    return [title + ":", "", *results.table(["kernel", "ms", "goal", *steps], rows)]


def lines_of(found):
    lines = []
    for title, key in (("Fixtures", "fixtures"), ("Kernels of the benchmark", "works"), ("Blocks of models", "models"), ("C programs", "c")):
        of_key = found[key]
        failed = {name: one["reason"] for name, one in of_key.items() if one["reason"]}
        lines += [f"{title}: {len(of_key) - len(failed)} of {len(of_key)} pass.", ""]
        lines += [f"- {name}: {reason}" for name, reason in failed.items()] + [""] * bool(failed)
    suites = [[name, f"{s['configurations'] - s['wrong']} of {s['configurations']}", f"{s['tests'] - s['tests_failed']} of {s['tests']}",
               s["ended"]] for name, s in found["numeric"].items()]
    lines += results.table(["numeric suite", "configurations", "tests", "exit status"], suites) + [""]
    lines += [f"- {name}: {reason}" for name, s in found["numeric"].items() for reason in s["reasons"]]
    compiles = [[name, c["count"], c.get("p50_ms", "-"), c.get("p95_ms", "-"), f"{c.get('most_ms', '-')} ({c.get('most', '-')})"]
                for name, c in found["cold_compile"].items()]
    return lines + ["", "Cold compile, IR to loaded kernel, the driver's cache off; what took too long, up to "
                    f"{TRIES_ALONE} times more by itself, the least:", "",
                    *results.table(["kernels", "count", "p50 ms", "p95 ms", "most ms"], compiles), "", *lines_of_slow(found)]


def main():
    parser = results.parser(__doc__, results.CHECKS)
    parser.add_argument("parts", nargs="*", metavar="|".join(PARTS), help="what to check (default: all)")
    parser.add_argument("--suites", default="", help="numeric suites whose name this regular expression is found in")
    arguments = parser.parse_args()
    parts = arguments.parts or PARTS
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no part '{unknown.pop()}'; there are {', '.join(PARTS)}")
    tools = arguments.tools.resolve()
    entries = json.loads((PYTORCH / "fixtures.json").read_text())
    exported = {name: entry for name, entry in json.loads((MODELS / "fixtures.json").read_text()).items() if "refused" not in entry}
    running = {"works": {}, "fixtures": {}, "models": {}, "c": {}, "numeric": {}}

    def save(show=False):
        found = {key: results.so_far(of_key) for key, of_key in running.items()}
        timed = {"works": {name: one for name, one in found["works"].items() if not is_portable(name)},
                 "works, portable": {name: one for name, one in found["works"].items() if is_portable(name)},
                 "fixtures": found["fixtures"], "all": found["works"] | found["fixtures"]}
        found["cold_compile"] = {key: percentiles(of_key) for key, of_key in timed.items()}
        left = sum(len(of_key) - len(found[key]) for key, of_key in running.items())
        results.write(arguments.output, "checks", results.head(arguments) | found, results.unfinished(left) + lines_of(found), show)
        return found

    def wait(futures):
        for _ in concurrent.futures.as_completed(futures):
            save()

    # Compile times first, with cores to spare; the numeric suite takes all there are.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        if "works" in parts:
            running["works"] = {work.name: pool.submit(cold, tools, work) for work in works.ATTENTION + works.SOFTMAX + works.REDUCTIONS + works.NORMS + works.COLUMNS}
            running["works"] |= {name: pool.submit(cold, tools, work, *flags_of(name))
                                 for work in works.ATTENTION for name in [f"{work.name} ({PORTABLE})"]}
        if "fixtures" in parts:
            running["fixtures"] = {name: pool.submit(fixture, tools, name, entry) for name, entry in entries.items()}
        if "c" in parts:
            running["c"] = {f"{chip}, alignment {alignment}": pool.submit(c_program, tools, chip, alignment)
                            for chip, alignment in ((PORTABLE, 0), (driver.chip(), 16))}
        wait([*running["works"].values(), *running["fixtures"].values(), *running["c"].values()])
    if "models" in parts:
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            running["models"] = {f"{name}, {kind}": pool.submit(model, tools, entry, kind)
                                 for name, entry in exported.items() for kind in ("f32", "bf16", "f16")}
            wait(running["models"].values())
    compile_alone(tools, entries, {key: results.so_far(of_key) for key, of_key in running.items()})
    if "numeric" in parts:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            running["numeric"] = {name: pool.submit(numeric_suite, tools, *suite) for name, suite in SUITES.items()
                                  if re.search(arguments.suites, name)}
            wait(running["numeric"].values())
    found = save(show=True)
    failed = [one for key in ("fixtures", "works", "models", "c") for one in found[key].values() if one["reason"]]
    failed += [suite for suite in found["numeric"].values() if suite["ended"]]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
