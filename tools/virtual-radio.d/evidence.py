# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""The results of a scenario: the controller's log, which is the truth, and the live command's events and recording."""

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path

import captures
from stalls import Stall

UNAVAILABLE = 127
# An exit within this time of a packet is false, in microseconds: the shortest exit time is 3 s of silence.
SHORTEST_SILENCE = 2_000_000


@dataclass(frozen=True)
class Packet:
    """A packet that the radio sent; `fate` is whether the controller reported it to the host, and if not, why not."""

    time: int
    device: tuple[str, int]
    event: int
    rssi: int
    identity: str | None
    fate: str
    radio: str


@dataclass(frozen=True)
class Received:
    """A report that the live command recorded."""

    time: int
    rssi: int | None
    identity: str | None
    receiver: str | None


def microseconds(stamp: str) -> int:
    """Microseconds since 1970 of an RFC 3339 time in UTC."""
    moment = datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    whole = int(moment.timestamp() - moment.microsecond / 1e6 + 0.5)
    return whole * 1_000_000 + moment.microsecond


def satisfies(identity: str | None, constraint: str) -> bool:
    return identity is not None and (identity + "/").upper().startswith(constraint.upper() + "/")


def json_lines(path: Path) -> list[dict]:
    """The objects of a file of JSON Lines, without an incomplete last line."""
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")
    return [json.loads(line) for line in lines[:-1] if line]


def called_members(path: Path) -> list[str]:
    """The methods in a log of `dbus-monitor --profile`, in order."""
    lines = path.read_text(errors="replace").splitlines() if path.exists() else []
    return [words[7] for words in (line.split("\t") for line in lines) if words[0] == "mc" and len(words) > 7]


