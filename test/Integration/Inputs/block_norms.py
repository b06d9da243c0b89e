"""Compiles and runs the norms of works.NORMS with a few rows: of lengths that lanes, blocks and clusters hold, or that start anywhere."""

import subprocess
import sys

source, compiler, runner = sys.argv[1:]
sys.path.insert(0, f"{source}/integration/gpu")
import works  # noqa: E402

SIZES = [(40, 64), (9, 129), (16, 1024), (5, 4096), (3, 5001), (2, 40000)]
EMULATED = [("--target=emulator", f"--chip={chip}", f"--alignment={alignment}") for chip in ("sm_80", "sm_90a") for alignment in (16, 2)]

for op in works.BLOCK_NORMS:
    found = subprocess.run([compiler, "--target=cuda", "--chip=sm_90a", "--emit=gpu", "-"], input=works.block_norm_text(op, (64, 4096)),
                           text=True, capture_output=True, check=True)
    print(f"{op}: {found.stdout.count('smx_gpu.launch')} launch")
right = wrong = 0
for op in works.BLOCK_NORMS:
    for number, sizes in enumerate(SIZES):
        for flags in [("--target=cpu",), *EMULATED]:
            text = works.block_norm_text(op, sizes, weights="f32" if number % 2 else "bf16")
            run = subprocess.run([runner, "--check=naive", "--repeat=0", *flags, "-"], input=text, text=True, capture_output=True)
            if run.returncode == 0 and "against naive: pass" in run.stdout:
                right += 1
            else:
                wrong += 1
                print(f"{op} {sizes} {flags}:", run.stdout[-500:], run.stderr[-500:])
print(f"{right} runs are right, {wrong} are not")
