"""Writes rows with their largest elements, and keys and values in pages with the attention to them, for variants.mlir.

    python3 variants.py FOLDER
"""

import math
import random
import struct
import sys
from pathlib import Path

from npy import write_npy

ROWS, COLUMNS, TOP = 4, 5000, 4
BATCH, HEADS, KEY_HEADS, DIM, PAGE, PAGES = 2, 4, 2, 64, 16, 11
TABLE, LENGTHS = [[3, 9, 0, 7, 5], [8, 1, 10, 2, 6]], [77, 20]

random.seed(6)
folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def half(x):
    return struct.unpack("<e", struct.pack("<e", x))[0]


def numbers(count):
    return [half(random.gauss(0, 1)) for _ in range(count)]


def weights(scores):
    largest = max(scores)
    exponentials = [math.exp(score - largest) for score in scores]
    return [x / sum(exponentials) for x in exponentials]


# No two are equal.
rows = [random.sample(range(-COLUMNS, COLUMNS), COLUMNS) for _ in range(ROWS)]
rows = [[x / 300 for x in row] for row in rows]
columns = [sorted(range(COLUMNS), key=lambda j, row=row: -row[j])[:TOP] for row in rows]
largest = [[p[j] for j in of_row] for p, of_row in zip(map(weights, rows), columns)]
write_npy(folder / "rows.npy", "<f4", "f", (ROWS, COLUMNS), [x for row in rows for x in row])
write_npy(folder / "largest.npy", "<f4", "f", (ROWS, TOP), [x for row in largest for x in row])
write_npy(folder / "columns.npy", "<i8", "q", (ROWS, TOP), [j for row in columns for j in row])

query = numbers(BATCH * HEADS * DIM)
keys, values = (numbers(PAGES * PAGE * KEY_HEADS * DIM) for _ in range(2))


def row_of(pages, batch, token, head):
    at = ((TABLE[batch][token // PAGE] * PAGE + token % PAGE) * KEY_HEADS + head) * DIM
    return pages[at:at + DIM]


found = []
for batch in range(BATCH):
    for head in range(HEADS):
        q = query[(batch * HEADS + head) * DIM:][:DIM]
        tokens, key_head = range(LENGTHS[batch]), head // (HEADS // KEY_HEADS)
        p = weights([0.125 * sum(map(float.__mul__, q, row_of(keys, batch, t, key_head))) for t in tokens])
        v = [row_of(values, batch, t, key_head) for t in tokens]
        found += [sum(x * row[d] for x, row in zip(p, v)) for d in range(DIM)]
write_npy(folder / "q.npy", "<f2", "e", (BATCH, HEADS, 1, DIM), query)
for name, pages in ("k", keys), ("v", values):
    write_npy(folder / f"{name}.npy", "<f2", "e", (PAGES, PAGE, KEY_HEADS, DIM), pages)
write_npy(folder / "table.npy", "<i4", "i", (BATCH, 5), [page for of_batch in TABLE for page in of_batch])
write_npy(folder / "lengths.npy", "<i4", "i", (BATCH,), LENGTHS)
write_npy(folder / "found.npy", "<f2", "e", (BATCH, HEADS, 1, DIM), found)
