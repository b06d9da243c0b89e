"""What is timed and checked on a GPU: for each work its module, its operations or bytes, and its name.

Names, and how operations and bytes are counted, are those of every results file: attention has 4*B*H*S*S*D operations,
half of them under a causal mask; a softmax reads its input once and writes its output once.
"""

import math
from dataclasses import dataclass, replace

HIDDEN, TOKENS = 2048, 16384  # of every attention: heads * head dim, batch * sequence
ELEMENTS = 1 << 28  # of every softmax
VOCABULARY = 128256  # of Llama 3
BLOCK_NORMS = ("weighted_rms_norm", "weighted_layer_norm", "residual_rms_norm")
TOP = 5  # of every top-k
CAUSAL = " mask(#smx.band<top_left, right = 0>)"


def tensor(sizes, dtype):
    return f"tensor<{'x'.join(map(str, sizes))}x{dtype}>"


def function(inputs, result, line):
    """A module of one function @f; inputs is {name: type}, `line` computes %o."""
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in inputs.items())
    return f"func.func @f({arguments}) -> {result} {{\n  %o = {line} -> {result}\n  return %o : {result}\n}}\n"


def attention_text(q, kv, dtype, causal=False, mask="", value_dim=None, cache=None):
    """`mask` is the dialect's text, for what is not full or causal; `cache` the type of keys and values, if it is another."""
    value_dim, cache = value_dim or kv[-1], cache or dtype
    types = {"q": tensor(q, dtype), "k": tensor(kv, cache), "v": tensor((*kv[:-1], value_dim), cache)}
    mask = CAUSAL if causal else mask
    return function(types, tensor((*q[:-1], value_dim), dtype), f"smx.attention %q, %k, %v scale({q[-1] ** -0.5:.9e}){mask} : {', '.join(types.values())}")


def row_text(op, sizes, dtype, axis, result=None, more="", wanted=None):
    """softmax, log_softmax, logsumexp or a norm along an axis; the result's sizes and type if they differ."""
    kind = tensor(sizes, dtype)
    return function({"x": kind}, tensor(result or sizes, wanted or dtype), f"smx.{op} %x axis({axis}){more} : {kind}")


def block_norm_text(op, sizes, dtype="bf16", weights=None):
    """A norm as a transformer block has it: `residual_rms_norm` is of a sum, which is a result, too; weights (of a layer norm,
    and biases) are for all columns, and may be of another type. The result is rounded once."""
    weights = weights or dtype
    x, wide, columns = tensor(sizes, dtype), tensor(sizes, "f32"), tensor(sizes[1:], weights)
    has_residual, has_bias = op.startswith("residual"), op.endswith("layer_norm")
    factors = ["w", *["b"] * has_bias]
    arguments = ", ".join([f"%x: {x}", *[f"%r: {x}"] * has_residual, *(f"%{name}: {columns}" for name in factors)])
    results = f"({x}, {x})" if has_residual else x
    lines = [f"func.func @f({arguments}) -> {results} {{", f"  %e = tensor.empty() : {x}"]
    if has_residual:
        lines.append(f"  %h = linalg.add ins(%x, %r : {x}, {x}) outs(%e : {x}) -> {x}")
    lines += [f"  %n = smx.{op.split('_', 1)[1]} %{'h' if has_residual else 'x'} axis(1) epsilon(1.0e-5) : {x} -> {wide}",
              f"  %y = linalg.generic {{indexing_maps = [#all, {'#columns, ' * len(factors)}#all], iterator_types = [\"parallel\", \"parallel\"]}}",
              f"      ins(%n, {', '.join('%' + f for f in factors)} : {', '.join([wide, *[columns] * len(factors)])}) outs(%e : {x}) {{",
              f"  ^bb0(%i: f32, {', '.join(f'%i{f}: {weights}' for f in factors)}, %o: {dtype}):"]
    if weights != "f32":
        lines += [f"    %f{f} = arith.extf %i{f} : {weights} to f32" for f in factors]
    read, last = "i" if weights == "f32" else "f", "p"
    lines.append(f"    %p = arith.mulf %i, %{read}w : f32")
    if has_bias:
        lines.append(f"    %s = arith.addf %p, %{read}b : f32")
        last = "s"
    if dtype != "f32":
        lines.append(f"    %t = arith.truncf %{last} : f32 to {dtype}")
        last = "t"
    lines += [f"    linalg.yield %{last} : {dtype}", f"  }} -> {x}",
              f"  return {'%h, ' if has_residual else ''}%y : {results.strip('()')}", "}"]
    maps = ["#all = affine_map<(i, j) -> (i, j)>", "#columns = affine_map<(i, j) -> (j)>"]
    return "\n".join(maps + lines) + "\n"


