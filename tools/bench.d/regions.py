# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Measures when regions are left: false exits and delay under seeded loss, and rooms with a written timetable.

    tools/bench regions [--hours N]

Each row of the loss table is a cell of interval x share received x kind of loss: the shortest fixed exit time (0.5 s grid, same
seeds) that is false at most 0.1 times an hour, beside the learned one with its median and its false exits an hour, and the
false exits of fixed 10 s and 30 s. The rooms are those of ../shared/data/redhat-rooms, left out where it is absent.
"""

import argparse
import os
import subprocess
import sys

NOISE = ("◇", "✔", "↳", "[", "Building", "Build complete", "Test Suite", "Executed", "\t", "Compiling")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=int, default=400, help="simulated hours a cell (at least 200; 400)")
    arguments = parser.parse_args()
    environment = dict(os.environ, BEACON_TRIAL_HOURS=str(max(200, arguments.hours)), BEACON_SHOW="1")
    run = subprocess.run(
        ["swift", "test", "-c", "release", "-Xswiftc", "-enable-testing", "--scratch-path", ".build-bench",
         "--filter", "GapStatisticsTests|RedHatRoomsTests"],
        env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    print("\t".join(["loss", "interval", "received", "best fixed", "median", "mean", "95 %", "learned/h", "fixed 10 s/h", "fixed 30 s/h"]))
    for line in run.stdout.splitlines():
        if line.strip() and not line.startswith(NOISE):
            print(line)
    print("bars held" if run.returncode == 0 else "a bar was missed: see above")
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
