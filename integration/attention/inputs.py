#!/usr/bin/env python3
"""Writes what the examples read beside queries, keys and values, as .npy files: inputs.py FOLDER [--batch B] [--length S].

slopes.npy     [16]         ALiBi's slopes, 2^-(h+1)/2
sinks.npy      [16]         from -2 to 2.5
table.npy      [16, 2S]     a bias for each head and distance from 1-S on; the last column is spare, so that rows are aligned
document.npy   [B, S]       ids of documents of about S/5 tokens, in order
begin.npy, end.npy [B, S]   for each token the first of its document, and the one behind its last
"""

import argparse
import math
import pathlib
import struct

HEADS = 16


def write(path, code, shape, values):
    kind = {"f": "<f4", "i": "<i4"}[code]
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header = header.ljust(64 * -(-(len(header) + 11) // 64) - 11) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values))


def documents(length, number):
    """The bounds of the documents of a sequence; their lengths differ, and from one sequence to the next."""
    bounds = [0]
    while bounds[-1] < length:
        bounds.append(min(length, bounds[-1] + max(1, length // 5 + (37 * len(bounds) + 101 * number) % max(1, length // 3) - length // 6)))
    return bounds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--length", type=int, default=192)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    batch, length = arguments.batch, arguments.length
    write(arguments.folder / "slopes.npy", "f", [HEADS], [2 ** (-(head + 1) / 2) for head in range(HEADS)])
    write(arguments.folder / "sinks.npy", "f", [HEADS], [head * 0.3 - 2 for head in range(HEADS)])
    distances = range(1 - length, length + 1)
    write(arguments.folder / "table.npy", "f", [HEADS, len(distances)],
          [math.cos(head + 1.0) * math.log1p(abs(d)) / (1 + head % 3) for head in range(HEADS) for d in distances])
    ids, begin, end = [], [], []
    for number in range(batch):
        bounds = documents(length, number)
        for document, (first, behind) in enumerate(zip(bounds, bounds[1:])):
            ids += [document] * (behind - first)
            begin += [first] * (behind - first)
            end += [behind] * (behind - first)
    for name, values in (("document", ids), ("begin", begin), ("end", end)):
        write(arguments.folder / f"{name}.npy", "i", [batch, length], values)


if __name__ == "__main__":
    main()
