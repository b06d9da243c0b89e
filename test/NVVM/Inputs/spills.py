"""Compiles kernels of many shapes to PTX, assembles each and prints its registers; fails on a spill, a stack frame or
a note that products of warpgroups run one by one (C75xx).

Usage: spills.py <softmax-compile> <ptxas> <chip> attention|products|biases|slopes|rows|clusters|norms|threads|streamed <type>...
"""
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "integration/gpu"))
import works  # noqa: E402

MASKS = {
    "full": "",
    "grouped": "",
    "causal": " mask(#smx.band<top_left, right = 0>)",
    "window": " mask(#smx.band<top_left, left = 1000, right = 0>)",
    "open": " mask(#smx.band<top_left, right = 0>)",
    # One query, of keys whose number is open: their parts are merged.
    "parts": "",
    # 16 queries, whose keys are cut into parts: of f64.
    "few": "",
}
QUERIES = {"parts": 1, "few": 16}
# Rows that end within the last access of some threads, in blocks and in clusters.
RAGGED = (28000, 30000, 31992, 32000, 32004, 50000, 50256, 51200)
# Rows that clusters have in registers, with a rest and without.
CLUSTERS = (20000, 60000, 74000, 81920, 98300, 98304, 100000, 106880, 114688, 116752, 128256, 131072, 151936, 196608, 200000, 262144)
THREADS = {
    "softmax": (2048, 2304, 2560, 3072, 3584, 3840, 4096, 4608, 5120, 5632, 6144, 6656, 7168, 7680, 8192, 28672, 32768, 40960, 49152, 57344, 65536, *RAGGED,
                *CLUSTERS),
    "log_softmax": (2048, 2304, 2560, 3072, 3840, 4096, 4608, 8192, 32768, 65536, *RAGGED, *CLUSTERS),
    "softmax_backward": (2304, 3072, 3840, 5120, 7168, 4096, 16384, 18000, 18432, 20480, 25000, 24576, 28672, 32768, 50000, 51200, 57344, 60000, 65536, 100000, 114688,
                         131072, 151936, 202048),
    "log_softmax_backward": (3072, 5120, 7168, 4096, 9000, 14336, 18000, 20480, 24576, 25000, 36864, 40000, 28672, 32768, 50000, 51200, 57344, 60000, 65536, 100000, 114688, 131072,
                             151936),
    "layer_norm": (4608, 5120, 40960, 49152, 57344, 65536, 81920, 98304, 114688, 131072, 163840, 196608, 229376, 262144, 1048576, *RAGGED),
    "rms_norm": (4608, 6144, 7168, 11008, 12288, 14336, 16384, 18432, 40960, 65536, 98304, 114688, 128256, 131072, 196608, 262144, 524288, *RAGGED),
    "logsumexp": (3072, 4096, 13312, 16384, 40000, 40960, 49152, 50176, 57344, *RAGGED),
    "cross_entropy": (4096, 8192, 40000, 40960, 49152, 50176, 57344, *RAGGED),
}

# Rows of 16 bits that end within accesses and that several blocks of a multiprocessor have.
RESIDENT = {op: (18000, 25000, 44000, 100352, 151936, 175000, 200064, 300000) for op in ("softmax", "log_softmax", "layer_norm", "rms_norm")}

# Two such rows that start anywhere.
SLID_PAIRS = {op: (1301, 2049, 3601, 4099, 8191, 9001, 12345, 24577, 50257, 65537, 100277, 151937, 230001) for op in ("softmax_backward", "log_softmax_backward")}

# Rows of 16 bits whose sums are in f64, and which end within accesses or do not.
WIDENED = (320, 640, 1000, 2500, 5000, 25000, 33024, 50304, 70000, 100000, 128256, 131072)

# Such rows whose exponentials are in f32.
SLID_WIDENED = (4097, 9001, 12345, 23165, 37223, 50257, 77221, 100277)

