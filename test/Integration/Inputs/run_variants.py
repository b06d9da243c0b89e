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
READS = {"alibi": ["slopes"], "block-sparse": ["blocks"], "cascade": ["lengths"], "document": ["begin", "end"], "drafted": ["pages", "lengths"], "paged": ["pages", "lengths"], "relative-bias": ["table"], "sinks": ["sinks"]}
LIMIT = 0.02
# Of examples that are not of 16 heads with 264 queries and keys. Pages: five for each of two sequences, and one that nobody has.
PAGES = ["11x64x4x128"] * 2
SHAPES = {"cascade": ["2x4x4x128"] + ["4x100x128"] * 2 + ["2x4x264x128"] * 2, "drafted": ["2x16x4x128", *PAGES], "paged": ["2x16x1x128", *PAGES],
          "sinks": ["2x16x264x128"] + ["2x4x264x128"] * 2}


def main():
    softmax_run, folder, inputs = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    for path in sorted(folder.glob("*.mlir")):
        files = [str(inputs / f"{name}.npy") for name in READS.get(path.stem, [])]
        shapes = SHAPES.get(path.stem, ["2x16x264x128"] * 3)
        for road, flags in ROADS.items():
            command = [softmax_run, "-", *flags, "--json", "--repeat=0", f"--input={','.join([''] * len(shapes) + files)}",
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
