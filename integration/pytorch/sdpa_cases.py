"""scaled_dot_product_attention, modified scores, and what only looks like an attention."""

import torch
import torch.nn.functional as F

from attention_cases import BF16, INF, qkv
from cases import case, tensor

# --- scaled_dot_product_attention, decomposed by torch-mlir's default table ---


@case("sdpa", *qkv(2, 4, 48, 48, 16), raises="attention")
def sdpa(q, k, v):
    """scaled_dot_product_attention"""
    return F.scaled_dot_product_attention(q, k, v)


@case("sdpa-causal", *qkv(1, 2, 33, 33, 16), raises="attention")
def sdpa_causal(q, k, v):
    """scaled_dot_product_attention, is_causal=True"""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


@case("sdpa-causal-cross", *qkv(1, 2, 17, 26, 8), raises="attention")
def sdpa_causal_cross(q, k, v):
    """is_causal=True with Sq != Sk: aligned top left"""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


@case("sdpa-bool-mask", *qkv(2, 2, 19, 30, 8),
      tensor(2, 1, 19, 30, kind="keep_empty_row"), raises="attention")
def sdpa_bool_mask(q, k, v, keep):
    """scaled_dot_product_attention with a boolean mask; row 1 has no key"""
    return F.scaled_dot_product_attention(q, k, v, attn_mask=keep)


@case("sdpa-additive-mask", *qkv(2, 2, 19, 30, 8), tensor(2, 1, 19, 30), raises="attention")
def sdpa_additive_mask(q, k, v, mask):
    """scaled_dot_product_attention with a float mask"""
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


@case("sdpa-gqa", *qkv(1, 6, 17, 26, 8, kv_heads=2), raises="attention")
def sdpa_gqa(q, k, v):
    """scaled_dot_product_attention, enable_gqa=True"""
    return F.scaled_dot_product_attention(q, k, v, enable_gqa=True)


@case("sdpa-scale", *qkv(1, 2, 17, 26, 8), raises="attention")
def sdpa_scale(q, k, v):
    """scaled_dot_product_attention with its own scale"""
    return F.scaled_dot_product_attention(q, k, v, scale=0.3)


@case("sdpa-bf16", *qkv(1, 2, 33, 33, 16, dtype=BF16), raises="attention")
def sdpa_bf16(q, k, v):
    """scaled_dot_product_attention in bfloat16"""
    return F.scaled_dot_product_attention(q, k, v)


@case("sdpa-dynamic", *qkv(2, 2, 23, 23, 16, dynamic=(0, 2)), raises="attention")
def sdpa_dynamic(q, k, v):
    """scaled_dot_product_attention, dynamic batch and sequence length"""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


# --- scores that are modified ------------------------------------------------


@case("attention-soft-cap", *qkv(1, 2, 17, 26, 8), raises="attention")
def attention_soft_cap(q, k, v):
    """scores capped by tanh (Gemma 2)"""
    scores = torch.tanh(q @ k.transpose(2, 3) * 8**-0.5 / 20.0) * 20.0
    return F.softmax(scores, dim=-1) @ v


@case("attention-relative-bias", *qkv(2, 3, 17, 26, 8),
      tensor(1, 3, 17, 26), raises="attention")
def attention_relative_bias(q, k, v, bias):
    """no scale, a per-head bias (T5)"""
    return F.softmax(q @ k.transpose(2, 3) + bias, dim=-1) @ v


@case("attention-alibi", *qkv(1, 4, 17, 17, 8), tensor(4), raises="attention")
def attention_alibi(q, k, v, slopes):
    """ALiBi: a slope per head times the key position, causal"""
    position = torch.arange(17)
    bias = slopes.view(1, 4, 1, 1) * position.to(q.dtype)
    scores = q @ k.transpose(2, 3) * 8**-0.5 + bias
    scores = scores.masked_fill(position[None, :] > position[:, None], -INF)
    return F.softmax(scores, dim=-1) @ v


@case("attention-sink", *qkv(1, 2, 17, 26, 8), tensor(2), raises="attention")
def attention_sink(q, k, v, sink):
    """one more logit per head, dropped after the softmax (GPT-OSS)"""
    scores = q @ k.transpose(2, 3) * 8**-0.5
    logits = torch.cat([scores, sink.view(1, 2, 1, 1).expand(1, 2, 17, 1)], dim=-1)
    return F.softmax(logits, dim=-1)[..., :-1] @ v


# --- near misses: a softmax may be found in some, an attention in none --------


@case("near-miss-attention-axis", *qkv(1, 2, 15, 15, 15), raises="softmax")
def near_miss_attention_axis(q, k, v):
    """softmax over the queries: every shape fits"""
    return F.softmax(q @ k.transpose(2, 3) * 0.25, dim=-2) @ v


@case("near-miss-attention-linear", *qkv(1, 2, 15, 15, 8), raises="none")
def near_miss_attention_linear(q, k, v):
    """no softmax between the products"""
    return (q @ k.transpose(2, 3) * 0.25) @ v


@case("near-miss-attention-transposed-weights", *qkv(1, 2, 15, 15, 15), raises="softmax")
def near_miss_attention_transposed_weights(q, k, v):
    """the weights are transposed before the second product"""
    return F.softmax(q @ k.transpose(2, 3) * 0.25, dim=-1).transpose(2, 3) @ v


@case("near-miss-attention-weights-after", *qkv(1, 2, 15, 21, 8),
      tensor(15, 21, kind="keep"), raises="softmax")
def near_miss_attention_weights_after(q, k, v, keep):
    """the weights are masked after the softmax: rows no longer sum to one"""
    return (F.softmax(q @ k.transpose(2, 3) * 0.25, dim=-1) * keep) @ v


@case("near-miss-attention-row-scale", *qkv(1, 2, 15, 15, 8), tensor(15, 1), raises="attention")
def near_miss_attention_row_scale(q, k, v, temperature):
    """a temperature per query row: not one scale, yet an attention with a score region"""
    return F.softmax(q @ k.transpose(2, 3) * temperature, dim=-1) @ v
