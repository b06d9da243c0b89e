#!/usr/bin/env python3
"""Softmax with the k largest, over k and lengths of rows: right on ties and special rows, and how fast.

    integration/gpu/topk.py --tools DIR

DIR holds softmax-compile. Needs PyTorch with CUDA. 2^27 elements; a figure is bytes read a second, beside that of the log-sum-exp
of the same rows, and of random scores beside PyTorch's softmax and topk, in turns. Writes <gpu>-topk as JSON and table, after every
case anew; ends with an error if a place or a probability is wrong.
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
BF16 = [(8, 2), (33, 5), (64, 8), (128, 8), (256, 8), (1024, 5), (1024, 16), (1024, 64), (1100, 8), (2048, 8), (2048, 50), (3000, 50), (4096, 1), (4096, 5), (4096, 16), (4096, 50), (10000, 8), (32768, 1), (32768, 5), (32768, 16), (32768, 64), (65536, 5), (69632, 5), (131072, 5), (128256, 50),
        (50257, 5)]
F32 = [(16, 8), (32, 8), (64, 2), (64, 8), (128, 4), (128, 8), (160, 8), (256, 8), (256, 16), (1024, 8), (2048, 50), (8192, 8), (32000, 50)]
CASES = [("bf16", *case) for case in BF16] + [("f32", *case) for case in F32]
KINDS = "equal", "levels", "few", "close", "normal"


def text_of(op, dtype, columns, k):
    works.TOP = k
    return works.Reduction(op, columns).text_of((ELEMENTS // columns, columns)).replace("bf16", dtype)


def rows_of(kind, x):
    """Fills x: all different kinds of order."""
    if kind == "normal":
        x.normal_()
    elif kind == "levels":
        x.random_(0, 4)
    elif kind == "equal":
        x.fill_(1.5)
    elif kind == "close":  # Different in the last bits alone.
        x.random_(0, 40).mul_(torch.finfo(x.dtype).eps).add_(1)
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
    near = (probabilities[rows].double() - exact).abs() <= exact * (2**-7 if x.dtype == torch.bfloat16 else 2e-6)
    return int(((places[rows] != order) | ~near).any(dim=1).sum())


def row_of(work, peer, x, ms):
    return {"work": work, "peer": peer, "ms": round(ms, 4), "figure": round(x.nbytes / ms / 1e6), "unit": "GB/s"}


def lines_of(rows):
    """A line for each case: those of the kinds, then log-sum-exp."""
    cells = []
    for case in zip(*[iter(rows)] * (len(KINDS) + 2)):
        _, dtype, shape, k, _ = case[0]["work"].split()
        *of_kinds, peer, reads = case
        cells.append([dtype, shape, k.removeprefix("k="), reads["figure"], *(f"{row['figure']}{' WRONG' if 'wrong' in row else ''}" for row in of_kinds),
                      peer["figure"], f"{of_kinds[-1]['figure'] / peer['figure']:.1f}"])
    return ["GB/s read; the columns from \"equal\" on are rows of equal, four different and two scores, of scores that differ in their last "
            "bits, and of random ones. torch: softmax and topk of random scores, in turns with ours.", "",
            *results.table(["type", "rows", "k", "logsumexp", *KINDS, "torch", "to torch"], cells)]


def main():
    parser = results.parser(__doc__, results.SPEED)
    arguments = parser.parse_args()
    chip, failures, rows = driver.start(), 0, []
    head = results.head(arguments) | {"torch": torch.__version__, "chip": chip}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        images = {}
        for case in CASES:
            for op in ("topk_softmax", "logsumexp"):
                images[op, case] = pool.submit(compile_image, arguments.tools, text_of(op, *case), chip, works.alignment_of(case[1], case[0]))
        for case in CASES:
            dtype, columns, k = case
            x = torch.empty(ELEMENTS // columns, columns, device="cuda", dtype=bench.DTYPES[dtype])
            outputs = [torch.empty(x.shape[0], k, device="cuda", dtype=d) for d in (x.dtype, torch.int64)]
            top = Kernel(*images["topk_softmax", case].result()).bind(x, *outputs)
            lse = Kernel(*images["logsumexp", case].result()).bind(x, torch.empty(x.shape[0], device="cuda", dtype=x.dtype))
            stream = torch.cuda.current_stream().cuda_stream
            for kind in KINDS:
                rows_of(kind, x)
                outputs[0].fill_(float("nan"))
                outputs[1].fill_(-7)
                top(stream)
                torch.cuda.synchronize()
                bad = wrong(x, k, *outputs)
                failures += bad
                peers = {"top": [lambda: top(stream)], "lse": [lambda: lse(stream)]}
                if kind == "normal":
                    peers["torch"] = [lambda: torch.softmax(x, -1).topk(k, -1)]
                ms = bench.turns(peers)
                work = f"topk_softmax {dtype} {x.shape[0]}x{columns} k={k} {kind}"
                rows.append(row_of(work, "smx", x, ms["top"]) | ({"wrong": bad} if bad else {}))
            rows.append(row_of(work, "torch", x, ms["torch"]))
            rows.append(row_of(f"logsumexp {dtype} {x.shape[0]}x{columns} beside k={k}", "smx", x, ms["lse"]))
            results.write(arguments.output, "topk", head | {"rows": rows}, lines_of(rows), show=case == CASES[-1])
            del x, outputs, top, lse, peers
    return f"{failures} rows are wrong" if failures else 0


if __name__ == "__main__":
    bench.ROUNDS, bench.ROUND_MS = 3, 5
    sys.exit(main())
