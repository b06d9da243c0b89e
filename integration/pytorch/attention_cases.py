"""Attention as model code writes it: matmul, scale, mask, softmax, matmul."""

import math

import torch
import torch.nn.functional as F

from cases import case, tensor

F16, BF16 = torch.float16, torch.bfloat16
INF = float("inf")


def qkv(batch, heads, queries, keys, dim, value_dim=None, kv_heads=None, dtype=torch.float32, dynamic=()):
    """Specs of Q [B,H,Sq,D], K [B,Hkv,Sk,D], V [B,Hkv,Sk,Dv]."""
    kv_heads = kv_heads or heads
    return (
        tensor(batch, heads, queries, dim, dtype=dtype, dynamic=dynamic),
        tensor(batch, kv_heads, keys, dim, dtype=dtype, dynamic=dynamic),
        tensor(batch, kv_heads, keys, value_dim or dim, dtype=dtype, dynamic=dynamic),
    )


def eager(q, k, v, mask=None):
    """The eager attention of most published models: softmax in float32, then cast back."""
    scores = torch.matmul(q, k.transpose(2, 3)) * q.shape[-1] ** -0.5
    if mask is not None:
        scores = scores + mask
    weights = F.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
    return torch.matmul(weights, v)


def masked(q, k, v, keep):
    """Attention with a boolean mask (true = attend) filled with -inf."""
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    weights = F.softmax(scores.masked_fill(~keep, -INF), dim=-1)
    return torch.matmul(weights, v)


def repeat_kv(x, groups):
    """Each key or value head serves `groups` query heads: expand, then reshape."""
    batch, heads, length, dim = x.shape
    x = x[:, :, None, :, :].expand(batch, heads, groups, length, dim)
    return x.reshape(batch, heads * groups, length, dim)


# --- eager -------------------------------------------------------------------


@case("attention-eager", *qkv(2, 4, 48, 48, 16), raises="attention")
def attention_eager(q, k, v):
    """matmul * scale, softmax, matmul"""
    return eager(q, k, v)


@case("attention-eager-odd", *qkv(1, 3, 19, 37, 11), raises="attention")
def attention_eager_odd(q, k, v):
    """eager attention, odd sizes"""
    return eager(q, k, v)


@case("attention-unscaled", *qkv(1, 2, 13, 13, 8), raises="attention")
def attention_unscaled(q, k, v):
    """no scale at all (T5)"""
    return torch.matmul(F.softmax(torch.matmul(q, k.transpose(3, 2)), dim=-1), v)


@case("attention-scaled-query", *qkv(1, 2, 13, 21, 8), raises="attention")
def attention_scaled_query(q, k, v):
    """the scale is multiplied into the query (OPT, Whisper)"""
    return torch.matmul(F.softmax((q * 8**-0.5) @ k.transpose(-1, -2), dim=-1), v)


@case("attention-f16", *qkv(1, 2, 33, 33, 16, dtype=F16), raises="attention")
def attention_f16(q, k, v):
    """float16 with a float32 softmax"""
    return eager(q, k, v)


@case("attention-bf16", *qkv(1, 2, 33, 33, 16, dtype=BF16), raises="attention")
def attention_bf16(q, k, v):
    """bfloat16 with a float32 softmax"""
    return eager(q, k, v)


@case("attention-cross", *qkv(2, 2, 29, 53, 16, value_dim=24), raises="attention")
def attention_cross(q, k, v):
    """cross attention: Sq != Sk, Dv != D"""
    return eager(q, k, v)


@case("attention-decode", *qkv(2, 4, 1, 61, 16), raises="attention")
def attention_decode(q, k, v):
    """one query row against a cache"""
    return eager(q, k, v)


@case("attention-dynamic", *qkv(2, 2, 23, 23, 16, dynamic=(0, 2)), raises="attention")
def attention_dynamic(q, k, v):
    """dynamic batch and sequence length"""
    return eager(q, k, v)


@case("attention-bmm", tensor(5, 21, 12),
      tensor(5, 34, 12), tensor(5, 34, 12), raises="attention")
