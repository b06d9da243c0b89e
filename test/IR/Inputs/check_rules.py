"""check_rules.py <source tree> [IR|GPU]: the numbered verifier rules, the checks and the negative tests must agree."""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
part = sys.argv[2] if len(sys.argv) > 2 else "IR"
letters, tests = {"IR": ("RDAMSCGTB", "test/IR"), "GPU": ("KPCTL", "test/GPU/IR")}[part]
RULE = rf"[{letters}]\d+"


def text_of(folder, pattern):
    return "\n".join(f.read_text() for f in sorted((source / folder).glob(pattern)))


stated = re.findall(rf"^    ({RULE}): ", text_of(f"include/smx/{part}", "*.td"), re.M)
checks = set(re.findall(rf"\b{RULE}\b", "\n".join(
    line for line in text_of(f"lib/{part}", "*.cpp").splitlines() if "//" in line)))
for first, last in re.findall(rf"//.*\b({RULE}) to ({RULE})", text_of(f"lib/{part}", "*.cpp")):
    checks |= {first[0] + str(n) for n in range(int(first[1:]), int(last[1:]) + 1)}

# A case of an invalid test is the text between two separators; it names its rule in its first comment.
tested = set()
for file in sorted((source / tests).glob("*-invalid.mlir")):
    for case in file.read_text().split("// -----"):
        rule = re.search(rf"^// ({RULE})\b", case, re.M)
        if rule and "expected-error" in case:
            tested.add(rule.group(1))

problems = [f"{rule}: stated twice" for rule in sorted(set(stated))
            if stated.count(rule) > 1 and rule not in ("S1", "S13")]
problems += [f"{rule}: stated, but not in lib/{part}" for rule in stated if rule not in checks]
problems += [f"{rule}: stated, but no test breaks it" for rule in stated if rule not in tested]
problems += [f"{rule}: tested, but not stated" for rule in sorted(tested - set(stated))]
for problem in problems:
    print("error:", problem, file=sys.stderr)
if not problems:
    print(f"{len(set(stated))} rules, all checked and tested")
sys.exit(bool(problems))
