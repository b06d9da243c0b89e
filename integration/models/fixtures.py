"""Writes and compares fixtures: a module's text, and its inputs and outputs as one .npz."""

import io
import json
import subprocess
import zipfile
from pathlib import Path

import ml_dtypes  # noqa: F401  (numpy learns bfloat16)
import numpy

ROOT = Path(__file__).resolve().parent
TABLE = ROOT / "fixtures.json"
MAX_BYTES = 200_000


class Refused(Exception):
    """The front end makes no upstream MLIR of a case; the text says why."""


def keep_mask(shape, random) -> numpy.ndarray:
    """Booleans of density 3/4 that keep a key in every row."""
    mask = random.random(shape) < 0.75
    mask[..., 0] = True
    return mask


def parse_with(mlir_opt: str, text: str) -> None:
    result = subprocess.run([mlir_opt, "--verify-roundtrip", "-o", "/dev/null"],
                            input=text, text=True, capture_output=True, check=False)
    if result.returncode != 0:
        raise ValueError(f"'{mlir_opt}' rejects the exported IR:\n{result.stderr[:2000]}")


def pack(arrays: dict[str, numpy.ndarray]) -> bytes:
    """An .npz whose bytes depend on the arrays alone: no dates, no library's compression level."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as file:
        for name, array in arrays.items():
            entry = io.BytesIO()
            numpy.save(entry, numpy.ascontiguousarray(array).reshape(array.shape), allow_pickle=False)
            file.writestr(zipfile.ZipInfo(f"{name}.npy"), entry.getvalue())
    return archive.getvalue()


def name_arrays(inputs, outputs) -> dict[str, numpy.ndarray]:
    named = {f"input{n}": array for n, array in enumerate(inputs)}
    return named | {f"output{n}": array for n, array in enumerate(outputs)}


def compare(path: Path, arrays: dict[str, numpy.ndarray]) -> None:
    stored = numpy.load(path, allow_pickle=False)
    if sorted(stored.files) != sorted(arrays):
        raise ValueError(f"{path.name} holds other arrays than are computed now")
    for name, array in arrays.items():
        numpy.testing.assert_allclose(stored[name], array, rtol=1e-4, atol=1e-5, err_msg=f"{path.name}: {name}")


def keep(name: str, text: str, inputs, outputs, mlir_opt: str, check: bool) -> dict:
    """Stores a fixture, or compares it with the stored one; returns its files for the table."""
    parse_with(mlir_opt, text)
    arrays = name_arrays(inputs, outputs)
    module, data = ROOT / "fixtures" / f"{name}.mlir", ROOT / "data" / f"{name}.npz"
    if check:
        if not module.exists() or module.read_text() != text:
            raise ValueError(f"{module.name} differs from what is exported now")
        compare(data, arrays)
    else:
        for path, content in ((module, text.encode()), (data, pack(arrays))):
            if len(content) > MAX_BYTES:
                raise ValueError(f"{path.name} has {len(content)} bytes; the limit is {MAX_BYTES}")
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
    return {"fixture": str(module.relative_to(ROOT)), "data": str(data.relative_to(ROOT)),
            "inputs": len(inputs), "outputs": len(outputs)}


def write_table(entries: dict) -> None:
    """Replaces or adds the given entries of fixtures.json; the rest stays."""
    table = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    table.update(entries)
    lines = [f"  {json.dumps(name)}: {json.dumps(table[name])}" for name in sorted(table)]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
