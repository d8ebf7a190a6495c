# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Replay: the cost of ranging and scanning a capture, compared with a floor in C and with programs of others.

Every figure of time is CPU (user and system) unless it is wall time. Contestants of one claim run interleaved in one go, and
the median of the rounds counts. The start of a program is measured on an empty capture and subtracted if a cost
of a report is given, on all sides alike.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import peers
from claims import Claims
from measuring import Failed, instructions, interleaved, measure
from workshop import HERE, capture, compiled, release_beaconctl

# The project's own bars.
FLOOR_RATIO = 2.0
PEER_RATIOS = {"btmon": 1 / 40, "tshark": 1 / 80, "beacontools": 1 / 500}
MATCHING_SPREAD = 1.15
IDENTITIES_GROWTH = 1.5
MEMORY_SPREAD = 1.10
BYTES_A_TRACK = 512
LINES_A_SECOND = 1_000_000
INSTRUCTIONS_GROWTH = 1.10
# The least speed, in reports a second, of the floor for which the first bar was set.
REFERENCE_FLOOR = 12_000_000

# The captures' first UUID, which all identities share unless a capture was asked for several.
UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
# The peers are hundreds of times slower: they get a part of the capture, and their cost is given for each report.
PEERS_CUT = 200_000
# Shorter runs are repeated until they are this many reports, so that the kernel's accounting of CPU time can tell them.
SHORTEST_RUN = 1_000_000
START_REPEATS = 5
# Callgrind is about fifty times slower than the machine, and instructions hardly vary.
INSTRUCTIONS_CUT = 50_000
INSTRUCTIONS_FILE = HERE / "instructions.json"