def attention_bmm(q, k, v):
    """three-dimensional bmm, heads already folded into the batch"""
    weights = F.softmax(torch.bmm(q, k.transpose(1, 2)) / math.sqrt(12), dim=-1)
    return torch.bmm(weights, v)


@case("attention-bmm-dynamic", *(tensor(5, 21, 12, dynamic=(0, 1)) for _ in range(3)), raises="attention")
def attention_bmm_dynamic(q, k, v):
    """three-dimensional bmm, dynamic batch and sequence length"""
    weights = F.softmax(torch.bmm(q, k.transpose(1, 2)) * 0.25, dim=-1)
    return torch.bmm(weights, v)


@case("attention-single-head", tensor(21, 12),
      tensor(34, 12), tensor(34, 12), raises="attention")
def attention_single_head(q, k, v):
    """two-dimensional, as a textbook writes it"""
    return torch.softmax(q @ k.T / math.sqrt(12), dim=-1) @ v


@case("attention-einsum", *qkv(2, 2, 17, 26, 8), raises="attention")
def attention_einsum(q, k, v):
    """both products by einsum"""
    weights = torch.einsum("bhid,bhjd->bhij", q, k).mul(8**-0.5).softmax(dim=-1)
    return torch.einsum("bhij,bhjd->bhid", weights, v)


@case("attention-bshd", *(tensor(2, 25, 4 * 8) for _ in range(3)), raises="attention")
def attention_bshd(q, k, v):
    """[B,S,H*D] projections split into heads and joined again (BERT)"""

    def split(x):
        return x.view(2, 25, 4, 8).transpose(1, 2)

    out = eager(split(q), split(k), split(v))
    return out.transpose(1, 2).contiguous().view(2, 25, 32)


@case("attention-returns-weights", *qkv(1, 2, 13, 21, 8), raises="softmax")
def attention_returns_weights(q, k, v):
    """the weights are returned too: the score matrix must be materialised"""
    weights = F.softmax(q @ k.transpose(2, 3) * 8**-0.5, dim=-1)
    return weights @ v, weights


# --- masks -------------------------------------------------------------------


@case("attention-additive-mask", *qkv(2, 2, 19, 30, 8),
      tensor(2, 1, 19, 30, kind="additive"), raises="attention")
def attention_additive_mask(q, k, v, mask):
    """additive [B,1,Sq,Sk] mask with the lowest finite value"""
    return eager(q, k, v, mask)


@case("attention-padding-mask", *qkv(2, 2, 19, 30, 8),
      tensor(2, 1, 1, 30, kind="additive"), raises="attention")
def attention_padding_mask(q, k, v, mask):
    """additive [B,1,1,Sk] padding mask (BERT)"""
    return eager(q, k, v, mask)


@case("attention-masked-fill", *qkv(2, 2, 19, 30, 8),
      tensor(2, 1, 19, 30, kind="keep"), raises="attention")
def attention_masked_fill(q, k, v, keep):
    """boolean [B,1,Sq,Sk] mask by masked_fill(-inf)"""
    return masked(q, k, v, keep)


@case("attention-where", *qkv(1, 2, 19, 30, 8), tensor(19, 30, kind="keep"), raises="attention")
def attention_where(q, k, v, keep):
    """boolean [Sq,Sk] mask by where(keep, scores, lowest finite value) (GPT-2)"""
    scores = q @ k.transpose(-1, -2) / 8**0.5
    lowest = torch.full([], torch.finfo(scores.dtype).min, dtype=scores.dtype)
    return F.softmax(torch.where(keep, scores, lowest), dim=-1) @ v


@case("attention-causal-tril", *qkv(1, 2, 33, 33, 8), raises="attention")
def attention_causal_tril(q, k, v):
    """causal mask by tril of ones (nanoGPT)"""
    keep = torch.tril(torch.ones(33, 33)).view(1, 1, 33, 33)
    scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
    return F.softmax(scores.masked_fill(keep == 0, -INF), dim=-1) @ v


CAUSAL_BUFFER = torch.tril(torch.ones(33, 33)).view(1, 1, 33, 33)


