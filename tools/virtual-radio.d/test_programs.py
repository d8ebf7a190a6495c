# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""The checks of programs that run with the live command: doctor, the museum's guide and pages, the terminal."""

import json
import struct
import tempfile
import unittest
from pathlib import Path

import air
import captures
import checks
import screens
import units
import visits
from evidence import Evidence
from test_checks import BEGAN, TEN, event, report

NAME = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1/1"


class InAFolder(unittest.TestCase):
    def evidence(self, programs: dict | None = None, files: dict | None = None, events: list = (), **scenario) -> Evidence:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in (files or {}).items():
            Path(folder.name, name).write_text(text)
        live = b"".join(json.dumps(event).encode() + b"\n" for event in events)
        log = [{"type": "payload", "number": 0, "ad": air.beacon_payload(NAME, -59, 6).hex()}, *TEN]
        return Evidence(scenario, {"programs": programs or {}}, {"hci0": log}, [], live, folder=Path(folder.name))


class Programs(InAFolder):
    def test_write_the_words_in_order(self):
        one = self.evidence({"x": {"code": 0}}, {"x.out": "a b\n", "x.err": "c\n"})
        self.assertEqual(checks.program(one, "x", says=["a", "b"], errors=["c"]), [])
        self.assertEqual(len(checks.program(one, "x", code=1, says=["b", "a"], errors=["d"])), 3)

    def test_with_different_output_fail(self):
        two = self.evidence({}, {"x.out": "a\nb\n", "y.out": "a\n", "z.out": ""})
        self.assertEqual(checks.same_output(two, "x", "x"), [])
        self.assertIn("line 2", checks.same_output(two, "x", "y")[0])
        self.assertEqual(len(checks.same_output(two, "z", "z")), 1)

    def test_the_units_drop_ins_say_what_runs(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "unit").write_text("[Service]\nExecStart=/one -a\n")
            (folder / "drop.conf").write_text("[Service]\nExecStart=\nExecStart=/two --experimental\n")
            before = units.UNIT, units.DROP_INS
            units.UNIT, units.DROP_INS = folder / "unit", folder
            self.addCleanup(lambda: setattr(units, "UNIT", before[0]) or setattr(units, "DROP_INS", before[1]))
            self.assertEqual(units.exec_start(), ["/two", "--experimental"])
            (folder / "drop.conf").unlink()
            self.assertEqual(units.exec_start(), ["/one", "-a"])


class ADoctor(InAFolder):
    WELL = {"findings": [], "next": None, "sentence": "You can range now: x."}
    OFF = {
        "findings": [{"level": "problem", "subject": "hci0", "text": "is switched off", "remedy": "bluetoothctl power on"}],
        "next": "bluetoothctl power on", "sentence": "Run next: bluetoothctl power on",
    }

    def of(self, *rounds: dict, cured: int = 0) -> Evidence:
        results = [{"code": 2 if said["next"] else 0, "errors": "", "said": said} for said in rounds]
        for one in results[:-1]:
            one["cure"] = {"command": one["said"]["next"], "code": cured, "said": ""}
        return self.evidence({"x": results})

    def check(self, evidence: Evidence, **more) -> list[str]:
        return checks.doctor(evidence, "x", "hci0", "switched off", remedy="power on", **more)

    def test_with_a_finding_and_a_working_remedy_passes(self):
        self.assertEqual(self.check(self.of(self.OFF, self.WELL)), [])

    def test_without_the_finding_or_a_working_remedy_fails(self):
        self.assertIn("no problem on hci0", self.check(self.of(self.WELL))[0])
        self.assertIn("still there", self.check(self.of(self.OFF, self.OFF))[0])
        self.assertIn("failed", self.check(self.of(self.OFF, self.WELL, cured=1))[0])
        self.assertEqual(len(self.check(self.of(self.OFF))), 2)
        other = {**self.WELL, "next": "reboot", "sentence": "Run next: reboot"}
        self.assertIn("at the end", self.check(self.of(self.OFF, other))[0])
        self.assertEqual(self.check(self.of(self.OFF, other), well=False), [])

    def test_that_measures_something_else_fails(self):
        air = {"reports_per_second": 10, "beacons": 1, "median_gap": 0.1, "smallest_rssi_step": 1, "duplicates": "passed"}
        seconds = {"begun": BEGAN / 1e6 - 2, "ended": BEGAN / 1e6 + 2}
        of = lambda **more: self.evidence({"x": [{**seconds, "said": {"air": {**air, **more}}}]})
        ask = lambda evidence: checks.measured(evidence, "x", 1, [0.09, 0.11], 1)
        self.assertEqual(ask(of()), [])
        for wrong in ({"reports_per_second": 5}, {"beacons": 2}, {"median_gap": 0.2}, {"median_gap": None},
                      {"smallest_rssi_step": 8}, {"duplicates": "filtered"}):
            self.assertEqual(len(ask(of(**wrong))), 1, wrong)

    def test_without_bluetooth_says_one_sentence(self):
        nothing = {"code": 69, "said": {"sentence": "none; plug one in"}, "errors": ""}
        self.assertEqual(checks.without_bluetooth(self.evidence({"x": [nothing]}), "x", "plug one in"), [])
        self.assertEqual(len(checks.without_bluetooth(self.evidence({"x": [{**nothing, "code": 2}]}), "x", "plug")), 1)


