# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""The checks of the service, its client's memory of the last crossing, and the machine whose first process is systemd."""

import json
import tempfile
import unittest
from pathlib import Path

import machine
import scenario
import service_checks as checks
from evidence import Evidence
from stalls import Stall
from test_checks import BEGAN, FRAME, TEN, UUID, event

WHO = "unit:guide.service"
STAY = [
    event("region.state", 0, client=WHO, region="lobby", state="unknown"),
    event("region.enter", 0.5, client=WHO, region="lobby", sequence=1),
    event("region.exit", 6, client=WHO, region="lobby", sequence=2),
]


class AProgram(unittest.TestCase):
    def evidence(self, lines: list[dict], programs: dict | None = None) -> Evidence:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        Path(folder.name, "x.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        log = [{"type": "payload", "number": 0, "ad": FRAME.hex()}, {"type": "air", "wall": BEGAN}, *TEN]
        return Evidence({}, {"programs": programs or {}}, {"hci0": log}, [], folder=Path(folder.name))

    def crossings(self, lines: list[dict]) -> list[str]:
        return checks.crossings(self.evidence(lines), "x.jsonl", WHO, UUID, ["enter", "exit"])

    def test_that_entered_and_left_is_fine(self):
        self.assertEqual(self.crossings(STAY), [])

    def test_that_received_nothing_fails(self):
        self.assertEqual(len(self.crossings([])), 2)

    def test_that_received_a_crossing_twice_fails(self):
        # One complaint of the crossings, one of their numbers.
        self.assertEqual(len(self.crossings([*STAY, STAY[2]])), 2)

    def test_that_missed_a_number_fails(self):
        self.assertIn("[1, 3]", self.crossings([*STAY[:2], {**STAY[2], "sequence": 3}])[0])

    def test_that_received_a_false_exit_fails(self):
        early = [*STAY[:2], {**STAY[2], "t": event("", 1.5)["t"]}]
        self.assertIn("outside 0.6 s after a packet", self.crossings(early)[0])

    def test_that_was_outside_in_the_midst_fails(self):
        outside = event("region.state", 0.9, client=WHO, region="lobby", state="outside")
        self.assertIn("outside", self.crossings([*STAY[:2], outside, STAY[2]])[0])

    def test_that_received_lines_of_another_client_fails(self):
        self.assertIn("a line of user:anna/x", self.crossings([*STAY, event("diagnostic", 7, client="user:anna/x")])[0])

    def test_of_a_profile_that_received_something_else_fails(self):
        evidence = self.evidence([])
        (evidence.folder / "a.txt").write_text("ready\nenter\n")
        self.assertEqual(checks.profiles(evidence, {"a": ["ready", "enter"]}), [])
        self.assertIn("line 2 is 'enter' instead of 'nothing'", checks.profiles(evidence, {"a": ["ready"]})[0])
        self.assertIn("line 1 is 'nothing' instead of 'ready'", checks.profiles(evidence, {"b": ["ready"]})[0])

    def test_without_a_grant_receives_nothing(self):
        self.assertEqual(checks.nothing(self.evidence(STAY[:1]), "x.jsonl"), [])
        self.assertEqual(len(checks.nothing(self.evidence(STAY), "x.jsonl")), 1)
        self.assertEqual(len(checks.nothing(self.evidence([]), "x.jsonl")), 1)

    def test_waits_for_a_service_that_is_back_soon(self):
        one = self.evidence([], {"killed": {"begun": 100, "seconds": 2.5}})
        self.assertEqual(checks.back(one, "killed", within=3), [])
        self.assertEqual(len(checks.back(one, "killed", within=2)), 1)
        # A second in which the machine did not run, half of it after that.
        one.stalls = [Stall(102_000_000, 103_000_000)]
        self.assertEqual(checks.back(one, "killed", within=2), [])
        self.assertEqual(len(checks.back(one, "killed", within=1.9)), 1)


class AMachineWithSystemd(unittest.TestCase):
    def test_starts_the_unit_that_was_laid(self):
        with tempfile.TemporaryDirectory() as name:
            machine.lay_unit(Path(name), "/bin/true", "said")
            unit = Path(name, "machine.service").read_text()
            self.assertIn("ExecStart=/bin/true\n", unit)
            self.assertEqual(unit.count("file:/mnt/said"), 2)
            self.assertIn("machine.service", Path(name, "machine.target").read_text())
        self.assertIn("--unit=machine.target", machine.SYSTEMD)
        self.assertNotIn("systemd", machine.PROGRAM)

    def test_is_needed_to_signal_the_service(self):
        killing = [{"at": 0, "do": "signal", "name": "killed", "signal": "KILL"}, {"at": 1, "do": "end"}]
        content = {"about": "", "radio": {}, "timeline": killing}
        self.assertTrue(scenario.Scenario("x", {**content, "systemd": True}).systemd)
        with self.assertRaises(scenario.Faulty):
            scenario.Scenario("x", content)

    def test_prepares_without_times(self):
        content = {"about": "", "radio": {}, "systemd": True, "timeline": [{"at": 0, "do": "end"}]}
        with self.assertRaises(scenario.Faulty):
            scenario.Scenario("x", {**content, "prepare": [{"at": 1, "do": "run", "name": "x", "command": "true"}]})


if __name__ == "__main__":
    unittest.main()
