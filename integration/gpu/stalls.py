#!/usr/bin/env python3
"""Where the warps of a kernel spend their time, instruction by instruction: a table of its main loop.

    ncu --clock-control none --section SourceCounters --kernel-name KERNEL -o report PROGRAM..   # where the GPU is
    ncu --import report.ncu-rep --page source --print-units base --csv > kernel.csv
    integration/gpu/stalls.py kernel.csv [--least 0.005] [--executed N]                          # anywhere

The main loop is the instructions that were executed as often as those with the most samples together; `--executed` names another
part of the kernel by that number. Shares are of the samples of the part, and what is below `--least` comes as one line for each run
of such instructions. A sample says why its warp did not issue: `wait` is a fixed latency, `dispatch` an instruction that was ready
and held back, `not_selected` another warp's turn, `barrier` a turn or a product of the matrix unit, `long_sb` memory or an mbarrier.
"""

import argparse
import collections
import csv
import pathlib
import sys
from dataclasses import dataclass

STALL = "stall_"


@dataclass
class Instruction:
    text: str
    executed: int
    samples: int
    # {why: samples}
    stalls: dict


def number(text):
    return int(text) if text.isdigit() else 0


def read(path):
    """The instructions of an exported source page, in order."""
    rows = list(csv.reader(path.open()))
    start = next((i for i, row in enumerate(rows) if "Source" in row and "# Samples" in row), None)
    if start is None:
        sys.exit(f"{path}: expected the source page of a report with section SourceCounters; `ncu --page source --csv` writes it")
    head = rows[start]
    at = {name: head.index(name) for name in ("Source", "Instructions Executed", "# Samples")}
    reasons = {i: name.removeprefix(STALL) for i, name in enumerate(head) if name.startswith(STALL) and "Not Issued" not in name}
    return [Instruction(row[at["Source"]].strip(), number(row[at["Instructions Executed"]]), number(row[at["# Samples"]]),
                        {why: number(row[i]) for i, why in reasons.items()})
            for row in rows[start + 1:] if len(row) == len(head)]


def shares(stalls, total, count):
    found = sorted(stalls.items(), key=lambda item: -item[1])[:count]
    return ", ".join(f"{why} {100 * samples / total:.1f}" for why, samples in found if samples)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--least", type=float, default=0.005, help="share of the samples that an instruction needs for a line")
    parser.add_argument("--executed", type=int, help="times that the instructions of the part were executed")
    arguments = parser.parse_args()
    kernel = read(arguments.page)
    parts = collections.Counter()
    for one in kernel:
        parts[one.executed] += one.samples
    whole = sum(parts.values())
    if not whole:
        sys.exit(f"{arguments.page}: no samples")
    executed = arguments.executed or parts.most_common(1)[0][0]
    part = [one for one in kernel if one.executed == executed]
    total = parts[executed]
    if not total:
        sys.exit(f"{arguments.page}: no samples of instructions that were executed {executed} times; "
                 f"there are {', '.join(str(n) for n, _ in parts.most_common(6))}")
    print("executed, instructions, share of the kernel %:")
    for times, samples in parts.most_common(6):
        print(f"  {times:10d} {sum(one.executed == times for one in kernel):5d} {100 * samples / whole:5.1f}")
    stalls = collections.Counter()
    for one in part:
        stalls.update(one.stalls)
    print(f"{len(part)} instructions, {executed} times: {shares(stalls, total, 8)}")
    skipped = []

    def skip():
        if skipped:
            print(f"{100 * sum(one.samples for one in skipped) / total:6.1f}   {len(skipped)} more")
            skipped.clear()

    for one in part:
        if one.samples < arguments.least * total:
            skipped.append(one)
            continue
        skip()
        print(f"{100 * one.samples / total:6.1f}   {one.text[:60]:60s} {shares(one.stalls, total, 3)}")
    skip()


if __name__ == "__main__":
    main()
