#!/usr/bin/env python3
"""Times the examples of integration/attention beside FlexAttention, and cuDNN where it has them, in one process, taking turns.

    integration/gpu/variants.py --tools DIR [--lengths 4096,16384] [--only NAME,..] [--seconds 55]

DIR holds softmax-compile. Needs PyTorch with CUDA. bf16, head dim 128, 16,384 tokens, 16 heads. Kernels of ours are those of the
examples' text with the sizes of the work filled in. Before a kernel is timed, it is run into poisoned outputs and compared with
float64 on sampled rows; the conditions and scores of that are the functions that FlexAttention gets. A figure counts the products of
the pairs of a query and a key that see each other. `plain` is our kernel for the same mask without a change of scores; `walk` is
ours with every so-manyth tile for each block, where blocks draw tiles; FlashAttention-2 has packed documents. No work begins
after so many seconds (compiling FlexAttention takes several for each). Writes <gpu>-variants as JSON, table and plot, after each work.
"""

import concurrent.futures
import dataclasses
import pathlib
import sys
import time
import typing

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.nn.attention.varlen import varlen_attn

import bench
import driver
import plot
import results
import works
from kernel import compile_image

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "attention"
DIM, TOKENS, WINDOW, CHUNK = 128, 16384, 1024, 1024


def causal(b, h, i, j):
    return j <= i


def window(b, h, i, j):
    return (j <= i) & (i - j <= WINDOW)


def prefix(b, h, i, j):
    return (j < WINDOW) | (j <= i)