# Rows of which a tile is left over, without clusters, and others whose accesses of a thread ptxas is sensitive to.
STREAMED = {
    "softmax_backward": (34816, 36864, 151936),
    "log_softmax_backward": (36864, 38912),
    "rms_norm": (5632, 6144, 22528, 30720),
}

# Exponentials that clusters have partly in shared memory, of elements of so many bytes.
LONG = {2: (294912, 393216, 524288, 655360, 786432), 4: (147456, 163840, 196608, 229376, 262144)}

# Rows of 16-bit elements that are read again.
REREAD = {op: (16384, 24576, 32768) for op in ("layer_norm", "rms_norm", "softmax", "log_softmax")}

# Hidden sizes of transformer blocks.
HIDDEN = (768, 1000, 2048, 3072, 4096, 5120, 8192, 11008, 12288, 16384)

# Rows that a cluster reads once, where there are many.
READ = (65536, 81920, 98304, 114688, 128256, 131072)

def attention(element, dim, mask):
    batch, length = ("?", "?") if mask in ("open", "parts") else (2, 4096)
    query = f"tensor<{batch}x8x{QUERIES.get(mask, length)}x{dim}x{element}>"
    key = f"tensor<{batch}x{2 if mask == 'grouped' else 8}x{length}x{dim}x{element}>"
    return f"""func.func @attention(%q: {query}, %k: {key}, %v: {key}) -> {query} {{
  %o = smx.attention %q, %k, %v scale({dim ** -0.5}){MASKS[mask]} : {query}, {key}, {key} -> {query}
  return %o : {query}
}}
"""


def drafted(element, dim):
    query, key = f"tensor<?x8x4x{dim}x{element}>", f"tensor<?x2x?x{dim}x{element}>"
    return f"""func.func @attention(%q: {query}, %k: {key}, %v: {key}, %n: tensor<?xi32>) -> {query} {{
  %o = smx.attention %q, %k, %v scale({dim ** -0.5}) mask(#smx.key_lengths<causal>) reads(%n : tensor<?xi32>) : {query}, {key}, {key} -> {query}
  return %o : {query}
}}
"""


def left_over(element, dim, heads):
    """Few waves of tiles: on sm_90a the last one is cut along the keys, and threads hold all parts of a row."""
    tensor = f"tensor<1x{heads}x2688x{dim}x{element}>"
    return f"""func.func @attention(%q: {tensor}, %k: {tensor}, %v: {tensor}) -> {tensor} {{
  %o = smx.attention %q, %k, %v scale({dim ** -0.5}) : {tensor}, {tensor}, {tensor} -> {tensor}
  return %o : {tensor}
}}
"""


# What scores read beside the products: the shape of a tensor of 2 sequences of as many tokens, 8 heads, and the place of a score in it.
TERMS = {
    "bias of keys": ("2x{0}", "%b, %j"),
    "bias of pairs": ("8x{0}x{0}", "%h, %i, %j"),
    "table": ("8x{1}", "%h, %distance"),
}


def biased(element, dim, length, term, mask, wide):
    """Attention to whose scores an element of a tensor is added: of f32 (`wide`), or of what is multiplied."""
    shape, place = TERMS[term]
    tensor, bias = f"tensor<2x8x{length}x{dim}x{element}>", f"tensor<{shape.format(length, 2 * length - 1)}x{'f32' if wide else element}>"
    widened = "" if wide else f"%e = arith.extf %x : {element} to f32"
    return f"""func.func @attention(%q: {tensor}, %k: {tensor}, %v: {tensor}, %bias: {bias}) -> {tensor} {{
  %o = smx.attention %q, %k, %v scale({dim ** -0.5}){MASKS[mask]} score {{
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %most = arith.constant {length - 1} : index
    %apart = arith.subi %j, %i : index
    %distance = arith.addi %apart, %most : index
    %x = tensor.extract %bias[{place}] : {bias}
    {widened}
    %t = arith.addf %s, {"%x" if wide else "%e"} : f32
    smx.yield %t : f32
  }} : {tensor}, {tensor}, {tensor} -> {tensor}
  return %o : {tensor}
}}
"""


