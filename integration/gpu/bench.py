#!/usr/bin/env python3
"""Times this project's attention, softmax and other reductions of rows beside what else there is, in one process, taking turns.

    integration/gpu/bench.py --tools DIR [attention] [forms] [softmax] [reductions] [lengths] [vocabularies] [norms] [columns] [--runs N]

DIR holds softmax-compile. Needs PyTorch with CUDA. Every kernel is compiled on the spot and, before it is timed, run on
random data into poisoned outputs and compared with float64 on sampled rows (of softmax on all); one that is wrong is not timed. A figure is
the median of single launches, by events, over rounds in which every peer has its turn; two sets of buffers, each several
times the L2, alternate. `smx` is compiled for the device, `smx (sm_80)` for every GPU since then. Writes <gpu>-attention,
<gpu>-forms, <gpu>-softmax, <gpu>-reductions, <gpu>-lengths, <gpu>-vocabularies, <gpu>-norms and <gpu>-columns as JSON, table
and plot, after every work anew.
"""

import concurrent.futures
import contextlib
import json
import math
import random
import statistics
import sys
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

import driver
import exact
import plot
import reductions
import results
import works
from kernel import Kernel, compile_image

ROUNDS, ROUND_MS = 9, 15
# Elements of float64 that are compared at a time.
CHECKED = 1 << 24
PORTABLE = "sm_80"
# Our kernel for bf16 among the peers of the one for f16.
TWIN = "smx (bf16)"
BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}


def attention_error(work, q, k, v, out):
    """The error of sampled rows, and text if it is more than twice that of the naive form in the same type."""
    rows = torch.cat([torch.arange(8), torch.randint(work.length, (24,)), torch.arange(work.length - 8, work.length)]).cuda()
    worst = allowed = 0.0
    for batch, head in {(0, 0), (q.shape[0] - 1, q.shape[1] - 1)}:
        keys, values, queries = k[batch, head], v[batch, head], q[batch, head, rows]
        hidden = exact.after(rows, work.length) if work.causal else None
        right = exact.attention(queries, keys, values, hidden)
        naive = exact.attention(queries, keys, values, hidden, DTYPES[work.dtype])
        worst = max(worst, (out[batch, head, rows].double() - right).abs().max().item())
        allowed = max(allowed, 2 * (naive - right).abs().max().item() + 1e-6)
    return {"error": float(f"{worst:.3g}")}, "" if worst <= allowed else f"an error of {worst:.3g}; {allowed:.3g} is allowed"


def allowed_ulps(work):
    """As lib/Reference/Compare.cpp has it for precise results in f32: 4 up to rows of 4096, then with the depth of the sum."""
    return 1 if work.result == "bf16" else 4 * max(1, math.log2(work.columns) / 12)


