# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Advertising reports in btsnoop captures, and the iBeacon in an advertising payload.

It does not use the project's own decoders, because the checks judge these.
"""

import struct
from dataclasses import dataclass
from pathlib import Path

CONNECTABLE, DIRECTED, SCANNABLE, NONCONNECTABLE, SCAN_RESPONSE = range(5)

# The start of 1970 in btsnoop's microseconds, which count from the year 0.
BTSNOOP_EPOCH = 0x00DCDDB30F2F8000
LINUX_MONITOR, H4, H1 = 2001, 1002, 1001
MONITOR_EVENT = 3

# The types of extended reports that carry a legacy packet.
LEGACY_EVENTS = {
    0x13: CONNECTABLE,
    0x15: DIRECTED,
    0x12: SCANNABLE,
    0x10: NONCONNECTABLE,
    0x1B: SCAN_RESPONSE,
    0x1A: SCAN_RESPONSE,
}


@dataclass(frozen=True)
class Report:
    """One advertising report; `event` is None if no legacy report can carry the packet."""

    time: int
    event: int | None
    random: bool
    address: str
    rssi: int
    data: bytes


def read_btsnoop(path: Path):
    """Yields (microseconds since 1970, HCI event without its H4 byte); ends without an error at an incomplete last record."""
    content = Path(path).read_bytes()
    if content[:8] != b"btsnoop\0":
        raise ValueError(f"{path}: not a btsnoop file; `beaconctl convert` makes one")
    link_type = struct.unpack_from(">I", content, 12)[0]
    if link_type not in (LINUX_MONITOR, H4, H1):
        raise ValueError(f"{path}: btsnoop of link type {link_type} holds no HCI packets")
    at = 16
    while at + 24 <= len(content):
        _, included, flags, _, time = struct.unpack_from(">IIIIq", content, at)
        packet = content[at + 24 : at + 24 + included]
        at += 24 + included
        if len(packet) < included:
            return
        time -= BTSNOOP_EPOCH
        if link_type == LINUX_MONITOR and flags & 0xFFFF == MONITOR_EVENT:
            yield time, packet
        elif link_type == H4 and packet[:1] == b"\x04":
            yield time, packet[1:]
        elif link_type == H1 and flags & 3 == 3:
            yield time, packet


def reports_in(time: int, event: bytes) -> list[Report]:
    """The advertising reports in an HCI event; none in any other event or in a damaged one."""
    if len(event) < 4 or event[0] != 0x3E or event[2] not in (0x02, 0x0D):
        return []
    reports, at = [], 4
    for _ in range(event[3]):
        if event[2] == 0x02:
            if at + 9 > len(event) or at + 10 + event[at + 8] > len(event):
                break
            end = at + 9 + event[at + 8]
            kind, random, address, data = event[at], event[at + 1], event[at + 2 : at + 8], event[at + 9 : end]
            rssi, at = event[end], end + 1
        else:
            if at + 24 > len(event) or at + 24 + event[at + 23] > len(event):
                break
            kind = LEGACY_EVENTS.get(event[at] | event[at + 1] << 8)
            random, address, rssi = event[at + 2], event[at + 3 : at + 9], event[at + 13]
            data = event[at + 24 : at + 24 + event[at + 23]]
            at += 24 + event[at + 23]
        spelled = ":".join(f"{octet:02X}" for octet in reversed(address))
        reports.append(Report(time, kind, bool(random & 1), spelled, rssi - 256 if rssi > 127 else rssi, bytes(data)))
    return reports


def read_reports(path: Path):
    """Yields every advertising report of a btsnoop file."""
    for time, event in read_btsnoop(path):
        yield from reports_in(time, event)


def identity_of_manufacturer(data: bytes) -> str | None:
    """UUID/MAJOR/MINOR of manufacturer data that begins with its company identifier."""
    if len(data) != 25 or data[:4] != b"\x4c\x00\x02\x15":
        return None
    uuid = data[4:20].hex().upper()
    major, minor = struct.unpack(">HH", data[20:24])
    return f"{uuid[:8]}-{uuid[8:12]}-{uuid[12:16]}-{uuid[16:20]}-{uuid[20:]}/{major}/{minor}"


def identity_of_payload(payload: bytes) -> str | None:
    """UUID/MAJOR/MINOR of the first iBeacon in an advertising payload."""
    at = 0
    while at < len(payload) and payload[at]:
        structure = payload[at + 1 : at + 1 + payload[at]]
        if structure[:1] == b"\xff" and len(structure) == payload[at]:
            identity = identity_of_manufacturer(structure[1:])
            if identity:
                return identity
        at += 1 + payload[at]
    return None