# Masks beside which scores have a multiple of the distance (ALiBi).
SLOPED = {
    **{mask: MASKS[mask] for mask in ("full", "causal", "window")},
    "prefix": " mask(#smx.prefix<top_left, length = 1024>)",
    "chunks": " mask(#smx.chunks<top_left, size = 512>)",
    "documents": " mask(#smx.all_of<[#smx.band<top_left, right = 0>, #smx.key_ranges]>) reads(%begin, %end : tensor<2x4096xi32>, tensor<2x4096xi32>)",
}


def sloped(element, dim, mask):
    tensor, ranges = f"tensor<2x8x4096x{dim}x{element}>", "tensor<2x4096xi32>"
    return f"""func.func @attention(%q: {tensor}, %k: {tensor}, %v: {tensor}, %slopes: tensor<8xf32>, %begin: {ranges}, %end: {ranges}) -> {tensor} {{
  %o = smx.attention %q, %k, %v scale({dim ** -0.5}){SLOPED[mask]} score {{
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<8xf32>
    %apart = arith.subi %j, %i : index
    %n = arith.index_cast %apart : index to i32
    %x = arith.sitofp %n : i32 to f32
    %bias = arith.mulf %slope, %x : f32
    %t = arith.addf %s, %bias : f32
    smx.yield %t : f32
  }} : {tensor}, {tensor}, {tensor} -> {tensor}
  return %o : {tensor}
}}
"""


def documents(element, dim, sizes):
    """Of tiles that blocks draw (sm_90a)."""
    tensor, ranges = f"tensor<{sizes[0]}x8x{sizes[1]}x{dim}x{element}>", f"tensor<{sizes[0]}x{sizes[1]}xi32>"
    return f"""func.func @attention(%q: {tensor}, %k: {tensor}, %v: {tensor}, %begin: {ranges}, %end: {ranges}) -> {tensor} {{
  %o = smx.attention %q, %k, %v scale({dim ** -0.5}) mask(#smx.all_of<[#smx.band<top_left, right = 0>, #smx.key_ranges]>)
       reads(%begin, %end : {ranges}, {ranges}) : {tensor}, {tensor}, {tensor} -> {tensor}
  return %o : {tensor}
}}
"""


def softmax(element, extent, axis):
    shape = f"tensor<{extent}x{extent}x{element}>"
    return f"""func.func @softmax(%x: {shape}) -> {shape} {{
  %y = smx.softmax %x axis({axis}) : {shape} -> {shape}
  return %y : {shape}
}}
"""


def reduction(op, element, extent, count=64):
    rows, targets = f"tensor<{count}x{extent}x{element}>", f"tensor<{count}xi64>"
    result = {"logsumexp": f"tensor<{count}x{element}>", "cross_entropy": f"tensor<{count}x{'f64' if element == 'f64' else 'f32'}>"}.get(op, rows)
    more = " epsilon(1.0e-5)" if op.endswith("norm") else ""
    operands, types = (("%x, %t", f"{rows}, {targets}") if op == "cross_entropy"
                       else ("%x, %g", f"{rows}, {rows}") if op.endswith("backward") else ("%x", rows))
    return f"""func.func @f(%x: {rows}, %g: {rows}, %t: {targets}) -> {result} {{
  %y = smx.{op} {operands} axis(1){more} : {types} -> {result}
  return %y : {result}
}}
"""


def top(element, extent, count, rows=64):
    rows, results, places = (f"tensor<{rows}x{extent}x{element}>", f"tensor<{rows}x{count}x{element}>", f"tensor<{rows}x{count}xi64>")
    return f"""func.func @f(%x: {rows}) -> ({results}, {places}) {{
  %p, %i = smx.topk_softmax %x axis(1) k({count}) : {rows} -> {results}, {places}
  return %p, %i : {results}, {places}
}}
"""


