# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Live: the cost of listening to BlueZ, compared with bleak's scanner and a floor in C, and the delay of a report.

A load generator plays org.bluez on a private dbus-daemon. The contestants take turns on that bus, and the median of the
rounds counts. CPU is the advance of the processes' own clocks while signals come evenly: neither starting nor stopping is
in a figure. A turn counts only if the generator kept its pace and the contestant received everything.
"""

import argparse
import json
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import peers
from claims import Claims
from measuring import Failed
from private_bus import DEVICES, PATIENCE, Bus, expect, kill
from workshop import compiled, release_beaconctl

# The project's own bars.
PEER_RATIO = 0.5
RESIDENT_MB = 20
MEDIAN_MS = 5
P99_MS = 20
IDLE_PERCENT = 0.5

RATES = (200, 2_000, 10_000)
LATENCY_RATE = 200
IDLE_DEVICES, IDLE_RATE = 3, 30
# The frame's UUID; with stamps its second half is the time of sending.
UUID = "42424242-4242-4242-4242-424242424242"

# Seconds of signals before a measurement begins, in which devices become known and caches fill.
WARM_UP = 1.0
# The share by which the pace, and the received signals, may fall short.
TOLERANCE = 0.02


def cpu(process):
    """Returns the CPU seconds of a process's threads so far, including those that ended."""
    # clock_getcpuclockid(3), which Python has not: the process in the upper bits, the scheduler's count in the lower.
    return time.clock_gettime(~process.pid << 3 | 2)


def status(process, key):
    """Returns a number of /proc/PID/status, the threads' sum where each has its own."""
    total = 0
    for path in Path(f"/proc/{process.pid}/task").glob("*/status"):
        found = [line.split()[1] for line in path.read_text().splitlines() if line.startswith(key + ":")]
        total += int(found[0]) if found else 0
    return total


