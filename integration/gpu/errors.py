#!/usr/bin/env python3
"""Relative errors of attention against float64, ours beside cuDNN's and FlashAttention-2's on the same random normal data.

    integration/gpu/errors.py --tools DIR [--lengths 1024,4096]

DIR holds softmax-compile. Needs PyTorch with CUDA. With o a result and r that of float64, computed from the same inputs
by PyTorch on the GPU:

    rms    |o - r|_2 / |r|_2                       over all elements
    max    the largest |o - r|_inf / |r|_inf       of a row, that is, of a query's output

The goal: our rms is at most 1.05 of cuDNN's. Of a few million rows the largest error is a matter of luck: it is shown, and
judged by the numeric suite. Writes <gpu>-errors as JSON and table, after every work anew; ends with an error if a kernel is
refused, leaves elements unwritten, or is above the goal.
"""

import concurrent.futures
import sys

import torch

import bench
import driver
import exact
import results
import works
from kernel import compile_image

GOAL, GOAL_PEER = 1.05, "cudnn"
DIMS, LENGTHS, DTYPES = (64, 128, 256), (1024, 4096), ("bf16", "f16")
SCORE_BYTES = 1 << 30  # of a chunk of heads in float64


def relative_errors(work, inputs, outputs):
    """{name: {"rms", "max"}} of {name: out}; the exact result is computed for some heads at a time."""
    flat = [tensor.flatten(0, 1) for tensor in inputs]
    step = max(1, SCORE_BYTES // (8 * work.length * work.length))
    zero = torch.zeros((), dtype=torch.float64, device=flat[0].device)
    hidden = exact.after(torch.arange(work.length, device=zero.device), work.length) if work.causal else None
    norm, squares, worst = zero, dict.fromkeys(outputs, zero), dict.fromkeys(outputs, zero)
    for begin in range(0, flat[0].shape[0], step):
        heads = slice(begin, begin + step)
        right = exact.attention(*(tensor[heads] for tensor in flat), hidden)
        norm = norm + right.square().sum()
        largest = right.abs().amax(-1)
        for name, out in outputs.items():
            off = out.flatten(0, 1)[heads].double() - right
            squares[name] = squares[name] + off.square().sum()
            # A NaN is the larger one.
            worst[name] = torch.maximum(worst[name], (off.abs().amax(-1) / largest).max())
    return {name: {"rms": float(f"{(squares[name] / norm).sqrt().item():.4g}"), "max": float(f"{worst[name].item():.4g}")} for name in outputs}


def outputs_of(work, image, inputs):
    """{peer: its result}, and why there is none of ours."""
    q, k, v = inputs
    found, refused, out = {}, "", torch.full_like(v, float("nan"))
    try:
        bench.Kernel(*image.result()).bind(q, k, v, out)(torch.cuda.current_stream().cuda_stream)
        torch.cuda.synchronize()
        found["smx"] = out
    except (RuntimeError, ValueError) as failure:
        refused = str(failure)[:300]
    for name, backend in bench.BACKENDS.items():
        with bench.sdpa_kernel(backend):
            found[name] = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=work.causal)
    return found, refused


def measure(work, image):
    inputs = [torch.randn(work.shape, device="cuda", dtype=bench.DTYPES[work.dtype]) for _ in range(3)]
    outputs, refused = outputs_of(work, image, inputs)
    rows = [{"work": work.name, "peer": name} | errors for name, errors in relative_errors(work, inputs, outputs).items()]
    return rows + ([{"work": work.name, "peer": "smx", "refused": refused}] if refused else [])


def ratio(peers, key):
    """Ours to cuDNN's; NaN if a result has one, nothing without both."""
    return peers["smx"][key] / peers[GOAL_PEER][key] if key in peers["smx"] and GOAL_PEER in peers else None


def misses_goal(peers):
    found = ratio(peers, "rms")
    return found is None or not found <= GOAL


def lines_of(rows):
    names, cells = ["smx", *bench.BACKENDS], []
    for work, peers in results.by_work(rows).items():
        figures = [peers.get(name, {}).get(key, "-") for key in ("rms", "max") for name in names]
        shown = [f"{found:.3f}" if (found := ratio(peers, key)) is not None else peers["smx"].get("refused", "-") for key in ("rms", "max")]
        if misses_goal(peers):
            shown[0] = f"**{shown[0]}**"
        cells.append([work, *figures[:len(names)], shown[0], *figures[len(names):], shown[1]])
    columns = [[f"{key} {name}" for name in names] + [f"{key} to {GOAL_PEER}"] for key in ("rms", "max")]
    return results.table(["work", *columns[0], *columns[1]], cells)


def main():
    parser = results.parser(__doc__, results.SPEED, has_chip=True)
    parser.add_argument("--lengths", default=",".join(map(str, LENGTHS)))
    arguments = parser.parse_args()
    chip = driver.start(arguments.chip)
    lengths = [int(length) for length in arguments.lengths.split(",")]
    todo = [works.Attention(dim, length, causal, dtype)
            for dtype in DTYPES for dim in DIMS for length in lengths for causal in (False, True)]
    head = results.head(arguments) | {"torch": torch.__version__, "cudnn": torch.backends.cudnn.version(), "chip": chip}
    rows = []
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        images = {work: pool.submit(compile_image, arguments.tools, work.text, chip) for work in todo}
        for work in todo:
            rows += measure(work, images[work])
            torch.cuda.empty_cache()
            results.write(arguments.output, "errors", head | {"rows": rows}, [
                f"PyTorch {head['torch']}, cuDNN {head['cudnn']}. Relative errors against float64 on random normal data. rms: of all elements;",
                f"max: of the worst row, by the row's largest element. Bold: above {GOAL} of {GOAL_PEER}'s. flash: FlashAttention-2, as in PyTorch.",
                "", *lines_of(rows)], show=work == todo[-1])
    return 1 if any(misses_goal(peers) for peers in results.by_work(rows).values()) else 0


if __name__ == "__main__":
    sys.exit(main())
