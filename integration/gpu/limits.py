#!/usr/bin/env python3
"""What only large, odd or repeated launches show: each check says "right", "refused: why", "skipped: why" or what is wrong.

    integration/gpu/limits.py --tools DIR

Offsets beyond 2^31 elements; pointers and rows that miss the alignment of the code; 1,000 launches with the same bits;
streams and threads at once; every device. Needs PyTorch with CUDA. Writes results/<gpu>-limits.{json,md}.
"""

import sys
import threading

import torch

import driver
import exact
import results
import works
from kernel import Kernel

REPEATS = 1000
PORTABLE = "sm_80"
BF16 = torch.bfloat16
DYNAMIC_ROWS = works.row_text("softmax", ("?", 4096), "bf16", 1)


def stream():
    return torch.cuda.current_stream().cuda_stream


def compare(out, right, allowed):
    worst = (out.double() - right).abs().max().item()
    return "right" if worst <= allowed else f"wrong: an error of {worst:.3g}; {allowed:.3g} is allowed"


def all_written(out):
    """Whether no poison is left; in pieces, for a mask of the whole would be large."""
    return not any(torch.isnan(piece).any().item() for piece in out.reshape(-1).split(1 << 28))


def softmax_rows(kernel, rows, columns, dtype, offset=0):
    """Compares rows at both ends; `offset` elements lie before the tensors."""
    x = torch.randn(offset + rows * columns, device="cuda", dtype=dtype)[offset:].view(rows, columns)
    y = torch.full((offset + rows * columns,), float("nan"), device="cuda", dtype=dtype)[offset:].view(rows, columns)
    kernel.bind(x, y)(stream())
    if not all_written(y):
        return "wrong: elements were not written"
    ends = [slice(0, 4), slice(rows - 4, rows)]
    right = torch.cat([torch.softmax(x[end].double(), -1) for end in ends])
    return compare(torch.cat([y[end] for end in ends]), right, right.max().item() * 2 ** (-8 if dtype == BF16 else -21))


def attention_heads(tools, chip, shape, causal, permuted=False):
    """Compares the first and the last head; `permuted`: in memory the heads lie inside the sequence."""
    text = works.attention_text(shape, shape, "bf16", causal)
    kernel = Kernel.compile(tools, text, chip)
    place = [shape[0], shape[2], shape[1], shape[3]] if permuted else shape
    q, k, v, out = (torch.full(place, float("nan"), device="cuda", dtype=BF16) for _ in range(4))
    for tensor in (q, k, v):
        tensor.normal_()
    if permuted:
        q, k, v, out = (tensor.transpose(1, 2) for tensor in (q, k, v, out))
    kernel.bind(q, k, v, out)(stream())
    if not all_written(out.transpose(1, 2) if permuted else out):
        return "wrong: elements were not written"
    hidden = exact.after(torch.arange(shape[2], device="cuda"), shape[2]) if causal else None
    for at in ((0, 0), (shape[0] - 1, shape[1] - 1)):
        found = compare(out[at], exact.attention(q[at], k[at], v[at], hidden), 0.02)
        if found != "right":
            return found
    return found


def refused(check):
    """A refusal is an answer; a wrong result is not."""
    try:
        return check()
    except ValueError as reason:
        return f"refused: {reason}"


def repeated(kernel, inputs, outputs):
    """The first launch's bits, a thousand times."""
    call, bits = kernel.bind(*inputs, *outputs), [out.view(torch.int16) for out in outputs]

    def launch():
        # Every element NaN, or -1.
        for of_output in bits:
            of_output.fill_(-1)
        call(stream())

    launch()
    if not all(all_written(out) for out in outputs):
        return "wrong: elements were not written"
    first, differs = [of_output.clone() for of_output in bits], torch.zeros((), dtype=torch.bool, device="cuda")
    for _ in range(REPEATS):
        launch()
        for of_output, before in zip(bits, first):
            differs |= (of_output != before).any()
    return "wrong: the bits change" if differs.item() else "right"


def repeated_attention(tools, chip, q, kv, causal):
    inputs = [torch.randn(shape, device="cuda", dtype=BF16) for shape in (q, kv, kv)]
    return repeated(Kernel.compile(tools, works.attention_text(q, kv, "bf16", causal), chip), inputs, [torch.empty_like(inputs[0])])


def repeated_softmax(tools, chip, rows, columns):
    x = torch.randn(rows, columns, device="cuda", dtype=BF16)
    return repeated(Kernel.compile(tools, works.row_text("softmax", ("?", columns), "bf16", 1), chip), [x], [torch.empty_like(x)])


def repeated_top(tools, chip, rows, columns):
    x = torch.randn(rows, columns, device="cuda", dtype=BF16)
    outputs = [torch.empty(rows, works.TOP, device="cuda", dtype=dtype) for dtype in (BF16, torch.int64)]
    return repeated(Kernel.compile(tools, works.Reduction("topk_softmax", columns).text_of((rows, columns)), chip), [x], outputs)


def at_once(tools, chip):
    """One kernel, two threads, a stream each; what each writes is what it writes alone."""
    kernel = Kernel.compile(tools, DYNAMIC_ROWS, chip)
    inputs = [torch.randn(16384 + 64 * i, 4096, device="cuda", dtype=BF16) for i in range(2)]
    alone = [torch.empty_like(x) for x in inputs]
    for x, y in zip(inputs, alone):
        kernel.bind(x, y)(stream())
    torch.cuda.synchronize()
    found = [0, 0]

    def work(number):
        driver.use_device()
        with torch.cuda.stream(torch.cuda.Stream()):
            y = torch.empty_like(inputs[number])
            call = kernel.bind(inputs[number], y)
            for _ in range(50):
                y.fill_(float("nan"))
                call(stream())
                found[number] += int(torch.equal(y, alone[number]))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return "right" if found == [50, 50] else f"wrong: {found} of 50 and 50 launches agree"