@case("attention-causal-buffer", *qkv(1, 2, 33, 33, 8), raises="attention")
def attention_causal_buffer(q, k, v):
    """causal mask read from a tensor that the module holds (GPT-2)"""
    scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
    scores = scores.masked_fill(CAUSAL_BUFFER[:, :, :33, :33] == 0, -INF)
    return F.softmax(scores, dim=-1) @ v


@case("attention-causal-triu", *qkv(1, 2, 33, 33, 8), raises="attention")
def attention_causal_triu(q, k, v):
    """causal mask added: triu of a matrix of -inf (Llama)"""
    mask = torch.triu(torch.full((33, 33), -INF), diagonal=1)
    return eager(q, k, v, mask)


@case("attention-causal-triu-bool", *qkv(1, 2, 33, 33, 8), raises="attention")
def attention_causal_triu_bool(q, k, v):
    """causal mask by triu of boolean ones"""
    drop = torch.triu(torch.ones(33, 33, dtype=torch.bool), diagonal=1)
    return masked(q, k, v, ~drop)


@case("attention-causal-arange", *qkv(1, 2, 33, 33, 8), raises="attention")
def attention_causal_arange(q, k, v):
    """causal mask by comparing position vectors"""
    position = torch.arange(33)
    return masked(q, k, v, position[None, :] <= position[:, None])


@case("attention-causal-bottom-right", *qkv(1, 2, 9, 30, 8), raises="attention")
def attention_causal_bottom_right(q, k, v):
    """causal mask aligned at the end of the cache"""
    keep = torch.ones(9, 30, dtype=torch.bool).tril(diagonal=21)
    return masked(q, k, v, keep)


@case("attention-causal-dynamic", *qkv(1, 2, 23, 23, 8, dynamic=(2,)), raises="attention")
def attention_causal_dynamic(q, k, v):
    """causal mask over a dynamic sequence length"""
    position = torch.arange(q.shape[2])
    return masked(q, k, v, position[None, :] <= position[:, None])


@case("attention-sliding-window", *qkv(1, 2, 33, 33, 8), raises="attention")
def attention_sliding_window(q, k, v):
    """causal and at most 7 keys back (Mistral)"""
    distance = torch.arange(33)[:, None] - torch.arange(33)[None, :]
    return masked(q, k, v, (distance >= 0) & (distance < 7))


@case("attention-causal-bf16", *qkv(1, 2, 33, 33, 16, dtype=BF16), raises="attention")
def attention_causal_bf16(q, k, v):
    """bfloat16, causal triu mask of the lowest finite value added, float32 softmax"""
    mask = torch.full((33, 33), torch.finfo(BF16).min, dtype=BF16).triu(diagonal=1)
    return eager(q, k, v, mask)


# --- grouped heads -----------------------------------------------------------


@case("attention-gqa", *qkv(1, 6, 17, 26, 8, kv_heads=2), raises="attention")
def attention_gqa(q, k, v):
    """grouped heads by expand and reshape"""
    return eager(q, repeat_kv(k, 3), repeat_kv(v, 3))


@case("attention-gqa-mask-bf16", *qkv(2, 4, 17, 17, 16, kv_heads=2, dtype=BF16),
      tensor(2, 1, 17, 17, dtype=BF16, kind="additive"), raises="attention")
def attention_gqa_mask_bf16(q, k, v, mask):
    """bfloat16, grouped heads, additive mask, float32 softmax (Llama)"""
    return eager(q, repeat_kv(k, 2), repeat_kv(v, 2), mask)


@case("attention-gqa-interleave", *qkv(1, 6, 17, 26, 8, kv_heads=2), raises="attention")
def attention_gqa_interleave(q, k, v):
    """grouped heads by repeat_interleave"""
    return eager(q, k.repeat_interleave(3, dim=1), v.repeat_interleave(3, dim=1))


@case("attention-mqa", *qkv(2, 4, 17, 26, 8, kv_heads=1), raises="attention")
def attention_mqa(q, k, v):
    """one key and value head, broadcast by matmul"""
    return eager(q, k, v)
