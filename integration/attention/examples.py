#!/usr/bin/env python3
"""Runs the examples beside it on roads of softmax-run, by default on all that need no GPU: examples.py SOFTMAX_RUN [ROAD...].

Every example has 2 sequences of 264 tokens, so that on a Hopper a round of whole tiles follows the first tile; windows and
prefixes of 1024 are made 64. A line says of each whether it is right: an element of a result is an average of numbers about 1,
which may be off by 2^-7 of its size, and by as much as weights of 2^-9 of the values make.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROADS = {"cpu": ["--target=cpu"], "sm_80": ["--target=emulator", "--chip=sm_80"], "sm_90a": ["--target=emulator", "--chip=sm_90a"],
         "cuda": ["--target=cuda"], "cuda sm_80": ["--target=cuda", "--chip=sm_80"]}
WITHOUT_GPU = "cpu", "sm_80", "sm_90a"
LIMIT = 0.02

READS = {"alibi": ["slopes"], "block-sparse": ["blocks"], "cascade": ["lengths"], "document": ["begin", "end"],
         "drafted": ["pages", "lengths"], "fp8": ["k_scales", "v_scales"],
         "fp8-heads": ["q_head_scales", "k_head_scales", "v_head_scales"], "paged": ["pages", "lengths"], "relative-bias": ["table"], "sinks": ["sinks"]}
# Of examples that are not of 16 heads with 264 queries and keys. Pages: five for each of two sequences, and one that nobody has.
PAGES = ["11x64x4x128"] * 2
SHAPES = {"cascade": ["2x4x4x128"] + ["4x100x128"] * 2 + ["2x4x264x128"] * 2, "drafted": ["2x16x4x128", *PAGES],
          "fp8": ["2x16x1x128"] + ["2x4x264x128"] * 2, "fp8-heads": ["2x16x264x128"] + ["2x4x264x128"] * 2,
          "paged": ["2x16x1x128", *PAGES], "sinks": ["2x16x264x128"] + ["2x4x264x128"] * 2}


def names():
    return sorted(path.stem for path in HERE.glob("*.mlir"))


def write_inputs(folder):
    subprocess.run([sys.executable, HERE / "inputs.py", folder, "--batch", "2", "--length", "264"], check=True)


def module(name):
    return (HERE / f"{name}.mlir").read_text().replace("1024", "64")


def flags(name, inputs):
    """softmax-run's, for what write_inputs() left in a folder."""
    files = [str(pathlib.Path(inputs) / f"{read}.npy") for read in READS.get(name, [])]
    shapes = SHAPES.get(name, ["2x16x264x128"] * 3)
    return [f"--input={','.join([''] * len(shapes) + files)}", f"--dims={','.join(shapes)}"]


def verdict(softmax_run, name, road, inputs):
    command = [softmax_run, "-", *ROADS[road], "--json", "--repeat=0", *flags(name, inputs)]
    done = subprocess.run(command, input=module(name), capture_output=True, text=True, check=False)
    try:
        check = json.loads(done.stdout)["outputs"][0]["checks"][0]
        return "right" if check["pass"] and check["worst_absolute"] < LIMIT else f"WRONG: {check}"
    except (ValueError, KeyError) as failure:
        return f"FAILED: {failure!r} {(done.stdout + done.stderr)[-400:]}"


def main():
    softmax_run, roads = sys.argv[1], sys.argv[2:] or WITHOUT_GPU
    wrong = 0
    with tempfile.TemporaryDirectory() as inputs:
        write_inputs(inputs)
        for name in names():
            for road in roads:
                said = verdict(softmax_run, name, road, inputs)
                wrong += said != "right"
                print(name, road, said, flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
