"""One block each of randomly initialised HuggingFace models, through torch.export and torch-mlir.

Embeddings stay outside (`inputs_embeds`), masks and rotary positions inside, as the model makes them;
weights are arguments.  Two sequences of 24 tokens, hidden size 32, four heads of 8.
"""

import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
import transformers
from transformers.models.llama.modeling_llama import LlamaDecoderLayer

from fixtures import Refused

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pytorch"))
from export_fixtures import export_ir, inline_resources  # noqa: E402, F401
from npy import to_array  # noqa: E402

transformers.logging.set_verbosity_error()
BATCH, LENGTH, TARGETS, HIDDEN, HEADS = 2, 24, 20, 32, 4
PADDING = 7  # of the second sequence


def bert(attention: str) -> torch.nn.Module:
    config = transformers.BertConfig(
        vocab_size=16, hidden_size=HIDDEN, num_hidden_layers=1, num_attention_heads=HEADS, intermediate_size=64,
        max_position_embeddings=32, attn_implementation=attention)
    return transformers.BertModel(config, add_pooling_layer=False)


def gpt2(attention: str) -> torch.nn.Module:
    return transformers.GPT2Model(transformers.GPT2Config(
        vocab_size=16, n_embd=HIDDEN, n_layer=1, n_head=HEADS, n_positions=32, n_inner=64, bos_token_id=0, eos_token_id=0,
        use_cache=False, attn_implementation=attention))


def llama_config(attention: str) -> transformers.LlamaConfig:
    return transformers.LlamaConfig(
        vocab_size=16, hidden_size=HIDDEN, num_hidden_layers=1, num_attention_heads=HEADS, num_key_value_heads=2,
        intermediate_size=64, max_position_embeddings=32, use_cache=False, attn_implementation=attention)


def llama(attention: str) -> torch.nn.Module:
    return transformers.LlamaModel(llama_config(attention))


class LlamaLayer(torch.nn.Module):
    """The decoder layer as it is called without a mask; rotary positions are arguments."""

    def __init__(self, attention: str):
        super().__init__()
        self.layer = LlamaDecoderLayer(llama_config(attention), 0)

    def forward(self, inputs_embeds, cosine, sine):
        return self.layer(inputs_embeds, attention_mask=None, position_embeddings=(cosine, sine))


def gemma2(layer: str) -> Callable[[str], torch.nn.Module]:
    def build(attention: str) -> torch.nn.Module:
        return transformers.Gemma2Model(transformers.Gemma2Config(
            vocab_size=16, hidden_size=HIDDEN, num_hidden_layers=1, num_attention_heads=HEADS, num_key_value_heads=2,
            head_dim=8, intermediate_size=64, max_position_embeddings=32, sliding_window=8, query_pre_attn_scalar=8,
            attn_logit_softcapping=5.0,
            # The same function as gelu_pytorch_tanh, for which torch-mlir writes sqrt(2 / pi) as 0.797724.
            hidden_activation="gelu_new", layer_types=[layer], use_cache=False, attn_implementation=attention))
    return build


def t5(attention: str) -> torch.nn.Module:
    return transformers.T5Model(transformers.T5Config(
        vocab_size=16, d_model=HIDDEN, d_kv=8, d_ff=64, num_layers=1, num_decoder_layers=1, num_heads=HEADS,
        relative_attention_num_buckets=8, relative_attention_max_distance=16, use_cache=False,
        attn_implementation=attention))


def spread_weights(model: torch.nn.Module, generator: torch.Generator) -> None:
    """Weights that make rows of scores uneven: with those that training starts from a lost mask would not show."""
    for name, weight in model.named_parameters():
        values = torch.randn(weight.shape, generator=generator)
        if weight.dim() > 1:
            values *= 1.0 if "relative_attention_bias" in name else 1.5 * weight.shape[-1] ** -0.5
        else:
            values = 0.1 * values + (0.0 if name.endswith("bias") else 1.0)
        weight.data = values


class Block(torch.nn.Module):
    """A model as a function of its inputs and its weights."""

    def __init__(self, model: torch.nn.Module, names: list[str]):
        super().__init__()
        self.model = [model]  # In a list, so that its weights are not part of this module.
        self.names = names

    def forward(self, *arguments):
        inputs = dict(zip(self.names, arguments))
        weights = dict(zip(dict(self.model[0].named_parameters()), arguments[len(self.names):]))
        result = torch.func.functional_call(self.model[0], weights, (), inputs)
        return getattr(result, "last_hidden_state", result)