@dataclass(frozen=True)
class Attention:
    dim: int
    length: int
    causal: bool
    dtype: str = "bf16"
    value_dim: int = 0  # 0: dim

    @property
    def shape(self):
        return TOKENS // self.length, HIDDEN // self.dim, self.length, self.dim

    @property
    def value_shape(self):
        return *self.shape[:-1], self.value_dim or self.dim

    @property
    def name(self):
        dims = f"d{self.dim}/{self.value_dim}" if self.value_dim else f"d{self.dim}"
        return f"attn fwd {self.dtype} {dims} s{self.length} {'causal' if self.causal else 'full'}"

    @property
    def text(self):
        return attention_text(self.shape, self.shape, self.dtype, self.causal, value_dim=self.value_dim)

    @property
    def small(self):
        """The same kernel with fewer heads."""
        shape = (1, 2, self.length, self.dim)
        return attention_text(shape, shape, self.dtype, self.causal, value_dim=self.value_dim)

    unit = "TFLOP/s"
    alignment = 16

    def figure(self, ms):
        _, heads, length, dim = self.shape
        operations = 2 * TOKENS * heads * (dim + self.value_shape[-1]) * length
        return operations / (2 if self.causal else 1) / ms / 1e9


@dataclass(frozen=True)
class Decode:
    """One query of bf16 for each head and a cache of keys and values."""

    batch: int
    heads: int
    key_heads: int
    length: int
    dim: int = 128
    cache: str = "bf16"

    unit = "GB/s"

    @property
    def query_shape(self):
        return self.batch, self.heads, 1, self.dim

    @property
    def key_shape(self):
        return self.batch, self.key_heads, self.length, self.dim

    @property
    def name(self):
        return f"decode {self.cache} b{self.batch} q{self.heads} kv{self.key_heads} s{self.length} d{self.dim}"

    @property
    def text(self):
        return attention_text(self.query_shape, self.key_shape, "bf16", cache=self.cache)

    def figure(self, ms):
        return 2 * (2 if self.cache == "bf16" else 1) * self.batch * self.key_heads * self.length * self.dim / ms / 1e6


def alignment_of(columns, *dtypes):
    """The bytes that rows of new tensors of such elements start at multiples of, 16 at most."""
    return math.gcd(16, *(columns * (4 if dtype == "f32" else 2) for dtype in dtypes))


