#!/usr/bin/env python3
"""Times attention on scores whose maximum rises in every tile, slowly and fast, beside random ones, in one process, taking turns.

    integration/gpu/rising.py --tools DIR [--prepared FOLDER] [--dims 64,128,256]

DIR holds softmax-compile, FOLDER what `ablation.py prepare` leaves. Needs PyTorch with CUDA. bf16, without a mask and causal.
Four kernels: as they are compiled; with weights by the old reference in every round (without `smx-gpu-expect-move`); with the
maximum of every tile first (without `smx-gpu-speculate`); and classic, whose reference is the maximum after every tile (the
ablation's, if there is a FOLDER). Each is run into poisoned outputs and compared with float64 on sampled rows before it is timed. Writes
<gpu>-rising as JSON and table, after every work anew; ends with an error if a kernel is refused or wrong.
"""

import concurrent.futures
import dataclasses
import pathlib
import sys

import torch

import bench
import driver
import results
import works
from kernel import compile_image

# {peer: flags of the compiler}
KERNELS = {"smx": [], "smx, always guessing": ["--skip-pass=smx-gpu-expect-move"],
           "smx, maximum first": ["--skip-pass=smx-gpu-speculate"]}
# Tiles have at least so many keys; over these a score gains so much, in units of e. 2, 8 and 100 are 2.9, 11.5 and 144 powers of two:
# a reference may be 8 behind the maximum, and about 64 before it.
TILE_KEYS, RISES = 64, {"rising slowly": 2, "rising": 8, "rising fast": 100}
INPUTS = ("random", *RISES)
CLASSIC, PEERS = "smx, classic", (*KERNELS, "smx, classic")


@dataclasses.dataclass(frozen=True)
class Work(works.Attention):
    kind: str = "random"

    @property
    def name(self):
        return f"{super().name}, {self.kind}"

    def inputs(self):
        q, k, v = (torch.randn(self.shape, device="cuda", dtype=bench.DTYPES[self.dtype]) for _ in range(3))
        if self.kind in RISES:
            q[..., 0] = self.dim**0.5  # times the scale: 1
            k[..., 0] = torch.arange(self.length, device="cuda") * (RISES[self.kind] / TILE_KEYS)
        return q, k, v


def measure(work, images):
    sets = [(inputs, torch.empty_like(inputs[2])) for inputs in (work.inputs() for _ in range(2))]
    rows = {name: {"work": work.name, "peer": name} for name in images}
    error = lambda q, k, v, out: bench.attention_error(work, q, k, v, out)  # noqa: E731
    calls = {name: bench.smx_calls(image, sets, error, rows[name]) for name, image in images.items()}
    bench.time_peers(work, rows, calls)
    return list(rows.values())


def lines_of(rows):
    cells = []
    for work, peers in results.by_work(rows).items():
        of_peers = [peers.get(name, {"refused": "-"}) for name in PEERS]
        figures = [row.get("figure", row.get("refused")) for row in of_peers]
        ours, *others = (row.get("figure") for row in of_peers)
        cells.append([work, *figures, *(f"{ours / other:.3f}" if ours and other else "-" for other in others)])
    return results.table(["work", *PEERS, "to always guessing", "to maximum first", "to classic"], cells)


def classic_of(folder, work):
    stem = folder / f"{work.name}-slack".replace(" ", "-")
    return bench.saved_image(stem.with_suffix(".ptx"), stem.with_suffix(".json"))


def main():
    parser = results.parser(__doc__, results.SPEED)
    parser.add_argument("--dims", default="64,128,256")
    parser.add_argument("--prepared", type=pathlib.Path)
    arguments = parser.parse_args()
    chip, rows = driver.start(), []
    head = results.head(arguments) | {"torch": torch.__version__, "chip": chip}
    shapes = [(int(dim), 4096, causal) for causal in (False, True) for dim in arguments.dims.split(",")]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        images = {shape: {name: pool.submit(compile_image, arguments.tools, Work(*shape).text, chip, 16, flags)
                          for name, flags in KERNELS.items()} for shape in shapes}
        for shape in shapes if arguments.prepared else ():
            images[shape][CLASSIC] = classic_of(arguments.prepared, works.Attention(*shape))
        concurrent.futures.wait([image for of_shape in images.values() for image in of_shape.values()])
    for shape in shapes:
        for kind in INPUTS:
            rows += measure(Work(*shape, kind=kind), images[shape])
            torch.cuda.empty_cache()
            results.write(arguments.output, "rising", head | {"rows": rows}, [
                f"TFLOP/s in one process, taking turns. Over {TILE_KEYS} keys scores gain " +
                ", ".join(f"{rise} ({kind})" for kind, rise in RISES.items()) + ", in units of e: the maximum moves in every tile.",
                "always guessing: the kernel without `smx-gpu-expect-move`; maximum first: that without `smx-gpu-speculate`; classic: the reference is the "
                "maximum after every tile.",
                "Ratios are of the first column.", "", *lines_of(rows)], show=(shape, kind) == (shapes[-1], INPUTS[-1]))
    return 1 if any("refused" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
