"""ONNX: its softmax and attention ops, and HuggingFace's blocks as torch.onnx exports them, through torch-mlir's importer.

torch-mlir knows no Attention op: it is replaced by the function that the standard defines it as (onnx.inliner).
Results are onnxruntime's.
"""

import re
import zlib
from dataclasses import dataclass

import numpy
import onnx
import onnx.inliner
import onnxruntime
import torch
from onnx import TensorProto, helper
from torch_mlir import ir
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras import onnx_importer
from torch_mlir.passmanager import PassManager

import torch_cases
from fixtures import Refused, keep_mask
from torch_cases import first_line, inline_resources, to_array

PIPELINE = ("builtin.module(torch-onnx-to-torch-backend-pipeline,"
            "torch-backend-to-linalg-on-tensors-backend-pipeline)")
ROWS, QUERIES, SHARED = (6, 40), (2, 4, 24, 8), (2, 2, 24, 8)
MASK = (2, 1, 24, 24)


def pack_booleans(text: str) -> str:
    """Booleans one bit each, as MLIR 22 reads them; newer ones have a byte."""
    def pack(match: re.Match) -> str:
        flags = numpy.frombuffer(bytes.fromhex(match[1]), numpy.uint8)
        return f'dense<"0x{numpy.packbits(flags, bitorder="little").tobytes().hex().upper()}"> : tensor<{match[2]}xi1>'
    return re.sub(r'dense<"0x([0-9A-F]+)"> : tensor<([0-9x]+)xi1>', pack, text)


def lower(model: onnx.ModelProto) -> str:
    model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    context = ir.Context()
    torch_dialect.register_dialect(context)
    info = onnx_importer.ModelInfo(model)
    module = info.create_module(context=context).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    with context:
        PassManager.parse(PIPELINE).run(module)
    text = pack_booleans(inline_resources(str(module).rstrip() + "\n"))
    if left := set(re.findall(r"\b(?:torch|tm_tensor)\.\w+", text)):
        raise ValueError(f"the IR contains {', '.join(sorted(left))}")
    return text


def refuse(error: Exception) -> Refused:
    reason = re.search(r"failed to legalize operation.*?\"(onnx\.\w+)\"", str(error), re.S)
    return Refused(f"torch-mlir: {f'{reason[1]} is not legalised' if reason else first_line(error)}")


def export(title: str, model: onnx.ModelProto, inputs, reference: onnx.ModelProto):
    session = onnxruntime.InferenceSession(reference.SerializeToString(), providers=["CPUExecutionProvider"])
    outputs = session.run(None, {i.name: array for i, array in zip(session.get_inputs(), inputs, strict=True)})
    try:
        text = lower(model)
    except Exception as error:
        raise refuse(error) from error
    return f"// {title}\n{text}", inputs, outputs


@dataclass(frozen=True)
class OpCase:
    """One op with attributes; `inputs` are shapes, of booleans for MASK."""

    model: str
    operator: str
    inputs: tuple
    attributes: tuple = ()
    expanded: bool = False  # to the op's function
    op: str = "attention"

    @property
    def holds(self) -> dict[str, int]:
        return {self.op: 1}

    @property
    def spelling(self) -> str:
        named = [f"{name}={value}" for name, value in self.attributes] + (["mask"] if MASK in self.inputs else [])
        return ", ".join([self.operator, *named]) + (" (its function)" if self.expanded else "")

    def build(self) -> onnx.ModelProto:
        def info(name, shape):
            return helper.make_tensor_value_info(name, TensorProto.BOOL if shape == MASK else TensorProto.FLOAT, shape)
        names = [f"x{n}" for n in range(len(self.inputs))]
        node = helper.make_node(self.operator, names, ["y"], **dict(self.attributes))
        graph = helper.make_graph([node], "main", [info(n, s) for n, s in zip(names, self.inputs)], [info("y", self.inputs[0])])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)

    def export(self, name: str):
        random = numpy.random.default_rng(zlib.crc32(name.encode()))
        inputs = [keep_mask(s, random) if s == MASK else 2 * random.standard_normal(s).astype(numpy.float32) for s in self.inputs]
        model = self.build()
        expanded = model
        if self.expanded:
            expanded = onnx.inliner.inline_selected_functions(model, [("", self.operator)], inline_schema_functions=True)
        return export(f"{self.model}: {self.spelling}", expanded, inputs, model)


@dataclass(frozen=True)
class BlockCase:
    """A case of torch_cases.py, exported by torch.onnx."""

    source: str

    @property
    def torch_case(self):
        return torch_cases.CASES[self.source]

    @property
    def model(self) -> str:
        return self.torch_case.model

    @property
    def spelling(self) -> str:
        return f"torch.onnx: {self.torch_case.spelling}"

    @property
    def holds(self) -> dict[str, int]:
        return self.torch_case.holds

    def export(self, name: str):
        block, arguments = self.torch_case.make_block(name)
        program = torch.onnx.export(block, tuple(arguments), dynamo=True, opset_version=20, verbose=False)
        model = program.model_proto
        return export(f"{self.model}: {self.spelling}", model, [to_array(a) for a in arguments], model)


ATTENTION = (QUERIES, QUERIES, QUERIES)
GROUPED = (QUERIES, SHARED, SHARED)
CASES = {
    "onnx-softmax": OpCase("softmax", "Softmax", (ROWS,), op="softmax"),
    "onnx-softmax-axis": OpCase("softmax", "Softmax", (ROWS,), (("axis", 0),), op="softmax"),
    "onnx-log-softmax": OpCase("log-softmax", "LogSoftmax", (ROWS,), op="log_softmax"),
    "onnx-attention-op": OpCase("attention", "Attention", ATTENTION),
    "onnx-attention": OpCase("attention", "Attention", ATTENTION, expanded=True),
    "onnx-attention-causal": OpCase("attention", "Attention", ATTENTION, (("is_causal", 1),), True),
    "onnx-attention-gqa": OpCase("attention (GQA)", "Attention", GROUPED, (("is_causal", 1),), True),
    "onnx-attention-cap": OpCase("attention", "Attention", ATTENTION, (("softcap", 5.0),), True),
    "onnx-attention-mask": OpCase("attention", "Attention", (*ATTENTION, MASK), (), True),
    "onnx-bert-sdpa-padded": BlockCase("bert-sdpa-padded"),
    "onnx-gpt2-sdpa-padded": BlockCase("gpt2-sdpa-padded"),
    "onnx-llama-sdpa-padded": BlockCase("llama-sdpa-padded"),
    "onnx-gemma2-eager-window": BlockCase("gemma2-eager-window"),
    "onnx-t5-sdpa-padded": BlockCase("t5-sdpa-padded"),
}
