#!/usr/bin/env python3
"""Softmax with the k largest, over k and lengths of rows: right on ties and special rows, and how fast.

    integration/gpu/topk.py --tools DIR

DIR holds softmax-compile. Needs PyTorch with CUDA. bf16, 2^27 elements; a figure is bytes read a second, beside that of the
log-sum-exp of the same rows. Writes <gpu>-topk as JSON and table, after every case anew; ends with an error if a place or a
probability is wrong.
"""

import concurrent.futures
import sys

import torch

import bench
import driver
import results
import works
from kernel import Kernel, compile_image

ELEMENTS = 1 << 27
CASES = [(8, 2), (33, 5), (64, 8), (128, 8), (256, 8), (1024, 5), (1024, 16), (1024, 64), (4096, 1), (4096, 5), (4096, 16), (32768, 1), (32768, 5), (32768, 16), (32768, 64), (65536, 5), (131072, 5),
         (50257, 5)]
KINDS = "equal", "levels", "few", "normal"


def text_of(op, columns, k):
    works.TOP = k
    return works.Reduction(op, columns).text_of((ELEMENTS // columns, columns))


def rows_of(kind, x):
    """Fills x: all different kinds of order."""
    if kind == "normal":
        x.normal_()
    elif kind == "levels":
        x.random_(0, 4)
    elif kind == "equal":
        x.fill_(1.5)
    else:  # Two numbers, one of them in the last place, and -inf.
        x.fill_(float("-inf"))
        x[:, -1] = 1
        x[:, x.shape[1] // 3] = -2


def wrong(x, k, probabilities, places):
    """How many of the sampled rows are wrong."""
    rows = torch.randint(x.shape[0], (24,), device="cuda")
    rows[:2] = torch.tensor([0, x.shape[0] - 1])
    order = x[rows].float().sort(dim=-1, descending=True, stable=True).indices[:, :k]
    exact = torch.softmax(x[rows].double(), -1).gather(1, order)
    near = (probabilities[rows].double() - exact).abs() <= exact * 2**-7
    return int(((places[rows] != order) | ~near).any(dim=1).sum())


def row_of(work, x, ms):
    return {"work": work, "peer": "smx", "ms": round(ms, 4), "figure": round(x.nbytes / ms / 1e6), "unit": "GB/s"}


def lines_of(rows):
    """A line for each case: those of the kinds, then log-sum-exp."""
    cells = []
    for case in zip(*[iter(rows)] * (len(KINDS) + 1)):
        _, _, shape, k, _ = case[0]["work"].split()
        cells.append([shape, k.removeprefix("k="), *(f"{row['figure']}{' WRONG' if 'wrong' in row else ''}" for row in (case[-1], *case[:-1]))])
    return ["GB/s read, bf16; the columns from \"equal\" on are rows of equal, four different, two and random scores.", "",
            *results.table(["rows", "k", "logsumexp", *KINDS], cells)]


def main():
    parser = results.parser(__doc__, results.SPEED)
    arguments = parser.parse_args()
    chip, failures, rows = driver.start(), 0, []
    head = results.head(arguments) | {"torch": torch.__version__, "chip": chip}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        images = {}
        for columns, k in CASES:
            alignment = 16 if columns % 8 == 0 else 2
            for op in ("topk_softmax", "logsumexp"):
                text = text_of(op, columns, k)
                images[op, columns, k] = pool.submit(compile_image, arguments.tools, text, chip, alignment)
        for (columns, k) in CASES:
            x = torch.empty(ELEMENTS // columns, columns, device="cuda", dtype=torch.bfloat16)
            outputs = [torch.empty(x.shape[0], k, device="cuda", dtype=d) for d in (x.dtype, torch.int64)]
            top = Kernel(*images["topk_softmax", columns, k].result()).bind(x, *outputs)
            lse = Kernel(*images["logsumexp", columns, k].result()).bind(x, torch.empty(x.shape[0], device="cuda", dtype=x.dtype))
            stream = torch.cuda.current_stream().cuda_stream
            for kind in KINDS:
                rows_of(kind, x)
                outputs[0].fill_(float("nan"))
                outputs[1].fill_(-7)
                top(stream)
                torch.cuda.synchronize()
                bad = wrong(x, k, *outputs)
                failures += bad
                ms = bench.turns({"top": [lambda: top(stream)], "lse": [lambda: lse(stream)]})
                rows.append(row_of(f"topk_softmax bf16 {x.shape[0]}x{columns} k={k} {kind}", x, ms["top"]) | ({"wrong": bad} if bad else {}))
            rows.append(row_of(f"logsumexp bf16 {x.shape[0]}x{columns} beside k={k}", x, ms["lse"]))
            results.write(arguments.output, "topk", head | {"rows": rows}, lines_of(rows), show=(columns, k) == CASES[-1])
            del x, outputs, top, lse
    return f"{failures} rows are wrong" if failures else 0


if __name__ == "__main__":
    bench.ROUNDS, bench.ROUND_MS = 3, 5
    sys.exit(main())