def first_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return " ".join((lines[0] if lines else repr(error)).split())


@dataclass(frozen=True)
class TorchCase:
    """`inputs` names what the block takes beside its weights."""

    model: str
    build: Callable[[str], torch.nn.Module]
    attention: str
    masking: str
    inputs: tuple[str, ...] = ("inputs_embeds",)
    left: bool = False  # the side of the padding
    attentions: int = 1

    @property
    def holds(self) -> dict[str, int]:
        return {"attention": self.attentions}

    @property
    def spelling(self) -> str:
        return f"{self.attention}, {self.masking}"

    def make(self, name: str, generator: torch.Generator) -> torch.Tensor:
        if name == "attention_mask":
            mask = torch.ones(BATCH, LENGTH, dtype=torch.int64)
            mask[1, :PADDING] = 0
            return mask if self.left else mask.flip(1)
        if name in ("cosine", "sine"):
            angles = torch.arange(LENGTH)[:, None] * 100.0 ** (-torch.arange(4) / 4)[None, :]
            angles = torch.cat([angles, angles], dim=-1)[None]
            return angles.cos() if name == "cosine" else angles.sin()
        length = TARGETS if name == "decoder_inputs_embeds" else LENGTH
        return torch.randn(BATCH, length, HIDDEN, generator=generator)

    def make_block(self, name: str):
        """The block and its arguments, seeded by a fixture's name."""
        generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
        model = self.build(self.attention).eval()
        spread_weights(model, generator)
        weights = [weight.detach() for weight in model.parameters()]
        arguments = [self.make(i, generator) for i in self.inputs] + weights
        return Block(model, list(self.inputs)).eval(), arguments

    def export(self, name: str):
        block, arguments = self.make_block(name)
        with torch.no_grad():
            output = block(*arguments)
        try:
            text = export_ir(block, arguments, None, f"{self.model}: {self.spelling}")
        except Exception as error:
            raise Refused(f"torch-mlir: {first_line(error)}") from error
        return text, [to_array(a) for a in arguments], [to_array(output)]


PADDED = ("inputs_embeds", "attention_mask")
TARGET = ("inputs_embeds", "decoder_inputs_embeds")
T5 = "T5 (encoder, decoder)"
CASES: dict[str, TorchCase] = {
    "bert-eager-padded": TorchCase("BERT", bert, "eager", "padding", PADDED),
    "bert-sdpa": TorchCase("BERT", bert, "sdpa", "no mask"),
    "bert-sdpa-padded": TorchCase("BERT", bert, "sdpa", "padding", PADDED),
    "gpt2-eager": TorchCase("GPT-2", gpt2, "eager", "causal"),
    "gpt2-eager-padded": TorchCase("GPT-2", gpt2, "eager", "causal, padding", PADDED),
    "gpt2-sdpa-padded": TorchCase("GPT-2", gpt2, "sdpa", "causal, padding", PADDED),
    "llama-eager-padded": TorchCase("Llama (GQA, RoPE)", llama, "eager", "causal, padding", PADDED),
    "llama-eager-left-padded": TorchCase("Llama (GQA, RoPE)", llama, "eager", "causal, padding on the left", PADDED, True),
    "llama-sdpa": TorchCase("Llama (GQA, RoPE)", llama, "sdpa", "causal"),
    "llama-sdpa-layer": TorchCase("Llama (GQA, RoPE)", LlamaLayer, "sdpa", "causal, one layer called alone",
                                  ("inputs_embeds", "cosine", "sine")),
    "llama-sdpa-padded": TorchCase("Llama (GQA, RoPE)", llama, "sdpa", "causal, padding", PADDED),
    "llama-sdpa-left-padded": TorchCase("Llama (GQA, RoPE)", llama, "sdpa", "causal, padding on the left", PADDED, True),
    "gemma2-eager-full": TorchCase("Gemma 2 (soft-cap, GQA)", gemma2("full_attention"), "eager", "causal, padding", PADDED),
    "gemma2-eager-window": TorchCase("Gemma 2 (soft-cap, GQA)", gemma2("sliding_attention"), "eager",
                                     "window of 8, padding", PADDED),
    "t5-eager": TorchCase(T5, t5, "eager", "relative bias", TARGET, attentions=3),
    "t5-eager-padded": TorchCase(T5, t5, "eager", "relative bias, padding", (*TARGET, "attention_mask"), attentions=3),
    "t5-sdpa-padded": TorchCase(T5, t5, "sdpa", "relative bias, padding", (*TARGET, "attention_mask"), attentions=3),
}
