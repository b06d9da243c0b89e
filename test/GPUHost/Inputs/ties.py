"""Writes rows for extrema.mlir and, one element after the other, what they should give.

    python3 ties.py FOLDER
"""

import math
import random
import sys
from pathlib import Path

from npy import write_npy

ROWS, COLUMNS = 12, 150
INF, NAN = math.inf, math.nan


def first_largest(row):
    best, at = -INF, -7
    for j, x in enumerate(row):
        if x > best:
            at = j
        best = NAN if x != x or best != best else max(x, best)
    return at


def last_smallest(row):
    best, at = INF, -7
    for j, x in enumerate(row):
        if x <= best:
            best, at = x, j
    return at


random.seed(5)
rows = [[float(random.randint(-4, 4)) for _ in range(COLUMNS)] for _ in range(ROWS)]  # Ties everywhere.
rows[1] = [3.0] * COLUMNS
rows[2] = [-INF] * COLUMNS
rows[3] = [INF] * COLUMNS
rows[4] = [NAN] * COLUMNS
rows[5][70] = NAN
rows[6][0] = NAN
rows[7][COLUMNS - 1] = NAN
rows[8][140:] = [9.0] * (COLUMNS - 140)
rows[9][64] = INF
rows[10] = [float(j) for j in range(COLUMNS)]
rows[11] = [-float(j) for j in range(COLUMNS)]

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
write_npy(folder / "rows.npy", "<f4", "f", (ROWS, COLUMNS), [x for row in rows for x in row])
for name in (first_largest, last_smallest):
    write_npy(folder / f"{name.__name__}.npy", "<i8", "q", (ROWS,), [name(row) for row in rows])
