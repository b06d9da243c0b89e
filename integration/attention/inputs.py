#!/usr/bin/env python3
"""Writes what the examples read beside queries, keys and values, as .npy files: inputs.py FOLDER [--batch B] [--length S].

slopes.npy     [16]         ALiBi's slopes, 2^-(h+1)/2
sinks.npy      [16]         from -2 to 2.5
table.npy      [16, 2S]     a bias for each head and distance from 1-S on; the last column is spare, so that rows are aligned
document.npy   [B, S]       ids of documents of about S/5 tokens, in order
begin.npy, end.npy [B, S]   for each token the first of its document, and the one behind its last
pages.npy      [B, S/64]   the page of each 64 keys of a sequence, in no order; -1 behind its length
lengths.npy    [B]         keys of each sequence: S - 9 of the first, and less of the others
blocks.npy     [B, 1, S/128, S/128]   1 where a block of queries sees one of keys: its own, and about half of the others
k_scales.npy, v_scales.npy [B, 4, S]  of f8E4M3FN keys and values, about 1
q_head_scales.npy [16], k_head_scales.npy, v_head_scales.npy [4]   the same for each head
"""

import argparse
import math
import pathlib
import struct

HEADS = 16
KEY_HEADS = 4


def write(path, code, shape, values):
    kind = {"f": "<f4", "i": "<i4", "b": "|i1"}[code]
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
    lengths = [(length - 9) // (number + 1) for number in range(batch)]
    pages = -(-length // 64)
    write(arguments.folder / "lengths.npy", "i", [batch], lengths)
    write(arguments.folder / "pages.npy", "i", [batch, pages],
          [(pages - page) * batch - number if page * 64 < lengths[number] else -1 for number in range(batch) for page in range(pages)])
    for name, step in (("k_scales", 3), ("v_scales", 5)):
        write(arguments.folder / f"{name}.npy", "f", [batch, KEY_HEADS, length],
              [0.7 + 0.05 * (step * n % 13) for n in range(batch * KEY_HEADS * length)])
    for name, heads in (("q_head_scales", HEADS), ("k_head_scales", KEY_HEADS), ("v_head_scales", KEY_HEADS)):
        write(arguments.folder / f"{name}.npy", "f", [heads], [0.7 + 0.05 * (5 * head % 13) for head in range(heads)])
    blocks = -(-length // 128)
    write(arguments.folder / "blocks.npy", "b", [batch, 1, blocks, blocks],
          [int(row == key or (row * 7 + key * 5 + number * 3) % 4 < 2) for number in range(batch) for row in range(blocks) for key in range(blocks)])


if __name__ == "__main__":
    main()
