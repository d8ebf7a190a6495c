# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Measures when regions are left: false exits and delay under seeded loss, and rooms with a written timetable; and what many cost.

    tools/bench regions [--hours N] [--only leaving|many]

Each row of the loss table is a cell of interval x share received x kind of loss: the shortest fixed exit time (0.5 s grid, same
seeds) that is false at most 0.1 times an hour, beside the learned one with its median and its false exits an hour, and the
false exits of fixed 10 s and 30 s. The rooms are those of ../shared/data/redhat-rooms, left out where it is absent.

What many cost: CPU a report of 1,000 regions, and of 1,000 constraints, beside one of each, on captures of 200 beacons that the
one and the thousand both match. Start-up is taken off, and so is what is told: each of the thousand constraints is a list in
every tick, so the same reports are replayed in much and in little time, which tells what a tick costs.
"""

import argparse
import os
import subprocess
import sys

from claims import Claims
from measuring import interleaved
from workshop import capture, release_beaconctl

NOISE = ("◇", "✔", "↳", "[", "Building", "Build complete", "Test Suite", "Executed", "\t", "Compiling")
# The first UUID of the made captures, whose identities are major n / 1000 and minor n % 1000.
UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
BEACONS, MANY, MANY_RATIO = 200, 1000, 1.5
REPORTS, SLOW, FAST = 2_000_000, 500, 20_000


def leaving(hours):
    """False exits and delay; says whether the bars held."""
    environment = dict(os.environ, BEACON_TRIAL_HOURS=str(max(200, hours)), BEACON_SHOW="1")
    run = subprocess.run(
        ["swift", "test", "-c", "release", "-Xswiftc", "-enable-testing", "--scratch-path", ".build-bench",
         "--filter", "ArrivalIntervalsTests|RedHatRoomsTests"],
        env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    print("\t".join(["loss", "interval", "received", "best fixed", "median", "mean", "95 %", "learned/h", "fixed 10 s/h", "fixed 30 s/h"]))
    for line in run.stdout.splitlines():
        if line.strip() and not line.startswith(NOISE):
            print(line)
    print("bars held" if run.returncode == 0 else "a bar was missed: see above")
    return run.returncode == 0


def many(rounds):
    """A thousand of each beside one; says whether the bar held."""
    beaconctl = release_beaconctl()
    # The beacons' own, and others that nobody sends: a thousand in all, of which each report matches one.
    places = [f"{UUID}/{n // 1000}/{n % 1000}" for n in range(MANY)]
    asked = {
        ("monitor", 1): ["monitor", "--region", f"all={UUID}"],
        ("monitor", MANY): ["monitor", *(f"--region=r{n}={place}" for n, place in enumerate(places))],
        ("range", 1): ["range", "--satisfying", UUID],
        ("range", MANY): ["range", *(f"--satisfying={place}" for place in places)],
    }
    paths = {
        "empty": capture(reports=0),
        "slow": capture(reports=REPORTS, identities=BEACONS, rate=SLOW),
        "fast": capture(reports=REPORTS, identities=BEACONS, rate=FAST),
    }
    costs = interleaved({
        (what, pace): [beaconctl, *words, "--from", path, "--format", "none"]
        for what, words in asked.items() for pace, path in paths.items()
    }, rounds, repeats={(what, "empty"): 5 for what in asked})
    ticks = {"slow": REPORTS / SLOW, "fast": REPORTS / FAST}
    claims = Claims()
    a_report = {}
    for what in asked:
        slow, fast = (costs[what, pace].cpu - costs[what, "empty"].cpu for pace in ("slow", "fast"))
        a_tick = (slow - fast) / (ticks["slow"] - ticks["fast"]) if what[0] == "range" else 0
        a_report[what] = (fast - a_tick * ticks["fast"]) / REPORTS
        claims.add(f"{what[0]}, ns a report, {what[1]:,} asked for", a_report[what] * 1e9, digits=1)
        if a_tick:
            claims.add(f"{what[0]}, µs a tick, {what[1]:,} asked for", a_tick * 1e6, digits=1)
    for command in ("monitor", "range"):
        claims.add(f"{command}, {MANY:,} / 1, a report", a_report[command, MANY] / a_report[command, 1], MANY_RATIO)
    print()
    print(claims.table())
    return claims.all_met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=int, default=400, help="simulated hours a cell (at least 200; 400)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each contestant (5)")
    parser.add_argument("--only", choices=["leaving", "many"], help="one of the two parts")
    options = parser.parse_args()
    held = [part() for name, part in (
        ("leaving", lambda: leaving(options.hours)), ("many", lambda: many(options.rounds)),
    ) if options.only in (None, name)]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
