# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Measures when the engine delivers exits of regions, rooms with a written timetable, and the cost of many regions.

    tools/bench regions [--days N] [--seed N] [--quick] [--only leaving|rooms|many|visits] [--disturbance NAME]

Each row of the first table is a condition: every interval x loss, and every disturbance at five intervals and three losses. In each,
a beacon stays for N days of 24 hours of presence and leaves every half hour. It prints the best timer (the shortest fixed time, not
below 3 s, that is false at most 0.1 times an hour on the same silences), false exits an hour and the mean and 95 % delay of true exits
with the learned time, and the false exits of fixed 10, 15, 20 and 30 s. The goal: at most 0.1 false exits an hour, or the number of
fixed 30 s if the best timer is longer, and a mean delay of at most 1.5 times the best timer, both from the last report. The model's constants were chosen on
seed 1000; 88001 has chosen nothing. It runs on all cores. The tables after it change the interval, each of six to each other, at four
losses: at most one exit comes before 30 s of silence, then 30 s apply for ten minutes. `--only visits` lets unknown beacons stay for two
to ten minutes, with several values of region.learning.hold; no goal is set. docs/region-exits.md holds a run's result. The rooms are those of ../shared/data/redhat-rooms, left out if it is absent.

What many cost: CPU a report of 1,000 regions, and of 1,000 constraints, and of one of each, on captures of 200 beacons that the
one and the thousand both match. Start-up is taken off, and so is the output: each of the thousand constraints is a list in
every tick, so the same reports are replayed in much and in little time, which shows the cost of a tick.
"""

import argparse
import os
import subprocess
import sys

from claims import Claims
from measuring import interleaved
from workshop import capture, release_beaconctl

# The first UUID of the generated captures, whose identities are major n / 1000 and minor n % 1000.
UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
BEACONS, MANY, MANY_RATIO = 200, 1000, 1.5
REPORTS, SLOW, FAST = 2_000_000, 500, 20_000


def build(product):
    """A bench's program, built for release."""
    environment = dict(os.environ, BEACON_BENCH="1")
    command = ["swift", "build", "-c", "release", "--scratch-path", ".build-bench"]
    subprocess.run([*command, "--product", product], env=environment, stdout=sys.stderr, check=True)
    path = subprocess.run([*command, "--show-bin-path"], env=environment, text=True, stdout=subprocess.PIPE, check=True)
    return os.path.join(path.stdout.strip(), product)


def leaving(options):
    """False exits and delay; returns whether the goals were met."""
    arguments = ["--quick"] if options.quick else []
    arguments += [str(options.days), str(options.seed), *([options.disturbance] if options.disturbance else [])]
    return subprocess.run([build("RegionsBench"), *arguments], check=False).returncode == 0


def visits(options):
    """Short visits of unknown beacons, without a goal."""
    return subprocess.run([build("RegionsBench"), "--visits", str(options.seed)], check=False).returncode == 0


def rooms():
    """The rooms with a timetable; returns whether the bars were met."""
    data = os.path.join("..", "shared", "data", "redhat-rooms")
    if not os.path.isdir(data):
        print(f"rooms: skipped, {data} is absent")
        return True
    run = subprocess.run(
        ["swift", "test", "-c", "release", "-Xswiftc", "-enable-testing", "--scratch-path", ".build-bench",
         "--filter", "RedHatRoomsTests"],
        env=dict(os.environ, BEACON_SHOW="1"), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    for line in run.stdout.splitlines():
        if line.startswith(("fixed", "learned")):
            print(line)
    print("rooms: bars met" if run.returncode == 0 else "rooms: a bar was missed")
    return run.returncode == 0


def many(rounds):
    """A thousand of each compared with one; returns whether the bar was met."""
    beaconctl = release_beaconctl()
    # The identities of the beacons, and others that are never sent: a thousand in all; each report matches one.
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
        claims.add(f"{what[0]}, ns a report, {what[1]:,} requested", a_report[what] * 1e9, digits=1)
        if a_tick:
            claims.add(f"{what[0]}, µs a tick, {what[1]:,} requested", a_tick * 1e6, digits=1)
    for command in ("monitor", "range"):
        claims.add(f"{command}, {MANY:,} / 1, a report", a_report[command, MANY] / a_report[command, 1], MANY_RATIO)
    print()
    print(claims.table())
    return claims.all_met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=4, help="days of 24 h of presence for each condition (4)")
    parser.add_argument("--seed", type=int, default=88001, help="the first day's seed (88001)")
    parser.add_argument("--quick", action="store_true", help="a few conditions only")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each contestant (5)")
    parser.add_argument("--only", choices=["leaving", "rooms", "many", "visits"], help="one of the parts")
    parser.add_argument("--disturbance", help="only the conditions with this disturbance, such as ageing, in leaving")
    options = parser.parse_args()
    held = [part() for name, part in (
        ("leaving", lambda: leaving(options)), ("rooms", rooms), ("many", lambda: many(options.rounds)),
    ) if options.only in (None, name)]
    if options.only == "visits":
        held = [visits(options)]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
