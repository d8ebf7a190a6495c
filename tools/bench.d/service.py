# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""The service: delays, CPU, memory and connections with 50 clients of 40 beacons, and with clients that do harm.

A load generator plays org.bluez on a private dbus-daemon, and `beaconctl service run` serves programs on it. A delay is from the second
of a tick to the moment at which a program has its line, so that the engine's own work is in it.
"""

import argparse
import json
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from claims import Claims
from measuring import Failed
from private_bus import PATIENCE, Bus, kill
from service_clients import NAME
from workshop import HERE, compiled, release_beaconctl
from workshop import capture as capture_of

# The frame's UUID of the load generator.
UUID = "42424242-4242-4242-4242-424242424242"
BEACONS, RATE = 40, 400
CLIENTS = 50
STALLED = 10
# Programs that connect and leave at the same time: with one, everything waits for it.
FLOODS = 4
# The capture of an hour: reports a second, how fast it is played, and its beacons' UUID.
HOUR_RATE, HOUR_SPEED = 40, 60
FIRST_UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
# The project's own bars.
P99_MS = 50
CPU_RATIO = 1.10
CONNECTS = 1000
# The allowed growth of a flat memory, which is within the allocator's reserve.
GROWTH_MB = 4
PYTHON = "/usr/bin/python3"


def cpu(process):
    """Returns the CPU seconds of a process's threads so far, including those that ended."""
    # clock_getcpuclockid(3), which Python has not: the process in the upper bits, the scheduler's count in the lower.
    return time.clock_gettime(~process.pid << 3 | 2)


