"""What attention is, in a few products: the exact result in float64, or the naive form in another type."""

import torch


def attention(q, k, v, hidden=None, dtype=torch.float64):
    """The result, as float64, for [.., rows, dim] of queries, keys and values, computed in a type; `hidden`, of [rows, keys], is
    True where a query does not see a key."""
    scores = q.to(dtype) @ k.to(dtype).transpose(-1, -2) * q.shape[-1] ** -0.5
    if hidden is not None:
        scores.masked_fill_(hidden, float("-inf"))
    return (torch.softmax(scores, -1) @ v.to(dtype)).double()


def after(rows, keys):
    """Where keys come after queries of these rows: what a causal mask hides."""
    return torch.arange(keys, device=rows.device)[None] > rows[:, None]
