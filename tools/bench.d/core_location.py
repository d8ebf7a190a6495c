# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Core Location: what ranging a capture through Apple's names costs over our own API.

    tools/bench core-location [--reports N] [--rounds N]

One program ranges the same capture both ways, once a second of the timeline, with callbacks on the main run loop, in the same
profile. Contestants run interleaved, and the median of the rounds counts. Both must have ranged the same.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from claims import Claims
from measuring import interleaved
from workshop import ROOT, capture

OVERHEAD = 10.0


def built():
    """Builds the bench's own program and returns it."""
    build = ["swift", "build", "-c", "release", "--scratch-path", ".build-bench", "--product", "CoreLocationBench"]
    environment = dict(os.environ, BEACON_BENCH="1")
    quiet = dict(cwd=ROOT, env=environment, check=True, stdin=subprocess.DEVNULL)
    subprocess.run(build, stdout=subprocess.DEVNULL, **quiet)
    folder = subprocess.run([*build[:6], "--show-bin-path"], capture_output=True, text=True, **quiet)
    return Path(folder.stdout.strip()) / "CoreLocationBench"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reports", type=int, default=5_000_000, help="reports in the capture (5 million)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of which the median counts (5)")
    options = parser.parse_args()
    program, path = built(), capture(reports=options.reports)
    ways = {way: [program, way, path] for way in ("native", "room")}

    said = {way: subprocess.run(command, check=True, capture_output=True, text=True).stdout for way, command in ways.items()}
    claims = Claims()
    if said["native"] != said["room"]:
        claims.missing("both range the same", f"{said['native'].strip()} against {said['room'].strip()}")
    costs = interleaved(ways, options.rounds)
    for way, cost in costs.items():
        claims.add(f"{way}, CPU", cost.cpu, unit=" s")
        claims.add(f"{way}, wall", cost.wall, unit=" s")
    native, room = costs["native"], costs["room"]
    claims.add("overhead of the room, CPU", (room.cpu / native.cpu - 1) * 100, OVERHEAD, " %", digits=1)
    claims.add("overhead of the room, wall", (room.wall / native.wall - 1) * 100, unit=" %", digits=1)
    print("\n" + claims.table())
    return 0 if claims.all_met else 1


if __name__ == "__main__":
    sys.exit(main())
