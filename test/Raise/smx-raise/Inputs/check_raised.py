"""Raises every PyTorch fixture and compares the smx ops in it with those in fixtures.json.

Usage: check_raised.py SOFTMAX_OPT PYTORCH_DIR
"""

import json
import pathlib
import re
import subprocess
import sys

# The masks that have to be found, beyond the op.
MASKS = {
    "attention-causal": "#smx.band<top_left, right = 0>",
    "attention-causal-bottom-right": "#smx.band<bottom_right, right = 0>",
    "attention-sliding-window": "#smx.band<top_left, left = 6, right = 0>",
    "sdpa-causal": "#smx.band<top_left, right = 0>",
    "sdpa-dynamic": "#smx.band<top_left, right = 0>",
    "attention-alibi": "#smx.band<top_left, right = 0>",
}


def mask_of(name):
    """The entry with the longest prefix of `name`."""
    found = [prefix for prefix in MASKS if name.startswith(prefix)]
    return MASKS[max(found, key=len)] if found else None


def main(opt, directory):
    directory = pathlib.Path(directory)
    cases = json.loads((directory / "fixtures.json").read_text())
    failures = 0
    for name, case in sorted(cases.items()):
        command = [opt, str(directory / case["fixture"]), "--smx-raise", "--mlir-print-local-scope"]
        run = subprocess.run(command, capture_output=True, text=True)
        found = re.findall(r"smx\.(\w+) %\w+(?:,| axis)", run.stdout)
        expected = [] if case["raises"] == "none" else [case["raises"]]
        mask = re.findall(r" mask\((#smx\.\w+<[^>]*>)\)", run.stdout)
        wrong = run.returncode != 0 or found != expected
        wrong |= "smx.attention" in run.stdout and mask != [m for m in [mask_of(name)] if m]
        if wrong:
            failures += 1
            print(f"{name}: expected {expected} {mask_of(name)}, found {found} {mask}")
            print(run.stderr)
    print(f"{len(cases)} fixtures, {failures} wrong")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
