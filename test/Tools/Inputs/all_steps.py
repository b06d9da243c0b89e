"""Runs a step of all.py that takes too long, and one while the program is told to end: all_steps.py SCRIPTS FOLDER [begin]."""

import argparse
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, sys.argv[1])
all_steps = __import__("all")

FOLDER = pathlib.Path(sys.argv[2])
STARTED = FOLDER / "started"
# Starts a process, whose number it writes, and waits.
STEP = f"""import pathlib, subprocess
process = subprocess.Popen(["sleep", "300"])
pathlib.Path({str(STARTED)!r}).write_text(str(process.pid))
process.wait()
"""


def run(seconds):
    step = FOLDER / "step.py"
    step.write_text(STEP)
    arguments = argparse.Namespace(tools=FOLDER, commit="", output=None)
    return all_steps.run(all_steps.Step(str(step), 0), 0, arguments, time.monotonic() + seconds)


def runs():
    """Whether what the step has started runs, after a moment to end in."""
    status = pathlib.Path("/proc", STARTED.read_text(), "stat")
    for _ in range(50):
        if not status.exists() or status.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return False
        time.sleep(0.1)
    return True


def main():
    print(f"{run(2)[0]}; what it started runs: {runs()}")
    STARTED.unlink()
    program = subprocess.Popen([sys.executable, __file__, *sys.argv[1:3], "begin"])
    while not STARTED.exists() or not STARTED.read_text():
        time.sleep(0.1)
    program.send_signal(signal.SIGTERM)
    print(f"told to end, {program.wait()}; what it started runs: {runs()}")


if sys.argv[3:] == ["begin"]:
    all_steps.stop_when_told()
    run(60)
else:
    main()
