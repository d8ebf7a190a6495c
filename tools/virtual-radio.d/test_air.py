# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Scenario files become schedules, captures are read, and D-Bus values survive the wire."""

import struct
import tempfile
import unittest
from pathlib import Path

import air
import bus
import captures
import checks
import scenario

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"


def lines(radio: dict, word: str) -> list[list[str]]:
    text = air.schedule_of(radio, Path("/nowhere"))
    return [line.split() for line in text.splitlines() if line.startswith(word)]


def beacon(**more) -> dict:
    return {"name": "one", "address": "C0:00:00:00:00:FF", "identity": f"{UUID}/1/2", **more}


class Schedules(unittest.TestCase):
    def test_a_frame_is_what_it_says(self):
        payload = air.beacon_payload(f"{UUID}/1/2", -59, None)
        self.assertEqual(payload.hex(), "1aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
        self.assertEqual(captures.identity_of_payload(b"\x02\x01\x06" + payload), f"{UUID}/1/2")

    def test_a_crowd_counts_beyond_a_byte_and_shares_no_time(self):
        crowd = lines({"beacons": [beacon(count=2)]}, "beacon")
        self.assertEqual([words[2] for words in crowd], ["C0:00:00:00:00:FF", "C0:00:00:00:01:00"])
        self.assertEqual([words[6] for words in crowd], ["0", "50000"])
        self.assertNotEqual(crowd[0][-1], crowd[1][-1])

    def test_spans_are_beacons_of_their_own(self):
        spans = lines({"beacons": [beacon(spans=[[0, 8], [48, None]])]}, "beacon")
        self.assertEqual([words[6:8] for words in spans], [["0", "8000000"], ["48000000", str(air.FOREVER)]])

    def test_laws_of_strength(self):
        self.assertEqual(air.law_words(-60), ["constant", -60, 0, 1_000_000])
        self.assertEqual(air.law_words({"jitter": [-60, 4]}), ["jitter", -60, 4, 1_000_000])
        self.assertEqual(air.law_words({"ramp": [-50, -90, 2]}), ["ramp", -50, -90, 2_000_000])
        for wrong in ({"jitter": [-60]}, {"jitter": [-60, -1]}, {"sine": [1, 2]}):
            with self.assertRaises(ValueError):
                air.law_words(wrong)

    def test_strangers_have_a_rate_and_a_uuid(self):
        radio = {"strangers": {"rate": 300, "uuid": UUID}}
        self.assertEqual(lines(radio, "strangers"), [["strangers", "300", UUID.replace("-", "").lower()]])

    def test_unknown_keys_are_errors(self):
        with self.assertRaises(ValueError):
            air.schedule_of({"beacons": [beacon(rsi=-60)]}, Path("/nowhere"))
        with self.assertRaises(scenario.Faulty):
            scenario.Scenario("x", {"about": "", "live": [], "timeline": [{"at": 0, "do": "sing"}]})

    def test_every_scenario_file_is_valid(self):
        self.assertEqual(len(scenario.in_ci()), 9)
        for name in scenario.names():
            with self.subTest(name):
                one = scenario.load(name)
                self.assertLessEqual(set(one.judge), set(checks.ALL))
                try:
                    one.schedules(Path(scenario.__file__).parents[2])
                except air.Missing:
                    pass


class Captures(unittest.TestCase):
    LEGACY = bytes([0x3E, 15, 2, 1, 3, 1, 1, 0, 0, 0, 0, 0xC0, 3, 2, 1, 6, 0xC4])

    def file(self, link_type: int, records: list[tuple[int, bytes]], cut: int = 0) -> Path:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        content = b"btsnoop\0" + struct.pack(">II", 1, link_type)
        for flags, packet in records:
            content += struct.pack(">IIIIq", len(packet), len(packet), flags, 0, captures.BTSNOOP_EPOCH + 5) + packet
        path = Path(folder.name) / "capture"
        path.write_bytes(content[: len(content) - cut])
        return path

    def test_reads_legacy_reports_of_every_link_type(self):
        typed = b"\x04" + self.LEGACY
        for link_type, flags, packet in ((2001, 3, self.LEGACY), (1002, 1, typed), (1001, 3, self.LEGACY)):
            (report,) = captures.read_reports(self.file(link_type, [(flags, packet), (2, b"\x01\x02")]))
            self.assertEqual((report.time, report.event, report.address, report.rssi), (5, 3, "C0:00:00:00:00:01", -60))
            self.assertEqual(report.data, b"\x02\x01\x06")

    def test_reads_extended_reports(self):
        head = bytes([0x3E, 29, 0x0D, 1, 0x10, 0, 1, 1, 0, 0, 0, 0, 0xC0, 1, 0, 0xFF, 127, 0xC4])
        (report,) = captures.reports_in(0, head + bytes(9) + bytes([3, 2, 1, 6]))
        self.assertEqual((report.event, report.rssi, report.data), (captures.NONCONNECTABLE, -60, b"\x02\x01\x06"))

    def test_damage_ends_a_capture_quietly(self):
        self.assertEqual(len(list(captures.read_reports(self.file(2001, [(3, self.LEGACY)] * 2, cut=3)))), 1)
        for length in range(len(self.LEGACY)):
            self.assertEqual(captures.reports_in(0, self.LEGACY[:length]), [])

    def test_a_played_capture_keeps_its_intervals_and_never_goes_back(self):
        path = self.file(2001, [(3, self.LEGACY)] * 2)
        schedule = air.Schedule()
        air.add_capture(schedule, path, start=4, times=2)
        times = [int(line.split()[1]) for line in schedule.lines if line.startswith("packet")]
        self.assertEqual(times, [4_000_000, 4_000_000, 4_100_000, 4_100_000])


class Values(unittest.TestCase):
    def test_survive_encoding(self):
        for kind, value in (
            ("a{sv}", {"Transport": ("s", "le"), "RSSI": ("n", -127), "DuplicateData": ("b", True)}),
            ("a(yyay)", [(0, 255, [76, 0, 2, 21])]),
            ("a{oa{sa{sv}}}", {"/x": {"i": {"p": ("q", 7), "l": ("a{qv}", {76: ("ay", [1, 2])})}}}),
            ("(tdx)", (1 << 63, 0.5, -1)),
        ):
            out = bytearray(b"\0")
            bus.write(out, kind, value)
            self.assertEqual(bus.read(bytes(out), 1, kind), (value, len(out)))

    def test_signatures_fall_into_types(self):
        self.assertEqual(bus.split("sa{sv}asa(yv)v"), ["s", "a{sv}", "as", "a(yv)", "v"])


if __name__ == "__main__":
    unittest.main()
