"""Evaluates a manifest for example sizes: sizes of results, grids, and the parameters against the PTX.

Usage: read_manifest.py <manifest> <ptx>
"""
import json
import re
import sys

SIZES = {"softmax": {"in0": [37, 1000]},
         "attention": {"in0": [2, 4, 150, 64], "in1": [2, 2, 150, 64], "in2": [2, 2, 150, 64]}}
WIDTHS = {"u64": 8, "b64": 8, "u32": 4, "b32": 4, "u16": 2, "u8": 1}
OPERATIONS = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "div": lambda a, b: int(a / b), "rem": lambda a, b: a - b * int(a / b),
    "floordiv": lambda a, b: a // b, "ceildiv": lambda a, b: -(-a // b),
    "min": min, "max": max, "eq": lambda a, b: int(a == b), "ne": lambda a, b: int(a != b),
    "lt": lambda a, b: int(a < b), "le": lambda a, b: int(a <= b), "select": lambda c, a, b: a if c else b,
}


def strides(sizes):
    result = [1] * len(sizes)
    for dim in reversed(range(len(sizes) - 1)):
        result[dim] = result[dim + 1] * sizes[dim + 1]
    return result


def evaluate(function, sizes):
    values = []
    for name, *operands in function["numbers"]:
        if name == "constant":
            values.append(operands[0])
        elif name in ("size", "stride"):
            extents = sizes[operands[0]]
            values.append((extents if name == "size" else strides(extents))[operands[1]])
        else:
            values.append(OPERATIONS[name](*(values[number] for number in operands)))
    return values


def main():
    manifest = json.load(open(sys.argv[1]))
    ptx = open(sys.argv[2]).read()
    for function in manifest["functions"]:
        sizes = [SIZES[function["name"]].get(argument["name"]) for argument in function["arguments"]]
        # The sizes of results need those of inputs only.
        for place, argument in enumerate(function["arguments"]):
            if argument["role"] == "out":
                known = [given or [0] * 8 for given in sizes]
                sizes[place] = [evaluate(function, known)[number] for number in argument["extents"]]
                print(function["name"], argument["name"], "x".join(map(str, sizes[place])))
        numbers = evaluate(function, sizes)
        assert all(numbers[assertion["holds"]] for assertion in function["assertions"])
        for launch in function["launches"]:
            header = re.search(rf"\.entry {launch['kernel']}\((.*?)\)", ptx, re.DOTALL).group(1)
            in_ptx = [WIDTHS[width] for width in re.findall(r"\.param \.(\w+)", header)]
            same = in_ptx == [parameter["bytes"] for parameter in launch["parameters"]]
            print(launch["kernel"], "grid", *(numbers[number] for number in launch["grid"]), end=", ")
            print("parameters", "as in the PTX" if same else f"{launch['parameters']} are {in_ptx} in the PTX")


main()
