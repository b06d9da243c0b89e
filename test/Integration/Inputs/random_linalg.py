"""Runs random sums of products, reductions and elementwise ops on the CPU and on the emulator of a GPU, each checked in float64.

    python random_linalg.py --softmax-run PATH [--count N] [--seed S]

Dimensions, their order in memory and in the loops, and types are random; the same seed gives the same modules.
"""

import argparse
import random
import subprocess
import sys

TARGETS = ["--target=cpu"], ["--target=emulator"], ["--target=emulator", "--chip=sm_90a"]
TYPES = "f32", "f32", "bf16", "f16"
COMBINERS = {"arith.addf": "0.0", "arith.maximumf": "-6.0e4", "arith.minimumf": "6.0e4", "arith.maxnumf": "-6.0e4"}


def shuffled(draw, names):
    return draw.sample(names, len(names))


def draw_extents(draw, names, most):
    """Extents with at most so many points in all."""
    extents = {name: draw.choice([1, 2, 3] if name[0] == "b" else [1, 2, 3, 5, 8, 17, 33]) for name in names}
    while True:
        points = 1
        for extent in extents.values():
            points *= extent
        if points <= most:
            return extents
        largest = max(names, key=extents.get)
        extents[largest] //= 2


def function(order, reduced, extents, kind, result, init, operands, body):
    """A module of one linalg.generic over `order`; `result` and the operands are lists of its dimensions."""
    def tensor(dims):
        return f"tensor<{''.join(f'{extents[dim]}x' for dim in dims)}{kind}>"

    names = [f"%x{number}" for number in range(len(operands))]
    types = [tensor(dims) for dims in operands]
    maps = ", ".join(f"affine_map<({', '.join(order)}) -> ({', '.join(dims)})>" for dims in (*operands, result))
    loops = ", ".join('"reduction"' if dim in reduced else '"parallel"' for dim in order)
    arguments = ", ".join(f"{name}: {of}" for name, of in zip(names, types))
    scalars = ", ".join(f"%{letter}: {kind}" for letter in ("a", "b")[:len(names)] + ("o",))
    return f"""func.func @f({arguments}) -> {tensor(result)} {{
  %c = arith.constant {init} : {kind}
  %e = tensor.empty() : {tensor(result)}
  %f = linalg.fill ins(%c : {kind}) outs(%e : {tensor(result)}) -> {tensor(result)}
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{loops}]}} ins({', '.join(names)} : {', '.join(types)}) outs(%f : {tensor(result)}) {{
  ^bb0({scalars}):
{body}  }} -> {tensor(result)}
  return %r : {tensor(result)}
}}
"""


def draw_product(draw):
    """Dimensions of both matrices, of either, and those that are reduced."""
    shared, left, right, reduced = ([f"{letter}{number}" for number in range(draw.choice(counts))]
                                    for letter, counts in (("b", (0, 0, 1, 2)), ("m", (0, 1, 1, 2, 3)), ("n", (0, 1, 1, 2, 3)), ("k", (1, 1, 2))))
    names = shared + left + right + reduced
    kind = draw.choice(TYPES)
    body = f"    %p = arith.mulf %a, %b : {kind}\n    %s = arith.addf %p, %o : {kind}\n    linalg.yield %s : {kind}\n"
    return function(shuffled(draw, names), reduced, draw_extents(draw, names, 1_000_000), kind, shuffled(draw, shared + left + right), "0.0",
                    [shuffled(draw, shared + left + reduced), shuffled(draw, shared + right + reduced)], body)


def draw_rows(draw):
    """A reduction, or an elementwise op if no dimension is reduced, of one operand or two."""
    names = [f"d{number}" for number in range(draw.choice([1, 2, 3, 3, 4, 5]))]
    share = draw.choice([0, 0.4, 0.7])
    reduced = [name for name in names if draw.random() < share]
    kind = draw.choice((*TYPES, "f64"))
    operands = [shuffled(draw, names)]
    body, value = "", "%a"
    if draw.random() < 0.4:
        operands.append(shuffled(draw, [name for name in names if draw.random() < 0.6]))
        body, value = f"    %t = arith.{draw.choice(['addf', 'mulf', 'subf'])} %a, %b : {kind}\n", "%t"
    if draw.random() < 0.4:
        body, value = body + f"    %u = math.{draw.choice(['exp', 'absf', 'tanh'])} {value} : {kind}\n", "%u"
    combiner = draw.choice(list(COMBINERS)) if reduced else ""
    if reduced:
        body, value = body + f"    %s = {combiner} {value}, %o : {kind}\n", "%s"
    return function(shuffled(draw, names), reduced, draw_extents(draw, names, 200_000), kind,
                    shuffled(draw, [name for name in names if name not in reduced]), COMBINERS.get(combiner, "0.0"), operands,
                    body + f"    linalg.yield {value} : {kind}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--softmax-run", required=True)
    parser.add_argument("--count", type=int, default=40, help="modules of each sort")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    right = wrong = 0
    for number in range(options.count):
        for make in draw_product, draw_rows:
            module = make(random.Random(f"{make.__name__} {options.seed + number}"))
            for flags in TARGETS:
                done = subprocess.run([options.softmax_run, "-", *flags, "--repeat=0"], input=module, capture_output=True, text=True, check=False)
                if done.returncode == 0 and ": pass" in done.stdout:
                    right += 1
                    continue
                wrong += 1
                print(f"{module}{' '.join(flags)}: {done.stdout}{done.stderr}")
    print(f"{right} runs are right, {wrong} are not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