def memory(process):
    """Returns the resident memory of a process in MB."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise Failed("no VmRSS")


def ready(process, what):
    if not select.select([process.stdout], [], [], PATIENCE)[0]:
        raise Failed(f"{what} did not start within {PATIENCE} s")
    line = process.stdout.readline()
    if not line.startswith("ready"):
        raise Failed(f"{what} said '{line.strip()}'")


class Bench:
    def __init__(self, options):
        self.options = options
        self.claims = Claims()

    def clients(self, bus, *words):
        return bus.start([PYTHON, HERE / "service_clients.py", bus.address, *map(str, words)], stdin=subprocess.PIPE)

    def start(self, bus, folder, seconds):
        """Starts the service and the load generator; returns both when the service can be called."""
        player = bus.play(RATE, seconds, BEACONS)
        return self.serve(bus, folder), player

    def serve(self, bus, folder, *words):
        """Starts the service, and grants the clients."""
        service = bus.start([self.options.beaconctl, "service", "run", "--state", folder, *words])
        if not select.select([service.stderr], [], [], PATIENCE)[0]:
            raise Failed("the service did not start")
        line = service.stderr.readline()
        if "serving" not in line:
            raise Failed(f"the service said '{line.strip()}'")
        granting = self.clients(bus, "grant", CLIENTS)
        output, errors = granting.communicate(timeout=PATIENCE)
        if granting.returncode:
            raise Failed(errors.strip()[-300:])
        return service

    def listen(self, bus, service, count, seconds):
        """Ranges with some clients; returns their delays, and the share of a core that the service used in that time."""
        listeners = self.clients(bus, "listen", count, seconds, UUID)
        try:
            ready(listeners, "the clients")
            time.sleep(3)
            begun, before = time.monotonic(), cpu(service)
            time.sleep(seconds - 1)
            used = (cpu(service) - before) / (time.monotonic() - begun)
            output, errors = listeners.communicate(timeout=PATIENCE + seconds)
            if listeners.returncode:
                raise Failed(errors.strip()[-300:])
            found = json.loads(output.strip().split("\n")[-1])
        finally:
            kill(listeners)
        if found["lines"] < 0.9 * count * (seconds - 1) or found["beacons"] < 0.95 * BEACONS:
            raise Failed(f"{found['lines']} lines of {found['beacons']:.1f} beacons came")
        return found["delays"], used

    def report(self, name, delays, bar=P99_MS):
        cuts = statistics.quantiles(delays, n=100)
        self.claims.add(f"{name}, ms, median of {len(delays):,}", cuts[49])
        self.claims.add(f"{name}, ms, 99th percentile", cuts[98], bar)

    def crowd(self):
        """One client and fifty: delays and CPU."""
        seconds = self.options.seconds
        with Bus() as bus, tempfile.TemporaryDirectory() as folder:
            service, player = self.start(bus, folder, 4 * seconds + 60)
            try:
                one, alone = self.listen(bus, service, 1, seconds)
                many, crowded = self.listen(bus, service, CLIENTS, seconds)
                self.report("one client, second to line", one)
                self.report(f"{CLIENTS} clients, second to line", many)
                self.claims.add("one client, % of a core", alone * 100)
                self.claims.add(f"{CLIENTS} clients, % of a core", crowded * 100)
                self.claims.add(f"{CLIENTS} clients / one, CPU", crowded / alone, CPU_RATIO)
                self.claims.add("resident MB", memory(service), digits=1)
            finally:
                kill(player, service)

    def stalled(self):
        """Clients that read nothing, and one that does."""
        seconds = self.options.seconds
        with Bus() as bus, tempfile.TemporaryDirectory() as folder:
            service, player = self.start(bus, folder, 4 * seconds + 60)
            stalled = self.clients(bus, "stall", STALLED, UUID)
            try:
                ready(stalled, "the clients that read nothing")
                self.listen(bus, service, 1, seconds)
                before, bus_before = memory(service), memory(bus.daemon)
                delays, _ = self.listen(bus, service, 1, 2 * seconds)
                self.report(f"beside {STALLED} that read nothing, second to line", delays)
                grown = f"MB more after {2 * seconds:.0f} s beside {STALLED} that read nothing"
                self.claims.add(f"service, {grown}", memory(service) - before, GROWTH_MB)
                self.claims.add(f"dbus-daemon, {grown}", memory(bus.daemon) - bus_before, GROWTH_MB)
            finally:
                kill(stalled, player, service)

    def hour(self):
        """An hour of ticks, as fast as the engine makes them: memory with 50 clients, 10 of which read nothing."""
        with Bus() as bus, tempfile.TemporaryDirectory() as folder:
            capture = capture_of(reports=HOUR_RATE * 3700, identities=BEACONS, uuids=1, rate=HOUR_RATE, share=100)
            service = self.serve(bus, folder, "--from", capture, "--speed", f"{HOUR_SPEED}x")
            programs = []
            try:
                programs = [
                    self.clients(bus, "count", CLIENTS - STALLED, FIRST_UUID), self.clients(bus, "stall", STALLED, FIRST_UUID)
                ]
                for program in programs:
                    ready(program, "the clients")
                samples, begun = [], time.monotonic()
                while service.poll() is None and time.monotonic() - begun < 3700:
                    time.sleep(2)
                    if service.poll() is None:
                        samples.append((memory(service), memory(bus.daemon)))
                programs[0].stdin.close()
                lines = int(programs[0].stdout.readline())
                # The first tenth is when everything is there for the first time.
                settled = samples[len(samples) // 10:]
                took = time.monotonic() - begun
                self.claims.add(f"ticks of {CLIENTS - STALLED} clients in {took:.0f} s", lines, digits=0)
                for name, at in (("service", 0), ("dbus-daemon", 1)):
                    grown = max(one[at] for one in settled) - settled[0][at]
                    self.claims.add(f"{name}, MB more in an hour of ticks", grown, GROWTH_MB)
                self.claims.add("resident MB at the end", settled[-1][0], digits=1)
            finally:
                kill(*programs, service)

    def flood(self, bus, seconds):
        """Starts programs that connect, make a session and leave."""
        floods = [self.clients(bus, "flood", seconds) for _ in range(FLOODS)]
        for flood in floods:
            ready(flood, "the flood")
        return floods

    def count(self, floods, seconds):
        """Waits for the programs that connect; returns how many sessions they made in a second."""
        found = [json.loads(flood.communicate(timeout=PATIENCE)[0].strip().split("\n")[-1]) for flood in floods]
        made, refused = (sum(one[what] for one in found) / seconds for what in ("made", "refused"))
        if refused:
            self.claims.add("connects refused, a second", refused, digits=0)
        return made

    def connects(self):
        """Programs that connect, make a session and leave, while a client ranges."""
        seconds = self.options.seconds + 4
        with Bus() as bus, tempfile.TemporaryDirectory() as folder:
            service, player = self.start(bus, folder, 4 * seconds + 60)
            floods = []
            try:
                before, bus_before = cpu(service), cpu(bus.daemon)
                floods = self.flood(bus, seconds)
                delays, _ = self.listen(bus, service, 1, seconds - 4)
                made = self.count(floods, seconds)
                used, bus_used = cpu(service) - before, cpu(bus.daemon) - bus_before
                self.claims.add("connects with a session, a second", made, CONNECTS, least=True, digits=0)
                self.claims.add("the service for a connect, ms of CPU", used / made / seconds * 1000, digits=2)
                self.claims.add("dbus-daemon for a connect, ms of CPU", bus_used / made / seconds * 1000, digits=2)
                self.report("beside the connects, second to line", delays)
            finally:
                kill(*floods, player, service)

    def floor(self):
        """The same programs with a service that does nothing: the cost of the bus and the programs."""
        seconds = self.options.seconds
        with Bus() as bus:
            service = bus.start([compiled("service_floor", "dbus-1"), bus.address, NAME])
            floods = []
            try:
                ready(service, "the service that does nothing")
                before, bus_before = cpu(service), cpu(bus.daemon)
                floods = self.flood(bus, seconds)
                made = self.count(floods, seconds)
                used, bus_used = cpu(service) - before, cpu(bus.daemon) - bus_before
                self.claims.add("connects to a service that does nothing, a second", made, digits=0)
                self.claims.add("that service for a connect, ms of CPU", used / made / seconds * 1000, digits=2)
                self.claims.add("dbus-daemon for one of those, ms of CPU", bus_used / made / seconds * 1000, digits=2)
            finally:
                kill(*floods, service)


PARTS = ("crowd", "stalled", "connects", "floor", "hour")


def main():
    parser = argparse.ArgumentParser(prog="tools/bench service", description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=f"of {', '.join(PARTS)}; all without one")
    parser.add_argument("--beaconctl", type=Path, help="the command to measure; built without this")
    parser.add_argument("--seconds", type=float, default=20, help="length of a measurement (20)")
    parser.add_argument("--gate", action="store_true", help="exit 1 where a bar is missed")
    parser.add_argument("--json", type=Path, help="write the claims to a file")
    options = parser.parse_args()
    if subprocess.run([PYTHON, "-c", "import dbus"], stderr=subprocess.DEVNULL).returncode:
        sys.exit("python3-dbus is not installed (Debian: apt install python3-dbus)")
    os.environ["BEACONS_CONFIG"] = "none"
    options.beaconctl = options.beaconctl or release_beaconctl()
    bench = Bench(options)
    for name in options.parts or PARTS:
        try:
            getattr(bench, name)()
        except (Failed, OSError, subprocess.SubprocessError, ValueError) as problem:
            bench.claims.missing(name, f"{type(problem).__name__}: {problem}")
    print(bench.claims.table())
    if options.json:
        bench.claims.write(options.json)
    if options.gate and not bench.claims.all_met:
        sys.exit(1)


if __name__ == "__main__":
    main()
