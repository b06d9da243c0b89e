#!/usr/bin/env python3
"""Short rows in memory of any layout and of any contents: right, and nothing written beside them.

    integration/gpu/short.py --tools DIR [--seconds 200]

DIR holds softmax-compile. Needs PyTorch with CUDA. Rows of 1 to 1100 elements whose kernels may assume nothing of where they start:
dense ones, ones with gaps, and each misalignment, of NaN in the gaps; normal scores, and for the largest k ties, numbers that differ
in their last bits, zeros of both signs, -inf, +inf and NaN as well. Kernels for the device and for sm_80. Writes
results/<gpu>-short.{json,md}; ends with an error if one is wrong, or if the time did not suffice.
"""

import concurrent.futures
import itertools
import sys
import time

import torch

import driver
import results
from kernel import Kernel, compile_image

PORTABLE = "sm_80"
DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
# Of a few roundings.
NEAR = {"bf16": 1.5 * 2**-8, "f16": 1.5 * 2**-10, "f32": 3e-6}
COLUMNS = (1, 2, 3, 5, 8, 9, 16, 17, 24, 31, 33, 34, 49, 64, 65, 66, 72, 96, 100, 127, 129, 136, 137, 200, 256, 257, 260, 333, 512, 513, 769,
           1000, 1024, 1087, 1088, 1100)
ROWS = (1031, 7, 300, 129, 2500)
# What is exact, and how large the terms are that it is the sum of.
OPS = {"softmax": lambda x: (torch.softmax(x, 1), torch.softmax(x, 1)),
       "logsumexp": lambda x: (torch.logsumexp(x, 1), torch.logsumexp(x, 1).abs() + 1),
       "rms_norm": lambda x: (x / torch.sqrt((x**2).mean(1, keepdim=True) + 1e-5),) * 2,
       "softmax_backward": lambda y, g: (y * (g - (y * g).sum(1, keepdim=True)), y * (g.abs() + (y * g.abs()).sum(1, keepdim=True))),
       "log_softmax_backward": lambda y, g: (g - torch.exp(y) * g.sum(1, keepdim=True), g.abs() + torch.exp(y) * g.abs().sum(1, keepdim=True))}
LARGEST = (1, 2, 5, 8, 13, 64)
KINDS = "normal", "equal", "few", "close", "zeros", "hidden", "nan", "inf"
# Elements before each tensor and between its rows: inputs, then outputs.
LAYOUTS = ((0, 0), (0, 0), (0, 0)), ((1, 0), (5, 0), (0, 0)), ((7, 0), (0, 0), (3, 0)), ((0, 1), (1, 3), (0, 0)), ((3, 0), (0, 7), (2, 5)), \
    ((7, 7), (7, 7), (7, 7))


def text_of(op, k, rows, columns, dtype):
    x, row = f"tensor<{rows}x{columns}x{dtype}>", f"tensor<{rows}x{dtype}>"
    if k:
        found = f"tensor<{rows}x{k}x{dtype}>, tensor<{rows}x{k}xi64>"
        return (f"func.func @f(%x: {x}) -> ({found}) {{\n  %o:2 = smx.topk_softmax %x axis(1) k({k}) : {x} -> {found}\n"
                f"  return %o#0, %o#1 : {found}\n}}\n")
    if op.endswith("backward"):
        return f"func.func @f(%y: {x}, %g: {x}) -> {x} {{\n  %o = smx.{op} %y, %g axis(1) : {x}, {x} -> {x}\n  return %o : {x}\n}}\n"
    out, more = (row if op == "logsumexp" else x), (" epsilon(1.0e-5)" if op == "rms_norm" else "")
    return f"func.func @f(%x: {x}) -> {out} {{\n  %o = smx.{op} %x axis(1){more} : {x} -> {out}\n  return %o : {out}\n}}\n"


def place(rows, columns, dtype, layout, poison):
    """A tensor in memory that is `poison` everywhere, and all of that memory."""
    before, gap = layout
    memory = torch.full((before + rows * (columns + gap) + 64,), poison, device="cuda", dtype=dtype)
    return memory[before:before + rows * (columns + gap)].view(rows, columns + gap)[:, :columns], memory


