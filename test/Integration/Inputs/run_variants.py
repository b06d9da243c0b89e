"""Runs the examples of integration/attention on every road: run_variants.py SOFTMAX_RUN FOLDER INPUTS.

INPUTS holds what inputs.py writes for 2 sequences of 264 tokens: on a Hopper, a round of whole tiles follows the first tile. Windows
and prefixes of 1024 are made 64. An element of a result is an average of numbers about 1: it may be off by 2^-7 of its size, and by
as much as weights of 2^-9 of the values make.
"""

import json
import pathlib
import subprocess
import sys

ROADS = {"cpu": ["--target=cpu"], "sm_80": ["--target=emulator", "--chip=sm_80"], "sm_90a": ["--target=emulator", "--chip=sm_90a"]}
READS = {"alibi": ["slopes"], "block-sparse": ["blocks"], "document": ["begin", "end"], "paged": ["pages", "lengths"], "relative-bias": ["table"], "sinks": ["sinks"]}
LIMIT = 0.02


def main():
    softmax_run, folder, inputs = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    for path in sorted(folder.glob("*.mlir")):
        files = [str(inputs / f"{name}.npy") for name in READS.get(path.stem, [])]
        heads = [16, 4, 4] if path.stem == "sinks" else [16] * 3
        # Five pages for each of two sequences, and one that nobody has.
        shapes = ["2x16x1x128"] + ["11x64x4x128"] * 2 if path.stem == "paged" else [f"2x{count}x264x128" for count in heads]
        for road, flags in ROADS.items():
            command = [softmax_run, "-", *flags, "--json", "--repeat=0", f"--input={','.join(['', '', '', *files])}",
                       f"--dims={','.join(shapes)}"]
            done = subprocess.run(command, input=path.read_text().replace("1024", "64"), capture_output=True, text=True, check=False)
            try:
                output = json.loads(done.stdout)["outputs"][0]
                check = output["checks"][0]
                error = check["worst_absolute"]
                print(path.stem, road, "right" if check["pass"] and error < LIMIT else f"WRONG: {check}")
            except (ValueError, KeyError) as failure:
                print(path.stem, road, f"FAILED: {failure!r}", (done.stdout + done.stderr)[-400:])


if __name__ == "__main__":
    main()
