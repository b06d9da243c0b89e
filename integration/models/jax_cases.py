"""JAX's softmax and attention, and a block around it: StableHLO, legalised to linalg by the passes of JAX's own wheel."""

import os
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import jaxlib.mlir._mlir_libs._stablehlo as stablehlo  # noqa: E402
import numpy  # noqa: E402
from jaxlib.mlir import passmanager  # noqa: E402

from fixtures import Refused, keep_mask  # noqa: E402

stablehlo.register_stablehlo_passes()
PIPELINE = "builtin.module(symbol-dce,func.func(chlo-legalize-to-stablehlo),stablehlo-legalize-to-linalg,canonicalize)"
BATCH, LENGTH, HEADS, GROUPS, DIM = 2, 24, 4, 2, 8
HIDDEN = HEADS * DIM
ROWS = (6, 40)
QUERIES, SHARED = (BATCH, LENGTH, HEADS, DIM), (BATCH, LENGTH, GROUPS, DIM)
SQUARE, NARROW, PROJECTION = (HIDDEN, HIDDEN), (HIDDEN, GROUPS * DIM), (HIDDEN, 3, HEADS, DIM)
MLP = ((HIDDEN, 2 * HIDDEN), (2 * HIDDEN, HIDDEN))
WEIGHTS = (SQUARE, NARROW, PROJECTION, *MLP)
attention = jax.nn.dot_product_attention


def normalize(x):
    centered = x - x.mean(-1, keepdims=True)
    return centered * jax.lax.rsqrt((centered**2).mean(-1, keepdims=True) + 1e-5)


def finish_block(x, attended, joined, inner, outer):
    x = x + attended.reshape(x.shape) @ joined
    return x + jax.nn.gelu(normalize(x) @ inner) @ outer


def block(x, query, key, value, joined, inner, outer):
    """A pre-norm decoder block."""
    q, k, v = ((normalize(x) @ weight).reshape(*x.shape[:2], -1, DIM) for weight in (query, key, value))
    return finish_block(x, attention(q, k, v, is_causal=True), joined, inner, outer)


def einsum_block(x, projection, joined, inner, outer):
    """The same with one tensor of weights for queries, keys and values."""
    q, k, v = jnp.moveaxis(jnp.einsum("bsh,hcnd->bscnd", normalize(x), projection), 2, 0)
    return finish_block(x, attention(q, k, v, is_causal=True), joined, inner, outer)