class Bench:
    """One run: the commands, how large and how often, and the claims so far."""

    def __init__(self, beaconctl, reports, rounds):
        self.beaconctl, self.reports, self.rounds = beaconctl, reports, rounds
        self.claims = Claims()

    def range(self, path, form="none"):
        return [self.beaconctl, "range", "--from", path, "--satisfying", UUID, "--format", form]

    def scan(self, path, form="none", constraints=()):
        chosen = [word for constraint in constraints for word in ("--satisfying", constraint)]
        return [self.beaconctl, "scan", "--from", path, *chosen, "--format", form]

    def floor(self, path):
        return [compiled("floor"), path]

    def cost_a_report(self, contestants, repeating=True):
        """Returns the CPU seconds for each report of {name: (command maker, capture, reports)}, without the start-up."""
        empty = capture(reports=0)
        runs = {name: make(path) for name, (make, path, _) in contestants.items()}
        starts = {f"{name} on nothing": make(empty) for name, (make, _, _) in contestants.items()}
        repeats = {name: -(-SHORTEST_RUN // reports) for name, (_, _, reports) in contestants.items()}
        repeats |= {name: START_REPEATS for name in starts}
        costs = interleaved({**runs, **starts}, self.rounds, repeats=repeats if repeating else None)
        return {
            name: max(costs[name].cpu - costs[f"{name} on nothing"].cpu, 0) / reports
            for name, (_, _, reports) in contestants.items()
        }


def agreement(bench):
    """Checks that the command and the floor received the same: a fast wrong result does not count."""
    path = capture(reports=PEERS_CUT)
    floor = json.loads(subprocess.run(bench.floor(path), check=True, capture_output=True, text=True).stdout)
    said = subprocess.run([*bench.scan(path), "--summary"], check=True, capture_output=True, text=True).stderr
    summary = json.loads(said.strip().split("\n")[-1])
    bench.claims.add("reports that beaconctl and the floor disagree on", abs(summary["reports"] - floor["reports"]), 0, digits=0)
    bench.claims.add("beacons that beaconctl and the floor disagree on",
                     abs(summary["beacons"] - floor["identities"]), 0, digits=0)


def floor(bench):
    """`range` and the floor."""
    path = capture(reports=bench.reports)
    costs = interleaved({"range": bench.range(path), "floor": bench.floor(path)}, bench.rounds)
    bench.claims.add("floor, million reports a CPU second", bench.reports / costs["floor"].cpu / 1e6)
    bench.claims.add("range, million reports a CPU second", bench.reports / costs["range"].cpu / 1e6)
    bench.claims.add("range / floor", costs["range"].cpu / costs["floor"].cpu, FLOOR_RATIO)
    bench.claims.add("range / a floor of 12 million reports a second",
                     costs["range"].cpu / (bench.reports / REFERENCE_FLOOR), FLOOR_RATIO)


def versus(bench):
    """`range`, btmon, tshark and beacontools: the cost of a report on a part of the capture, without the start-up."""
    whole, cut = capture(reports=bench.reports), capture(reports=PEERS_CUT)
    ours = bench.cost_a_report({"range": (bench.range, whole, bench.reports)})["range"]
    for name, bar in PEER_RATIOS.items():
        try:
            theirs = bench.cost_a_report({name: (getattr(peers, name), cut, PEERS_CUT)}, repeating=False)[name]
        except (Failed, FileNotFoundError, subprocess.CalledProcessError) as problem:
            bench.claims.missing(f"range / {name}", problem)
            continue
        bench.claims.add(f"{name}, µs a report (cut of {PEERS_CUT:,})", theirs * 1e6)
        bench.claims.add(f"{name} / range, times", theirs / ours, 1 / bar, least=True, digits=0)


def matching(bench):
    """The cost of `scan` does not grow with the constraints, the length of the capture or the number of identities."""
    path = capture(reports=bench.reports)
    others = [f"F7826DA6-4FA2-4E98-8024-{n:012X}" for n in range(10_000)]
    costs = bench.cost_a_report({
        count: (lambda path, count=count: bench.scan(path, constraints=[UUID, *others[:count - 1]]), path, bench.reports)
        for count in (1, 100, 10_000)
    })
    spread(bench, "scan, ns a report, {:,} constraints", costs)

    lengths = [length for length in (100_000, 1_000_000, 10_000_000) if length <= 2 * bench.reports]
    costs = bench.cost_a_report({length: (bench.scan, capture(reports=length), length) for length in lengths})
    spread(bench, "scan, ns a report, {:,} reports", costs)

    sizes = {size: capture(reports=bench.reports, identities=size) for size in (10, 200, 6000, 60_000)}
    costs = bench.cost_a_report({
        (who, size): (make, path, bench.reports)
        for size, path in sizes.items() for who, make in (("scan", bench.scan), ("floor", bench.floor))
    })
    for size in sizes:
        bench.claims.add(f"scan, ns a report, {size:,} identities", costs["scan", size] * 1e9, digits=1)
        bench.claims.add(f"floor, ns a report, {size:,} identities", costs["floor", size] * 1e9, digits=1)
    grown = {who: costs[who, 60_000] / costs[who, 10] for who in ("scan", "floor")}
    bench.claims.add("scan's growth / the floor's, 10 to 60,000 identities", grown["scan"] / grown["floor"], IDENTITIES_GROWTH)


def spread(bench, name, costs):
    """Claims that costs by size differ little."""
    for size, cost in costs.items():
        bench.claims.add(name.format(size), cost * 1e9, digits=1)
    label = name.split(", ")[-1].replace("{:,} ", "")
    bench.claims.add(f"scan, largest / smallest by {label}", max(costs.values()) / min(costs.values()), MATCHING_SPREAD)


def ranging(bench):
    """The cost of `range` for a report and for a listed beacon, separated by captures with the same reports in different times."""
    reports = bench.reports // 5
    for identities in (10, 200, 2000):
        slow, fast = (capture(reports=reports, identities=identities, rate=rate) for rate in (500, 20_000))
        costs = interleaved({"slow": bench.range(slow), "fast": bench.range(fast)}, bench.rounds)
        listed = {"slow": listed_beacons(bench, slow), "fast": listed_beacons(bench, fast)}
        a_beacon = (costs["slow"].cpu - costs["fast"].cpu) / max(listed["slow"] - listed["fast"], 1)
        a_report = (costs["fast"].cpu - a_beacon * listed["fast"]) / reports
        bench.claims.add(f"range, ns a report, {identities:,} identities", a_report * 1e9, digits=1)
        bench.claims.add(f"range, ns a listed beacon, {identities:,} identities", a_beacon * 1e9, digits=1)


def listed_beacons(bench, path):
    """Returns how many beacons the ticks of a capture list in all."""
    with subprocess.Popen(bench.range(path, "jsonl"), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as child:
        return sum(line.count(b'"last_heard":') for line in child.stdout)


def memory(bench):
    """Peak memory does not depend on the length; a track costs little."""
    lengths = [length for length in (100_000, 1_000_000, 10_000_000) if length <= 2 * bench.reports]
    peaks = {length: measure(bench.range(capture(reports=length))).peak for length in lengths}
    for length, peak in peaks.items():
        bench.claims.add(f"range, peak MB, {length:,} reports", peak / 1e6, digits=1)
    bench.claims.add("range, peak by length, largest / smallest", max(peaks.values()) / min(peaks.values()), MEMORY_SPREAD)

    # Ten reports a second of each of 60,000 beacons for six seconds, so that all tracks live together.
    crowd = dict(reports=6_000_000, rate=1_000_000, share=60)
    few, many = (measure(bench.range(capture(identities=count, **crowd))).peak for count in (10, 60_000))
    bench.claims.add("range, bytes a track (peak of 60,000 less peak of 10)", (many - few) / 59_990, BYTES_A_TRACK, digits=0)


def lines(bench):
    """`scan --format jsonl` into a pipe."""
    path = capture(reports=bench.reports)
    command = bench.scan(path, "jsonl")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as child:
        count = sum(block.count(b"\n") for block in iter(lambda: child.stdout.read(1 << 20), b""))
    cost = interleaved({"scan": command}, bench.rounds, pipe=True)["scan"]
    bench.claims.add("scan --format jsonl, lines a wall second into a pipe", count / cost.wall, LINES_A_SECOND, least=True, digits=0)
    bench.claims.add("scan --format jsonl, lines a CPU second", count / cost.cpu, digits=0)


def count_instructions(bench):
    """Instructions for each report, compared with the recorded ones; a busy machine does not change them."""
    path, empty = capture(reports=INSTRUCTIONS_CUT), capture(reports=0)
    commands = {
        "floor": bench.floor,
        "range --format none": bench.range,
        "scan --format none": bench.scan,
        "scan --format jsonl": lambda path: bench.scan(path, "jsonl"),
    }
    recorded = json.loads(INSTRUCTIONS_FILE.read_text()) if INSTRUCTIONS_FILE.exists() else {}
    counted = {}
    for name, make in commands.items():
        counted[name] = (instructions(make(path)) - instructions(make(empty))) / INSTRUCTIONS_CUT
        bench.claims.add(f"{name}, instructions a report", counted[name], digits=0)
        if name in recorded:
            bench.claims.add(f"{name}, instructions / recorded", counted[name] / recorded[name], INSTRUCTIONS_GROWTH)
    return counted


PARTS = {
    "agreement": agreement, "floor": floor, "versus": versus, "matching": matching, "ranging": ranging,
    "memory": memory, "lines": lines, "instructions": count_instructions,
}


def main():
    parser = argparse.ArgumentParser(prog="tools/bench replay", description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=f"of {', '.join(PARTS)}; all without one")
    parser.add_argument("--beaconctl", type=Path, help="the command to measure; built without this")
    parser.add_argument("--reports", type=int, default=5_000_000, help="length of the capture (5,000,000)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each contestant (5)")
    parser.add_argument("--gate", action="store_true", help="exit 1 where a bar is missed")
    parser.add_argument("--record", action="store_true", help="write the instructions counted as the recorded ones")
    parser.add_argument("--json", type=Path, help="write the claims to a file")
    options = parser.parse_args()

    bench = Bench(options.beaconctl or release_beaconctl(), options.reports, options.rounds)
    for name in options.parts or PARTS:
        print(f"{name}: {PARTS[name].__doc__.split('.')[0]}", flush=True)
        try:
            result = PARTS[name](bench)
        except (Failed, subprocess.CalledProcessError, ValueError, KeyError, ZeroDivisionError) as problem:
            bench.claims.missing(name, f"{type(problem).__name__}: {problem}")
            continue
        if name == "instructions" and options.record:
            INSTRUCTIONS_FILE.write_text(json.dumps({k: round(v) for k, v in result.items()}, indent=2) + "\n")
    print()
    print(bench.claims.table())
    if options.json:
        bench.claims.write(options.json)
    if options.gate and not bench.claims.all_met:
        sys.exit(1)


main()