@dataclass(frozen=True)
class Softmax:
    dtype: str
    columns: int
    rows: int = 0  # as many as ELEMENTS make
    wanted: str = ""  # type of the result: dtype

    @property
    def shape(self):
        return self.rows or ELEMENTS // self.columns, self.columns

    @property
    def result(self):
        return self.wanted or self.dtype

    @property
    def alignment(self):
        return alignment_of(self.columns, self.dtype, self.result)

    @property
    def name(self):
        types = f"{self.dtype} into {self.wanted}" if self.wanted else self.dtype
        return f"softmax {types} {self.shape[0]}x{self.columns}"

    @property
    def text(self):
        return row_text("softmax", self.shape, self.dtype, 1, wanted=self.wanted)

    @property
    def small(self):
        """The same kernel with fewer rows."""
        return row_text("softmax", (self.rows or max(8, (1 << 20) // self.columns), self.columns), self.dtype, 1,
                        wanted=self.wanted)

    unit = "GB/s"
    axis = 1

    def figure(self, ms):
        element = sum(2 if dtype == "bf16" else 4 for dtype in (self.dtype, self.result))
        return element * math.prod(self.shape) / ms / 1e6


@dataclass(frozen=True)
class ColumnSoftmax(Softmax):
    """Softmax along the first of two dimensions: `columns` elements, each a row of memory from the next."""

    axis = 0

    @property
    def shape(self):
        return self.columns, (ELEMENTS >> 1) // self.columns // 64 * 64

    @property
    def alignment(self):
        return 16

    @property
    def name(self):
        return f"softmax {self.dtype} {self.shape[0]}x{self.shape[1]} of columns"

    @property
    def text(self):
        return row_text("softmax", self.shape, self.dtype, 0)

    @property
    def small(self):
        """The same kernel with fewer columns, but more than make strips narrower."""
        return row_text("softmax", (self.columns, 1 << 15), self.dtype, 0)


@dataclass(frozen=True)
class Reduction:
    """What else streams rows, in bf16; a figure counts the bytes of whole rows that must move."""

    op: str
    columns: int
    rows: int = 0  # as many as ELEMENTS make

    unit = "GB/s"

    @property
    def alignment(self):
        return alignment_of(self.columns, "bf16")

    @property
    def shape(self):
        return self.rows or ELEMENTS // self.columns, self.columns

    @property
    def name(self):
        return f"{self.op} bf16 {self.shape[0]}x{self.columns}"

    @property
    def text(self):
        return self.text_of(self.shape)

    @property
    def small(self):
        """The same kernel with fewer rows."""
        return self.text_of((self.rows or max(8, (1 << 20) // self.columns), self.columns))

    def text_of(self, sizes):
        x, rows = tensor(sizes, "bf16"), tensor(sizes[:1], "f32")
        targets = tensor(sizes[:1], "i64")
        if self.op == "topk_softmax":
            results = tensor((sizes[0], TOP), "bf16"), tensor((sizes[0], TOP), "i64")
            types = f"{results[0]}, {results[1]}"
            return (f"func.func @f(%x: {x}) -> ({types}) {{\n  %p, %i = smx.{self.op} %x axis(1) k({TOP}) : {x} -> {types}\n"
                    f"  return %p, %i : {types}\n}}\n")
        if self.op == "logsumexp":
            return row_text(self.op, sizes, "bf16", 1, result=sizes[:1])
        if self.op == "logsumexp_into_f32":
            return row_text("logsumexp", sizes, "bf16", 1, result=sizes[:1], wanted="f32")
        if self.op in BLOCK_NORMS:
            return block_norm_text(self.op, sizes)
        if self.op in ("layer_norm", "rms_norm"):
            return row_text(self.op, sizes, "bf16", 1, more=" epsilon(1.0e-5)")
        if self.op == "cross_entropy":
            return function({"x": x, "t": targets}, rows, f"smx.cross_entropy %x, %t axis(1) ignore(-100) : {x}, {targets}")
        if self.op == "cross_entropy_backward":
            return function({"x": x, "t": targets, "l": rows, "g": rows}, x,
                            f"smx.{self.op} %x, %t, %l, %g axis(1) ignore(-100) : {x}, {targets}, {rows}, {rows}")
        return function({"y": x, "g": x}, x, f"smx.{self.op} %y, %g axis(1) : {x}, {x}")

    # Rows that are read or written.
    MOVED = {"logsumexp": 1, "logsumexp_into_f32": 1, "cross_entropy": 1, "topk_softmax": 1, "layer_norm": 2, "rms_norm": 2, "cross_entropy_backward": 2, "softmax_backward": 3,
             "log_softmax_backward": 3}
    MOVED_BY_BLOCKS = dict(zip(BLOCK_NORMS, (2, 2, 4)))

    def figure(self, ms):
        moved = self.MOVED | self.MOVED_BY_BLOCKS
        return moved[self.op] * math.prod(self.shape) * 2 / ms / 1e6


ATTENTION = [Attention(dim, length, causal) for dim in (64, 128, 256) for length in (1024, 4096, 16384) for causal in (False, True)]
# Other types and head dims, beside their neighbours of ATTENTION.
FORMS = [Attention(dim, 4096, causal, dtype, value_dim) for dim, dtype, value_dim in (
    (64, "bf16", 0), (64, "f16", 0), (96, "bf16", 0), (128, "bf16", 0), (128, "f16", 0), (192, "bf16", 0), (192, "bf16", 128),
    (256, "bf16", 0), (256, "f16", 0)) for causal in (False, True)]
DECODE = [Decode(1, 32, 8, 65536), Decode(16, 32, 8, 16384), Decode(64, 32, 8, 8192), Decode(64, 32, 32, 4096)]
DECODE_F8 = [replace(work, cache="f8E4M3FN") for work in DECODE]
SOFTMAX = [Softmax("bf16", columns) for columns in (256, 1024, 4096, 16384, 32768, 65536, 131072, 262144, 1048576)] + [
    Softmax("f32", columns) for columns in (256, 4096, 32768, 65536, 262144, 1048576)] + [
    # Fewer rows than there are multiprocessors, which no cluster holds: they are read twice.
    Softmax("bf16", 1 << 26, 1), Softmax("bf16", 1 << 22, 16), Softmax("f32", 1 << 24, 4),
    # The scores of a vocabulary, of a few sequences: what a launch takes.
    Softmax("bf16", VOCABULARY, 8), Softmax("f32", VOCABULARY, 1)] + [
    # What PyTorch's dtype argument asks for.
    Softmax("bf16", columns, wanted="f32") for columns in (1024, 4096, 32768, 131072, 262144)] + [
    Softmax("bf16", 1 << 22, 64, "f32"), Softmax("f32", 4096, wanted="bf16"), Softmax("f32", 131072, wanted="bf16")]
REDUCTIONS = [Reduction(op, columns) for op in Reduction.MOVED for columns in (4096, 32768, 131072)] + [
    Reduction(op, 1 << 24, 4) for op in ("logsumexp", "layer_norm", "rms_norm", "softmax_backward", "log_softmax_backward")] + [
    Reduction(op, VOCABULARY, 8) for op in ("logsumexp", "cross_entropy", "topk_softmax")] + [
    Reduction("logsumexp_into_f32", columns) for columns in (1024, 16384)] + [Reduction("logsumexp_into_f32", 1 << 22, 64)]
# Short rows, and such as no access of 16 bytes starts or ends with: hidden sizes, a vocabulary, and worse.
LENGTHS = [kind(columns, (ELEMENTS >> 1) // columns) for columns in (33, 65, 96, 129, 257, 768, 1000, 1500, 12345, 50257) for kind in (
    lambda columns, rows: Softmax("bf16", columns, rows), *(
        lambda columns, rows, op=op: Reduction(op, columns, rows) for op in Reduction.MOVED))]
# As many scores as vocabularies have tokens: of Llama 2, one more, GPT-2, padded, cl100k, Llama 3, Qwen 2, o200k padded, Gemma 3.
VOCABULARIES = [Reduction(op, columns) for columns in (32000, 32001, 50257, 50304, 100277, VOCABULARY, 151936, 200064, 262144)
                for op in ("logsumexp", "logsumexp_into_f32", "cross_entropy", "cross_entropy_backward")]
# Along a dimension that is not the fastest.
COLUMNS = [ColumnSoftmax(dtype, length) for dtype in ("bf16", "f32") for length in (16, 64, 100, 256, 500, 1000, 4096, 16384)]
# Norms with what transformer blocks have around them, of their hidden sizes.
NORMS = [Reduction(op, columns) for op in BLOCK_NORMS for columns in (1024, 2048, 4096, 5120, 8192, 16384)]
