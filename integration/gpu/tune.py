#!/usr/bin/env python3
"""Measures schedules of attention and decoding on this GPU, and writes the table that --schedule-table=NAME loads.

    integration/gpu/tune.py prepare FOLDER --tools DIR    # where the compiler and ptxas are: DIR holds softmax-compile
    integration/gpu/tune.py measure FOLDER                # where the GPU is; needs PyTorch with CUDA

Both steps can be done on one machine. Of each class of shapes (docs/schedules.md) the model's choice and those around it
are compiled; what does not compile, is the same code as another, spills, or is wrong in float64 is left out. All are timed in
turns, then the two fastest once more beside the model's: one that saves 2 % both times becomes a line of the table,
../schedules/<gpu>.json. `softmax-run --tune` measures one module likewise. On the terminal: a line for each class.
"""

import argparse
import concurrent.futures
import contextlib
import hashlib
import json
import pathlib
import subprocess
import sys

import results
import works
from kernel import compile_image

DIMS, LENGTHS, DTYPES = (64, 96, 128, 192, 256), (1024, 4096, 16384), ("bf16", "f16")
TILE_ROWS, STREAMS, STEPS, DEPTHS = (128, 192), (80, 96, 112, 128), (-48, -32, -16, 16, 32, 48), (3, 4)
FEW_ROWS = 16
FINALISTS, MARGIN = 2, 0.02
KEYS = ("tile_rows", "tile_stream", "splits", "warps", "depth")


def todo():
    return [works.Attention(dim, length, causal, dtype) for dtype in DTYPES for dim in DIMS for length in LENGTHS
            for causal in (False, True)] + works.DECODE


# Classes of shapes, as lib/Runtime/Tuner.cpp makes them.