def turns(chip, family, types):
    """The kernels of one chip. bf16 and f16 differ by the names of instructions: each takes every kernel in one of the two, but on
    sm_90a, where the attention of each has a schedule of its own. On sm_80 and sm_90 kernels differ by their positions and by what
    ptxas makes of them: each takes every other one, or the other type."""
    first = int(chip == "sm_90")
    if sorted(types) == ["bf16", "f16"] and (chip, family) != ("sm_90a", "attention"):
        pairs = zip(kernels(family, types[:1]), kernels(family, types[1:]), strict=True)
        yield from (pair[turn % 2] for turn, pair in enumerate(pairs, first))
    elif chip == "sm_90a":
        yield from kernels(family, types)
    else:
        yield from itertools.islice(kernels(family, types), first, None, 2)


def kernels(family, types):
    """Names, texts, and what rows in memory are aligned to."""
    for element in types:
        if family in ("attention", "products"):
            for dim in (64, 128, 256, 512) if element == "f64" else (64, 96, 112, 128, 256, 512):
                for mask in MASKS:
                    if mask == "few" and element != "f64":
                        continue
                    yield f"{family} {element} {dim} {mask}", attention(element, dim, mask), 16
            # Four queries of heads that share keys.
            for dim in (64, 128) if element == "f64" else (64, 128, 256):
                yield f"{family} {element} {dim} shared by heads", drafted(element, dim), 16
            for dim, heads in ((64, 10), (128, 10), (256, 1)) if element in ("bf16", "f16") else ():
                yield f"{family} {element} {dim} in parts, {heads} heads", left_over(element, dim, heads), 16
            continue
        if family == "biases":
            for dim in (64, 96, 128):
                for term, mask, wide in itertools.product(TERMS, ("full", "causal", "window"), (False, True)):
                    yield (f"attention {element} {dim} {mask} {'f32' if wide else element} {term}",
                           biased(element, dim, 4096, term, mask, wide), 16)
                yield f"attention {element} {dim} bias of 16384 keys", biased(element, dim, 16384, "bias of keys", "full", False), 16
            continue
        if family == "slopes":
            for dim, mask in itertools.product((64, 96, 128), SLOPED):
                yield f"attention {element} {dim} {mask} with slopes", sloped(element, dim, mask), 16
            for dim, sizes in itertools.product((64, 96, 112, 128, 192, 256), ((2, 4096), "??")):
                yield f"attention {element} {dim} documents of {'x'.join(map(str, sizes))}", documents(element, dim, sizes), 16
            continue
        if family == "streamed":
            for op, extents in STREAMED.items():
                for extent in extents:
                    yield f"{op} {element} {extent}", reduction(op, element, extent), 16
            continue
        if family == "threads":
            # Rows whose kinds have numbers of threads of their own.
            for op, extents in THREADS.items():
                for extent in extents:
                    yield f"{op} {element} {extent}", reduction(op, element, extent), 16
            for op, extents in REREAD.items() if element in ("bf16", "f16") else ():
                for extent in extents:
                    yield f"{op} {element} {extent} read again", reduction(op, element, extent), 16
            for op, extents in RESIDENT.items() if element in ("bf16", "f16") else ():
                for extent in extents:
                    yield f"{op} {element} {extent} of several blocks", reduction(op, element, extent), 16
            for op, extents in SLID_PAIRS.items() if element in ("bf16", "f16") else ():
                for extent in extents:
                    yield f"{op} {element} {extent} anywhere", reduction(op, element, extent), 2
            for extent in WIDENED if element in ("bf16", "f16") else ():
                yield f"logsumexp {element} {extent} into f32", works.row_text("logsumexp", (2048, extent), element, 1, result=(2048,), wanted="f32"), 16
            for extent in SLID_WIDENED if element in ("bf16", "f16") else ():
                yield f"softmax {element} {extent} into f32, anywhere", works.row_text("softmax", (64, extent), element, 1, wanted="f32"), 2
            for op in ("softmax", "log_softmax"):
                for extent in LONG.get({"bf16": 2, "f16": 2, "f32": 4}.get(element), ()):
                    yield f"{op} {element} {extent} in shared memory", reduction(op, element, extent), 16
            for extent in READ if element in ("bf16", "f16") else ():
                yield f"logsumexp {element} {extent} of many rows", reduction("logsumexp", element, extent, 2048), 16
            continue
        if family == "norms":
            # With weights, biases and residuals.
            for op, extent in itertools.product(works.BLOCK_NORMS, HIDDEN):
                for weights in dict.fromkeys((element, "f32")):
                    yield f"{op} {element} {extent}, weights of {weights}", works.block_norm_text(op, (64, extent), element, weights), 16
            continue
        for extent in (262144, 1048576) if element != "f64" else ():
            for op in ("softmax", "log_softmax"):
                yield f"{op} {element} {extent} cluster", reduction(op, element, extent), 16
        if family == "rows":
            for extent in (77, 300, 1024, 4096, 32768, "?"):
                for axis in (0, 1):
                    yield f"softmax {element} {extent} axis {axis}", softmax(element, extent, axis), 16
            for extent in (512, 4096, 8192, 32000, 32768, 128256, 131072) if element != "f64" else ():
                for count in (1, 5, 8, 64):
                    yield f"topk_softmax {element} {extent} k {count}", top(element, extent, count), 16
            # Of many rows, which a warp each selects them of; and of blocks with parts of accesses over.
            for extent, count in itertools.product((300, 512, 1100, 2048, 3000, 4096, 5000, 10000), (1, 2, 9, 20, 64)) if element != "f64" else ():
                yield f"topk_softmax {element} {extent} k {count} of many rows", top(element, extent, count, 65536), works.alignment_of(extent, element if element == "f32" else "bf16")
            for extent, count in ((200, 40), (351, 64), (512, 64), (1101, 50), (2047, 20), (4095, 50)) if element != "f64" else ():
                yield f"topk_softmax {element} {extent} k {count} anywhere", top(element, extent, count, 65536), 4 if element == "f32" else 2
            if element != "f64":
                yield f"topk_softmax {element} 50257 k 5 anywhere", top(element, 50257, 5), 2
            # Rows that start anywhere, as those of odd extents do.
            for extent in (4095, 12345, 50257, *((45001, 90001) if element in ("bf16", "f16") else ())):
                for op in ("softmax", "logsumexp", "cross_entropy", "layer_norm", "rms_norm"):
                    yield f"{op} {element} {extent} anywhere", reduction(op, element, extent), 2


