# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Turns the radio of a scenario, or a capture, into the schedule of packets that controller.c sends."""

import os
import struct
import uuid
from pathlib import Path

import captures
import visits

EVENTS = {
    "connectable": captures.CONNECTABLE,
    "scannable": captures.SCANNABLE,
    "nonconnectable": captures.NONCONNECTABLE,
}
LAWS = {"constant": 1, "jitter": 2, "steps": 3, "ramp": 3}
RADIO_KEYS = {"address", "reports", "duplicates", "beacons", "capture", "visit", "deaf", "strangers", "hears", "sends"}
STRANGER_KEYS = {"rate", "uuid"}
CAPTURE_KEYS = {"file", "at", "times"}
BEACON_KEYS = {
    "name", "address", "identity", "power", "flags", "event", "interval", "rssi", "spans", "also", "response", "count",
}

# The end of a span without an end: later than the end of any scenario.
FOREVER = 10**12
MAXIMUM_PAYLOAD = 31
# The pause between two plays of a capture.
PAUSE = 100_000


class Missing(Exception):
    """A capture that is missing on this machine."""


def beacon_payload(identity: str, power: int, flags: int | None) -> bytes:
    name, major, minor = identity.split("/")
    frame = b"\x4c\x00\x02\x15" + uuid.UUID(name).bytes + struct.pack(">HHb", int(major), int(minor), power)
    leading = b"" if flags is None else bytes([2, 1, flags])
    return leading + bytes([1 + len(frame), 0xFF]) + frame


def microseconds(seconds: float) -> int:
    return round(seconds * 1_000_000)


class Schedule:
    """The lines of a schedule; equal payloads are written only once."""

    def __init__(self):
        self.lines: list[str] = []
        self.payloads: dict[bytes, int] = {}

    def payload(self, data: bytes) -> int:
        # A schedule cannot express an empty payload, and no beacon sends one.
        if not 0 < len(data) <= MAXIMUM_PAYLOAD:
            raise ValueError(f"a legacy packet cannot carry {len(data)} bytes")
        if data not in self.payloads:
            self.payloads[data] = len(self.payloads)
            self.lines.append(f"payload {data.hex()}")
        return self.payloads[data]

    def add(self, *words):
        self.lines.append(" ".join(str(word) for word in words))

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def check_keys(what: str, given: dict, known: set[str]):
    unknown = sorted(set(given) - known)
    if unknown:
        raise ValueError(f"{what}: no key {', '.join(unknown)}; there are: {', '.join(sorted(known))}")


def law_words(law) -> list:
    """The controller's LAW A B PERIOD.

    A law is a number, {"jitter": [around, spread]}, {"steps": [a, b, seconds]} or {"ramp": [a, b, seconds]}.
    """
    if not isinstance(law, dict):
        law = {"constant": [law]}
    (name, numbers), *more = law.items()
    if more or name not in LAWS or len(numbers) != LAWS[name] or (name == "jitter" and numbers[1] < 0):
        raise ValueError(f"no such law of RSSI: {law}")
    b = numbers[1] if len(numbers) > 1 else 0
    period = numbers[2] if len(numbers) > 2 else 1
    return [name, numbers[0], b, microseconds(period)]


def crowd(beacon: dict) -> list[dict]:
    """A beacon with a `count` stands for this many beacons, whose minor, address and name count up."""
    count = beacon.get("count", 1)
    name, major, minor = beacon["identity"].split("/")
    octets = beacon["address"].split(":")
    low = int(octets[4] + octets[5], 16)
    singles = []
    for i in range(count):
        single = {**beacon, "identity": f"{name}/{major}/{int(minor) + i}"}
        single["address"] = ":".join([*octets[:4], f"{(low + i) >> 8:02X}", f"{(low + i) & 0xFF:02X}"])
        if count > 1:
            single["name"] = f"{beacon['name']}-{i + 1}"
        singles.append(single)
    return singles


