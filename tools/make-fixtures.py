#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Writes Fixtures/captures: the same air in every capture format. Deterministic; needs nothing but Python 3.

The air: three beacons for ten seconds, each heard about every 750 ms, a phone with Apple frames other than
iBeacons, a scan response and a tag of another maker. Bytes are written by hand here, not by the project's own
writers, so that the readers are tested against something else.
"""

import pathlib
import struct

OUT = pathlib.Path(__file__).resolve().parent.parent / "Fixtures" / "captures"
EPOCH = 1_750_000_000_000_000  # 2025-06-15T15:06:40Z, in microseconds
UUID = bytes.fromhex("2f234454cf6d4a0fadf2f4911ba9ffa6")


def ibeacon(major, minor, power, flags=True):
    data = b"\x1a\xff\x4c\x00\x02\x15" + UUID + struct.pack(">HHb", major, minor, power)
    return (b"\x02\x01\x06" if flags else b"") + data


def air():
    """Reports (microseconds from the start, kind, address type, address, rssi, data), in order of time."""
    reports = []
    for number, (power, flags, start) in enumerate([(-59, True, 100_000), (-65, True, 333_333), (-59, False, 511_111)]):
        address = bytes([0xC0, 0x00, 0x00, 0x00, 0x00, number + 1])
        for step in range(12):
            rssi = -55 - 10 * number - (step * 7 + number) % 6
            if number == 2 and step == 5:
                rssi = 127  # the controller had none
            when = start + step * 750_000 + (step * 977 + number * 313) % 10_000
            kind = 0 if number == 1 else 3
            reports.append((when, kind, 1, address, rssi, ibeacon(1, number + 1, power, flags)))
    phone = bytes.fromhex("5a1b2c3d4e5f")
    for step in range(4):
        data = b"\x02\x01\x1a\x0a\xff\x4c\x00\x10\x05\x41\x1c\x0a\x0b\x0c"
        reports.append((1_234_567 + step * 2_000_000, 0, 1, phone, -70 - step, data))
    reports.append((1_234_999, 4, 1, phone, -71, b""))
    tag = bytes.fromhex("0080e1a1b2c3")
    reports.append((4_444_444, 2, 0, tag, -80, b"\x07\xff\x99\x04\x05\x01\x02\x03\x06\x09hello"))
    reports.append((4_444_800, 4, 0, tag, -81, b"\x05\x09tag1"))
    return sorted(reports)


AIR = air()
LAST = AIR[-1][0]


# HCI


def signed(rssi):
    return struct.pack("b", rssi)


def event(report):
    _, kind, address_type, address, rssi, data = report
    body = bytes([2, 1, kind, address_type]) + address[::-1] + bytes([len(data)]) + data + signed(rssi)
    return bytes([0x3E, len(body)]) + body


def extended_event(report, status=0, data=None, sid=0xFF):
    _, kind, address_type, address, rssi, whole = report
    data = whole if data is None else data
    legacy = {0: 0x13, 2: 0x12, 3: 0x10, 4: 0x1B}[kind]
    body = bytes([0x0D, 1]) + struct.pack("<H", (legacy if sid == 0xFF else 0) | status << 5)
    body += bytes([address_type]) + address[::-1] + bytes([1, 0 if sid == 0xFF else 1, sid, 127]) + signed(rssi)
    body += bytes(9) + bytes([len(data)]) + data
    return bytes([0x3E, len(body)]) + body


COMMAND = bytes.fromhex("0c200201 00".replace(" ", ""))  # LE Set Scan Enable: on, duplicates not filtered
COMPLETE = bytes.fromhex("0e0401 0c2000".replace(" ", ""))  # Command Complete


def hci(extended=False):
    """(microseconds, H4 type, packet) with a command, its completion and an ACL packet among the reports."""
    yield 0, 1, COMMAND
    yield 1_500, 4, COMPLETE
    for index, report in enumerate(AIR):
        if index == 20:
            yield report[0] - 10, 2, bytes.fromhex("40000700030004000b1234")
        yield report[0], 4, extended_event(report) if extended and index % 2 else event(report)


# btsnoop


def btsnoop(datalink, records):
    out = b"btsnoop\0" + struct.pack(">II", 1, datalink)
    for when, flags, data in records:
        stamp = EPOCH + when + 62_168_256_000_000_000
        out += struct.pack(">IIIIQ", len(data), len(data), flags, 0, stamp) + data
    return out


def h1_flags(kind):
    return {1: 2, 4: 3, 2: 1}[kind]


def monitor(extended=False):
    """(microseconds, adapter, opcode, payload) as the Linux monitor channel has it."""
    yield 0, 0xFFFF, 12, b"Linux version 6.1.0\0"
    for adapter in (0, 1):
        name = b"hci%d" % adapter
        yield 100, adapter, 0, bytes([0, 1]) + bytes([adapter + 1, 0, 0, 0, 0, 2]) + name.ljust(8, b"\0")
        yield 200, adapter, 8, b""
    for when, kind, packet in hci(extended):
        if kind in (1, 2, 4):
            yield when + (300 if when == 0 else 0), 0, {1: 2, 2: 5, 4: 3}[kind], packet


# Link layer


def checksum(pdu):
    register = 0x555555
    for byte in pdu:
        for bit in range(8):
            feedback = (register >> 23 ^ byte >> bit) & 1
            register = register << 1 & 0xFFFFFF
            if feedback:
                register ^= 0x00065B
    reversed_bits = int(f"{register:024b}"[::-1], 2)
    return reversed_bits.to_bytes(3, "little")


def link_layer(report, spoil=False):
    _, kind, address_type, address, _, data = report
    pdu_type = {0: 0, 2: 6, 3: 2, 4: 4}[kind]
    pdu = bytes([pdu_type | address_type << 6, 6 + len(data)]) + address[::-1] + data
    packet = bytes.fromhex("d6be898e") + pdu + checksum(pdu)
    return packet[:-5] + bytes([packet[-5] ^ 0x10]) + packet[-4:] if spoil else packet


def sniffed():
    """(microseconds, packet, rssi, is good): the reports, a scan request, a data packet and two spoilt packets."""
    for index, report in enumerate(AIR):
        yield report[0], link_layer(report), report[4], True
        if index == 7:
            pdu = bytes([3 | 0xC0, 12]) + report[3][::-1] + bytes.fromhex("5f4e3d2c1b5a")
            yield report[0] + 200, bytes.fromhex("d6be898e") + pdu + checksum(pdu), -66, True
            yield report[0] + 300, bytes.fromhex("11223344") + bytes([1, 0]) + b"\1\2\3", -67, True
        if index in (11, 30):
            yield report[0] + 200, link_layer(report, spoil=True), report[4], False


def radio_header(rssi, good, channel=0):
    valid = rssi != 127
    flags = 0x0001 | (0x0002 if valid else 0) | 0x0400 | (0x0800 if good else 0)
    return struct.pack("<BbbBIH", (0, 12, 39)[channel], rssi if valid else 0, -128, 0, 0x8E89BED6, flags)


def nordic(packet, rssi, good, counter, version=3):
    magnitude = 200 if rssi == 127 else -rssi
    inner = struct.pack("<BBBBHI", 10, 1 if good else 0, 37 + counter % 3, magnitude, counter, counter * 1000) + packet
    kind = 0x02 if version == 3 else 0x06
    return bytes([4]) + struct.pack("<H", len(inner)) + bytes([version]) + struct.pack("<HB", counter, kind) + inner


# pcap and pcapng


def pcap(link_type, records, order="<", nanoseconds=False):
    magic = 0xA1B23C4D if nanoseconds else 0xA1B2C3D4
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 262144, link_type)
    for when, data in records:
        seconds, fraction = divmod(EPOCH + when, 1_000_000)
        # 400 ns more than the report's time: rounding takes it away again.
        fraction = fraction * 1000 + 400 if nanoseconds else fraction
        out += struct.pack(order + "IIII", seconds, fraction, len(data), len(data)) + data
    return out


def padded(data):
    return data + bytes(-len(data) % 4)


def block(order, kind, body):
    total = 12 + len(body)
    return struct.pack(order + "II", kind, total) + body + struct.pack(order + "I", total)


def option(order, code, value):
    return struct.pack(order + "HH", code, len(value)) + padded(value)


def section(order):
    return block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))


def interface(order, link_type, name=None, resolution=None, offset=None):
    options = b""
    if name:
        options += option(order, 2, name)
    if resolution is not None:
        options += option(order, 9, bytes([resolution]))
    if offset is not None:
        options += option(order, 14, struct.pack(order + "q", offset))
    if options:
        options += option(order, 0, b"")
    return block(order, 1, struct.pack(order + "HHI", link_type, 0, 262144) + options)


def enhanced(order, index, stamp, data):
    body = struct.pack(order + "IIIII", index, stamp >> 32, stamp & 0xFFFFFFFF, len(data), len(data)) + padded(data)
    return block(order, 6, body)


def obsolete(order, index, stamp, data):
    body = struct.pack(order + "HHIIII", index, 0, stamp >> 32, stamp & 0xFFFFFFFF, len(data), len(data))
    return block(order, 2, body + padded(data))


def pcapng():
    """Two interfaces that take turns, a section of the other byte order in the middle, and what else there can be."""
    out = section("<") + interface("<", 187, b"first", 9)
    out += interface("<", 256, b"second", 0x80 | 20, EPOCH // 1_000_000)
    out += block("<", 4, b"\0\0\0\0")  # names of hosts: of no interest
    half = len(AIR) // 2
    for index, report in enumerate(AIR[:half]):
        if index % 2 == 0:
            out += enhanced("<", 0, (EPOCH + report[0]) * 1000 + 300, b"\x04" + event(report))
        else:
            # A time in 2^-20 s, the nearest to the report's: back in whole microseconds it is the same.
            stamp = round(report[0] * (1 << 20) / 1_000_000)
            out += enhanced("<", 1, stamp, radio_header(report[4], True) + link_layer(report))
    out += block("<", 3, struct.pack("<I", 4) + b"\x04\x3e\x00\x00")  # a simple packet: no time
    out += section(">") + interface(">", 187, b"first") + interface(">", 1, b"cable")
    for index, report in enumerate(AIR[half:]):
        make = enhanced if index % 2 == 0 else obsolete
        out += make(">", 0, EPOCH + report[0], b"\x04" + event(report))
    out += enhanced(">", 1, EPOCH + LAST + 5, bytes(60))
    return out


# The rest


def hcidump_text(times):
    lines = ["HCI sniffer - Bluetooth packet analyzer ver 5.28", "device: hci0 snap_len: 1500 filter: 0xffffffff"]
    for when, kind, packet in hci():
        seconds, fraction = divmod(EPOCH + when, 1_000_000)
        stamp = f"{seconds:8d}.{fraction:06d} " if times else ""
        data = bytes([kind]) + packet
        rows = [data[start : start + 20] for start in range(0, len(data), 20)]
        mark = "<" if kind == 1 else ">"
        for index, row in enumerate(rows):
            lines.append((stamp + mark if index == 0 else " ") + " " + "".join(f"{byte:02X} " for byte in row))
    return ("\n".join(lines) + "\n").encode()


def hcidump_binary():
    out = b""
    for when, kind, packet in hci():
        seconds, fraction = divmod(EPOCH + when, 1_000_000)
        data = bytes([kind]) + packet
        out += struct.pack("<HBBII", len(data), 0 if kind == 1 else 1, 0, seconds, fraction) + data
    return out


def packet_logger(order):
    out = b""
    for when, kind, packet in hci():
        seconds, fraction = divmod(EPOCH + when, 1_000_000)
        out += struct.pack(order + "IIIB", 9 + len(packet), seconds, fraction, {1: 0, 4: 1, 2: 3}[kind]) + packet
    return out


def fragments():
    """An extended advertisement of 300 bytes in three events, between reports of a beacon; and one without an end."""
    long = AIR[0][:5] + (b"\x02\x01\x06" + ibeacon(1, 9, -59, False) + b"\xf0\xff\x99\x04" + bytes(237) + bytes(29),)
    other = (0, 3, 1, bytes.fromhex("c00000000077"), -60, bytes(40))
    parts = [long[5][:120], long[5][120:240], long[5][240:]]
    yield 0, extended_event(long, 1, parts[0], 2)
    yield 1_000, event(AIR[0])
    yield 2_000, extended_event(other, 1, other[5], 3)
    yield 3_000, extended_event(long, 1, parts[1], 2)
    yield 4_000, extended_event(AIR[1])
    yield 5_000, extended_event(long, 0, parts[2], 2)


def pauses():
    """(microseconds, H4 type, packet) of a scan with pauses: 2 s, refused, 8 s, and one that ends by itself after 10 s."""

    def done(when, opcode, parameters, status=0):
        code = struct.pack("<H", opcode)
        return [(when - 500, 1, code + bytes([len(parameters)]) + parameters), (when, 4, b"\x0e\x04\x01" + code + bytes([status]))]

    def scan(when, enable, duration=0, status=0):
        return done(when, 0x2042, bytes([enable, 0]) + struct.pack("<HH", duration, 0), status)

    packets = done(1_000, 0x0C03, b"") + scan(100_000, 1)
    packets += scan(15_000_000, 0) + scan(17_000_000, 1)
    packets += scan(20_000_000, 0, status=0x0C)
    packets += scan(30_000_000, 0) + scan(38_000_000, 1, 1000)
    packets += [(48_000_000, 4, b"\x3e\x01\x11")] + scan(55_000_000, 1)
    listening = [(100_000, 15_000_000), (17_000_000, 30_000_000), (38_000_000, 48_000_000), (55_000_000, 60_000_000)]
    for step in range(120):
        when = 250_000 + step * 500_000 + step * 977 % 10_000
        if any(start < when < end for start, end in listening):
            packets.append((when, 4, event((when, 3, 1, AIR[0][3], -60 - step % 5, ibeacon(1, 1, -59)))))
        if step % 4 == 0:
            packets.append((when + 100_000, 4, bytes.fromhex("13050101000100")))  # packets of a connection were sent
    return sorted(packets)


def monitor_pauses():
    """(microseconds, adapter, opcode, payload): an adapter that is switched off for 8 s, removed and added again."""
    yield 0, 0, 0, bytes([0, 1, 1, 0, 0, 0, 0, 2]) + b"hci0\0\0\0\0"
    yield 100, 0, 8, b""
    for when, kind, packet in pauses():
        if kind == 4 and packet[0] == 0x3E and packet[2] == 2:
            yield when, 0, 3, packet
        if kind == 4 and packet[:2] == b"\x0e\x04" and packet[3:5] == b"\x42\x20" and packet[5] == 0:
            off = {15_000_000: 9, 30_000_000: 9, 38_000_000: 8, 17_000_000: 8}.get(when)
            if off:
                yield when, 0, off, b""
    yield 48_000_000, 0, 1, b""
    yield 54_000_000, 0, 0, bytes([0, 1, 1, 0, 0, 0, 0, 2]) + b"hci0\0\0\0\0"
    yield 54_000_100, 0, 8, b""


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    h4 = [(when, bytes([kind]) + packet) for when, kind, packet in hci()]
    directed = [(when, struct.pack(">I", 0 if data[0] == 1 else 1) + data) for when, data in h4]
    with_header = [(when, radio_header(rssi, good, index % 3) + packet) for index, (when, packet, rssi, good) in enumerate(sniffed())]
    air_254 = [(when, struct.pack(">HH", adapter, opcode) + data) for when, adapter, opcode, data in monitor()]
    files = {
        "h1.btsnoop": btsnoop(1001, [(when, h1_flags(kind), packet) for when, kind, packet in hci()]),
        "h4.btsnoop": btsnoop(1002, [(when, h1_flags(data[0]), data) for when, data in h4]),
        "monitor.btsnoop": btsnoop(2001, [(w, a << 16 | o, data) for w, a, o, data in monitor(extended=True)]),
        "fragments.btsnoop": btsnoop(1002, [(when, 3, b"\x04" + data) for when, data in fragments()]),
        "h4.pcap": pcap(187, h4),
        "h4-be-ns.pcap": pcap(187, h4, ">", True),
        "h4-direction.pcap": pcap(201, directed, ">"),
        "link-layer.pcap": pcap(251, [(when, packet) for when, packet, _, _ in sniffed()], "<", True),
        "monitor.pcap": pcap(254, air_254),
        "link-layer-radio.pcap": pcap(256, with_header),
        "nordic.pcap": pcap(272, [(w, nordic(p, r, g, i)) for i, (w, p, r, g) in enumerate(sniffed())]),
        "nordic-v2.pcap": pcap(272, [(w, nordic(p, r, g, i, 2)) for i, (w, p, r, g) in enumerate(sniffed())], ">"),
        "two-interfaces.pcapng": pcapng(),
        "hcidump.txt": hcidump_text(False),
        "hcidump-t.txt": hcidump_text(True),
        "hcidump.bin": hcidump_binary(),
        "v1.pklg": packet_logger(">"),
        "v2.pklg": packet_logger("<"),
    }
    files["pauses.btsnoop"] = btsnoop(1002, [(when, h1_flags(kind), bytes([kind]) + data) for when, kind, data in pauses()])
    by_time = sorted(monitor_pauses(), key=lambda record: record[0])
    files["pauses-monitor.btsnoop"] = btsnoop(2001, [(w, a << 16 | o, data) for w, a, o, data in by_time])
    files["cut.btsnoop"] = files["h4.btsnoop"][:1500]
    damaged = 24 + sum(16 + len(data) for _, data in h4[:20])
    files["wrong-length.pcap"] = files["h4.pcap"][:damaged] + b"\xff" * 16 + files["h4.pcap"][damaged + 16 :]
    files["wrong-magic.bin"] = b"btsnoop\x01" + files["h4.btsnoop"][8:200]
    files["three-wire.btsnoop"] = btsnoop(1004, [])
    files["ethernet.pcap"] = pcap(1, [])
    files["empty.btsnoop"] = b""
    for name, data in files.items():
        (OUT / name).write_bytes(data)


if __name__ == "__main__":
    main()
