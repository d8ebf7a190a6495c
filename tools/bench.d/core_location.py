# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Core Location: what ranging a capture through Apple's names costs over our own API.

    tools/bench core-location [--reports N] [--rounds N] [--counted N]

One program ranges the same capture each way, once a second of the timeline, with callbacks on the main run loop, in the same
profile: by our own API, through Apple's names, and through them with a delegate that keeps each tick until the next. All must have
ranged the same. The ways take turns within each round, forward and backward, and the judged value is the median of the rounds'
ratios, so that a busy minute of the machine falls on all of them. Instructions are counted once by callgrind, which no load changes
but which does not see the kernel.
"""

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from claims import Claims
from measuring import Failed, instructions, measure
from workshop import ROOT, capture

OVERHEAD = 10.0
WAYS = ("native", "room", "keeping")


def built():
    """Builds the bench's own program and returns it."""
    build = ["swift", "build", "-c", "release", "--scratch-path", ".build-bench", "--product", "CoreLocationBench"]
    environment = dict(os.environ, BEACON_BENCH="1")
    quiet = dict(cwd=ROOT, env=environment, check=True, stdin=subprocess.DEVNULL)
    subprocess.run(build, stdout=subprocess.DEVNULL, **quiet)
    folder = subprocess.run([*build[:6], "--show-bin-path"], capture_output=True, text=True, **quiet)
    return Path(folder.stdout.strip()) / "CoreLocationBench"


def rounds(program, path, count):
    """Returns each way's costs, one a round: the mean of a run on the way there and one on the way back."""
    costs = {way: [] for way in WAYS}
    for _ in range(count):
        runs = {way: [] for way in WAYS}
        for way in (*WAYS, *reversed(WAYS)):
            runs[way].append(measure([program, way, path]))
        for way in WAYS:
            costs[way].append({part: statistics.fmean(getattr(run, part) for run in runs[way]) for part in ("cpu", "wall")})
    return costs


def percent_over(ratio):
    """Returns the part of a ratio over one, in percent."""
    return (ratio - 1) * 100


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reports", type=int, default=5_000_000, help="reports in the capture (5 million)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds, of whose ratios the median counts (7)")
    parser.add_argument("--counted", type=int, default=1_000_000, help="reports for counting instructions (1 million)")
    options = parser.parse_args()
    program, path = built(), capture(reports=options.reports)

    claims = Claims()
    said = {way: subprocess.run([program, way, path], check=True, capture_output=True, text=True).stdout.strip() for way in WAYS}
    for way in WAYS[1:]:
        if said[way] != said["native"]:
            claims.missing(f"{way} ranges what native does", f"{said['native']} against {said[way]}")

    costs = rounds(program, path, options.rounds)
    for way in WAYS:
        for part in ("cpu", "wall"):
            claims.add(f"{way}, {part}", statistics.median(cost[part] for cost in costs[way]), unit=" s")
    for way in WAYS[1:]:
        for part, bar in (("cpu", OVERHEAD), ("wall", None)):
            ratios = sorted(mine[part] / native[part] for mine, native in zip(costs[way], costs["native"]))
            name = f"{way} over native, {part}: median of {len(ratios)} ratios"
            claims.add(name, percent_over(statistics.median(ratios)), bar, " %", digits=1)
            claims.add("  from", percent_over(ratios[0]), unit=" %", digits=1)
            claims.add("  to", percent_over(ratios[-1]), unit=" %", digits=1)

    counted = capture(reports=options.counted)
    try:
        counts = {way: instructions([program, way, counted]) for way in WAYS}
    except (Failed, FileNotFoundError) as error:
        claims.missing("instructions", str(error))
    else:
        claims.add("native, instructions a report", counts["native"] / options.counted, digits=0)
        for way in WAYS[1:]:
            claims.add(f"{way} over native, instructions", percent_over(counts[way] / counts["native"]), OVERHEAD, " %", digits=1)
    print("\n" + claims.table())
    return 0 if claims.all_met else 1


if __name__ == "__main__":
    sys.exit(main())
