# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Makes walk.btsnoop, the capture that tools/demo ranges: a visitor walks past three beacons of a gallery.

    python3 Fixtures/captures/make_walk.py

The beacons hang 6 m apart along a wall, send ten times a second with -59 dBm measured power, and are received during a walk of
24 s at 1 m/s, 0.8 m from the wall. The RSSI is that of free space (exponent 2) with a seeded noise; every tenth report is lost.
Among them are reports of other devices, which are not beacons. Nothing was recorded, and the addresses are invented.
"""

import math
import random
import struct
from pathlib import Path

UUID = bytes.fromhex("F7826DA64FA24E988024BC5B71E0893E")
MEASURED_POWER = -59
BEACONS = {1: 6.0, 2: 12.0, 3: 18.0}  # minor, and metres along the wall
FROM_THE_WALL = 0.8
SECONDS = 24
INTERVAL = 0.1
# 2026-05-02T10:00:00Z in btsnoop's epoch, the year 0.
START = 0x00DCDDB30F2F8000 + 1777716000 * 1_000_000


def record(seconds, kind, address, payload, rssi):
    """An HCI event with one advertising report, as a btsnoop record of datalink 1002."""
    report = bytes([kind, 1]) + address + bytes([len(payload)]) + payload + struct.pack("b", rssi)
    packet = bytes([0x04, 0x3E, 2 + len(report), 0x02, 1]) + report
    return struct.pack(">IIIIQ", len(packet), len(packet), 3, 0, START + round(seconds * 1e6)) + packet


def address(number):
    """A static random address, little-endian as on the air."""
    return bytes([number, 0, 0, 0xAD, 0xBE, 0xC0])


def main():
    draw = random.Random(20260502)
    heard = []
    for minor, place in BEACONS.items():
        payload = bytes.fromhex("0201061AFF4C000215") + UUID + struct.pack(">HHb", 1, minor, MEASURED_POWER)
        time = draw.uniform(0, INTERVAL)
        while time < SECONDS:
            distance = math.hypot(time - place, FROM_THE_WALL)
            rssi = round(MEASURED_POWER - 20 * math.log10(distance) + draw.gauss(0, 2))
            if draw.random() > 0.1:
                heard.append((time, record(time, 3, address(minor), payload, rssi)))
            time += INTERVAL + draw.uniform(0, 0.01)
    for number in range(60):  # a phone's continuity message, a thermometer's name
        time, other = draw.uniform(0, SECONDS), number % 2
        payload = (bytes.fromhex("02011A0AFF4C001005031C0A0B0C"), b"\x02\x01\x06\x0c\x09Thermometer")[other]
        heard.append((time, record(time, 0, address(0x40 + other), payload, round(draw.gauss(-80, 4)))))
    heard.sort()
    file = Path(__file__).with_name("walk.btsnoop")
    file.write_bytes(b"btsnoop\0" + struct.pack(">II", 1, 1002) + b"".join(bytes_ for _, bytes_ in heard))


main()