def main() -> int:
    compiler, ptxas, chip, family, *types = sys.argv[1:]
    flags = ["--wide-products=matrix-unit"] if family == "products" else []
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        file = folder + "/kernel.ptx"
        for name, text, alignment in turns(chip, family, types):
            compiled = subprocess.run([compiler, "-", "--emit=ptx", "--chip=" + chip, f"--alignment={alignment}", *flags, "-o", file],
                                      input=text, capture_output=True, text=True, cwd=folder)
            assembled = compiled if compiled.returncode else subprocess.run(
                [ptxas, "-v", "-arch=" + chip, file, "-o", "/dev/null"], capture_output=True, text=True)
            report = assembled.stdout + assembled.stderr
            registers = "/".join(re.findall(r"Used (\d+) registers", report))
            spills = re.findall(r"[1-9]\d* bytes (?:stack frame|spill stores|spill loads)", report)
            spills += re.findall(r"C75\d\d", report)
            failed = assembled.returncode != 0 or bool(spills)
            print(f"{name}: {registers} registers" + (", " + ", ".join(spills) if spills else ""), flush=True)
            if failed:
                print(f"spills.py: {name}: {', '.join(spills) or report.strip()}", file=sys.stderr)
            bad += failed
    return 1 if bad else 0


sys.exit(main())
