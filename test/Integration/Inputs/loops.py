"""Prints the loops that integration/gpu/sass.py finds in a dump: loops.py SOURCE DUMP."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(sys.argv[1], "integration", "gpu")))
import sass  # noqa: E402

matrix, row = sass.kernels(Path(sys.argv[2]).read_text())
# One product of a warpgroup is 64 products of a thread: 4 scores of head dim 8, whose values have it too.
print("matrix", sass.loops(matrix, 2 * 8, 2))
print("row", sass.loops(row, None, 2))