def softmax_error(work, x, out):
    """The largest error of all elements in units in the last place, and text if it is too large."""
    bits, allowed, errors = 7 if work.result == "bf16" else 23, allowed_ulps(work), []
    if work.axis == 0:
        x, out = x.t(), out.t()
    for some, results_of in zip(*(tensor.split(max(1, CHECKED // x.shape[1])) for tensor in (x, out))):
        right = torch.softmax(some.double(), -1)
        unit = torch.exp2(torch.floor(torch.log2(right)).clamp(min=-126) - bits)
        errors.append(((results_of.double() - right).abs() / unit).max())
    worst = torch.stack(errors).max().item()
    return {"ulp": round(worst, 2)}, "" if worst <= allowed else f"{worst:.3g} ulp; {allowed:.3g} are allowed"


def outputs_of(out):
    return out if isinstance(out, tuple) else (out,)


def check(call, inputs, out, error):
    """The error, and text if the kernel does not write a right result everywhere."""
    for output in outputs_of(out):
        output.fill_(float("nan") if output.is_floating_point() else -1)
    call(torch.cuda.current_stream().cuda_stream)
    torch.cuda.synchronize()
    if any((torch.isnan(o) if o.is_floating_point() else o == -1).any().item() for o in outputs_of(out)):
        return {}, "elements that were not written, or NaN"
    return error(*inputs, out)


def turns(peers, rounds=ROUNDS, round_ms=ROUND_MS):
    """Milliseconds of each of {name: [a call for each set of buffers]}: the medians of single launches."""
    times = {name: [] for name in peers}
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(64)]

    def launches(name, count):
        # The device waits a little, so that the host is ahead and no gap between launches is timed.
        torch.cuda._sleep(max(2_000_000, 100_000 * count))
        for i in range(count):
            events[i][0].record()
            peers[name][i % len(peers[name])]()
            events[i][1].record()
        torch.cuda.synchronize()
        return [begin.elapsed_time(end) for begin, end in events[:count]]

    counts = {name: max(2, min(60, int(round_ms / statistics.median(launches(name, 4))))) for name in peers}
    # Who comes after a peer that drew little power has a faster clock: the order is another one in every round.
    order, draw = list(peers), random.Random(0)
    for _ in range(rounds):
        draw.shuffle(order)
        for name in order:
            times[name] += launches(name, counts[name])
    return {name: statistics.median(of_peer) for name, of_peer in times.items()}


def saved_image(image, manifest):
    """Files with what `compile_image` gave, for `smx_calls`."""
    done = concurrent.futures.Future()
    done.set_result((image.read_bytes() + b"\0", json.loads(manifest.read_text())))
    return done


def smx_calls(image, sets, error, row, loaded=None):
    """Our calls; none, with the reason in `row`, if the kernel is refused or wrong. The error is in `row`, too. `loaded` is an
    ExitStack that unloads the kernel."""
    try:
        kernel = Kernel(*image.result())
        if loaded:
            loaded.enter_context(kernel)
        calls = [kernel.bind(*inputs, *outputs_of(out)) for inputs, out in sets]
        for call, (inputs, out) in zip(calls, sets):
            worst, wrong = check(call, inputs, out, error)
            row.update({key: max(value, row.get(key, 0)) for key, value in worst.items()})
            if wrong:
                raise ValueError(wrong)
    except (RuntimeError, ValueError) as failure:
        row["refused"] = str(failure)[:300]
        return []
    functions = kernel.kernels.values()
    row.update(registers=max(f.attribute(driver.REGISTERS) for f in functions),
               local_bytes=max(f.attribute(driver.LOCAL_BYTES) for f in functions), load_ms=round(kernel.load_ms, 1))
    return [lambda call=call: call(torch.cuda.current_stream().cuda_stream) for call in calls]


def attention_peers(work):
    sets = []
    for _ in range(2):
        q, k, v = (torch.randn(shape, device="cuda", dtype=DTYPES[work.dtype]) for shape in (work.shape, work.shape, work.value_shape))
        sets.append(((q, k, v), torch.empty_like(v)))

    def peer(backend, inputs):
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(*inputs, is_causal=work.causal)

    peers = {name: [lambda b=backend, i=inputs: peer(b, i) for inputs, _ in sets] for name, backend in BACKENDS.items()}
    return sets, peers, lambda q, k, v, out: attention_error(work, q, k, v, out)


def softmax_peers(work):
    sets = []
    for _ in range(2):
        x = torch.randn(work.shape, device="cuda", dtype=DTYPES[work.dtype])
        sets.append(((x,), torch.empty_like(x, dtype=DTYPES[work.result])))
    torch._dynamo.reset()
    # In f32 even where results are narrower: a softmax of what was rounded before is another one.
    compute = lambda x: torch.softmax(x, work.axis, dtype=DTYPES[work.wanted] if work.wanted == "f32" else None).to(DTYPES[work.result])  # noqa: E731
    compiled = torch.compile(compute, dynamic=False)
    peers = {"torch": [lambda x=x: compute(x) for (x,), _ in sets],
             "torch.compile": [lambda x=x: compiled(x) for (x,), _ in sets]}
    peers["torch.copy_"] = [lambda x=x, y=y: y.copy_(x) for (x,), y in sets]
    if work.wanted:
        # As many bytes, without the conversion, which is slower.
        half = sum(tensor.nbytes for tensor in (sets[0][0][0], sets[0][1])) // 2
        bytes_of = [[torch.zeros(half, device="cuda", dtype=torch.uint8) for _ in range(2)] for _ in sets]
        peers["torch.copy_"] = [lambda x=x, y=y: y.copy_(x) for x, y in bytes_of]
    return sets, peers, lambda x, out: softmax_error(work, x, out)


def usable(peers):
    """Those that run here: a backend may not take the shape."""
    found = {}
    for name, calls in peers.items():
        try:
            for call in calls:
                call()
            torch.cuda.synchronize()
            found[name] = calls
        except RuntimeError as failure:
            print(f"  {name} does not run: {str(failure).splitlines()[0][:120]}", file=sys.stderr)
    return found


def time_peers(work, rows, peers):
    """Times {name: calls} in turns, those that have calls; time and figure go into the row of each."""
    for name, ms in turns({name: calls for name, calls in peers.items() if calls}).items():
        rows[name] |= {"ms": round(ms, 4), "figure": round(work.figure(ms), 1), "unit": work.unit}


def show(work, rows):
    """Those of a work's rows that have a time or a reason for none; prints them."""
    done = [row for row in rows.values() if "ms" in row or "refused" in row]
    print(work.name + ": " + ", ".join(f"{r['peer']} {r.get('figure', r.get('refused'))}" + (" WRONG" if "wrong" in r else "")
                                       for r in done), flush=True)
    return done


def twin_calls(twin, image, sets, row, loaded):
    """Our calls of the same attention in the type of `twin`, on as good as the same numbers."""
    dtype = DTYPES[twin.dtype]
    sets = [(tuple(tensor.to(dtype) for tensor in inputs), out.to(dtype)) for inputs, out in sets]
    return smx_calls(image, sets, lambda *tensors: attention_error(twin, *tensors), row, loaded)


def measure(work, prepare, images, twins={}):
    """A row for each of our `images`, with "refused" in place of a time if there is none, and one for each peer, and for each of
    {name: (work of another type, image)}: what draws less power has a faster clock, but in turns all have the same."""
    sets, peers, error = prepare(work)
    rows = {name: {"work": work.name, "peer": name} for name in (*images, *twins, *peers)}
    with contextlib.ExitStack() as loaded:
        ours = {name: smx_calls(image, sets, error, rows[name], loaded) for name, image in images.items()}
        ours |= {name: twin_calls(twin, image, sets, rows[name], loaded) for name, (twin, image) in twins.items()}
        time_peers(work, rows, ours | usable(peers))
    return show(work, rows)


def gemm(size=8192):
    """cuBLAS's rate, the ceiling of attention."""
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    ms = turns({"cublas": [lambda: a @ b]})["cublas"]
    return {"work": f"gemm bf16 {size}^3 random", "peer": "cublas", "ms": round(ms, 4),
            "figure": round(2 * size**3 / ms / 1e9, 1), "unit": "TFLOP/s"}


def lines_of(rows, ours, peers, ceiling, error):
    """The table of a suite: our ratio to the best peer, to the ceiling, {work: figure}, and our error if `error` names it."""
    cells = []
    for work, of_work in results.by_work(rows).items():
        if "smx" not in of_work:
            continue
        figures = {peer: row.get("figure", row.get("refused")) for peer, row in of_work.items()}
        best, smx = max(of_work.get(peer, {}).get("figure", 0) for peer in peers), of_work["smx"]
        ratios = [f"{smx['figure'] / of:.2f}" if of and "figure" in smx else "-" for of in (best, ceiling(figures))]
        cells.append([work, *(figures.get(name, "-") for name in (*ours, *peers)), *ratios] + ([smx.get(error, "-")] if error else []))
    return results.table(["work", *ours, *peers, "to the best", "to the ceiling"] + ([error] if error else []), cells)


def run_attention(arguments, compiled, suite="attention"):
    runs = []

    def save_rows(show=False):
        rows = runs[-1]
        peak = max(row["figure"] for row in rows if row["peer"] == "cublas")
        note = f"TFLOP/s; the ceiling is cuBLAS at 8192^3 on random data, {peak}. flash: FlashAttention-2, as in PyTorch."
        lines = lines_of(rows, [*OURS[suite], *([TWIN] if suite == "forms" else [])], list(BACKENDS), lambda _: peak, "")
        save(arguments, suite, rows, note, lines + lines_of_runs(runs), show, {"earlier": runs[:-1]} if runs[:-1] else {})

    for run in range(arguments.runs):
        runs.append([gemm()])
        for work in SUITES[suite][0]:
            twin = replace(work, dtype="bf16")
            runs[-1] += measure(work, attention_peers, compiled[work], {TWIN: (twin, compiled[twin]["smx"])} if work != twin else {})
            torch.cuda.empty_cache()
            save_rows()
        runs[-1].append(gemm())
        save_rows(show=run == arguments.runs - 1)


def lines_of_runs(runs):
    """Our ratio to the best peer in each run, if there are several."""
    ratios = {}
    for rows in runs[:-1] and runs:
        for work, of_work in results.by_work(rows).items():
            best = max((of_work[peer]["figure"] for peer in BACKENDS if "figure" in of_work.get(peer, {})), default=0)
            if best and "figure" in of_work.get("smx", {}):
                ratios.setdefault(work, []).append(f"{of_work['smx']['figure'] / best:.2f}")
    return ["", "Figures are of the last run. To the best in each run:", "", *results.table(["work", "ratios"], [[w, ", ".join(r)] for w, r in ratios.items()])] if ratios else []


def run_softmax(arguments, compiled, suite="softmax"):
    rows = []
    for work in SUITES[suite][0]:
        rows += measure(work, softmax_peers, compiled[work])
        torch.cuda.empty_cache()
        lines = lines_of(rows, list(OURS[suite]), ["torch", "torch.compile"], lambda figures: figures["torch.copy_"], "ulp")
        note = "GB/s, read and written; the ceiling is PyTorch's copy of the same buffers. ulp: our largest error."
        save(arguments, suite, rows, note, lines, show=work == SUITES[suite][0][-1])


def run_reductions(arguments, compiled, suite="reductions"):
    rows = []

    def copy_rate(figures):
        # Of a copy of one set of rows; the figures of works count other bytes.
        return max(row["figure"] for row in rows if row["peer"] == "torch.copy_")

    for work in SUITES[suite][0]:
        peers_of = softmax_peers if isinstance(work, works.Softmax) else reductions.peers_of
        found = measure(work, peers_of, compiled[work])
        for row in found:
            if row["peer"] == "torch.copy_" and "ms" in row:
                row["figure"] = round(2 * 2 * math.prod(work.shape) / row["ms"] / 1e6, 1)
        rows += found
        torch.cuda.empty_cache()
        lines = lines_of(rows, list(OURS[suite]), ["torch", "torch.compile"], copy_rate, "share")
        note = ("GB/s of rows read and written; the ceiling is PyTorch's copy of such rows. share: our largest error on 64 rows, "
                "of what is allowed.")
        save(arguments, suite, rows, note, lines, show=work == SUITES[suite][0][-1])


def save(arguments, suite, rows, note, lines, show, more={}):
    head = results.head(arguments) | {"torch": torch.__version__, "cudnn": torch.backends.cudnn.version(), "chip": arguments.chip}
    stem = results.write(arguments.output, suite, head | {"rows": rows} | more,
                         [f"PyTorch {head['torch']}, cuDNN {head['cudnn']}. {note}", "", *lines], show)
    results.replace(stem.with_suffix(".svg"), plot.bars(rows))


# The rows of this project, and the chip each is compiled for; "" is that of --chip.
OURS = {"attention": {"smx": "", f"smx ({PORTABLE})": PORTABLE}, "forms": {"smx": ""}, "softmax": {"smx": ""}, "reductions": {"smx": ""}, "lengths": {"smx": ""},
        "vocabularies": {"smx": ""}, "norms": {"smx": ""}, "columns": {"smx": ""}}
SUITES = {"attention": (works.ATTENTION, run_attention), "softmax": (works.SOFTMAX, run_softmax),
          "reductions": (works.REDUCTIONS, run_reductions),
          "lengths": (works.LENGTHS, lambda arguments, compiled: run_reductions(arguments, compiled, "lengths")),
          "vocabularies": (works.VOCABULARIES, lambda arguments, compiled: run_reductions(arguments, compiled, "vocabularies")),
          "norms": (works.NORMS, lambda arguments, compiled: run_reductions(arguments, compiled, "norms")),
          "columns": (works.COLUMNS, lambda arguments, compiled: run_softmax(arguments, compiled, "columns")),
          "forms": (works.FORMS, lambda arguments, compiled: run_attention(arguments, compiled, "forms"))}


def main():
    parser = results.parser(__doc__, results.SPEED, has_chip=True)
    parser.add_argument("--runs", type=int, default=1, help="of suites of attention; all are kept")
    parser.add_argument("suites", nargs="*", metavar="attention|forms|softmax|reductions|lengths|vocabularies|norms|columns")
    arguments = parser.parse_args()
    arguments.chip = driver.start(arguments.chip)
    chosen = arguments.suites or list(SUITES)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        compiled = {suite: {work: {name: pool.submit(compile_image, arguments.tools, work.text, chip or arguments.chip, work.alignment)
                                   for name, chip in OURS[suite].items()} for work in SUITES[suite][0]} for suite in chosen}
    # Nothing else runs while peers are timed.
    for suite in chosen:
        SUITES[suite][1](arguments, compiled[suite])


if __name__ == "__main__":
    sys.exit(main())
