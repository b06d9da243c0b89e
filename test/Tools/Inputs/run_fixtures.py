"""Runs PyTorch fixtures with softmax-run on a target and compares with PyTorch's own results.

    python run_fixtures.py SOFTMAX_RUN PYTORCH_FOLDER TARGET [--but NAME ...]

All fixtures but the named ones have to be right. Prints a line for each that is not, then the counts.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path


def run(arguments, case: dict) -> str:
    """Empty, or what went wrong."""
    files = lambda kind: ",".join(str(arguments.folder / entry["file"]) for entry in case[kind])
    command = [arguments.softmax_run, arguments.folder / case["fixture"], f"--target={arguments.target}",
               "--repeat=0", "--mode=fast", f"--input={files('inputs')}", f"--expected={files('outputs')}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return ""
    lines = [line.strip() for line in (result.stdout + result.stderr).splitlines()]
    told = [line for line in lines if "fail" in line or line.startswith("softmax-run:")]
    return (told or lines or [f"exit code {result.returncode}"])[0]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("softmax_run")
    parser.add_argument("folder", type=Path)
    parser.add_argument("target")
    parser.add_argument("--but", nargs="*", default=[])
    arguments = parser.parse_args()
    table = json.loads((arguments.folder / "fixtures.json").read_text())
    unknown = [name for name in arguments.but if name not in table]
    for name in unknown:
        print(f"{name}: no such fixture")
    right = wrong = 0
    for name in sorted(set(table) - set(arguments.but)):
        problem = run(arguments, table[name])
        right += not problem
        wrong += bool(problem)
        if problem:
            print(f"{name}: {problem[:400]}")
    print(f"{right} right, {wrong} wrong")
    return wrong > 0 or bool(unknown)


if __name__ == "__main__":
    sys.exit(main())
