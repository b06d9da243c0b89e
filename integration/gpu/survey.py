#!/usr/bin/env python3
"""How near row kernels of every kind are to the speed of a copy: forms, types and lengths that no table of peers has.

    integration/gpu/survey.py --tools DIR [--only REGEX] [--lengths N,N,..]

DIR holds softmax-compile. Needs PyTorch with CUDA, and an assembler that softmax-compile finds. Every form has 2^27 elements of each of its
tensors (2^26 of f64), contiguous, at the alignment that a new tensor has. A figure is the bytes that must move a second, as a share of
PyTorch's copy of 2^27 elements of bf16; it is the median of 7 launches. That results are right is for bench.py and check.py to say: here
they are numbers, and all are written. Writes <gpu>-survey as JSON and table; a kernel that is refused, or leaves anything unwritten, is an
error.
"""

import concurrent.futures
import re
import statistics
import sys

import torch

import driver
import results
import works
from kernel import Kernel, compile_image
from works import alignment_of, block_norm_text, function, row_text, tensor

ELEMENTS = 1 << 27
LENGTHS = [100, 128, 200, 256, 500, 512, 1024, 1100, 1500, 2048, 3000, 4096, 5120, 8192, 10000, 16384, 20000, 32000, 32768, 50257, 65536,
           100277, 128256, 151936, 200064, 262144]
LAUNCHES = 7
BYTES = {"bf16": 2, "f16": 2, "f32": 4, "f64": 8}
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "f64": torch.float64, "i64": torch.int64}
EPSILON = " epsilon(1.0e-5)"


def rows(op, more="", wanted=None, reduced=False):
    return lambda sizes, dtype: row_text(op, sizes, dtype, 1, result=sizes[:1] if reduced else None, more=more, wanted=wanted)


def columns(op, more=""):
    return lambda sizes, dtype: row_text(op, sizes[::-1], dtype, 0, more=more)


def loss(more="", gives_sums=False):
    def text(sizes, dtype):
        x, targets, row = tensor(sizes, dtype), tensor(sizes[:1], "i64"), tensor(sizes[:1], "f32")
        op = f"smx.cross_entropy %x, %t axis(1){more} ignore(-100) : {x}, {targets}"
        if not gives_sums:
            return function({"x": x, "t": targets}, row, op)
        return (f"func.func @f(%x: {x}, %t: {targets}) -> ({row}, {row}) {{\n  %a, %b = {op} -> {row}, {row}\n"
                f"  return %a, %b : {row}, {row}\n}}\n")
    return text


def loss_gradient(more=""):
    def text(sizes, dtype):
        x, targets, row = tensor(sizes, dtype), tensor(sizes[:1], "i64"), tensor(sizes[:1], "f32")
        return function({"x": x, "t": targets, "l": row, "g": row}, x,
                        f"smx.cross_entropy_backward %x, %t, %l, %g axis(1){more} ignore(-100) : {x}, {targets}, {row}, {row}")
    return text


def gradient(op, axis=1):
    def text(sizes, dtype):
        x = tensor(sizes if axis else sizes[::-1], dtype)
        return function({"y": x, "g": x}, x, f"smx.{op} %y, %g axis({axis}) : {x}, {x}")
    return text


def largest(k):
    def text(sizes, dtype):
        x, values, places = tensor(sizes, dtype), tensor((sizes[0], k), dtype), tensor((sizes[0], k), "i64")
        return (f"func.func @f(%x: {x}) -> ({values}, {places}) {{\n  %p, %i = smx.topk_softmax %x axis(1) k({k}) : {x} -> {values}, {places}\n"
                f"  return %p, %i : {values}, {places}\n}}\n")
    return text


def norm(op, weights=None):
    return lambda sizes, dtype: block_norm_text(op, sizes, dtype, weights)


