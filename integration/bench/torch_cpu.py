"""Times PyTorch on the CPU: attention, row softmax, and a matrix product and a copy beside them.

    python torch_cpu.py [--threads N] [--seconds S] [--only TEXT]

prints one JSON object a line: {"work", "peer", "threads", "ms", "figure", "unit"}.
`ms` is the median of repeated runs after a warm-up.  Attention counts
4*B*H*Sq*Sk*D flops (half of that when causal); softmax and copy count one read
and one write of the tensor.  "ms_best" is the fastest run: where it lies far below
the median, something else was using the machine.
"""

import argparse
import json
import statistics
import sys
import time

import torch
import torch.nn.functional as F

SOFTMAX_ELEMENTS = 2**25


def time_calls(calls, seconds: float) -> list[tuple[float, float]]:
    """Median and best time of each call, in seconds, over at least 5 rounds.

    The calls take turns: on a shared machine the memory bandwidth changes by a factor
    of two within minutes, so a copy timed at another moment is no yardstick.
    """
    times = [[] for _ in calls]
    for call in calls * 2:
        call()
    start = time.perf_counter()
    while len(times[0]) < 5 or time.perf_counter() - start < seconds:
        for call, taken in zip(calls, times):
            before = time.perf_counter()
            call()
            taken.append(time.perf_counter() - before)
    return [(statistics.median(taken), min(taken)) for taken in times]


def attention_work():
    for dim in (64, 128):
        q, k, v = (torch.randn(1, 8, 2048, dim) for _ in range(3))
        for causal in (False, True):
            flops = 4 * 1 * 8 * 2048 * 2048 * dim / (2 if causal else 1)
            kind = "causal" if causal else "full"

            def call(q=q, k=k, v=v, causal=causal):
                F.scaled_dot_product_attention(q, k, v, is_causal=causal)

            yield [(f"attention-f32-b1-h8-s2048-d{dim}-{kind}", call, flops, "GFLOP/s")]


def softmax_work():
    for dtype, name in ((torch.float32, "f32"), (torch.bfloat16, "bf16")):
        for columns in (1024, 32768, 1048576):
            rows = SOFTMAX_ELEMENTS // columns
            x = torch.randn(rows, columns).to(dtype)
            # Allocated once, as the peer's kernels are given theirs.
            out = torch.empty_like(x)
            moved = 2 * x.numel() * x.element_size()
            shape = f"{name}-m{rows}-n{columns}"

            def softmax(x=x, out=out):
                torch.softmax(x, dim=-1, out=out)

            def copy(x=x, out=out):
                out.copy_(x)

            yield [
                (f"softmax-{shape}", softmax, moved, "GB/s"),
                (f"copy-{shape}", copy, moved, "GB/s"),
            ]


def matmul_work():
    # A plain product of the same machine: what attention could reach at best.
    a, b = torch.randn(2048, 2048), torch.randn(2048, 2048)
    out = torch.empty(2048, 2048)

    def call():
        torch.mm(a, b, out=out)

    yield [("matmul-f32-2048", call, 2 * 2048**3, "GFLOP/s")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--seconds", type=float, default=2.0, help="time spent on each group")
    parser.add_argument("--only", default="", help="groups with a row whose name has this text")
    options = parser.parse_args()
    if options.threads < 1:
        parser.error(f"--threads is {options.threads}; it must be at least 1")
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    with torch.no_grad():
        for generate in (matmul_work, attention_work, softmax_work):
            for group in generate():
                if not any(options.only in work for work, *_ in group):
                    continue
                timings = time_calls([call for _, call, *_ in group], options.seconds)
                for (work, _, amount, unit), (median, best) in zip(group, timings):
                    row = {
                        "work": work,
                        "peer": "torch",
                        "threads": options.threads,
                        "ms": round(median * 1e3, 3),
                        "ms_best": round(best * 1e3, 3),
                        "figure": round(amount / median / 1e9, 2),
                        "unit": unit,
                    }
                    print(json.dumps(row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