class ACalibration(InAFolder):
    def of(self, offset: float, kept: float | None = None, code: int = 0) -> Evidence:
        answer = json.dumps({"usable": True, "receivers": [{"receiver": "hci0", "offset": offset}]})
        site = f"{{ calibration: {{ receivers: {{ hci0: {offset if kept is None else kept} }} }} }}"
        return self.evidence({"x": {"code": code}}, {"x.out": answer, "x.err": "no", "site": site})

    def check(self, evidence: Evidence, receiver: str = "hci0") -> list[str]:
        return checks.offsets(evidence, "x", {receiver: 3}, written="site")

    def test_that_finds_and_keeps_it_is_fine(self):
        self.assertEqual(self.check(self.of(3.4)), [])

    def test_that_finds_or_keeps_something_else_fails(self):
        self.assertIn("has an offset of -3 dB", self.check(self.of(-3))[0])
        self.assertIn("contains", self.check(self.of(3, kept=2))[0])
        self.assertIn("offsets of", self.check(self.of(3), "hci1")[0])
        self.assertIn("exit code 2", self.check(self.of(3, code=2))[0])

    def test_ranges_the_right_distance(self):
        event = {"type": "ranged", "beacons": [{"distance": 1.2}]}
        one = self.evidence({}, {"x.out": json.dumps(event) + "\n", "y.out": ""})
        self.assertEqual(checks.distance(one, "x", 1), [])
        self.assertIn("1.2 m", checks.distance(one, "x", 2)[0])
        self.assertIn("no beacon", checks.distance(one, "y", 1)[0])


