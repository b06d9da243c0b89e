"""Reads the machine code that `nvdisasm -c` prints: the loops that take exponentials, and what they are made of."""

import re

INSTRUCTION = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(?:@(!?U?P\d+)\s+)?([A-Z][A-Z0-9_.x]*)([^;]*);")
LABEL = re.compile(r"^(\.L_\w+):(?=(?:\s*\.L_\w+:)*\s*/\*([0-9a-f]{4,})\*/)", re.M)
LEAVES = ("EXIT", "RET", "BRA", "BRX", "JMP", "KILL")
LOADED_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}


def kernels(text):
    """The instructions of each kernel of a file: (address, is predicated, opcode, operands); branches name addresses."""
    for part in re.split(r"^\.text\.\S+:$", text, flags=re.M)[1:]:
        places = dict(LABEL.findall(part))
        resolve = lambda operands: re.sub(r"`\((\.L_\w+)\)", lambda label: f"0x{places[label[1]]}", operands)  # noqa: B023,E731
        yield [(int(address, 16), bool(predicate), opcode, resolve(operands))
               for address, predicate, opcode, operands in INSTRUCTION.findall(part)]


def target_of(operands):
    found = re.search(r"0x([0-9a-f]+)", operands)
    return int(found[1], 16) if found else None


class Flow:
    """Basic blocks of a kernel by number, in order of address, with their successors and dominators."""

    def __init__(self, instructions):
        branches = [(i, target_of(x[3])) for i, x in enumerate(instructions) if x[2].split(".")[0] in LEAVES]
        starts = {instructions[0][0]} | {target for _, target in branches if target is not None}
        starts |= {instructions[i + 1][0] for i, _ in branches if i + 1 < len(instructions)}
        self.blocks = []
        for instruction in instructions:
            if instruction[0] in starts:
                self.blocks.append([])
            self.blocks[-1].append(instruction)
        number = {block[0][0]: i for i, block in enumerate(self.blocks)}
        self.successors = [self._successors(i, number) for i in range(len(self.blocks))]
        self.predecessors = [[] for _ in self.blocks]
        for i, after in enumerate(self.successors):
            for j in after:
                self.predecessors[j].append(i)
        self.dominators = self._dominators()

    def _successors(self, i, number):
        _, is_predicated, opcode, operands = self.blocks[i][-1]
        kind, after = opcode.split(".")[0], []
        if kind in ("BRA", "JMP") and target_of(operands) in number:
            after.append(number[target_of(operands)])
        # A predicate may also be an operand of BRA, or a BRA may be uniform on one.
        falls = kind not in LEAVES or is_predicated or re.search(r"\bU?P\d", operands)
        return after + ([i + 1] if falls and i + 1 < len(self.blocks) else [])

    def _dominators(self):
        everything = set(range(len(self.blocks)))
        dominators = [everything.copy() for _ in self.blocks]
        dominators[0], changed = {0}, True
        while changed:
            changed = False
            for i in range(1, len(self.blocks)):
                before = [dominators[j] for j in self.predecessors[i]]
                new = (set.intersection(*before) if before else set()) | {i}
                changed |= new != dominators[i]
                dominators[i] = new
        return dominators

    def natural_loops(self):
        """Sets of blocks, one for each head."""
        found = {}
        for tail, after in enumerate(self.successors):
            for head in after:
                if head in self.dominators[tail]:
                    body, work = found.setdefault(head, {head}), [tail]
                    while work:
                        block = work.pop()
                        if block not in body:
                            body.add(block)
                            work += self.predecessors[block]
        return list(found.values())


def is_exponential(instruction):
    return instruction[2].startswith("MUFU.EX2")


def products_of(opcode):
    """Multiplications and additions that one thread's part of a matrix instruction is."""
    if shape := re.match(r"HGMMA\.(\d+)x(\d+)x(\d+)", opcode):
        return int(shape[1]) * int(shape[2]) * int(shape[3]) / 128
    for name, size in (("HMMA.16816", 2048), ("HMMA.1688", 1024), ("HMMA.1684", 512), ("DMMA.884", 256), ("DMMA.16816", 2048)):
        if opcode.startswith(name):
            return size / 32
    return 0


def loaded_bytes(opcode):
    parts = opcode.split(".")
    if parts[0] not in ("LDG", "LDS"):
        return 0
    return next((size for name, size in LOADED_BYTES.items() if name in parts), 4)


def describe(instructions, macs_of_element, element_bytes):
    """Counts of one loop; elements by its matrix products, or else by what it loads from global memory."""
    if macs_of_element:
        elements = sum(products_of(x[2]) for x in instructions) / macs_of_element
    else:
        elements = sum(loaded_bytes(x[2]) for x in instructions if x[2].startswith("LDG")) / element_bytes
    counts = {"ex2": sum(map(is_exponential, instructions)), "ffma": sum(x[2].split(".")[0] == "FFMA" for x in instructions),
              "per_element": len(instructions)}
    each = {key: round(count / elements, 2) if elements else f"{count} in all" for key, count in counts.items()}
    return {"instructions": len(instructions), "elements": round(elements, 2), **each,
            "local": sum(x[2].split(".")[0] in ("LDL", "STL") for x in instructions)}


def innermost_loops(instructions, is_wanted):
    """The instructions of each natural loop that is wanted and holds no other such loop."""
    flow = Flow(instructions)
    found = [(body, [x for i in sorted(body) for x in flow.blocks[i]]) for body in flow.natural_loops()]
    found = [(body, code) for body, code in found if is_wanted(code)]
    return [code for body, code in found if not any(other < body for other, _ in found)]


def loops(instructions, macs_of_element, element_bytes):
    """What the innermost loops with exponentials are made of; the whole kernel if there is none."""
    chosen = innermost_loops(instructions, lambda code: any(map(is_exponential, code))) or [instructions]
    return [describe(code, macs_of_element, element_bytes) for code in chosen]