def add_beacons(schedule: Schedule, beacons: list[dict]):
    for beacon in beacons:
        check_keys(f"beacon {beacon.get('name', '?')}", beacon, BEACON_KEYS)
    singles = [single for beacon in beacons for single in crowd(beacon)]
    for place, beacon in enumerate(singles):
        interval = microseconds(beacon.get("interval", 0.1))
        own = beacon_payload(beacon["identity"], beacon.get("power", -59), beacon.get("flags", 6))
        turns = [schedule.payload(data) for data in [own, *map(bytes.fromhex, beacon.get("also", []))]]
        response = schedule.payload(bytes.fromhex(beacon["response"])) if beacon.get("response") else -1
        event, law = EVENTS[beacon.get("event", "nonconnectable")], law_words(beacon.get("rssi", -60))
        # They are spread evenly over the interval, since beacons are not synchronized.
        phase = place * interval // len(singles)
        for start, end in beacon.get("spans", [[0, None]]):
            until = FOREVER if end is None else microseconds(end)
            schedule.add("beacon", beacon["name"], beacon["address"], "random", event, interval,
                         microseconds(start) + phase, until, response, *law, *turns)


def find_capture(name: str, root: Path) -> Path:
    """A path in the project, or `data:…` in the folder of real captures, which are not part of the project."""
    if not name.startswith("data:"):
        return root / name
    found = Path(os.environ.get("BEACON_DATA") or root.parent / "shared/data") / name.removeprefix("data:")
    if not found.is_file():
        raise Missing(f"{found} is not on this machine; BEACON_DATA names the folder of captures")
    return found


def add_capture(schedule: Schedule, path: Path, start: float = 0, times: int = 1):
    """Plays the legacy packets of a capture from `start` on, a number of times in succession."""
    reports = [
        report
        for report in captures.read_reports(path)
        if report.event is not None and 0 < len(report.data) <= MAXIMUM_PAYLOAD
    ]
    if not reports:
        raise ValueError(f"{path}: no advertising report to play")
    first = reports[0].time
    length = max(report.time for report in reports) - first + PAUSE
    for time in range(times):
        begin = microseconds(start) + time * length
        played = -1
        for report in reports:
            # The times of a capture may go back; those of a radio cannot.
            played = max(played, begin + report.time - first)
            kind = "random" if report.random else "public"
            payload = schedule.payload(report.data)
            schedule.add("packet", played, report.address, report.address, kind, report.event, report.rssi, payload)


def schedule_of(radio: dict, root: Path, visit: Path | None = None) -> str:
    """The schedule of a scenario's `radio`; a simulated visit is omitted until it exists."""
    check_keys("radio", radio, RADIO_KEYS)
    reports, duplicates = radio.get("reports", "legacy"), radio.get("duplicates", "absent")
    if reports not in ("legacy", "extended") or duplicates not in ("absent", "strict"):
        raise ValueError("reports are legacy or extended, duplicates absent or strict")
    schedule = Schedule()
    schedule.add("controller", radio.get("address", "00:BB:AA:03:02:01"), reports, duplicates)
    # One controller receives the advertisements of another: they share an air of a name.
    for word in ("hears", "sends"):
        if word in radio:
            schedule.add(word, radio[word])
    if deaf := radio.get("deaf"):
        if deaf.get("until") not in ("scan", "power", "never"):
            raise ValueError("a radio is deaf until `scan`, `power` or `never`")
        schedule.add("deaf", microseconds(deaf["after"]), deaf["until"])
    add_beacons(schedule, radio.get("beacons", []))
    if strangers := radio.get("strangers"):
        # Each sends one packet from a separate address: an iBeacon of the UUID, or something malformed.
        check_keys("strangers", strangers, STRANGER_KEYS)
        schedule.add("strangers", strangers["rate"], uuid.UUID(strangers["uuid"]).hex)
    if capture := radio.get("capture"):
        check_keys("capture", capture, CAPTURE_KEYS)
        path = find_capture(capture["file"], root)
        add_capture(schedule, path, capture.get("at", 0), capture.get("times", 1))
    if "visit" in radio:
        check_keys("visit", radio["visit"], visits.KEYS)
        if visit:
            add_capture(schedule, visit, radio["visit"].get("at", 0))
    return schedule.text()
