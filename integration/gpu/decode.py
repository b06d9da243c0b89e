#!/usr/bin/env python3
"""Times decoding, one query against a long cache of keys and values, beside cuDNN, FlashAttention-2 and FlexAttention.

    integration/gpu/decode.py --tools DIR [--try "NAME=FLAGS" ...] [--no-flex]

As bench.py: in one process, taking turns, and nothing is timed that is wrong in float64. A figure is GB/s of keys and
values. No peer takes caches of f8E4M3FN. `--try` adds our kernel with more flags of softmax-compile (--splits=4, --tile-stream=64, --depth=3, ...) as a peer.
"""

import concurrent.futures
import sys

import torch
import torch.nn.functional as F
from torch.nn.attention import sdpa_kernel
from torch.nn.attention.flex_attention import flex_attention

import bench
import driver
import exact
import results
import works
from kernel import compile_image

BANDWIDTH = 4800  # GB/s of an H200's memory, as its data sheet has it
WORKS = works.DECODE + works.DECODE_F8
CACHES = {"bf16": torch.bfloat16, "f8E4M3FN": torch.float8_e4m3fn}


def decode_error(work, q, k, v, out):
    """The error of all heads of two batches, and text if it is more than twice that of the naive form in bf16."""
    group = work.heads // work.key_heads
    worst = allowed = 0.0
    for batch in {0, work.batch - 1}:
        inputs = q[batch].view(work.key_heads, group, work.dim), k[batch], v[batch]
        right, naive = exact.attention(*inputs), exact.attention(*inputs, dtype=torch.bfloat16)
        worst = max(worst, (out[batch].double() - right.view(work.heads, 1, work.dim)).abs().max().item())
        allowed = max(allowed, 2 * (naive - right).abs().max().item() + 1e-6)
    return {"error": float(f"{worst:.3g}")}, "" if worst <= allowed else f"an error of {worst:.3g}; {allowed:.3g} is allowed"


def decode_peers(work, with_flex):
    sets = []
    for _ in range(2):
        q = torch.randn(work.query_shape, device="cuda", dtype=torch.bfloat16)
        k, v = (torch.randn(work.key_shape, device="cuda", dtype=torch.bfloat16).to(CACHES[work.cache]) for _ in range(2))
        sets.append(((q, k, v), torch.empty_like(q)))
    error = lambda q, k, v, out: decode_error(work, q, k, v, out)  # noqa: E731
    if work.cache != "bf16":
        return sets, {}, error
    grouped = work.heads != work.key_heads

    def peer(backend, inputs):
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(*inputs, enable_gqa=grouped)

    peers = {name: [lambda b=backend, i=inputs: peer(b, i) for inputs, _ in sets] for name, backend in bench.BACKENDS.items()}
    if with_flex:
        torch._dynamo.reset()
        flex = torch.compile(flex_attention, dynamic=False)
        peers["flex"] = [lambda i=inputs: flex(*i, enable_gqa=grouped) for inputs, _ in sets]
    return sets, peers, error


def main():
    parser = results.parser(__doc__, results.SPEED, has_chip=True)
    parser.add_argument("--try", dest="tried", action="append", default=[], metavar="NAME=FLAGS", help="flags to try, too")
    parser.add_argument("--no-flex", action="store_true", help="without FlexAttention, which takes seconds to compile")
    arguments = parser.parse_args()
    arguments.chip = driver.start(arguments.chip)
    ours = {"smx": []} | {name: flags.split() for name, _, flags in (tried.partition("=") for tried in arguments.tried)}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        compiled = {work: {name: pool.submit(compile_image, arguments.tools, work.text, arguments.chip, 16, flags)
                           for name, flags in ours.items()} for work in WORKS}
    peers = [*bench.BACKENDS, *([] if arguments.no_flex else ["flex"])]
    rows = []
    for work in WORKS:
        rows += bench.measure(work, lambda work: decode_peers(work, not arguments.no_flex), compiled[work])
        torch.cuda.empty_cache()
        lines = bench.lines_of(rows, list(ours), peers, lambda _: BANDWIDTH, "error")
        note = f"GB/s of keys and values; the ceiling is {BANDWIDTH}. error: our largest one on two batches."
        bench.save(arguments, "decode", rows, note, lines, show=work == WORKS[-1])


if __name__ == "__main__":
    sys.exit(main())
