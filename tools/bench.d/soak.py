# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Soak: the effect of an hour of hostile traffic on a live run, through BlueZ and through the kernel.

    tools/bench soak [bus|kernel …] [--seconds N] [--whole]

The air: 5,000 new addresses a second, half of them iBeacons of a UUID that is watched; frames and packets malformed in every
way we know; 300 real beacons in ten regions that come and go. An hour of it is 18 million strangers. **Accelerated** means that
the strangers come faster: over the private bus as fast as bus and listener carry them, which is printed; through the kernel's
channel ten times as fast. No clock runs faster: the real beacons send at their own pace, and every deadline takes its
usual time. By default each part is played for 150 s; `--whole` continues until all 18 million strangers have been there.

The listener is the command. A load generator plays org.bluez on a private dbus-daemon; if the kernel has no Bluetooth, as in
a container, another plays its monitor channel in a socket that the command finds in that channel's place: options, filter and
reading are the command's own. Crossings are judged against when the generator sent what, memory after the first minute.
"""

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from claims import Claims
from measuring import Failed
from private_bus import PATIENCE, Bus, expect, kill
from workshop import ROOT, compiled

STRANGERS_A_SECOND = 5_000
HOUR = 3600 * STRANGERS_A_SECOND
KERNEL_SPEED = 10
# Tables fill in the first minute.
SETTLING = 60
# Regions present at the start are not crossed; the others are determined as outside after ten seconds of silence.
DETERMINED = 15
# How long the beacons of a region are absent: longer than the longest exit time, 30 s.
AWAY = 35
REGIONS, BEACONS = 10, 30
REAL, CROWD = ("-".join([byte * 4, byte * 2, byte * 2, byte * 2, byte * 6]) for byte in ("42", "43"))

# The bars.
GROWTH_MB, GROWTH_SHARE = 1.0, 0.03
# From the sending of a report to its time on the timeline: the kernel stamps it as it comes; over a bus that is full it waits.
LATE_MS = {"bus": 250, "kernel": 50}
# From the time of an event to the reading of its line: the kernel source holds inputs back for 50 ms.
TOLD_MS = {"bus": 500, "kernel": 500}
# The rest of an exit's deadline when the report before it is timed by two programs.
DEADLINE_MS = {"bus": 250, "kernel": 50}

SO_SNDBUFFORCE = 32
CHANNEL_BYTES = 1 << 20


def built():
    """Builds the command and the one whose channel is given, and returns both."""
    build = ["swift", "build", "-c", "release", "--scratch-path", ".build-bench"]
    quiet = dict(cwd=ROOT, env=dict(os.environ, BEACON_BENCH="1"), check=True, stdin=subprocess.DEVNULL)
    for product in ("beaconctl", "SoakBench"):
        subprocess.run([*build, "--product", product], stdout=subprocess.DEVNULL, **quiet)
    folder = Path(subprocess.run([*build, "--show-bin-path"], capture_output=True, text=True, **quiet).stdout.strip())
    return folder / "beaconctl", folder / "SoakBench"


def words(via):
    """The arguments of the command."""
    regions = [f"--region=r{number}={REAL}/{number}" for number in range(1, REGIONS + 1)]
    return ["monitor", *regions, f"--region=crowd={CROWD}", f"--via={via}", "--format=jsonl", "--summary"]


def microseconds(stamp):
    """Microseconds since 1970 of an RFC 3339 time in UTC."""
    moment = datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return round((moment - datetime(1970, 1, 1, tzinfo=timezone.utc)).total_seconds() * 1e6)


def resident(process):
    """Returns the memory a process has now, in bytes."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise Failed("the listener has ended")


class Lines(threading.Thread):
    """Reads the lines of a stream as they come, each with the wall clock's time."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream, self.lines = stream, []
        self.start()

    def run(self):
        for line in self.stream:
            self.lines.append((time.time_ns() // 1000, line.rstrip("\n")))

    def last(self, word):
        """Returns the last line that begins with a word; `None` without one."""
        return next((line for _, line in reversed(self.lines) if line.startswith(word)), None)


@dataclass
class Stay:
    """A stay of a region's beacons: when the first report was sent, and the last one of each beacon."""

    region: str
    came: int
    left: list | None = None


def stays(lines):
    """The generator's log of the real beacons."""
    there, all_of_them = {}, []
    for _, line in lines:
        word, *rest = line.split()
        if word == "on":
            there[rest[0]] = Stay(f"r{rest[0]}", int(rest[1]))
            all_of_them.append(there[rest[0]])
        elif word == "off" and rest[0] in there:
            there.pop(rest[0]).left = [int(moment) for moment in rest[1].split(",")]
    return all_of_them


@dataclass
class Crossing:
    """An event of the command, and when it was read."""

    kind: str
    region: str
    time: int
    told: int
    why: dict


