"""extract_examples.py <folder>: the ```mlir examples of its td files as one module.

An op's example uses values and aliases that it does not define; they become arguments of a function around it,
with the types that the example itself states. An op without an example is an error.
"""
import pathlib
import re
import sys

import kernel_examples
from kernel_examples import split_types

ALIASES = {"#row": "affine_map<(i, j) -> (i)>", "#all": "affine_map<(i, j) -> (i, j)>"}


def argument_types(body):
    """What the example says about the types of the values that it uses."""
    types = {}
    body = re.sub(r"\{\n.*?\n *\}", "", body, flags=re.S)  # regions
    for names, stated in re.findall(r"\(((?:%\w+(?:, )?)+) : ([^)]*)\)", body):
        types.update(zip(names.split(", "), split_types(stated)))
    for names, tail in re.findall(r"smx\.\w+ ((?:%\w+(?:, )?)+)[^%\n](.*?)(?=\n *%|\Z)", body, re.S):
        stated = re.split(r"(?:^|\s):\s", tail)[-1].split("->")[0]
        types.update(zip(names.split(", "), split_types(stated.strip())))
    return types


def wrap(name, example):
    example = re.sub(r"\s*//.*", "", example)
    if example.lstrip().startswith("#smx."):  # attributes, one a line
        return "\n".join(f"func.func private @{name}_{i}() attributes {{test.a = {line.strip()}}}"
                         for i, line in enumerate(example.strip().splitlines()))
    if name.startswith("yield"):
        return (f"func.func @{name}(%q: tensor<2x4xf32>) {{\n  %o = smx.attention %q, %q, %q scale(1.0) score {{\n"
                f"  ^bb0(%s: f32, %i: index, %j: index):\n{example}\n  }} : tensor<2x4xf32>, tensor<2x4xf32>, "
                "tensor<2x4xf32> -> tensor<2x4xf32>\n  return\n}")
    aliases = dict(ALIASES)
    aliases.update(re.findall(r"^\s*(#\w+) = (.*)$", example, re.M))
    body = re.sub(r"^\s*#\w+ = .*\n", "", example, flags=re.M)
    for alias, value in aliases.items():
        body = re.sub(rf"{alias}\b", value, body)
    defined = set(re.findall(r"(%\w+): ", body))
    for names in re.findall(r"^\s*(%\w+(?:, %\w+)*) = ", body, re.M):
        defined.update(names.split(", "))
    types = argument_types(body)
    used = dict.fromkeys(v for v in re.findall(r"%\w+", body) if v not in defined)
    arguments = ", ".join(f"{value}: {types.get(value, 'index')}" for value in used)
    return f"func.func @{name}({arguments}) {{\n{body}\n  return\n}}"


problems = 0
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.td")):
    for definition in re.split(r"^(?=def )", file.read_text(), flags=re.M):
        op = re.match(r'def Smx\w*_\w+ : Smx\w*_\w*Op<"(\w+)"|def Smx\w*_\w+ : Op<\w+, "(\w+)"|def Smx\w*_(\w+) : Smx\w*_(?:Attr|Type|TileInMemory)',
                      definition)
        if not op:
            continue
        name = next(n for n in op.groups() if n)
        examples = re.findall(r"```mlir\n(.*?)```", definition, re.S)
        if not examples and not op.group(3):
            print(f"error: {name} has no example", file=sys.stderr)
            problems += 1
        wrap_example = kernel_examples.wrap if definition.startswith("def SmxGpu_") else wrap
        for number, example in enumerate(examples):
            print(wrap_example(f"{name}_{number}", example.rstrip()))
sys.exit(problems)