def documents_of(work):
    """Ids of documents in order, about 2,000 tokens each; and the bounds of that of each token."""
    generator = torch.Generator().manual_seed(work.length)
    ids = torch.empty(work.batch, work.length, dtype=torch.int32)
    for sequence in ids:
        cuts = torch.randperm(work.length - 1, generator=generator)[: max(1, work.length // 2048)] + 1
        marks = torch.zeros(work.length, dtype=torch.int32)
        marks[cuts] = 1
        sequence.copy_(marks.cumsum(0))
    begin = torch.searchsorted(ids, ids, side="left").int()
    end = torch.searchsorted(ids, ids, side="right").int()
    return ids.cuda(), begin.cuda(), end.cuda()


def with_documents(work):
    ids, begin, end = documents_of(work)
    return (begin, end), None, lambda b, h, i, j: (j <= i) & (ids[b, i] == ids[b, j])


def chunks(b, h, i, j):
    return (j <= i) & (i // CHUNK == j // CHUNK)


def with_blocks(work):
    """Blocks of 128 queries and keys: a fifth of them, those on the diagonal, and all of every eighth row of blocks."""
    count = work.length // 128
    marks = torch.rand(work.batch, 1, count, count, generator=torch.Generator().manual_seed(work.length)) < 0.2
    marks[..., ::8, :] = True
    marks |= torch.eye(count, dtype=torch.bool)
    marks = marks.to(torch.int8).cuda()
    return (marks,), None, lambda b, h, i, j: (j <= i) & (marks[b, 0, i // 128, j // 128] != 0)


def with_slopes(work):
    slopes = torch.exp2(-(torch.arange(work.heads, device="cuda") + 1) * 8 / work.heads)
    return (slopes,), lambda s, b, h, i, j: s + slopes[h] * (j - i), causal


def with_soft_cap(work):
    return (), lambda s, b, h, i, j: 20 * torch.tanh(s / 20), None


def with_table(work):
    table = torch.randn(work.heads, 2 * work.length, device="cuda")
    return (table,), lambda s, b, h, i, j: s + torch.tanh(table[h, j - i + work.length - 1]), None


def with_pair_bias(work):
    # Of all heads: FlexAttention does not find its way in more than 2^31 elements.
    bias = torch.randn(work.length, work.length, device="cuda", dtype=torch.bfloat16)
    return (bias,), lambda s, b, h, i, j: s + bias[i, j], None


def with_key_bias(work):
    bias = torch.randn(work.batch, work.length, device="cuda", dtype=torch.bfloat16)
    return (bias,), lambda s, b, h, i, j: s + bias[b, j], None


# The sizes of a tensor that is added to scores, and the indices of what is added to one.
BIASES = {"pair-bias": ("{0.length}x{0.length}", "%i, %j"), "key-bias": ("{0.batch}x{0.length}", "%b, %j")}


def chunks_text(work):
    tensor = works.tensor(work.shapes[0], "bf16")
    return f"""func.func @f(%q: {tensor}, %k: {tensor}, %v: {tensor}) -> {tensor} {{
  %o = smx.attention %q, %k, %v scale({DIM**-0.5})
       mask(#smx.all_of<[#smx.band<top_left, right = 0>, #smx.chunks<top_left, size = {CHUNK}>]>) : {tensor}, {tensor}, {tensor} -> {tensor}
  return %o : {tensor}
}}
"""


def bias_text(work, sizes, place):
    tensor, bias = works.tensor(work.shapes[0], "bf16"), f"tensor<{sizes.format(work)}xbf16>"
    return f"""func.func @f(%q: {tensor}, %k: {tensor}, %v: {tensor}, %bias: {bias}) -> {tensor} {{
  %o = smx.attention %q, %k, %v scale({DIM**-0.5}) score {{
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %bias[{place}] : {bias}
    %e = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %e : f32
    smx.yield %t : f32
  }} : {tensor}, {tensor}, {tensor} -> {tensor}
  return %o : {tensor}
}}
"""


@dataclasses.dataclass(frozen=True)
class Variant:
    name_of: str
    length: int
    # (what the kernel reads beside queries, keys and values; FlexAttention's score_mod and mask_mod)
    captures: typing.Callable
    example: bool = True
    heads: int = 16
    key_heads: int = 16

    unit = "TFLOP/s"

    @property
    def batch(self):
        return TOKENS // self.length

    @property
    def name(self):
        return f"{self.name_of} s{self.length}"

    @property
    def shapes(self):
        return (self.batch, self.heads, self.length, DIM), (self.batch, self.key_heads, self.length, DIM)

    @property
    def text(self):
        if self.name_of in BIASES:
            return bias_text(self, *BIASES[self.name_of])
        if self.name_of == "chunks":
            return chunks_text(self)
        if not self.example:
            return works.attention_text(*self.shapes, "bf16", self.name_of.endswith("causal"))
        text = (EXAMPLES / f"{self.name_of.removesuffix(OPEN)}.mlir").read_text()
        if self.name_of.endswith(OPEN):
            return text
        return (text.replace("tensor<?x16x?x128x", f"tensor<{self.batch}x16x{self.length}x128x")
                .replace("tensor<16x?xf32>", f"tensor<16x{2 * self.length}xf32>")
                .replace("tensor<?x1x?x?xi8>", f"tensor<{self.batch}x1x{self.length // 128}x{self.length // 128}xi8>")
                .replace("tensor<?x?xi32>", f"tensor<{self.batch}x{self.length}xi32>"))

    @property
    def images(self):
        """Flags of softmax-compile, for each kernel of ours."""
        own_tiles = {"smx (walk)": ["--skip-pass=smx-gpu-draw-tiles"]}
        return {"smx": []} | (own_tiles if self.name_of in DRAWN else {})

    def figure(self, ms):
        return 4 * DIM * self.heads * PAIRS[self] / ms / 1e9


# What an example's sizes are left open for.
OPEN = " of open sizes"
# Works whose tiles blocks draw: timed once more with every so-manyth tile for each block.
DRAWN = "document", "document" + OPEN, "block-sparse", "chunks"

# Pairs that see each other, of all sequences of a work.
PAIRS = {}


def variants(length):
    mask_of = {"causal": causal, "sliding-window": window, "prefix": prefix}
    masked = [Variant(name, length, lambda work, mask=mask: ((), None, mask)) for name, mask in mask_of.items()]
    full = Variant("full", length, lambda work: ((), None, None), example=False)
    grouped = [Variant(f"grouped 32/8 {kind}", length, lambda work, mask=mask: ((), None, mask), False, 32, 8)
               for kind, mask in (("full", None), ("causal", causal))]
    return [masked[0], Variant("causal" + OPEN, length, masked[0].captures), Variant("alibi", length, with_slopes),
            Variant("soft-cap", length, with_soft_cap), full, masked[1], Variant("document", length, with_documents), Variant("document" + OPEN, length, with_documents),
            Variant("block-sparse", length, with_blocks), Variant("chunks", length, lambda work: ((), None, chunks)),
            Variant("relative-bias", length, with_table), masked[2], *grouped,
            Variant("pair-bias", length, with_pair_bias), Variant("key-bias", length, with_key_bias)]


def places(work, rows, batch, head):
    """Indices as the functions of FlexAttention take them, for sampled rows and all keys."""
    number = lambda value: torch.tensor(value, device="cuda")  # noqa: E731
    return number(batch), number(head), rows[:, None], torch.arange(work.length, device="cuda")[None]


def count_pairs(work, mask):
    if mask is None:
        return work.batch * work.length**2
    pairs = 0
    for batch in range(work.batch):
        for rows in torch.arange(work.length, device="cuda").split(2048):
            pairs += mask(*places(work, rows, batch, 0)).expand(len(rows), -1).sum().item()
    return pairs


def error_of(work, score, mask, q, k, v, out):
    """As bench.attention_error; scores are changed in f32 whatever they are multiplied in."""
    rows = torch.cat([torch.arange(8), torch.randint(work.length, (24,)), torch.arange(work.length - 8, work.length)]).cuda()
    worst = allowed = 0.0
    for batch, head in {(0, 0), (work.batch - 1, work.heads - 1)}:
        shared = head * work.key_heads // work.heads
        at = places(work, rows, batch, head)

        def naive(dtype):
            keys, values = k[batch, shared].to(dtype), v[batch, shared].to(dtype)
            scores = (q[batch, head, rows].to(dtype) @ keys.T * DIM**-0.5).to(torch.promote_types(dtype, torch.float32))
            if score:
                scores = score(scores, *at)
            if mask:
                scores = scores.masked_fill(~mask(*at), float("-inf"))
            return (torch.softmax(scores, -1).to(dtype) @ values).double()

        exact = naive(torch.float64)
        worst = max(worst, (out[batch, head, rows].double() - exact).abs().max().item())
        allowed = max(allowed, 2 * (naive(torch.bfloat16) - exact).abs().max().item() + 1e-6)
    return {"error": float(f"{worst:.3g}")}, "" if worst <= allowed else f"an error of {worst:.3g}; {allowed:.3g} is allowed"


def flex_calls(work, score, mask, sets):
    torch._dynamo.reset()
    block_mask = create_block_mask(mask, work.batch if work.name_of.startswith(("document", "block-sparse")) else None, None, work.length, work.length,
                                   device="cuda") if mask else None
    compiled = torch.compile(flex_attention, dynamic=False)
    return [lambda i=inputs: compiled(*i[:3], score_mod=score, block_mask=block_mask, scale=DIM**-0.5,
                                      enable_gqa=work.heads != work.key_heads) for inputs, _ in sets]


def flash_calls(work, sets):
    """FlashAttention-2 over the documents of all sequences, one behind the other: what it gives is turned to ours, outside of the call."""
    begin, end = sets[0][0][3:5]
    # A document ends with its sequence.
    first = (begin + torch.arange(work.batch, device="cuda", dtype=torch.int32)[:, None] * work.length).flatten().unique()
    bounds = torch.cat([first, first.new_tensor([TOKENS])])
    longest = (bounds[1:] - bounds[:-1]).max().item()
    packed = [tuple(x.transpose(1, 2).reshape(TOKENS, work.heads, DIM).contiguous() for x in inputs[:3]) for inputs, _ in sets]
    return [lambda i=i: varlen_attn(*i, bounds, bounds, longest, longest, window_size=(-1, 0)) for i in packed]


def cudnn_calls(work, sets):
    def call(inputs):
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return F.scaled_dot_product_attention(*inputs[:3], is_causal=work.name_of.endswith("causal"),
                                                  enable_gqa=work.heads != work.key_heads)
    return [lambda i=inputs: call(i) for inputs, _ in sets]


def measure(work, images):
    captured, score, mask = work.captures(work)
    PAIRS[work] = count_pairs(work, mask)
    sets = []
    for _ in range(2):
        inputs = tuple(torch.randn(work.shapes[place > 0], device="cuda", dtype=torch.bfloat16) for place in range(3))
        sets.append((inputs + captured, torch.empty_like(inputs[0])))
    rows = {name: {"work": work.name, "peer": name} for name in (*images, "flex", "cudnn", "flash")}
    error = lambda *values: error_of(work, score, mask, *values[:3], values[-1])  # noqa: E731
    ours = {name: bench.smx_calls(image, sets, error, rows[name]) for name, image in images.items()}
    peers = {"flex": flex_calls(work, score, mask, sets)}
    if score is None and work.name_of.split()[-1] in ("full", "causal"):
        peers["cudnn"] = cudnn_calls(work, sets)
    if work.name_of == "document":
        peers["flash"] = flash_calls(work, sets)
    peers = bench.usable(peers)
    for name, calls in peers.items():
        inputs, _ = sets[0]
        out = calls[0]()
        if name == "flash":
            out = out.unflatten(0, (work.batch, work.length)).transpose(1, 2)
        worst, wrong = error_of(work, score, mask, *inputs[:3], out)
        rows[name] |= worst | ({"wrong": wrong} if wrong else {})
    bench.time_peers(work, rows, ours | peers)
    return bench.show(work, rows)


def lines_of(rows):
    of_work = results.by_work(rows)
    cells = []
    for work, peers in of_work.items():
        figure = lambda peer: peers.get(peer, {}).get("figure", peers.get(peer, {}).get("refused", "-"))  # noqa: E731
        ratio = lambda peer: (f"{peers['smx']['figure'] / peers[peer]['figure']:.2f}"  # noqa: E731
                              if "figure" in peers.get("smx", {}) and "figure" in peers.get(peer, {}) else "-")
        # The kernel without a change of scores.
        plain_name = {"alibi": "causal", "soft-cap": "full", "relative-bias": "full", "pair-bias": "full", "key-bias": "full"}.get(work.split(" s")[0])
        plain = of_work.get(f"{plain_name} s{work.split(' s')[-1]}", {}).get("smx", {}).get("figure")
        share = f"{peers['smx']['figure'] / plain:.2f}" if plain and "figure" in peers.get("smx", {}) else "-"
        cells.append([work, figure("smx"), figure("smx (walk)"), figure("flex"), figure("cudnn"), figure("flash"), ratio("smx (walk)"),
                      ratio("flex"), ratio("cudnn"), ratio("flash"), share,
                      peers.get("smx", {}).get("error", "-"), peers.get("flex", {}).get("error", "-")])
    return results.table(["work", "smx", "walk", "FlexAttention", "cuDNN", "FlashAttention-2", "to walk", "to FlexAttention", "to cuDNN",
                          "to FlashAttention-2", "to plain", "error", "FlexAttention's"], cells)


def main():
    start = time.monotonic()
    parser = results.parser(__doc__, results.SPEED, has_chip=True)
    parser.add_argument("--lengths", default="4096,16384")
    parser.add_argument("--only", default="", help="names of works, without lengths")
    parser.add_argument("--seconds", type=float, default=1e9)
    arguments = parser.parse_args()
    chip = driver.start(arguments.chip)
    head = results.head(arguments) | {"torch": torch.__version__, "cudnn": torch.backends.cudnn.version(), "chip": chip}
    wanted = [work for length in map(int, arguments.lengths.split(",")) for work in variants(length)
              if not arguments.only or work.name_of in arguments.only.split(",")]
    rows = []
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        compiled = {work: {name: pool.submit(compile_image, arguments.tools, work.text, chip, flags=flags)
                           for name, flags in work.images.items()} for work in wanted}
        concurrent.futures.wait(image for images in compiled.values() for image in images.values())
    for number, work in enumerate(wanted):
        if time.monotonic() - start > arguments.seconds:
            print(f"not reached: {', '.join(work.name for work in wanted[number:])}", flush=True)
            break
        rows += measure(work, compiled[work])
        torch.cuda.empty_cache()
        stem = results.write(arguments.output, "variants", head | {"rows": rows}, [
            f"PyTorch {head['torch']}, cuDNN {head['cudnn']}; bf16, head dim {DIM}, {TOKENS} tokens, 16 heads (32 where grouped). TFLOP/s "
            "of pairs that see each other; errors on 40 rows of 2 heads.", "", *lines_of(rows)], show=work == wanted[-1])
        results.replace(stem.with_suffix(".svg"), plot.bars(rows))


if __name__ == "__main__":
    sys.exit(main())