def crossings(lines):
    """The crossings of the real beacons' regions."""
    events = ((told, json.loads(line)) for told, line in lines)
    return [
        Crossing(event["type"], event["region"], microseconds(event["t"]), told, event["why"])
        for told, event in events
        if event["type"] in ("region.enter", "region.exit") and event["region"] != "crowd"
    ]


@dataclass
class Soaked:
    """The results of a part."""

    player: list
    told: list
    memory: list
    begun: int
    ended: int
    strangers: int
    seconds: float
    summary: dict


def soak(listener, player, seconds):
    """Runs a listener on the traffic of a player until the player ends, and returns the results."""
    said, told, errors = Lines(player.stdout), Lines(listener.stdout), Lines(listener.stderr)
    begun, memory = time.time_ns() // 1000, []
    while said.last("sent") is None:
        time.sleep(1)
        if player.poll() is not None and said.last("sent") is None:
            said.join(1)
            if said.last("sent") is None:
                raise Failed(f"the player ended: {said.last('gone')}; the listener said {[line for _, line in errors.lines[-3:]]}")
        if listener.poll() is not None:
            raise Failed(f"the listener ended with {listener.returncode}: {[line for _, line in errors.lines[-3:]]}")
        memory.append(((time.time_ns() // 1000 - begun) / 1e6, resident(listener)))
    ended = time.time_ns() // 1000
    listener.send_signal(signal.SIGINT)
    listener.wait(PATIENCE)
    told.join(PATIENCE)
    errors.join(PATIENCE)
    sent = said.last("sent").split()
    summary = json.loads(errors.lines[-1][1])
    return Soaked(said.lines, told.lines, memory, begun, ended, int(sent[1]), float(sent[4]), summary)


def judge_memory(claims, part, memory):
    """Memory is flat once the tables are full."""
    settled = [(when, size / 1e6) for when, size in memory if when > SETTLING]
    if len(settled) < 30:
        raise Failed("too short a run to judge memory; it takes 90 s")
    print(f"  {part}: resident MB every 10 s: " + " ".join(f"{size / 1e6:.1f}" for _, size in memory[::10]))
    first = statistics.median(size for _, size in settled[:10])
    last = statistics.median(size for _, size in settled[-10:])
    slope = statistics.linear_regression(*zip(*settled)).slope
    claims.add(f"{part}: resident after the first minute", first, unit=" MB", digits=1)
    claims.add(f"{part}: slope of it from then on", slope * 60, unit=" MB/min", digits=3)
    claims.add(f"{part}: growth of it to the end", last - first, max(GROWTH_MB, GROWTH_SHARE * first), unit=" MB")


def worst(milliseconds):
    """Returns the worst of some spans, in either direction; fails without one."""
    spans = [abs(one) for one in milliseconds]
    if not spans:
        raise Failed("no crossing to judge")
    return max(spans)


def judge_crossings(claims, part, run):
    """Each stay is entered with its first report and left at its deadline, once, and nothing else happens."""
    since = run.begun + DETERMINED * 1_000_000
    entered, left, missed, surplus, wrong = [], [], 0, 0, 0
    found = crossings(run.told)
    for stay in stays(run.player):
        of_region = [one for one in found if one.region == stay.region]
        end = max(stay.left) if stay.left else run.ended
        if stay.came < since or (stay.left is None and stay.came > run.ended - 2_000_000):
            continue
        enters = [one for one in of_region if one.kind == "region.enter" and stay.came - 1_000_000 <= one.time <= end]
        # No exit is right while a beacon of the region is present.
        surplus += sum(one.kind == "region.exit" and stay.came <= one.time < end for one in of_region)
        surplus += max(0, len(enters) - 1)
        missed += not enters
        if enters:
            entered.append((enters[0], stay.came))
            wrong += not enters[0].why["identity"].endswith(f"/{stay.region[1:]}/1")
        again = end + (AWAY - 1) * 1_000_000
        if stay.left is None or again > run.ended:
            continue
        exits = [one for one in of_region if one.kind == "region.exit" and end <= one.time <= again]
        missed += not exits
        if exits:
            left.append((exits[0], stay.left[int(exits[0].why["identity"].rsplit("/", 1)[1]) - 1]))
    claims.add(f"{part}: crossings judged", len(entered) + len(left), 10, least=True, digits=0)
    claims.add(f"{part}: crossings that were not delivered", missed, 0, digits=0)
    claims.add(f"{part}: false crossings", surplus, 0, digits=0)
    claims.add(f"{part}: enters not with the very first report", wrong, 0, digits=0)
    late = worst((one.time - came) / 1e3 for one, came in entered)
    claims.add(f"{part}: first report sent to the enter's time, worst", late, LATE_MS[part], unit=" ms", digits=1)
    silence = worst((one.time - last) / 1e3 - one.why["threshold"] * 1e3 for one, last in left)
    claims.add(f"{part}: exits beside their deadline, worst", silence, DEADLINE_MS[part], unit=" ms", digits=1)
    spans = sorted(one.why["threshold"] for one, _ in left)
    claims.add(f"{part}: deadlines of the exits, median", statistics.median(spans), unit=" s")
    told = worst((one.told - one.time) / 1e3 for one, _ in entered + left)
    claims.add(f"{part}: event to its line read, worst", told, TOLD_MS[part], unit=" ms", digits=1)


def judge(claims, part, run):
    """Judges a part."""
    hour = run.strangers / HOUR
    claims.add(f"{part}: strangers", run.strangers / 1e6, unit=" million")
    claims.add(f"{part}: minutes of traffic in {run.seconds / 60:.1f}", hour * 60, digits=1)
    claims.add(f"{part}: reports received", run.summary["reports"] / 1e6, unit=" million")
    judge_memory(claims, part, run.memory)
    judge_crossings(claims, part, run)
    dropped = run.summary["dropped"]
    print(f"  {part}: rejected {run.summary['rejected']}, dropped {dropped}, late {run.summary['late']}")
    claims.add(f"{part}: tracks evicted and counted", dropped.get("trackEvicted", 0), 1, least=True, digits=0)
    if part == "bus":
        claims.add(f"{part}: addresses evicted and counted", dropped.get("addressEvicted", 0), 1, least=True, digits=0)
    claims.add(f"{part}: reports lost because nobody pulled them", dropped.get("sourceOverflow", 0), 0, digits=0)


def bus_part(bus, programs, options):
    """Every signal over a private bus, as fast as the bus can carry them."""
    rate = 0 if options.speed is None else options.speed * STRANGERS_A_SECOND
    total = HOUR if options.whole else 0
    player = bus.play_as("--hostile", "--rate", rate, "--seconds", options.seconds, "--strangers", total)
    listener = bus.start([programs[0], *words("dbus")])
    try:
        expect(player, "discovering", PATIENCE)
        return soak(listener, player, options.seconds)
    finally:
        kill(player, listener)


def kernel_part(bus, programs, options):
    """Every packet through a socket in place of the kernel's channel; the bus only signals that discovery runs."""
    speed = KERNEL_SPEED if options.speed is None else options.speed
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with ours, theirs:
        try:
            ours.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, CHANNEL_BYTES)
        except PermissionError:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, CHANNEL_BYTES)
        daemon = bus.play_as("--devices", 1, "--rate", 1, "--seconds", 86_400)
        total = HOUR if options.whole else 0
        command = [compiled("play_monitor"), "--descriptor", ours.fileno(), "--seconds", options.seconds,
                   "--rate", speed * STRANGERS_A_SECOND, "--strangers", total]
        pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        player = subprocess.Popen(list(map(str, command)), pass_fds=[ours.fileno()], **pipes)
        listener = None
        try:
            expect(player, "ready", PATIENCE)
            descriptor = theirs.fileno()
            listener = bus.start([programs[1], descriptor, *words("kernel")], pass_fds=[descriptor])
            expect(daemon, "discovering", PATIENCE)
            player.stdin.write("air\n")
            player.stdin.flush()
            return soak(listener, player, options.seconds)
        finally:
            kill(*(process for process in (player, listener, daemon) if process))


PARTS = {"bus": bus_part, "kernel": kernel_part}


def main():
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="tools/bench soak", description=__doc__, formatter_class=as_written)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help="bus or kernel; both without one")
    parser.add_argument("--seconds", type=float, default=150, help="how long each part is played at least (150)")
    parser.add_argument("--whole", action="store_true", help="play until an hour's strangers have been there; over a bus that takes about an hour")
    parser.add_argument("--speed", type=float, help="times 5,000 strangers a second (bus: all it carries; kernel: 10)")
    parser.add_argument("--programs", type=Path, nargs=2, metavar=("BEACONCTL", "SOAKBENCH"), help="built without this")
    parser.add_argument("--json", type=Path, help="write the claims to a file")
    options = parser.parse_args()

    programs, claims = options.programs or built(), Claims()
    for part in options.parts or PARTS:
        print(f"{part}: {PARTS[part].__doc__}", flush=True)
        try:
            with Bus() as bus:
                judge(claims, part, PARTS[part](bus, programs, options))
        except (Failed, subprocess.TimeoutExpired, OSError, ValueError, KeyError) as problem:
            claims.missing(part, f"{type(problem).__name__}: {problem}")
    print()
    print(claims.table())
    if options.json:
        claims.write(options.json)
    sys.exit(0 if claims.all_met else 1)


main()