def rotate(x):
    """Rotary positions: halves of a head dim as pairs."""
    angle = jnp.arange(x.shape[1])[:, None, None] / 100 ** (jnp.arange(DIM // 2) / (DIM // 2))
    left, right = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([left * jnp.cos(angle) - right * jnp.sin(angle), right * jnp.cos(angle) + left * jnp.sin(angle)], axis=-1)


def cached(q, keys, values, key, value):
    """Decoding: what the new token gives follows the cache."""
    return attention(q, jnp.concatenate([keys, key], axis=1), jnp.concatenate([values, value], axis=1))


def chunked(q, k, v):
    chunk = jnp.arange(LENGTH) // 8
    return attention(q, k, v, mask=chunk[:, None] == chunk[None, :])


def fast_layer_norm(x, weight, bias):
    """With the variance from a mean of squares, as Flax has it by default, and the weight at the root."""
    mean = x.mean(-1, keepdims=True)
    variance = jnp.maximum(0, (x * x).mean(-1, keepdims=True) - mean * mean)
    return (x - mean) * (jax.lax.rsqrt(variance + 1e-6) * weight) + bias


def rms_norm(x, weight):
    return x * jax.lax.rsqrt((x**2).mean(-1, keepdims=True) + 1e-6) * (1 + weight)


def loss(x, targets):
    """Cross entropy of a few classes."""
    return -jnp.take_along_axis(jax.nn.log_softmax(x), targets[:, None], axis=-1).mean()


@dataclass(frozen=True)
class JaxCase:
    """`inputs` has a shape for each f32 input, or a function that makes one."""

    model: str
    spelling: str
    function: Callable
    inputs: tuple
    op: str = "attention"

    @property
    def holds(self) -> dict[str, int]:
        return {self.op: 1}

    def make(self, spec, random) -> numpy.ndarray:
        if callable(spec):
            return spec(random)
        values = random.standard_normal(spec).astype(numpy.float32)
        return values * numpy.float32(1.5 * spec[0] ** -0.5 if spec in WEIGHTS else 2)

    def export(self, name: str):
        random = numpy.random.default_rng(zlib.crc32(name.encode()))
        inputs = [self.make(spec, random) for spec in self.inputs]
        jitted = jax.jit(self.function)
        # Before the passes run: they change the module that JAX would compile.
        output = numpy.asarray(jitted(*inputs))
        module = jitted.lower(*inputs).compiler_ir("stablehlo")
        try:
            with module.context:
                passmanager.PassManager.parse(PIPELINE).run(module.operation)
        except Exception as error:
            raise Refused(f"StableHLO: {str(error).splitlines()[0]}") from error
        text = str(module)
        if left := set(re.findall(r"\b(?:stablehlo|chlo)\.\w+", text)):
            raise Refused(f"StableHLO: {', '.join(sorted(left))} not legalised")
        return f"// {self.model}: {self.spelling}\n{text}", inputs, [output]


SELF = (QUERIES, QUERIES, QUERIES)
DPA = "jax.nn.dot_product_attention"
CASES: dict[str, JaxCase] = {
    "jax-softmax": JaxCase("softmax", "jax.nn.softmax", jax.nn.softmax, (ROWS,), "softmax"),
    "jax-softmax-axis": JaxCase("softmax", "jax.nn.softmax, axis 0", lambda x: jax.nn.softmax(x, axis=0), (ROWS,), "softmax"),
    "jax-softmax-where": JaxCase("softmax", "jax.nn.softmax, where", lambda x, keep: jax.nn.softmax(x, where=keep),
                                 (ROWS, lambda random: keep_mask(ROWS, random)), "softmax"),
    "jax-log-softmax": JaxCase("log-softmax", "jax.nn.log_softmax", jax.nn.log_softmax, (ROWS,), "log_softmax"),
    "jax-logsumexp": JaxCase("log-sum-exp", "jax.nn.logsumexp", lambda x: jax.nn.logsumexp(x, axis=-1), (ROWS,), "logsumexp"),
    "jax-attention": JaxCase("attention", DPA, attention, SELF),
    "jax-attention-causal": JaxCase("attention", f"{DPA}, is_causal", lambda q, k, v: attention(q, k, v, is_causal=True), SELF),
    "jax-attention-gqa": JaxCase("attention (GQA)", DPA, attention, (QUERIES, SHARED, SHARED)),
    "jax-attention-gqa-causal": JaxCase("attention (GQA)", f"{DPA}, is_causal",
                                        lambda q, k, v: attention(q, k, v, is_causal=True), (QUERIES, SHARED, SHARED)),
    "jax-attention-bias": JaxCase("attention", f"{DPA}, bias", lambda q, k, v, bias: attention(q, k, v, bias=bias),
                                  (*SELF, (1, HEADS, LENGTH, LENGTH))),
    "jax-attention-mask": JaxCase("attention", f"{DPA}, mask", lambda q, k, v, mask: attention(q, k, v, mask=mask),
                                  (*SELF, lambda random: keep_mask((BATCH, 1, LENGTH, LENGTH), random))),
    "jax-attention-window": JaxCase("attention", f"{DPA}, local_window_size, is_causal",
                                    lambda q, k, v: attention(q, k, v, is_causal=True, local_window_size=8), SELF),
    "jax-attention-lengths": JaxCase("attention", f"{DPA}, key_value_seq_lengths",
                                     lambda q, k, v, n: attention(q, k, v, key_value_seq_lengths=n),
                                     (*SELF, lambda random: numpy.array([LENGTH, 17], numpy.int32))),
    "jax-attention-rotary": JaxCase("attention", f"rotary positions by concatenate, {DPA}, is_causal",
                                    lambda q, k, v: attention(rotate(q), rotate(k), v, is_causal=True), SELF),
    "jax-attention-cache": JaxCase("decoding (GQA)", f"concatenate, {DPA}", cached,
                                   ((BATCH, 1, HEADS, DIM), SHARED, SHARED, (BATCH, 1, GROUPS, DIM), (BATCH, 1, GROUPS, DIM))),
    "jax-attention-chunks": JaxCase("attention", f"{DPA}, mask of chunks, arange // 8", chunked, SELF),
    "jax-layer-norm": JaxCase("layer norm", "jax.nn.standardize", jax.nn.standardize, (ROWS,), "layer_norm"),
    "jax-layer-norm-fast": JaxCase("layer norm", "mean of squares less square of mean, as in Flax", fast_layer_norm,
                                   (ROWS, ROWS[1:], ROWS[1:]), "layer_norm"),
    "jax-rms-norm": JaxCase("RMS norm", "x * rsqrt(mean(x**2)) * (1 + weight)", rms_norm, (ROWS, ROWS[1:]), "rms_norm"),
    "jax-loss": JaxCase("cross entropy", "jax.nn.log_softmax, take_along_axis", loss,
                        (ROWS, lambda random: random.integers(0, ROWS[1], ROWS[0], numpy.int32)), "log_softmax"),
    "jax-block": JaxCase("decoder block (GQA)", f"{DPA}, is_causal; gelu", block,
                         ((BATCH, LENGTH, HIDDEN), SQUARE, NARROW, NARROW, SQUARE, *MLP)),
    "jax-block-einsum": JaxCase("decoder block", f"einsum of all heads, {DPA}, is_causal; gelu", einsum_block,
                                ((BATCH, LENGTH, HIDDEN), PROJECTION, SQUARE, *MLP)),
}
