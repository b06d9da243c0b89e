"""The forward pass of a BERT encoder (MiniLM) from its weights, in plain PyTorch."""

import json
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer


@dataclass
class LayerTensors:
    """What one layer's attention saw and made: q, k, v and output, all [B,H,S,D]."""

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    output: torch.Tensor


class MiniLM:
    """all-MiniLM-L6-v2: 6 layers, 12 heads of 32, hidden 384, vocabulary 30522."""

    def __init__(self, folder: Path):
        self.config = json.loads((folder / "config.json").read_text())
        self.weights = load_file(folder / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def tokenize(self, text: str, length: int) -> tuple[torch.Tensor, int]:
        """Token ids [1,length], padded with 0, and how many of them are real."""
        ids = self.tokenizer.encode(text).ids
        if len(ids) > length:
            raise ValueError(f"the text has {len(ids)} tokens; the limit is {length}")
        return torch.tensor([ids + [0] * (length - len(ids))]), len(ids)

    def linear(self, name: str, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def norm(self, name: str, x: torch.Tensor) -> torch.Tensor:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return F.layer_norm(x, weight.shape, weight, bias, self.config["layer_norm_eps"])

    def split_heads(self, x: torch.Tensor) -> torch.Tensor:
        heads = self.config["num_attention_heads"]
        return x.unflatten(-1, (heads, -1)).transpose(1, 2).contiguous()

    def layer(self, index: int, x: torch.Tensor, mask: torch.Tensor, attention):
        prefix = f"encoder.layer.{index}"
        q, k, v = (
            self.split_heads(self.linear(f"{prefix}.attention.self.{name}", x))
            for name in ("query", "key", "value")
        )
        output = attention(q, k, v, mask)
        joined = output.transpose(1, 2).flatten(2)
        attended = self.linear(f"{prefix}.attention.output.dense", joined)
        x = self.norm(f"{prefix}.attention.output.LayerNorm", attended + x)
        inner = F.gelu(self.linear(f"{prefix}.intermediate.dense", x))
        outer = self.linear(f"{prefix}.output.dense", inner)
        return self.norm(f"{prefix}.output.LayerNorm", outer + x), LayerTensors(q, k, v, output)

    def embed(self, ids: torch.Tensor) -> torch.Tensor:
        words = self.weights["embeddings.word_embeddings.weight"][ids]
        positions = self.weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        types = self.weights["embeddings.token_type_embeddings.weight"][0]
        return self.norm("embeddings.LayerNorm", words + positions + types)

    def run(self, ids: torch.Tensor, mask: torch.Tensor, attention):
        """Last hidden states [1,S,384] and every layer's attention tensors."""
        x, layers = self.embed(ids), []
        for index in range(self.config["num_hidden_layers"]):
            x, tensors = self.layer(index, x, mask, attention)
            layers.append(tensors)
        return x, layers