def every_device(tools, chip):
    count = torch.cuda.device_count()
    if count == 1:
        return "skipped: one device"
    source = torch.randn(4096, 4096, dtype=BF16)
    outputs = []
    for ordinal in range(count):
        with torch.cuda.device(ordinal):
            x = source.cuda()
            y = torch.full_like(x, float("nan"))
            Kernel.compile(tools, DYNAMIC_ROWS, chip).bind(x, y)(stream())
            outputs.append(y.cpu())
    same = all(torch.equal(y, outputs[0]) for y in outputs)
    return compare(outputs[0], torch.softmax(source.double(), -1), 2**-8) if same else "wrong: the devices differ"


def repetitions(tools, chip):
    """{kernel: a function that runs it again and again}: one launch, states of parts that a second one merges, rows that
    16 blocks of a cluster share, and what keeps the largest elements."""
    attention, softmax = [(1, 16, 2048, 128)] * 2, (4096, 4096)
    return {
        "attention causal": lambda: repeated_attention(tools, chip, *attention, True),
        "decoding in parts": lambda: repeated_attention(tools, chip, (1, 32, 1, 128), (1, 8, 65536, 128), False),
        "softmax": lambda: repeated_softmax(tools, chip, *softmax),
        "softmax, rows of 2^20": lambda: repeated_softmax(tools, chip, 64, 2**20),
        "top-k": lambda: repeated_top(tools, chip, 1024, 32768),
        f"attention causal, {PORTABLE}": lambda: repeated_attention(tools, PORTABLE, *attention, True),
        f"softmax, {PORTABLE}": lambda: repeated_softmax(tools, PORTABLE, *softmax),
    }


def checks(tools, chip):
    """{what: a function that finds out}"""
    def rows(columns, alignment, chip=chip):
        return Kernel.compile(tools, works.row_text("softmax", ("?", columns), "bf16", 1), chip, alignment)

    beyond = 2**31
    return {
        "softmax bf16, 2^31 + 2^20 elements": lambda: softmax_rows(rows(4096, 16), beyond // 4096 + 256, 4096, BF16),
        "softmax bf16, 2^31 elements, unaligned rows": lambda: softmax_rows(rows(4097, 2), beyond // 4097 + 9, 4097, BF16),
        "softmax bf16, rows of 2^20, 2^31 + 2^22 elements": lambda: softmax_rows(rows(2**20, 16), 2052, 2**20, BF16),
        "attention bf16, B*H*S*D > 2^31, full": lambda: attention_heads(tools, chip, (2, 16392, 1024, 64), False),
        "attention bf16, B*H*S*D > 2^31, causal": lambda: attention_heads(tools, chip, (2, 16392, 1024, 64), True),
        f"softmax bf16, 2^31 + 2^20 elements, {PORTABLE}": lambda: softmax_rows(
            rows(4096, 16, PORTABLE), beyond // 4096 + 256, 4096, BF16),
        f"attention bf16, B*H*S*D > 2^31, causal, {PORTABLE}": lambda: attention_heads(
            tools, PORTABLE, (2, 16392, 1024, 64), True),
        "attention bf16, strides over 2^19, > 2^31 elements": lambda: attention_heads(
            tools, chip, (1, 8200, 4096, 64), True, permuted=True),
        "pointer 2 bytes off, compiled for 16": lambda: refused(lambda: softmax_rows(rows(4096, 16), 64, 4096, BF16, offset=1)),
        "pointer 2 bytes off, compiled for any": lambda: softmax_rows(rows(4096, 0), 64, 4096, BF16, offset=1),
        "pointer 8 bytes off, compiled for 16": lambda: refused(lambda: softmax_rows(rows(4096, 16), 64, 4096, BF16, offset=4)),
        "rows of 1001, compiled for 16": lambda: refused(lambda: softmax_rows(rows(1001, 16), 64, 1001, BF16)),
        "no rows": lambda: refused(lambda: no_rows(rows(4096, 16))),
    } | {
        f"{name}, {REPEATS} times the same bits": check for name, check in repetitions(tools, chip).items()
    } | {
        "two threads, a stream each": lambda: at_once(tools, chip),
        "every device": lambda: every_device(tools, chip),
    }


def no_rows(kernel):
    x = torch.empty(0, 4096, device="cuda", dtype=BF16)
    kernel.bind(x, torch.empty_like(x))(stream())
    torch.cuda.synchronize()
    return "right"


def main():
    parser = results.parser(__doc__, results.CHECKS)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.zeros(1, device="cuda")
    driver.use_device()
    found = {}
    wanted = checks(arguments.tools, driver.chip())
    for name, check in wanted.items():
        try:
            found[name] = check()
            torch.cuda.synchronize()
        except (RuntimeError, ValueError) as failure:
            found[name] = f"wrong: {str(failure)[:300]}"
        print(f"{name}: {found[name]}", flush=True)
        torch.cuda.empty_cache()
        left = len(wanted) - len(found)
        results.write(arguments.output, "limits", results.head(arguments) | {"checks": found},
                      results.unfinished(left) + results.table(["check", "result"], found.items()), show=not left)
    return 1 if any(result.startswith("wrong") for result in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
