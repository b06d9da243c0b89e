"""Writes rows of 128 numbers, their three largest, and the columns of those; and of two numbers of each row the columns of the
three largest.

    python3 largest.py FOLDER
"""

import math
import sys
from pathlib import Path

from npy import write_npy

INF, NAN = math.inf, math.nan


def row(fill, **numbers):
    return [numbers.get(f"c{j}", fill) for j in range(128)]


ROWS = [
    row(-INF, c7=1.0, c90=2.0),  # two numbers, then the first -inf
    row(-1.0, c5=-0.0, c100=0.0),  # equal
    row(-INF, c3=INF, c4=NAN),
    row(0.0),
]
COLUMNS = [[90, 7, 0], [5, 100, 0], [4, 3, 0], [0, 1, 2]]
# Of the fourth and the fifth, in a row of at most 124.
OF_TWO = [[0, 1, 124], [1, 0, 124], [0, 1, 124], [0, 1, 124]]

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
write_npy(folder / "rows.npy", "<f4", "f", (4, 128), [x for r in ROWS for x in r])
write_npy(folder / "columns.npy", "<i8", "q", (4, 3), [c for r in COLUMNS for c in r])
write_npy(folder / "values.npy", "<f4", "f", (4, 3), [r[c] for r, cs in zip(ROWS, COLUMNS) for c in cs])
write_npy(folder / "of-two.npy", "<i8", "q", (4, 3), [c for cs in OF_TWO for c in cs])
