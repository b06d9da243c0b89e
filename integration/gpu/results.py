"""Where results go and how they look: results/<gpu>-<suite>.json, and the same as a Markdown table."""

import argparse
import datetime
import json
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SPEED = HERE.parent / "bench" / "results"
CHECKS = HERE / "results"


def gpu_name():
    if not shutil.which("nvidia-smi"):
        return "no GPU"
    done = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[0].strip()


def commit():
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def parser(text, folder, has_chip=False):
    """The flags of every script that measures or checks; `text` is its own."""
    found = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--tools", type=pathlib.Path, required=True, help="folder of softmax-run and softmax-compile")
    found.add_argument("--commit", default=commit(), help="what the tools were built from")
    found.add_argument("--output", type=pathlib.Path, default=folder, help="folder for the results")
    if has_chip:
        found.add_argument("--chip", help="architecture to compile for; the device's if not given")
    return found


def head(arguments):
    """The first members of every results file."""
    return {"date": str(datetime.date.today()), "commit": arguments.commit, "gpu": gpu_name()}


def slug(gpu):
    return re.sub(r"[^a-z0-9]+", "-", gpu.lower()).strip("-")


def table(columns, rows):
    return ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)] + [
        "| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def write(folder, suite, results, lines, show=True):
    """Writes both files, in one step each, and prints the table; `lines` come after a title."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / f"{slug(results['gpu'])}-{suite}"
    title = f"# {suite.capitalize()}: {results['gpu']}, {results['date']}, commit {results['commit']}"
    text = "\n".join([title, "", *lines]) + "\n"
    replace(stem.with_suffix(".json"), json.dumps(results, indent=1) + "\n")
    replace(stem.with_suffix(".md"), text)
    if show:
        print(text, flush=True)
    return stem


def by_work(rows):
    """{work: {peer: row}}."""
    found = {}
    for row in rows:
        found.setdefault(row["work"], {})[row["peer"]] = row
    return found


def so_far(futures):
    """{name: result} of those that have ended, in the order of `futures`."""
    return {name: future.result() for name, future in futures.items() if future.done()}


def unfinished(count):
    """The first lines of a table whose run is not at its end, or was stopped."""
    return [f"{count} had not ended when this was written.", ""] if count else []


def replace(file, text):
    """A process that is stopped leaves the file as it was or as it is to be."""
    part = file.with_name(file.name + ".part")
    part.write_text(text)
    part.replace(file)
