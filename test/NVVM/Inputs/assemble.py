"""Assembles PTX with ptxas and prints what it says of every kernel.

Fails on a spill, a stack frame or a C75xx notice (serialised wgmma, ignored register requests): code that runs, but
not as it was meant to. Usage: assemble.py <ptxas> <chip> <file>
"""
import re
import subprocess
import sys


def main() -> int:
    ptxas, chip, file = sys.argv[1:]
    run = subprocess.run([ptxas, "-v", "-arch=" + chip, file, "-o", "/dev/null"], capture_output=True, text=True)
    text = run.stdout + run.stderr
    print(text)
    if run.returncode:
        return 1
    bad = [line for line in text.splitlines() if re.search(r"C75\d\d|[1-9]\d* bytes (stack|spill)", line)]
    for line in bad:
        print("assemble.py: " + line.strip(), file=sys.stderr)
    return 1 if bad else 0


sys.exit(main())
