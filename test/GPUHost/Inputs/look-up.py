"""Writes a table, indices in and out of its range, and what assertions.mlir finds by the former.

    python3 look-up.py FOLDER
"""

import sys
from pathlib import Path

from npy import write_npy

ROWS, COLUMNS, COUNT = 45, 3, 100

table = [[100.0 * i + j for j in range(COLUMNS)] for i in range(ROWS)]
inside = [(7 * i) % ROWS for i in range(COUNT)]
outside = [*inside[:-1], -1]

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
write_npy(folder / "table.npy", "<f4", "f", (ROWS, COLUMNS), [x for row in table for x in row])
write_npy(folder / "inside.npy", "<i8", "q", (COUNT,), inside)
write_npy(folder / "outside.npy", "<i8", "q", (COUNT,), outside)
write_npy(folder / "found.npy", "<f4", "f", (COUNT,), [table[i][1] for i in inside])