# The type of what is read, the module, bytes moved for each element, and the narrowest type of what is written, if it is another one.
FORMS = {
    **{f"softmax {t}": (t, rows("softmax"), 2 * BYTES[t]) for t in BYTES},
    "softmax bf16 into f32": ("bf16", rows("softmax", wanted="f32"), 6),
    "softmax f32 into bf16": ("f32", rows("softmax", wanted="bf16"), 6, "bf16"),
    "softmax bf16, scaled": ("bf16", rows("softmax", " scale(0.125)"), 4),
    "log-softmax bf16": ("bf16", rows("log_softmax"), 4),
    "log-softmax f32": ("f32", rows("log_softmax"), 8),
    "log-softmax bf16 into f32": ("bf16", rows("log_softmax", wanted="f32"), 6),
    "log-sum-exp bf16": ("bf16", rows("logsumexp", reduced=True), 2),
    "log-sum-exp bf16 into f32": ("bf16", rows("logsumexp", reduced=True, wanted="f32"), 2),
    "log-sum-exp f16 into f32": ("f16", rows("logsumexp", reduced=True, wanted="f32"), 2),
    "log-sum-exp f32": ("f32", rows("logsumexp", reduced=True), 4),
    **{f"cross entropy {t}": (t, loss(), BYTES[t]) for t in ("bf16", "f16", "f32")},
    "cross entropy bf16, scaled": ("bf16", loss(" scale(0.5)"), 2),
    **{f"cross entropy {t}, smoothed": (t, loss(" smoothing(0.1)"), BYTES[t]) for t in ("bf16", "f32")},
    **{f"cross entropy {t}, with log-sum-exp": (t, loss(gives_sums=True), BYTES[t]) for t in ("bf16", "f32")},
    **{f"its gradient {t}": (t, loss_gradient(), 2 * BYTES[t]) for t in ("bf16", "f32")},
    "its gradient bf16, smoothed": ("bf16", loss_gradient(" smoothing(0.1)"), 4),
    **{f"top {k} {t}": (t, largest(k), BYTES[t]) for k, t in ((1, "bf16"), (8, "bf16"), (50, "bf16"), (8, "f32"))},
    **{f"layer norm {t}": (t, rows("layer_norm", EPSILON), 2 * BYTES[t]) for t in ("bf16", "f32")},
    **{f"RMS norm {t}": (t, rows("rms_norm", EPSILON), 2 * BYTES[t]) for t in ("bf16", "f32")},
    "RMS norm bf16 into f32": ("bf16", rows("rms_norm", EPSILON, "f32"), 6),
    "layer norm f32 into bf16": ("f32", rows("layer_norm", EPSILON, "bf16"), 6, "bf16"),
    "RMS norm bf16, weights f32": ("bf16", norm("weighted_rms_norm", "f32"), 4),
    "layer norm bf16, weights f32": ("bf16", norm("weighted_layer_norm", "f32"), 4),
    "layer norm f32, weights": ("f32", norm("weighted_layer_norm"), 8),
    "RMS norm f16, weights": ("f16", norm("weighted_rms_norm"), 4),
    **{f"gradient of softmax {t}": (t, gradient("softmax_backward"), 3 * BYTES[t]) for t in ("bf16", "f32")},
    **{f"gradient of log-softmax {t}": (t, gradient("log_softmax_backward"), 3 * BYTES[t]) for t in ("f16", "f32")},
    **{f"softmax {t}, columns": (t, columns("softmax"), 2 * BYTES[t]) for t in BYTES},
    **{f"layer norm {t}, columns": (t, columns("layer_norm", EPSILON), 2 * BYTES[t]) for t in ("bf16", "f32")},
    **{f"gradient of softmax {t}, columns": (t, gradient("softmax_backward", 0), 3 * BYTES[t]) for t in ("bf16", "f32")},
}


