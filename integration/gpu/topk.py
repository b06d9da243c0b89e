#!/usr/bin/env python3
"""Softmax with the k largest, over k and lengths of rows: right on ties and special rows, and how fast.

    integration/gpu/topk.py --tools DIR

DIR holds softmax-compile. Needs PyTorch with CUDA. bf16, 2^27 elements; a figure is bytes read a second, beside that of the
log-sum-exp of the same rows. Ends with an error if a place or a probability is wrong.
"""

import argparse
import concurrent.futures
import sys

import torch

import bench
import driver
import works
from kernel import Kernel, compile_image

ELEMENTS = 1 << 27
CASES = [(1024, 5), (4096, 1), (4096, 5), (4096, 16), (32768, 1), (32768, 5), (32768, 16), (32768, 64), (65536, 5), (131072, 5),
         (50257, 5)]


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True, help="folder of softmax-compile")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.zeros(1, device="cuda")
    driver.use_device()
    chip, failures = driver.chip(), 0
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        images = {}
        for columns, k in CASES:
            alignment = 16 if columns % 8 == 0 else 2
            for op in ("topk_softmax", "logsumexp"):
                text = text_of(op, columns, k)
                images[op, columns, k] = pool.submit(compile_image, arguments.tools, text, chip, alignment)
        for (columns, k) in CASES:
            x = torch.empty(ELEMENTS // columns, columns, device="cuda", dtype=torch.bfloat16)
            padded = -(-k // 8) * 8
            outputs = [torch.empty(x.shape[0], padded, device="cuda", dtype=d)[:, :k] for d in (x.dtype, torch.int64)]
            top = Kernel(*images["topk_softmax", columns, k].result()).bind(x, *outputs)
            lse = Kernel(*images["logsumexp", columns, k].result()).bind(x, torch.empty(x.shape[0], device="cuda", dtype=x.dtype))
            stream = torch.cuda.current_stream().cuda_stream
            figures = {}
            for kind in ("equal", "levels", "few", "normal"):
                rows_of(kind, x)
                outputs[0].fill_(float("nan"))
                outputs[1].fill_(-7)
                top(stream)
                torch.cuda.synchronize()
                bad = wrong(x, k, *outputs)
                failures += bad
                ms = bench.turns({"top": [lambda: top(stream)], "lse": [lambda: lse(stream)]})
                figures[kind] = f"{x.nbytes / ms['top'] / 1e6:.0f}" + (f" ({bad} of 24 rows WRONG)" if bad else "")
            lse_rate = x.nbytes / ms["lse"] / 1e6
            print(f"{x.shape[0]}x{columns} k={k}: logsumexp {lse_rate:.0f}, top-k GB/s on rows " +
                  ", ".join(f"{kind} {figure}" for kind, figure in figures.items()), flush=True)
            del x, outputs, top, lse
    return f"{failures} rows are wrong" if failures else 0


if __name__ == "__main__":
    bench.ROUNDS, bench.ROUND_MS = 3, 5
    sys.exit(main())
