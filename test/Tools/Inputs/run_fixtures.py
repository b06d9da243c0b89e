"""Runs every PyTorch fixture with softmax-run on a target and compares with PyTorch's own results.

    python run_fixtures.py SOFTMAX_RUN PYTORCH_FOLDER TARGET [--refused N] [NAME ...]

A line for each fixture that is refused or wrong; the last line counts. The exit code is 0 if nothing is
wrong and at most N (default 0) were refused: `refused` means that the compiler says what it has no kernel for.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path


def run(arguments, folder: Path, case: dict) -> str:
    """Empty, or what went wrong, starting with 'refused' or 'wrong'."""
    files = lambda kind: ",".join(str(folder / entry["file"]) for entry in case[kind])
    command = [arguments.softmax_run, folder / case["fixture"], f"--target={arguments.target}", "--repeat=0",
               "--mode=fast", f"--input={files('inputs')}", f"--expected={files('outputs')}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return ""
    if result.returncode == 1:
        failed = [line.strip() for line in result.stdout.splitlines() if "fail" in line]
        return "wrong: " + (failed[0] if failed else result.stdout)
    errors = [line for line in result.stderr.splitlines() if line]
    kind = "refused" if any("stage '" in line or "no kernel does" in line for line in errors) else "wrong"
    return f"{kind}: {errors[0] if errors else 'exit code ' + str(result.returncode)}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("softmax_run")
    parser.add_argument("folder", type=Path)
    parser.add_argument("target")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--refused", type=int, default=0)
    arguments = parser.parse_args()
    table = json.loads((arguments.folder / "fixtures.json").read_text())
    counts = {"right": 0, "refused": 0, "wrong": 0}
    for name in arguments.names or table:
        problem = run(arguments, arguments.folder, table[name])
        counts[problem.split(":")[0] or "right"] += 1
        if problem:
            print(f"{name}: {problem[:300]}")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return counts["wrong"] > 0 or counts["refused"] > arguments.refused


if __name__ == "__main__":
    sys.exit(main())
