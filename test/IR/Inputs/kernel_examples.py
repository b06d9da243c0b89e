"""The td examples of smx_gpu as kernels: what an example uses and does not define becomes arguments and casts."""
import re

ALIASES = {"#L": "#smx_gpu.fragment<warps = 4>", "#M": "#smx_gpu.striped<rows = 8, columns = 16, vector = 4>"}
IN_ROLE = ("group_id", "take_turn", "pass_turn")
HOST = "launch"


def split_types(text):
    """Splits at the commas and arrows that stand outside of brackets."""
    parts, depth, start = [], 0, 0
    text = text.replace("->", ",")
    for position, char in enumerate(text):
        depth += (char in "<([") - (char in ">)]")
        if char == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [part.strip() for part in parts + [text[start:]]]


def operand_types(example):
    """Operands and types of an op stand in one order; in brackets are index values."""
    types = {}
    for op in re.split(r"\n(?= *(?:%|smx_gpu))", example):
        for operand, stated in re.findall(r"= (%\w+) : ([^%{}]*[^%{},\s)])", op):  # captures of roles
            types[operand] = stated
        text = re.sub(r"\[[^\]%]*%[^\]]*\]|(?:valid|grid)\(.*?\)|fill \[.*?\]", "", op)
        text = re.sub(r"^.*?smx_gpu\.", "", text, flags=re.S).strip()
        head, _, tail = text.partition(" : ")
        if head.count("(") > head.count(")"):  # the arguments of a launch
            tail = tail.rstrip(")")
        types.update((v, t) for v, t in zip(re.findall(r"%\w+", head), split_types(tail)) if v not in types)
    return types


def wrap(name, example):
    for alias, value in ALIASES.items():
        example = re.sub(rf"{alias}\b", value, example)
    op = name.rsplit("_", 1)[0]
    if op == "kernel":
        return example
    if "smx_gpu." not in re.sub(r"[#!]smx_gpu\.", "", example):  # types, one a line
        return "\n".join(f"func.func private @{name}_{i}({line.strip()})" for i, line in enumerate(example.strip().splitlines()))
    types = operand_types(example)
    defined = set(re.findall(r"(%\w+)(?=(?:, %\w+)* = (?:smx_gpu|arith|gpu|scf)\.)", example))
    defined |= set(re.findall(r"(%\w+)(?= = %)", example))  # arguments of roles
    used = [v for v in dict.fromkeys(re.findall(r"%\w+", example)) if v not in defined]
    outside = [v for v in used if op == HOST or types.get(v, "index").startswith(("index", "memref"))]
    arguments = ", ".join(f"{value}: {types.get(value, 'index')}" for value in outside)
    casts = "".join(f"  {value} = builtin.unrealized_conversion_cast to {types[value]}\n" for value in used if value not in outside)
    if op == HOST:
        return f"func.func @{name}({arguments}) {{\n{example}\n  return\n}}"
    warps = sum(map(int, re.findall(r"role @\w+ warps\((\d+)\)", example))) or 4
    body = casts + example
    if op in IN_ROLE:
        warps = 8
        body = f"smx_gpu.warp_specialize {{ smx_gpu.role @all warps(8) group(4) {{\n{body}\n}} }}"
    elif op == "role":
        body = f"{casts}smx_gpu.warp_specialize {{\n{example}\n}}"
    end = "" if op == "return" else "  smx_gpu.return\n"
    return f"smx_gpu.kernel @{name}({arguments}) warps({warps}) shared_limit(232448) {{\n{body}\n{end}}}"