@dataclass
class Evidence:
    scenario: dict
    run: dict
    # The log of each controller, by the first name that the kernel gave it.
    logs: dict[str, list[dict]]
    recording: list[dict]
    live: bytes = b""
    replayed: bytes | None = None
    replay_code: int | None = None
    hci_reports: int | None = None
    said: str = ""
    captured: list[captures.Report] = field(default_factory=list)
    recorded: list[captures.Report] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    figures: dict = field(default_factory=dict)
    folder: Path | None = None
    # Times in which the host did not run the machine.
    stalls: list[Stall] = field(default_factory=list)
    # Complaints for which a stall may be the reason.
    unjudged: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, scenario: dict, folder: Path, stalls: list[Stall] = ()) -> "Evidence":
        capture, own = folder / "hci.btsnoop", folder / "recording.btsnoop"
        captured = list(captures.read_reports(capture)) if capture.exists() else None
        return cls(
            scenario,
            json.loads((folder / "run.json").read_text()),
            {f"hci{n}": json_lines(path) for n, path in enumerate(sorted(folder.glob("controller-[0-9].jsonl")))},
            json_lines(folder / "recording.jsonl"),
            (folder / "live.jsonl").read_bytes() if (folder / "live.jsonl").exists() else b"",
            hci_reports=None if captured is None else len(captured),
            calls=called_members(folder / "calls.log"),
            said=(folder / "live.log").read_text() if (folder / "live.log").exists() else "",
            captured=captured or [],
            recorded=list(captures.read_reports(own)) if own.exists() else [],
            folder=folder,
            stalls=list(stalls),
        )

    # The truth

    @cached_property
    def packets(self) -> list[Packet]:
        packets = []
        for radio, log in self.logs.items():
            identities = {}
            for line in log:
                if line["type"] == "payload":
                    identities[line["number"]] = captures.identity_of_payload(bytes.fromhex(line["ad"]))
                elif line["type"] == "packet":
                    what = (line["event"], line["rssi"], identities[line["payload"]], line["fate"], radio)
                    packets.append(Packet(line["wall"], (radio, line["device"]), *what))
        return sorted(packets, key=lambda packet: packet.time)

    def lines(self, kind: str) -> list[dict]:
        """The lines of a type in the logs of all controllers."""
        return [line for log in self.logs.values() for line in log if line["type"] == kind]

    @cached_property
    def air_began(self) -> int:
        """The scenario's time 0, in microseconds since 1970."""
        return min((line["wall"] for line in self.lines("air")), default=0)

    @property
    def ended(self) -> int:
        """The end of the timeline, in microseconds since 1970; a time far in the future if it was not noted."""
        ends = (action["wall"] for action in self.run.get("actions", []) if action["do"] == "end")
        return next((round(wall * 1_000_000) for wall in ends), 1 << 62)

    @cached_property
    def lone(self) -> set[int]:
        """Devices that never send a scan response, for which the kernel holds their packets back in an active scan."""
        awaited = (captures.CONNECTABLE, captures.SCANNABLE)
        asking = {packet.device for packet in self.packets if packet.event in awaited}
        return asking - {packet.device for packet in self.packets if packet.event == captures.SCAN_RESPONSE}

    def is_comparable(self, packet: Packet) -> bool:
        """Whether host and radio must agree on a packet.

        It is an iBeacon's, has a signal strength, and the kernel does not hold it back.
        """
        return packet.identity is not None and packet.rssi != UNAVAILABLE and packet.device not in self.lone

    @cached_property
    def comparable(self) -> list[Packet]:
        return [packet for packet in self.packets if self.is_comparable(packet)]

    def sent(self, since: int = 0, until: int = 1 << 62) -> list[Packet]:
        return [packet for packet in self.comparable if packet.fate == "sent" and since <= packet.time < until]

    def silence(self, constraint: str, time: int) -> int:
        """For how long no packet of a constraint had been sent at a time, received or not, in microseconds."""
        times = [packet.time for packet in self.packets if satisfies(packet.identity, constraint)]
        return time - max((moment for moment in times if moment <= time), default=0)

    # Other programs

    def program(self, name: str):
        """The result of the program with a name."""
        return self.run["programs"][name]

    def text(self, file: str) -> str:
        """The text of a file in the scenario's folder, if any."""
        path = self.folder / file
        return path.read_text(errors="replace") if path.exists() else ""

    def lines_of(self, file: str) -> list[dict]:
        return json_lines(self.folder / file)

    # The live command

    @cached_property
    def events(self) -> list[dict]:
        return [json.loads(line) for line in self.live.split(b"\n")[:-1] if line]

    @cached_property
    def summary(self) -> dict:
        """The summary of `--summary`, if any."""
        lines = [line for line in self.said.splitlines() if line.startswith('{"v":1,"type":"summary"')]
        return json.loads(lines[-1]) if lines else {}

    @cached_property
    def received(self) -> list[Received]:
        reports = []
        for line in self.recording:
            if line.get("type") != "report":
                continue
            if "manufacturer" in line:
                data = line["manufacturer"].get("004c")
                identity = captures.identity_of_manufacturer(b"\x4c\x00" + bytes.fromhex(data)) if data else None
            else:
                identity = captures.identity_of_payload(bytes.fromhex(line.get("ad") or ""))
            reports.append(Received(microseconds(line["t"]), line.get("rssi"), identity, line.get("receiver")))
        return reports

    @cached_property
    def reports_recorded(self) -> list[tuple[int, int | None, bytes]]:
        """Time, RSSI and advertising data of every recorded report, of a capture or of JSON Lines."""
        if self.recorded:
            return [(report.time, report.rssi, report.data) for report in self.recorded]
        reports = [line for line in self.recording if line.get("type") == "report" and "ad" in line]
        return [(microseconds(line["t"]), line.get("rssi"), bytes.fromhex(line["ad"])) for line in reports]

    def beacons_received(self, since: int = 0, until: int = 1 << 62) -> list[Received]:
        """The recorded reports of iBeacons, except those on which host and radio need not agree."""
        on_air = {packet.identity for packet in self.packets}
        excused = on_air - {packet.identity for packet in self.comparable}
        return [
            report
            for report in self.received
            if report.identity is not None
            and report.identity not in excused
            and report.rssi != UNAVAILABLE
            and since <= report.time < until
        ]

    def window(self, seconds: list[float]) -> tuple[int, int]:
        """Scenario seconds as microseconds since 1970."""
        return tuple(self.air_began + round(moment * 1_000_000) for moment in seconds)

    def stalled(self, until: float | None = None) -> float:
        """How long the host did not run the machine, in seconds; only before a second of the scenario if one is given."""
        end = self.window([until])[0] if until is not None else 1 << 62
        return sum(stall.seconds for stall in self.stalls if stall.begin < end)

    def stalled_between(self, begin: float, end: float) -> float:
        """How long the host did not run the machine between two times in microseconds since 1970, in seconds."""
        return sum(max(0.0, min(stall.end, end) - max(stall.begin, begin)) for stall in self.stalls) / 1e6

    def fates(self) -> Counter:
        return Counter(packet.fate for packet in self.packets)