class AVisit(InAFolder):
    @staticmethod
    def shown(second: float, minor: int | None, announced: bool = True) -> dict:
        title = None if minor is None else f"No. {minor}"
        return event("guide.exhibit", second, minor=minor, announced=announced, title=title)

    def test_announces_as_from_the_capture_and_the_truth(self):
        live = [self.shown(1, 101, False), self.shown(5, 101), self.shown(9, None, False), self.shown(12, 102)]
        row = lambda minor: json.dumps({"standing": minor is not None, "looks_at": minor and {"minor": minor}})
        truth = "\n".join([row(101)] * 50 + [row(None)] * 10 + [row(103)] * 20 + [row(102)] * 50)
        scenario = {"radio": {"visit": {"seconds": 100}}}

        def ask(live: list, capture: list) -> list[str]:
            files = {"truth.jsonl": truth, "direct.out": "".join(json.dumps(one) + "\n" for one in capture)}
            return checks.guide(self.evidence({}, files, live, **scenario), "direct")

        self.assertEqual(ask(live, live), [])
        self.assertEqual(len(ask(live, live[:3])), 1)
        self.assertEqual(ask(live[:3], live[:3]), [])
        self.assertEqual(len(ask([], [])), 1)
        swapped = [self.shown(5, 102), self.shown(12, 101)]
        self.assertEqual(len(ask(swapped, swapped)), 1)
        elsewhere = [*live, self.shown(14, 103)]
        self.assertEqual(len(ask(elsewhere, elsewhere)), 1)
        passing = self.shown(20, 104, announced=False)
        self.assertEqual(ask([*live, passing], live), [])

    def test_on_pages_shows_the_exhibits_of_a_replay(self):
        stream = ": hello\n\ndata: " + json.dumps({"exhibit": "101", "title": "No. 101"}) + "\n\n"
        lines = json.dumps(self.shown(1, 101)) + "\n"
        ask = lambda page, stream, replay: checks.pages(self.evidence({}, {"p": page, "s": stream, "r": replay}), "p", "s", "r")
        self.assertEqual(ask("<html></html>\n", stream, lines), [])
        self.assertEqual(len(ask("<html>", stream, lines)), 1)
        self.assertEqual(len(ask("</html>", "", lines)), 2)
        self.assertEqual(len(ask("</html>", stream, "")), 1)

    def test_is_cut_to_length(self):
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "visit"
            records = b"".join(struct.pack(">IIIIq", 1, 1, 3, 0, captures.BTSNOOP_EPOCH + i * 1_000_000) + b"x" for i in range(5))
            path.write_bytes(b"btsnoop\0" + struct.pack(">II", 1, 2001) + records)
            visits.cut(path, 3)
            self.assertEqual(len(list(captures.read_btsnoop(path))), 3)


class ATerminal(InAFolder):
    @staticmethod
    def line(at: float, text: str) -> dict:
        return {"at": at, "data": text.encode().hex()}

    def of(self, *lines: dict, left: bool = True) -> Evidence:
        text = "".join(json.dumps(line) + "\n" for line in lines)
        return self.evidence({"x": {"code": 0, "pressed": 1, "left as it was": left}}, {"x.tty": text})

    TAKEN, GIVEN = "\x1b[?1049h\x1b[?25l\x1b[?7l", "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"

    def test_shows_the_words_and_restores_the_terminal(self):
        draw = self.line(1, self.TAKEN + "\x1b[0m\x1b[2J\x1b[2;3H\x1b[1mone\x1b[2;7Htwo")
        lines = (draw, {"at": 2, "key": "q"}, self.line(3, self.GIVEN))
        ask = lambda *given, **more: checks.view(self.of(*given, **more), "x", [["q", ["one two"]]])
        self.assertEqual(ask(*lines), [])
        self.assertEqual(len(ask(*lines[:2])), 1)
        self.assertEqual(len(ask(*lines, left=False)), 1)
        self.assertEqual(len(ask(self.line(1, self.TAKEN + "three"), *lines[1:])), 1)
        self.assertIn("unknown", ask(self.line(1, "\x1b[5X"), *lines[1:])[0])

    def test_keeps_to_its_size(self):
        terminal = screens.Terminal()
        terminal.feed("\x1b[24;80H█")
        self.assertEqual(terminal.lines[23], " " * 79 + "█")
        with self.assertRaises(ValueError):
            terminal.feed("x")

    def test_records_on_a_key(self):
        lines = [*(report(i / 10) for i in range(3)), {"type": "end"}]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        one = self.evidence({}, {"beacons-x.jsonl": text})
        self.assertEqual(checks.recorded(one, [NAME], 3), [])
        self.assertEqual(len(checks.recorded(one, [NAME], 4)), 1)
        self.assertEqual(len(checks.recorded(one, [], 3)), 1)
        self.assertEqual(len(checks.recorded(self.evidence(), [NAME], 3)), 1)


if __name__ == "__main__":
    unittest.main()
