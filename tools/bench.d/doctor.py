# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""How often `museum doctor` finds a beacon's fault on simulated visits, and how often a wrong one.

tools/bench doctor [--visits N] [--beaconctl FILE]

Each visit is examined as it is. Those that are thorough, with 6 s or more in front of half of the exhibits, are examined again
with one fault of a beacon in front of which the visitor stood so long.
"""

import argparse
import json
import math
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from workshop import ROOT, release_beaconctl

PLAN = ROOT / "Fixtures/museum/plan.json5"
UUID = "f7826da64fa24e988024bc5b71e0893e"
STOOD = 6  # s
# A little less than was seen last: found faults, of all; and visits without a fault that have a finding.
LEAST = {"exchanged": 0.35, "weaker by 12 dB": 0.25, "weaker by 15 dB": 0.4, "missing": 0.85}
MOST_WRONG = 0.1
WRONG = "visits with a wrong finding"


def places():
    """The place of each exhibit by its minor, from the plan; minors of this plan are unique."""
    found = re.findall(r"minor: (\d+), at: \[([\d.]+), ([\d.]+)\]", PLAN.read_text(encoding="utf-8"))
    return {int(minor): (float(x), float(y)) for minor, x, y in found}


def stood(truth):
    """The exhibits in front of which the visitor stood long enough."""
    counts = Counter()
    for line in truth.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["standing"] and row["looks_at"]:
            counts[row["looks_at"]["minor"]] += 1
    return sorted(minor for minor, count in counts.items() if count >= STOOD * 10)


def key(minor):
    return f"{UUID}{minor // 100:04x}{minor:04x}"


def changed(lines, change):
    """A capture in which each report's beacon and level are changed; None leaves it out."""
    for line in lines:
        match = re.search(UUID + r"(....)(....)", line)
        minor = int(match[2], 16) if match else None
        if minor is None:
            yield line
            continue
        to = change(minor)
        if to is None:
            continue
        other, less = to
        level = int(re.search(r'"rssi":(-?\d+)', line)[1]) - less
        if level > -104:
            yield re.sub(r'"rssi":-?\d+', f'"rssi":{level}', line.replace(key(minor), key(other)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=300, help="visits, with the seeds from 1 on (default: 300)")
    parser.add_argument("--beaconctl", help="the command (default: the release, which is built)")
    options = parser.parse_args()
    command = options.beaconctl or release_beaconctl()
    where, dice, tally = places(), random.Random(1), Counter()

    def findings(path):
        words = [command, "museum", "doctor", "--plan", PLAN, "--from", path, "--format", "json"]
        said = subprocess.run(words, capture_output=True, check=False, text=True).stdout
        rows = {row["minor"]: [one["finding"] for one in row["findings"]] for row in json.loads(said)["beacons"]}
        return {minor: [one for one in found if one != "notReached"] for minor, found in rows.items()}

    with tempfile.TemporaryDirectory() as place:
        visit, truth, other = (Path(place, name) for name in ("visit.jsonl", "truth.jsonl", "other.jsonl"))
        for seed in range(1, options.visits + 1):
            words = [command, "museum", "simulate", "--plan", PLAN, "--seed", str(seed), "--truth", truth, "--force", visit]
            subprocess.run(words, check=True, capture_output=True)
            lines = visit.read_text(encoding="utf-8").splitlines(keepends=True)
            wrong = [minor for minor, found in findings(visit).items() if found]
            tally[WRONG] += bool(wrong)
            tally["beacons"] += len(wrong)
            here = stood(truth)
            if len(here) < len(where) / 2:
                continue
            one = dice.choice(here)
            # The nearest other one, which is the hardest to tell.
            two = min((minor for minor in here if minor != one), key=lambda minor: math.dist(where[minor], where[one]))
            swap = {one: two, two: one}
            faults = {
                "exchanged": lambda minor: (swap.get(minor, minor), 0),
                "weaker by 12 dB": lambda minor: (minor, 12 if minor == one else 0),
                "weaker by 15 dB": lambda minor: (minor, 15 if minor == one else 0),
                "missing": lambda minor: None if minor == one else (minor, 0),
            }
            wanted = {"exchanged": {"swapped", "inPlace"}, "missing": {"missing"}}
            for name, change in faults.items():
                other.write_text("".join(changed(lines, change)), encoding="utf-8")
                found = findings(other)
                tally[name, "of"] += 1
                tally[name] += bool(wanted.get(name, {"weak"}) & set(found[one]))
                tally[name, "others"] += any(found[minor] for minor in found if minor not in swap)
    failed = tally[WRONG] > MOST_WRONG * options.visits
    print(f"{WRONG}: {tally[WRONG]} of {options.visits} ({tally['beacons']} of {24 * options.visits} beacons)"
          + ("  MISSED" if failed else ""))
    for name, least in LEAST.items():
        isMissed = tally[name] < least * tally[name, "of"]
        failed = failed or isMissed
        print(f"{name}: found {tally[name]} of {tally[name, 'of']}; another beacon has a finding in {tally[name, 'others']}"
              + (f"  MISSED (at least {least:.0%})" if isMissed else ""))
    sys.exit(failed)


if __name__ == "__main__":
    main()