def fill(kind, x):
    x.normal_()
    if kind == "equal":
        x.fill_(0.75)
    elif kind == "few":
        x.copy_(torch.randint(-2, 2, x.shape, device="cuda"))
    elif kind == "close":  # Of f32, different in the last bits alone.
        x.copy_(1 + torch.randint(0, 40, x.shape, device="cuda") * 2.0**-23)
    elif kind == "zeros":
        x.copy_(torch.where(x > 0, 0.0, -0.0))
    elif kind == "hidden":
        x[torch.rand(x.shape, device="cuda") < 0.6] = float("-inf")
        x[::7] = float("-inf")
    elif kind in ("nan", "inf"):
        x[::3, x.shape[1] // 2] = float(kind)


def wrong_largest(x, k, probabilities, places, near):
    """A score of -inf is one; a row of nothing else is 0/0."""
    exact = x.double()
    undefined = (exact.isnan() | (exact == float("inf"))).any(1)
    nothing = (exact == float("-inf")).all(1)
    order = exact.sort(dim=1, descending=True, stable=True).indices[:, :k]
    order = torch.where(undefined[:, None], torch.arange(k, device="cuda"), order)
    if not torch.equal(places, order):
        return "places"
    right = torch.softmax(exact, 1).gather(1, order)
    usual = ~undefined & ~nothing
    if not bool(((probabilities.double() - right).abs() <= near * right + 1e-30)[usual].all()):
        return "probabilities"
    return None if bool(probabilities[~usual].isnan().all()) else "rows that have no softmax"


def check(kernel, op, k, rows, columns, dtype, layouts, kind):
    """What is wrong, or None."""
    of = DTYPES[dtype]
    ins = [place(rows, columns, of, layout, float("nan"))[0] for layout in layouts[:2 if op.endswith("backward") else 1]]
    for x in ins:
        fill(kind, x)
    if op.endswith("backward"):
        ins[0].copy_(torch.softmax(ins[0].float(), 1) if op == "softmax_backward" else torch.log_softmax(ins[0].float(), 1))
    if k:
        outs = [place(rows, k, of, layouts[2], -7.0), place(rows, k, torch.int64, layouts[2], -9)]
    elif op == "logsumexp":
        memory = torch.full((rows + 64,), -7.0, device="cuda", dtype=of)
        outs = [(memory[:rows], memory)]
    else:
        outs = [place(rows, columns, of, layouts[2], -7777.0)]
    poisons = [float(memory.flatten()[-1]) for _, memory in outs]
    kernel.bind(*ins, *(out for out, _ in outs))(torch.cuda.current_stream().cuda_stream)
    for (out, memory), poison in zip(outs, poisons):
        if int((memory == poison).sum()) != memory.numel() - out.numel():
            return "memory beside the results, or results that were not written"
    if k:
        return wrong_largest(ins[0], k, outs[0][0], outs[1][0], NEAR[dtype])
    exact, terms = OPS[op](*(x.double() for x in ins))
    # Below its smallest normal number a type has fixed steps.
    worst = ((outs[0][0].double() - exact).abs() / (terms.abs() + torch.finfo(of).tiny)).max().item()
    return None if worst <= NEAR[dtype] else f"an error of {worst:.2g}, where {NEAR[dtype]:.2g} is allowed"


def cases(chip):
    """Kernels, those of the largest with k <= columns."""
    for (columns, rows), dtype, chip in itertools.product(zip(COLUMNS, itertools.cycle(ROWS)), DTYPES, (chip, PORTABLE)):
        if chip == PORTABLE and dtype == "f16":
            continue
        for op in OPS:
            yield op, 0, rows, columns, dtype, chip
        for k in LARGEST:
            if k <= columns:
                yield "topk_softmax", k, rows, columns, dtype, chip


def main():
    parser = results.parser(__doc__, results.CHECKS)
    parser.add_argument("--seconds", type=float, default=200, help="when to stop")
    arguments = parser.parse_args()
    end, device = time.monotonic() + arguments.seconds, driver.start()
    todo = list(cases(device))
    count, failures, done = 0, [], 0
    torch.manual_seed(20)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        images = [pool.submit(compile_image, arguments.tools, text_of(*case[:5]), case[5], 4 if case[4] == "f32" else 2) for case in todo]
        for number, (case, image) in enumerate(zip(todo, images)):
            if time.monotonic() > end:
                break
            op, k, rows, columns, dtype, chip = case
            name = f"{op}{f' k={k}' if k else ''} {rows}x{columns} {dtype} {chip}"
            kinds = KINDS if k else KINDS[:1]
            try:
                with Kernel(*image.result()) as kernel:
                    for i, kind in enumerate(kinds):
                        for layouts in LAYOUTS if kind == "normal" else LAYOUTS[(number + i) % len(LAYOUTS):][:1]:
                            count += 1
                            if wrong := check(kernel, *case[:5], layouts, kind):
                                failures.append(f"{name}, {kind}, {layouts}: {wrong}")
            except (RuntimeError, ValueError) as refused:
                failures.append(f"{name}: {str(refused)[:200]}")
            done += 1
        for image in images[done:]:
            image.cancel()
    head = results.head(arguments) | {"torch": torch.__version__, "kernels": done, "of": len(todo), "calls": count, "failures": failures}
    results.write(arguments.output, "short", head, [
        f"{count} calls of {done} kernels (of {len(todo)}): {len(failures)} wrong.", "", *failures[:100]])
    return 1 if failures or done < len(todo) else 0


if __name__ == "__main__":
    sys.exit(main())