def module_of(form, length):
    """The sizes, text and alignment of a form; columns are as many as make whole accesses."""
    dtype, text, _, *written = FORMS[form]
    count = max(1, (ELEMENTS // 2 if dtype == "f64" else ELEMENTS) // length)
    if form.endswith("columns"):
        count = max(64, count // 64 * 64)
        return (count, length), text((count, length), dtype), 16
    return (count, length), text((count, length), dtype), 16 if dtype == "f64" and length % 2 == 0 else (
        8 if dtype == "f64" else alignment_of(length, *(t if t != "f16" else "bf16" for t in (dtype, *written))))


def milliseconds(call):
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(LAUNCHES)]
    call()
    torch.cuda._sleep(1_000_000)
    for begin, end in events:
        begin.record()
        call()
        end.record()
    torch.cuda.synchronize()
    return statistics.median(begin.elapsed_time(end) for begin, end in events)


class Memory:
    """Tensors for arguments, which share memory from one kernel to the next."""

    def __init__(self, shortest):
        self.pools, self.shortest = {}, shortest

    def tensor(self, key, dtype, sizes):
        count = torch.Size(sizes).numel()
        if key not in self.pools or self.pools[key].numel() < count:
            self.pools.pop(key, None)
            size = max(count, ELEMENTS // 2 if dtype == "f64" else ELEMENTS if dtype != "i64" else count)
            # Targets are places of the shortest row.
            self.pools[key] = (torch.randint(self.shortest, (size,), device="cuda") if dtype == "i64"
                               else torch.randn(size, device="cuda", dtype=TYPES[dtype]))
        return self.pools[key][:count].view(sizes)


def measure(image, memory):
    """Milliseconds of a kernel; RuntimeError if something is not written."""
    with Kernel(*image) as kernel:
        arguments, written = [], []
        for place, argument in enumerate(kernel.function["arguments"]):
            value = memory.tensor((argument["role"], place, argument["dtype"]), argument["dtype"], argument["sizes"])
            arguments.append(value)
            if argument["role"] == "out":
                written.append(value.fill_(float("nan") if value.is_floating_point() else -1))
        bound = kernel.bind(*arguments)
        call = lambda: bound(torch.cuda.current_stream().cuda_stream)  # noqa: E731
        call()
        if any(bool((value.isnan() if value.is_floating_point() else value < 0).any()) for value in written):
            raise RuntimeError("something is not written, or NaN")
        return milliseconds(call)


def lines_of(found, lengths, copied):
    def cell(form, length):
        share = found[form].get(length)
        return "-" if share is None else f"**{share:.2f}**" if share < 0.8 else f"{share:.2f}"
    return [f"Bytes that must move, as a share of a copy, which has {copied:.0f} GB/s; bold is below 0.8. Rows of that many elements, or columns.",
            "", *results.table(["form", *map(str, lengths)], [[form, *(cell(form, length) for length in lengths)] for form in found])]


def main():
    parser = results.parser(__doc__, results.SPEED, has_chip=True)
    parser.add_argument("--only", default="", help="forms that match a regular expression")
    parser.add_argument("--lengths", type=lambda text: [int(number) for number in text.split(",")], default=LENGTHS)
    arguments = parser.parse_args()
    chip = driver.start(arguments.chip)
    forms = [form for form in FORMS if re.search(arguments.only, form)]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        images = {(form, length): pool.submit(compile_image, arguments.tools, text, chip, alignment, form="cubin")
                  for form in forms for length in arguments.lengths for _, text, alignment in [module_of(form, length)]}
    source, target = (torch.randn(ELEMENTS, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    copied = 2 * source.nbytes / milliseconds(lambda: target.copy_(source)) / 1e6
    del source, target
    memory, found, rows_found, wrong = Memory(min(arguments.lengths)), {form: {} for form in forms}, [], 0
    for (form, length), image in images.items():
        row = {"work": f"{form} {length}", "peer": "smx"}
        try:
            sizes = module_of(form, length)[0]
            ms = measure(image.result(), memory)
            figure = FORMS[form][2] * sizes[0] * sizes[1] / ms / 1e6
            found[form][length] = figure / copied
            row |= {"ms": round(ms, 4), "figure": round(figure, 1), "unit": "GB/s", "share": round(figure / copied, 3)}
        except (RuntimeError, ValueError) as failure:
            wrong += 1
            row["refused"] = str(failure)[:300]
            print(f"{form} {length}: {row['refused']}", file=sys.stderr)
        rows_found.append(row)
    head = results.head(arguments) | {"torch": torch.__version__, "chip": chip, "copy": round(copied, 1)}
    results.write(arguments.output, "survey", head | {"rows": rows_found}, lines_of(found, arguments.lengths, copied))
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