def peak(process):
    """Returns the most memory a process has had, in bytes."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise Failed("no VmHWM")


@dataclass
class Contestant:
    """A listener: its command, the signal that ends it, and how to read from its output how many reports it received."""

    command: list
    ends_by: int | None
    received: object


def contestants(beaconctl):
    return {
        "range": Contestant(
            [beaconctl, "range", "--satisfying", UUID, "--format", "none", "--summary"], signal.SIGINT,
            lambda output, errors: json.loads(errors.strip().split("\n")[-1])["reports"],
        ),
        "bleak": Contestant(peers.bleak(), signal.SIGINT, lambda output, errors: int(output)),
        # It ends when org.bluez leaves the bus.
        "floor": Contestant(["floor"], None, lambda output, errors: int(output.split()[1].rstrip(","))),
    }


@dataclass
class Turn:
    """The resources that a contestant used while it listened, for each signal and each second."""

    cpu: float
    daemon: float
    load: float
    switches: float
    peak: int


def listen(bus, name, contestant, rate, seconds, devices=DEVICES):
    """Lets a contestant listen to a rate for some seconds, and returns its use."""
    player = bus.play(rate, WARM_UP + seconds + 1, devices)
    command = [compiled("bus_floor", "dbus-1"), bus.address] if name == "floor" else contestant.command
    listener = bus.start(command)
    try:
        expect(player, "discovering", PATIENCE)
        time.sleep(WARM_UP)
        begun, before = time.monotonic(), (cpu(listener), cpu(bus.daemon), switches(listener))
        time.sleep(seconds)
        used = [now - then for now, then in zip((cpu(listener), cpu(bus.daemon), switches(listener)), before)]
        elapsed, memory = time.monotonic() - begun, peak(listener)
        sent = check_pace(expect(player, "sent", PATIENCE + seconds), rate)
        if contestant.ends_by:
            listener.send_signal(contestant.ends_by)
        output, errors = listener.communicate(timeout=PATIENCE)
        if contestant.received(output, errors) < (1 - TOLERANCE) * sent:
            raise Failed(f"{name} received {contestant.received(output, errors)} of {sent} signals")
        signals = rate * elapsed
        return Turn(used[0] / signals, used[1] / signals, used[0] / elapsed, used[2] / elapsed, memory)
    finally:
        kill(player, listener)


def switches(process):
    """Returns how often the threads of a process went to sleep."""
    return status(process, "voluntary_ctxt_switches")


def check_pace(line, rate):
    """Returns how many signals the load generator sent; fails if the generator was too slow."""
    words = line.split()
    sent, seconds = int(words[1]), float(words[3])
    if sent / seconds < (1 - TOLERANCE) * rate:
        raise Failed(f"the load generator managed {sent / seconds:,.0f} signals a second of {rate:,}")
    return sent


def median(turns, part):
    return statistics.median(getattr(turn, part) for turn in turns)


def ratio(ours, theirs):
    """Returns the ratio of the CPU that two contestants used: the median over the rounds."""
    return statistics.median(our.cpu / their.cpu for our, their in zip(ours, theirs))


class Bench:
    """One run: the bus, the command, how long and how often, and the claims so far."""

    def __init__(self, bus, beaconctl, options):
        self.bus, self.beaconctl = bus, beaconctl
        self.seconds, self.rounds, self.rates = options.seconds, options.rounds, options.rate or RATES
        self.claims = Claims()
        self.contestants = contestants(beaconctl)

    def turns(self, rate):
        """Lets every contestant listen once in each round, so that a busy minute of the machine affects all."""
        turns = {name: [] for name in self.contestants}
        for _ in range(self.rounds):
            for name, contestant in self.contestants.items():
                turns[name].append(listen(self.bus, name, contestant, rate, self.seconds))
        return turns


def load(bench):
    """CPU for each signal, and memory, at each rate."""
    peaks = {}
    for rate in bench.rates:
        try:
            turns = bench.turns(rate)
        except (Failed, subprocess.TimeoutExpired) as problem:
            bench.claims.missing(f"range / bleak, CPU a signal, {rate:,} a second", problem)
            continue
        costs = {name: median(turns[name], "cpu") for name in turns}
        for name, cost in costs.items():
            bench.claims.add(f"{name}, µs a signal, {rate:,} a second", cost * 1e6, digits=1)
        bench.claims.add(f"dbus-daemon, µs a signal, {rate:,} a second", median(turns["range"], "daemon") * 1e6, digits=1)
        bench.claims.add(f"range / floor, CPU a signal, {rate:,} a second", ratio(turns["range"], turns["floor"]))
        bench.claims.add(f"range / bleak, CPU a signal, {rate:,} a second", ratio(turns["range"], turns["bleak"]), PEER_RATIO)
        for name in ("range", "bleak"):
            peaks.setdefault(name, []).extend(turn.peak for turn in turns[name])
    if peaks:
        bench.claims.add("bleak, peak resident MB", max(peaks["bleak"]) / 1e6, digits=1)
        bench.claims.add("range, peak resident MB", max(peaks["range"]) / 1e6, RESIDENT_MB, digits=1)


def latency(bench):
    """The time from sending a signal to reading the line of its report, including the bus."""
    delays = []
    player = bench.bus.play(LATENCY_RATE, WARM_UP + 2 * bench.seconds, stamp=True)
    listener = bench.bus.start([bench.beaconctl, "scan", "--format", "jsonl"], stderr=subprocess.DEVNULL)
    try:
        expect(player, "discovering", PATIENCE)
        begun = time.monotonic()
        for line in listener.stdout:
            now = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
            event = json.loads(line)
            if "uuid" in event and time.monotonic() - begun > WARM_UP:
                delays.append((now - int(event["uuid"].replace("-", "")[16:], 16)) / 1e6)
            if player.poll() is None and time.monotonic() - begun > 2 * bench.seconds:
                break
        check_pace(expect(player, "sent", PATIENCE), LATENCY_RATE)
    finally:
        kill(player, listener)
    if len(delays) < LATENCY_RATE * bench.seconds / 2:
        raise Failed(f"{len(delays)} lines were written")
    cuts = statistics.quantiles(delays, n=100)
    bench.claims.add(f"sent to written, ms, median of {len(delays):,} at {LATENCY_RATE} a second", cuts[49], MEDIAN_MS)
    bench.claims.add(f"sent to written, ms, 99th percentile at {LATENCY_RATE} a second", cuts[98], P99_MS)


def idle(bench):
    """A quiet place: three beacons at 10 Hz."""
    for name in ("bleak", "range"):
        turns = [
            listen(bench.bus, name, bench.contestants[name], IDLE_RATE, 2 * bench.seconds, IDLE_DEVICES)
            for _ in range(bench.rounds)
        ]
        bar = IDLE_PERCENT if name == "range" else None
        bench.claims.add(f"{name}, sleeps a second at {IDLE_RATE} reports a second", median(turns, "switches"), digits=0)
        bench.claims.add(f"{name}, % of a core at {IDLE_RATE} reports a second", median(turns, "load") * 100, bar)


PARTS = {"load": load, "latency": latency, "idle": idle}


def main():
    parser = argparse.ArgumentParser(prog="tools/bench live", description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=f"of {', '.join(PARTS)}; all without one")
    parser.add_argument("--beaconctl", type=Path, help="the command to measure; built without this")
    parser.add_argument("--seconds", type=float, default=5, help="length of a measurement (5)")
    parser.add_argument("--rate", type=int, action="append", help="signals a second of the part load (200, 2,000 and 10,000)")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each contestant (3)")
    parser.add_argument("--gate", action="store_true", help="exit 1 where a bar is missed")
    parser.add_argument("--json", type=Path, help="write the claims to a file")
    options = parser.parse_args()

    beaconctl = options.beaconctl or release_beaconctl()
    with Bus() as bus:
        bench = Bench(bus, beaconctl, options)
        for name in options.parts or PARTS:
            print(f"{name}: {PARTS[name].__doc__.split('.')[0]}", flush=True)
            try:
                PARTS[name](bench)
            except (Failed, subprocess.TimeoutExpired, OSError, ValueError, KeyError) as problem:
                bench.claims.missing(name, f"{type(problem).__name__}: {problem}")
    print()
    print(bench.claims.table())
    if options.json:
        bench.claims.write(options.json)
    if options.gate and not bench.claims.all_met:
        sys.exit(1)


main()
