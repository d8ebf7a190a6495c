# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A Python program with beacontools: reads a btsnoop capture, parses each report, keeps a mean RSSI for each beacon."""

import struct
import sys

from beacontools import IBeaconAdvertisement, parse_packet


def reports(path):
    """Yields payload and RSSI of each LE Advertising Report with a single report, the only kind in the captures."""
    with open(path, "rb") as file:
        file.read(16)
        while len(header := file.read(24)) == 24:
            packet = file.read(struct.unpack_from(">I", header, 4)[0])
            if packet[:2] == b"\x04\x3e" and packet[3] == 2:
                length = packet[13]
                yield packet[14:14 + length], struct.unpack_from("b", packet, 14 + length)[0]


means = {}
for payload, rssi in reports(sys.argv[1]):
    beacon = parse_packet(payload)
    if isinstance(beacon, IBeaconAdvertisement):
        key = (beacon.uuid, beacon.major, beacon.minor)
        count, mean = means.get(key, (0, 0.0))
        means[key] = (count + 1, mean + (rssi - mean) / (count + 1))
print(len(means), "beacons,", sum(count for count, _ in means.values()), "reports")
