#!/usr/bin/env python3
"""What each optimisation of attention on a Hopper gives: kernels without one of them, beside the one with all.

    integration/gpu/ablation.py prepare FOLDER --tools DIR    # where LLVM is: DIR holds softmax-opt and softmax-compile
    integration/gpu/ablation.py measure FOLDER                # where the GPU is; needs PyTorch with CUDA

An ablation is an edit of the text of the pass pipeline that leads to the stage gpu, a pass left out or an option, or it is a
flag of softmax-compile, which leads on from there. One
that a kernel does not have (its PTX stays the same) is not timed. All kernels of a work are in one process, take turns, and
are compared with float64 before. Writes <gpu>-ablation.{json,md} into ../bench/results.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import results
import works

CHIP = "sm_90a"
WORKS = [works.Attention(dim, 4096, causal) for dim in (64, 128, 256) for causal in (False, True)]


def without(name):
    """Leaves a pass out."""
    return lambda pipeline: re.sub(rf"(\w[\w.]*\( *{name}(\{{[^}}]*\}})? *\)|{name}(\{{[^}}]*\}})?),", "", pipeline)


def with_option(name, option, value):
    return lambda pipeline: re.sub(rf"({name}\{{[^}}]*(?<![-\w]){option}=)[^ }}]+", rf"\g<1>{value}", pipeline)


def both(first, second):
    return lambda pipeline: second(first(pipeline))


# {name: (what a reader calls it, the edit or the flag)}
ABLATIONS = {
    "all": ("all of them", lambda pipeline: pipeline),
    "next-tile": ("the next tile of queries begins under the last product", without("smx-gpu-next-tile")),
    "deal": ("the last pairs of a walk dealt tile by tile", with_option("smx-gpu-kernels", "deal", "0")),
    "tensor-stores": ("results that leave through shared memory", without("smx-gpu-tensor-stores")),
    "speculate": ("weights before the maximum is known", without("smx-gpu-speculate")),
    "slack": ("a reference that moves rarely (and weights before the maximum)",
              both(with_option("smx-expand-state", "slack", "0"), without("smx-gpu-speculate"))),
    "lead": ("references that lead where they move again", with_option("smx-expand-state", "lead", "0")),
    "partial-sums": ("row sums stay in their lanes (and weights before the maximum)",
                     both(without("smx-gpu-partial-sums"), without("smx-gpu-speculate"))),
    "overlap": ("the next tile's scores under this one's weights", with_option("smx-gpu-roles", "overlap", "false")),
    "turns": ("warpgroups in turns (ping-pong)", with_option("smx-gpu-roles", "turns", "false")),
    "keep-turns": ("turns kept until narrow products are done", with_option("smx-gpu-roles", "keep-turns", "false")),
    "late-waits": ("weights under both products, where two groups have registers", without("smx-gpu-late-waits")),
    "unite-loops": ("loops over tiles of one kind united", without("smx-gpu-unite-loops")),
    "from-diagonal": ("masked scores from the diagonal on, cut tiles among the others",
                      both(with_option("smx-tile", "from-diagonal", "false"), without("smx-gpu-unite-loops"))),
    "apart": ("the last product under a mask is asked whether it is finite, not its values", with_option("smx-gpu-roles", "apart", "false")),
    "ask-apart": ("groups ask nothing of cut tiles that they see all of", with_option("smx-gpu-roles", "ask-apart", "false")),
    "hidden-tiles": ("cut tiles left out by groups that do not see them", without("smx-gpu-hidden-tiles")),
    "idle-groups": ("rounds left out by groups whose rows are beyond the end", without("smx-gpu-idle-groups")),
    "shared-wave": ("the last tiles of a walk shared by all blocks, along the keys", without("smx-gpu-share-last-wave")),
    "last-wave": ("the last tiles of a walk in parts, along the keys", without("smx-gpu-split-last-wave")),
    "rest-scores": ("scores of keys that are left over beside the last sum of the rounds", without("smx-gpu-rest-scores")),
    "keys-first": ("the first keys of a tile fetched before its rows", without("smx-gpu-keys-first")),
    "rising-tiles": ("tiles of rows without guesses behind one whose maxima rose", without("smx-gpu-rising-tiles")),
    "persistence": ("blocks that walk over tiles", with_option("smx-gpu-kernels", "blocks", "0")),
    "depth": ("two stages of a channel, not one", with_option("smx-gpu-roles", "depth", "1")),
    "narrow-numbers": ("numbers of roles in 32 bits", "--skip-pass=smx-nvvm-narrow-numbers"),
}


def pipeline_of(tools, module):
    flags = f"--smx-to-gpu=chip={CHIP} alignment=16"
    done = subprocess.run([tools / "softmax-opt", "-", flags, "--dump-pass-pipeline", "-o", "/dev/null"], input=module, text=True,
                          capture_output=True, check=True)
    text = done.stderr
    return re.sub(r"\s+", " ", text[text.index("builtin.module"):])


def prepare(arguments):
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for work in WORKS:
        pipeline, texts = pipeline_of(arguments.tools, work.text), set()
        for name, (_, edit) in ABLATIONS.items():
            stem = folder / f"{work.name}-{name}".replace(" ", "-")
            flags, edited = ([edit], pipeline) if isinstance(edit, str) else ([], edit(pipeline))
            if not flags and name != "all" and edited == pipeline:
                raise SystemExit(f"'{name}' changes nothing of the pipeline {pipeline}")
            gpu = subprocess.run([arguments.tools / "softmax-opt", "-", f"--pass-pipeline={edited}"], input=work.text, text=True,
                                 capture_output=True, check=False)
            done = gpu if gpu.returncode else subprocess.run(
                [arguments.tools / "softmax-compile", "-", "--from=gpu", "--emit=ptx", f"--chip={CHIP}", "--alignment=16", *flags,
                 "-o", stem.with_suffix(".ptx"), f"--manifest={stem.with_suffix('.json')}", f"--reproducer-dir={folder}"],
                input=gpu.stdout, text=True, capture_output=True, check=False)
            if done.returncode:
                found[stem.name] = "does not compile: " + (done.stderr.strip().splitlines() or [""])[0][:200]
                continue
            text = stem.with_suffix(".ptx").read_text()
            found[stem.name] = "the same code" if text in texts else ""
            texts.add(text)
            print(stem.name, found[stem.name], flush=True)
    (folder / "kernels.json").write_text(json.dumps({"commit": arguments.commit, "kernels": found}, indent=1))


def measure(arguments):
    import torch

    import bench
    import driver

    driver.start()
    prepared = json.loads((arguments.folder / "kernels.json").read_text())
    found = {}
    for work in WORKS:
        sets, _, error = bench.attention_peers(work)
        peers, reasons = {}, {}
        for name in ABLATIONS:
            stem = arguments.folder / f"{work.name}-{name}".replace(" ", "-")
            if reason := prepared["kernels"][stem.name]:
                reasons[name] = reason
                continue
            image, row = bench.saved_image(stem.with_suffix(".ptx"), stem.with_suffix(".json")), {}
            if calls := bench.smx_calls(image, sets, error, row):
                peers[name] = calls
            else:
                reasons[name] = row["refused"]
        times = bench.turns(peers)
        found[work.name] = {"tflops": {name: round(work.figure(ms), 1) for name, ms in times.items()}, "reasons": reasons}
        print(work.name, found[work.name], flush=True)

    def cell(work, name):
        rates = found[work.name]["tflops"]
        if name not in rates:
            return "=" if found[work.name]["reasons"].get(name) == "the same code" else "-"
        return f"{rates[name]:.0f}" if name == "all" else f"{rates[name]:.0f} ({rates[name] / rates['all'] - 1:+.1%})"

    rows = [[text, *(cell(work, name) for work in WORKS)] for name, (text, _) in ABLATIONS.items()]
    columns = ["TFLOP/s without", *(f"d{work.dim} {'causal' if work.causal else 'full'}" for work in WORKS)]
    notes = [f"- {work.name}, {ABLATIONS[name][0]}: {reason}" for work in WORKS for name, reason in found[work.name]["reasons"].items()
             if reason != "the same code"]
    rows[0][0] = "nothing: the kernel as it is"
    lines = ["bf16, S = 4096. Each line is without one optimisation alone; '=': the kernel is the same without it.", "",
             *results.table(columns, rows), "", *notes]
    arguments.commit = prepared["commit"]
    results.write(arguments.output, "ablation", results.head(arguments) | {"works": found}, lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["prepare", "measure"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tools", type=pathlib.Path, default=pathlib.Path("build/dev/bin"))
    parser.add_argument("--commit", default=results.commit())
    parser.add_argument("--output", type=pathlib.Path, default=results.SPEED)
    arguments = parser.parse_args()
    return {"prepare": prepare, "measure": measure}[arguments.step](arguments)


if __name__ == "__main__":
    sys.exit(main())
