#!/usr/bin/env python3
"""Times what is left of a compilation that an earlier process has done (softmax-run --cache-dir).

    integration/gpu/cached.py --tools DIR

Every kernel of the benchmark is compiled into an empty folder and then loaded from there by TRIES more processes; a figure is
the median of theirs. The driver's own cache is on, in a folder of its own. Results are not checked: test/Unit/Runtime/CacheDirTest.cpp does that. Writes
<gpu>-cached as JSON and table.
"""

import concurrent.futures
import statistics
import sys
import tempfile

import check
import driver
import results
import works

TRIES = 3
GOAL = 5  # ms at the 95th percentile, beyond the driver's load


def times_of(tools, work, folder):
    """Milliseconds of the first process, and of the later ones: in all, and without the driver's load; or why there are none."""
    flags = ["--repeat=1", "--warmup=0", "--alignment=16", "--check=none", f"--cache-dir={folder}"]
    later = []
    for attempt in range(1 + TRIES):
        report, reason = check.run(tools, flags, "-", work.small)
        if reason:
            return {"reason": reason}
        steps, total = report["compile_steps_ms"], report["compile_ms"]
        if attempt == 0:
            first = total
        elif "read code" not in steps:
            return {"reason": f"a later process compiled it again: {', '.join(steps)}"}
        else:
            later.append((total, total - steps["load"]))
    loaded, beyond = (round(statistics.median(times), 2) for times in zip(*later))
    return {"first_ms": round(first, 1), "later_ms": loaded, "beyond_load_ms": beyond, "reason": ""}


def main():
    parser = results.parser(__doc__, results.CHECKS)
    arguments = parser.parse_args()
    tools = arguments.tools.resolve()
    wanted = works.ATTENTION + works.SOFTMAX + works.REDUCTIONS
    with tempfile.TemporaryDirectory() as kernels, tempfile.TemporaryDirectory() as drivers:
        check.ENVIRONMENT |= {"CUDA_CACHE_DISABLE": "0", "CUDA_CACHE_PATH": drivers}
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            found = dict(zip([work.name for work in wanted], pool.map(lambda work: times_of(tools, work, kernels), wanted)))
    failed = {name: one["reason"] for name, one in found.items() if one["reason"]}
    rows = []
    for title, key in (("first process", "first_ms"), ("later ones", "later_ms"), ("later ones, beyond the driver's load", "beyond_load_ms")):
        of_key = check.percentiles({name: {"compile_ms": one[key]} for name, one in found.items() if not one["reason"]})
        rows.append([title, *(of_key.get(column, "-") for column in ("count", "p50_ms", "p95_ms", "most_ms"))])
    lines = [f"From IR to the loaded kernel, in ms. The goal is {GOAL} at the 95th percentile, beyond the driver's load.", "",
             *results.table(["", "kernels", "p50", "p95", "most"], rows), "", *(f"- {name}: {reason}" for name, reason in failed.items())]
    results.write(arguments.output, "cached", results.head(arguments) | {"chip": driver.chip(), "works": found}, lines)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