def like(extent):
    """Extents up to the next power of two."""
    most = 1 << max(extent - 1, 0).bit_length()
    return [most // 2 + 1, most]


def class_of(work):
    if isinstance(work, works.Decode):
        batch, heads, rows, dim = work.query_shape
        return {"op": "attention", "type": "bf16", "mask": "none", "head_dim": [dims_of(dim), dim], "rows": like(rows),
                "stream": like(work.length), "heads": like(batch * heads)}
    batch, heads, rows, dim = work.shape
    return {"op": "attention", "type": work.dtype, "mask": "band" if work.causal else "none", "head_dim": [dims_of(dim), dim],
            "rows": like(rows), "stream": like(rows), "heads": like(batch * heads)[:1]}


def dims_of(dim):
    """The least head dim that is like this one: above the next smaller one that is measured."""
    return max([d + 1 for d in DIMS if d < dim], default=like(dim)[0])


def entry_of(work, choice, ms, model_ms):
    """A line of the table."""
    times = {"microseconds": round(ms * 1e3, 2), "model_microseconds": round(model_ms * 1e3, 2)}
    return class_of(work) | {key: choice[key] for key in KEYS if key in choice} | times


def table_text(chip, measured, entries):
    """As ScheduleTable::print has it: a line for each entry."""
    lines = ",".join(f"\n  {json.dumps(entry)}" for entry in entries)
    return f'{{"smx_schedules": 1, "chip": {json.dumps(chip)}, "measured": {json.dumps(measured)}, "entries": [{lines}\n]}}\n'


# Candidates.


def model_of(tools, work, chip):
    """The model's tile and parts."""
    done = subprocess.run([tools / "softmax-compile", "-", "--explain=json", "--target=cuda", f"--chip={chip}", "--alignment=16"],
                          input=work.text, capture_output=True, text=True, check=True)
    decisions = [decision for op in json.loads(done.stdout)["ops"] for decision in op["decisions"]]
    tile = next(d["values"] for d in decisions if d["name"] == "TileSizes")
    parts = next((d["values"]["parts"] for d in decisions if d["name"] == "StreamParts"), 1)
    return tile["rows"], tile["stream"], parts


def candidates(rows, stream, parts, decodes):
    """The model's choice first."""
    found = [{}]
    if decodes:
        splits = [{}] + [{"splits": count} for count in (parts // 2, 2 * parts, 4 * parts) if count >= 1]
        depths = [{}] + [{"depth": depth} for depth in DEPTHS]
        streams = [{"tile_stream": size} for size in (stream // 2, 2 * stream)]
        found += [split | depth for split in splits for depth in depths] + [size | depth for size in streams for depth in depths[:2]]
    else:
        found += [{"tile_stream": stream + step} for step in STEPS if stream + step >= 32]
        found += [{"tile_rows": other, "tile_stream": size} for other in TILE_ROWS if other != rows for size in STREAMS]
        found += [{"depth": DEPTHS[0]}]
    return [choice for i, choice in enumerate(found) if choice not in found[:i]]


def flags_of(choice):
    return [f"--{key.replace('_', '-')}={value}" for key, value in choice.items()]


def describe(choice):
    return ", ".join(f"{key} {value}" for key, value in choice.items()) or "the model's"


def stem_of(folder, work, number):
    return folder / f"{work.name}-{number}".replace(" ", "-").replace("/", "-")


def prepare(arguments):
    folder, chip = arguments.folder, arguments.chip
    folder.mkdir(parents=True, exist_ok=True)

    def compile_one(work, number, choice):
        stem = stem_of(folder, work, number)
        try:
            image, manifest = compile_image(arguments.tools, work.text, chip, 16, flags_of(choice), "cubin")
        except RuntimeError as failure:
            return {"choice": choice, "left_out": str(failure).splitlines()[0][:200]}
        stem.with_suffix(".cubin").write_bytes(image)
        stem.with_suffix(".json").write_text(json.dumps(manifest))
        return {"choice": choice, "code": hashlib.sha256(image + json.dumps(manifest).encode()).hexdigest()}

    found = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        models = {work: pool.submit(model_of, arguments.tools, work, chip) for work in arguments.works}
        jobs = {work: [pool.submit(compile_one, work, number, choice) for number, choice in enumerate(
            candidates(*model.result(), isinstance(work, works.Decode)))] for work, model in models.items()}
        for work, of_work in jobs.items():
            found[work.name], known = [job.result() for job in of_work], {}
            for number, candidate in enumerate(found[work.name]):
                if (first := known.setdefault(candidate.get("code", number), number)) != number:
                    candidate["left_out"] = f"the same code as candidate {first}"
                    stem_of(folder, work, number).with_suffix(".cubin").unlink()
            print(f"{work.name}: {sum('left_out' not in c for c in found[work.name])} of {len(found[work.name])} candidates", flush=True)
    (folder / "candidates.json").write_text(json.dumps({"commit": arguments.commit, "chip": chip, "works": found}, indent=1))


def measure_work(work, found, folder, loaded):
    """The number of the fastest candidate, its milliseconds and the model's; notes those that are left out in `found`. `loaded` is
    an ExitStack that unloads the kernels."""
    import bench
    import decode

    sets, _, error = decode.decode_peers(work, False) if isinstance(work, works.Decode) else bench.attention_peers(work)
    calls = {}
    for number, candidate in enumerate(found):
        if "left_out" in candidate:
            continue
        stem, row = stem_of(folder, work, number), {}
        ours = bench.smx_calls(bench.saved_image(stem.with_suffix(".cubin"), stem.with_suffix(".json")), sets, error, row, loaded)
        if not ours or row["local_bytes"]:
            candidate["left_out"] = row.get("refused") or f"{row['local_bytes']} bytes of spills"
        # The model's choice is what others are measured against, spills or not.
        if ours and (number == 0 or not row["local_bytes"]):
            calls[number] = ours
    if 0 not in calls:
        raise SystemExit(f"{work.name}: the model's own choice can not be measured: {found[0]['left_out']}")
    first = bench.turns(calls, rounds=3, round_ms=5)
    fastest = sorted((number for number in calls if number != 0), key=first.get)[:FINALISTS]
    second = bench.turns({number: calls[number] for number in (0, *fastest)}, rounds=7, round_ms=8)
    best = min(second, key=second.get)
    saves = all(times[best] < (1 - MARGIN) * times[0] for times in (first, second))
    return (best if saves else 0), second[best if saves else 0], second[0]


def measure(arguments):
    import torch

    import driver

    prepared = json.loads((arguments.folder / "candidates.json").read_text())
    arguments.commit = prepared["commit"]
    if (chip := driver.start()) != prepared["chip"]:
        raise SystemExit(f"the candidates are of {prepared['chip']}, the device is {chip}; prepare them with --chip={chip}")
    head, entries = results.head(arguments), []
    file = arguments.output / f"{results.slug(head['gpu'])}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    for work in arguments.works:
        found = prepared["works"][work.name]
        with contextlib.ExitStack() as loaded:
            best, ms, model_ms = measure_work(work, found, arguments.folder, loaded)
        torch.cuda.empty_cache()
        if best:
            entries.append(entry_of(work, found[best]["choice"], ms, model_ms))
        print(f"{work.name}: {work.figure(model_ms):.0f} -> {work.figure(ms):.0f} {work.unit}, {describe(found[best]['choice'])}", flush=True)
        # Anew after every work: a run that is stopped leaves a table of what it has measured.
        results.replace(file, table_text(prepared["chip"], f"{head['gpu']}, {head['date']}, commit {head['commit']}", entries))
    (arguments.folder / "measured.json").write_text(json.dumps(prepared, indent=1))
    print(f"{len(entries)} of {len(arguments.works)} classes have a line in {file}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["prepare", "measure"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tools", type=pathlib.Path, default=pathlib.Path("build/dev/bin"), help="folder of softmax-compile")
    parser.add_argument("--chip", default="sm_90a", help="architecture to prepare for")
    parser.add_argument("--jobs", type=int, default=None, help="compilations at once")
    parser.add_argument("--only", default="", metavar="TEXT", help="works whose names have this text")
    parser.add_argument("--commit", default=results.commit(), help="what the tools were built from")
    parser.add_argument("--output", type=pathlib.Path, default=results.HERE.parent / "schedules", help="folder for the table")
    arguments = parser.parse_args()
    arguments.works = [work for work in todo() if arguments.only in work.name]
    return {"prepare": prepare, "measure": measure}[arguments.step](arguments)


if __name__ == "__main__":
    sys.exit(main())
