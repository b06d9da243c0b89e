#!/usr/bin/env python3
"""Measures and checks everything that fits a time, on every GPU of the machine, what matters most first.

    integration/gpu/all.py --tools DIR --seconds 540 --output OUT

One GPU does all of it in the order of STEPS. Of several the first one measures, so that nothing runs beside what is
timed, and the others check. A step begins if the seconds that it may take are left; one that takes longer is stopped at
the end, and what it has written stays. The last lines say what was done and what was not; the exit status is 1 if a
step failed or was stopped.
"""

import concurrent.futures
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import results


@dataclass(frozen=True)
class Step:
    script: str
    # An estimate, for an H200 and 16 processor cores: with less left the step is not begun.
    seconds: int
    flags: tuple = ()
    checks: bool = False

    @property
    def name(self):
        return " ".join((self.script.removesuffix(".py"), *self.flags))


STEPS = [Step("bench.py", 45, ("attention", "--runs", "3")), Step("variants.py", 80), Step("rising.py", 30), Step("bench.py", 25, ("forms",)),
         Step("check.py", 450, checks=True), Step("bench.py", 100, ("softmax", "reductions")), Step("bench.py", 120, ("lengths",)), Step("bench.py", 75, ("vocabularies",)), Step("bench.py", 40, ("norms",)), Step("bench.py", 30, ("columns",)), Step("survey.py", 30), Step("decode.py", 30), Step("errors.py", 40),
         Step("sanitize.py", 380, checks=True), Step("limits.py", 90, checks=True), Step("short.py", 200, checks=True), Step("topk.py", 45)]


def device_count():
    if not shutil.which("nvidia-smi"):
        return 0
    done = subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True)
    return len(done.stdout.splitlines()) if done.returncode == 0 else 0


def queues(devices):
    """For each GPU its steps; checks are dealt to all but the first, where there are others."""
    checks = [step for step in STEPS if step.checks]
    if devices == 1:
        return [STEPS]
    dealt = [checks[i::devices - 1] for i in range(devices - 1)]
    return [[step for step in STEPS if not step.checks], *dealt]


RUNNING = set()


def stop(process):
    """Ends a step and what it has started, which would go on on the GPU."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def stop_when_told():
    """Steps have sessions of their own: no signal to this program reaches them."""
    def stop_all(number, _):
        for process in list(RUNNING):
            stop(process)
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop_all)


def run(step, device, arguments, end):
    """What became of a step."""
    left = end - time.monotonic()
    if left < step.seconds:
        return f"not begun: {left:.0f} s were left, it takes {step.seconds}", True
    here = pathlib.Path(__file__).resolve().parent
    command = [sys.executable, here / step.script, *step.flags, "--tools", arguments.tools.resolve(), "--commit", arguments.commit]
    if arguments.output:
        command += ["--output", arguments.output.resolve()]
    begun = time.monotonic()
    process = subprocess.Popen(list(map(str, command)), env=os.environ | {"CUDA_VISIBLE_DEVICES": str(device)}, start_new_session=True)
    RUNNING.add(process)
    try:
        code = process.wait(left)
    except subprocess.TimeoutExpired:
        stop(process)
        process.wait()
        return f"stopped after {left:.0f} s", False
    finally:
        RUNNING.remove(process)
    return f"{time.monotonic() - begun:.0f} s" + (f", failed with {code}" if code else ""), code == 0


def main():
    parser = results.parser(__doc__, None)
    parser.add_argument("--seconds", type=float, required=True, help="for all of it")
    arguments = parser.parse_args()
    devices = device_count()
    if devices == 0:
        sys.exit("all.py: expected an NVIDIA GPU and nvidia-smi, found none; assembly.py and cold.py need no GPU")
    end = time.monotonic() + arguments.seconds
    stop_when_told()

    def run_queue(device, steps):
        return [(step, device, *run(step, device, arguments, end)) for step in steps]

    with concurrent.futures.ThreadPoolExecutor(devices) as pool:
        done = [row for rows in pool.map(run_queue, range(devices), queues(devices)) for row in rows]
    for step, device, text, _ in done:
        print(f"GPU {device}, {step.name}: {text}")
    return 0 if all(fine for *_, fine in done) else 1


if __name__ == "__main__":
    sys.exit(main())
