# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Stalls of the machine are found in its heartbeat, and excuse the effects of a stall, and nothing else."""

import contextlib
import io
import json
import os
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import checks
import stalls
from scenario import Scenario
from stalls import Beat, Stall
from test_checks import BEGAN, RECEIVED, TEN, event, evidence


def beats(*pauses: tuple[float, float], count: int = 5) -> list[Beat]:
    """Beats a tenth of a second apart, then after each pause, in seconds of the machine and of the host, as many again."""
    steps = [(0.1, 0.1)] * (count - 1)
    for pause in pauses:
        steps += [pause, *[(0.1, 0.1)] * (count - 1)]
    found = [Beat(0, BEGAN, 7_000_000)]
    for machine, host in steps:
        last = found[-1]
        machine, host = round(machine * 1e6), round(host * 1e6)
        found.append(Beat(last.machine + machine, last.wall + machine, last.host + host))
    return found


class AHeartbeat(unittest.TestCase):
    def test_that_is_steady_has_no_stall(self):
        self.assertEqual(stalls.stalls_in(beats()), [])
        self.assertEqual(stalls.stalls_in(beats((0.12, 0.13), (0.15, 0.15))), [])
        self.assertEqual(stalls.stalls_in([]), [])

    def test_that_stops_by_both_clocks_is_a_stall_of_that_length(self):
        (stall,) = stalls.stalls_in(beats((3.1, 3.2)))
        self.assertEqual(stall, Stall(BEGAN + 500_000, BEGAN + 3_500_000))
        self.assertEqual(stall.seconds, 3)
        self.assertEqual(len(stalls.stalls_in(beats((3, 3), (0.2, 0.2)))), 2)

    def test_in_which_a_processor_waited_for_more_than_half_the_time_is_a_stall(self):
        for waited, stalled in ((40_000, []), (80_000, [80_000]), (900_000, [100_000])):
            (before, beat) = beats(count=2)
            waiting = Beat(beat.machine, beat.wall, beat.host, waited)
            self.assertEqual([one.end - one.begin for one in stalls.stalls_in([before, waiting])], stalled)

    def test_comes_with_the_longest_wait_of_a_thread_since_the_line_before(self):
        with tempfile.TemporaryDirectory() as name:
            waits = stalls.Waits(None)
            waits.tasks = Path(name)
            for thread, waited in (("1", 5_000_000), ("2", 9_000_000)):
                Path(name, thread).mkdir()
                Path(name, thread, "schedstat").write_text(f"7 {waited} 3\n")
            self.assertEqual(waits.longest(), 0)
            Path(name, "1", "schedstat").write_text("8 65000000 4\n")
            self.assertEqual(waits.longest(), 60_000)
            self.assertEqual(waits.longest(), 0)

    def test_that_stops_by_one_clock_alone_is_none(self):
        # The host read the line late; or the machine's clock was set, or ran on while the host saw every line.
        self.assertEqual(stalls.stalls_in(beats((0.1, 5))), [])
        self.assertEqual(stalls.stalls_in(beats((5, 0.1))), [])

    def test_is_read_line_by_line_without_incomplete_lines(self):
        self.assertEqual(stalls.beat_of(b"12 34\r\n", 5), Beat(12, 34, 5))
        for torn in (b"\r\n", b"12\r\n", b"12 3x\r\n", b"1 2 3\r\n"):
            self.assertIsNone(stalls.beat_of(torn, 5))

    def test_is_read_to_the_end_of_the_requested_time(self):
        (reading, writing) = os.pipe()
        with os.fdopen(reading, "rb") as line, os.fdopen(writing, "wb", buffering=0) as machine:
            heartbeat = stalls.Heartbeat(line)
            machine.write(b"1 1001\r\n2 1002\r\n")
            self.assertEqual([beat.wall for beat in heartbeat.between(1001, 1002)], [1001, 1002])
            self.assertEqual([beat.wall for beat in heartbeat.between(1001, 1009, patience=0)], [1001, 1002])
            machine.write(b"3 1003\r\n4 1004\r\n5 1005\r\n")
            self.assertEqual([beat.wall for beat in heartbeat.between(1002, 1004)], [1002, 1003, 1004])


class AStall(unittest.TestCase):
    LONG = Stall(BEGAN + 300_000, BEGAN + 3_300_000)

    def judged(self, stalled: list[Stall], arguments: dict, recorded: list = RECEIVED, **more) -> tuple[list[str], list[str]]:
        one = evidence(TEN, recorded, [event("ranged", 1, beacons=[])], **more)
        one.hci_reports, one.replay_code, one.stalls = 10, 0, stalled
        return checks.judge(one, arguments), one.unjudged

    def test_excuses_what_was_not_received(self):
        counts = {"counts": {"window": [0, 1]}}
        self.assertEqual([len(part) for part in self.judged([], counts, RECEIVED[:5])], [1, 0])
        self.assertEqual([len(part) for part in self.judged([self.LONG], counts, RECEIVED[:5])], [0, 1])
        self.assertEqual(self.judged([self.LONG], counts), ([], []))

    def test_counts_with_all_others(self):
        counts = {"counts": {"window": [0, 1]}}
        short = [Stall(BEGAN + at * 100_000, BEGAN + at * 100_000 + 80_000) for at in range(8)]
        self.assertEqual([len(part) for part in self.judged(short[:6], counts, RECEIVED[:5])], [1, 0])
        self.assertEqual([len(part) for part in self.judged(short, counts, RECEIVED[:5])], [0, 1])

    def test_excuses_nothing_that_was_over_before_it(self):
        late = Stall(BEGAN + 2_000_000, BEGAN + 5_000_000)
        counts = {"counts": {"window": [0, 1]}}
        self.assertEqual([len(part) for part in self.judged([late], counts, RECEIVED[:5])], [1, 0])

    def test_excuses_no_difference_between_live_and_replay_and_no_lost_end(self):
        one = evidence(TEN, RECEIVED, [event("ranged", 1, beacons=[])])
        one.hci_reports, one.replay_code, one.stalls, one.replayed = 10, 0, [self.LONG], b"other\n"
        one.recording.pop()
        self.assertEqual(len(checks.judge(one, {})), 2)
        self.assertEqual(one.unjudged, [])

    def test_excuses_what_was_not_ready_in_time_and_no_other_error(self):
        late = {"error": "Traceback\nTimeoutError: the bus was not there"}
        wrong = {"error": "Traceback\nKeyError: 'name'"}
        self.assertEqual([len(part) for part in self.judged([self.LONG], {}, run=late)], [0, 1])
        self.assertEqual([len(part) for part in self.judged([self.LONG], {}, run=wrong)], [1, 0])
        self.assertEqual([len(part) for part in self.judged([], {}, run=late)], [1, 0])


def command():
    """The command `tools/virtual-radio` as a module."""
    loader = SourceFileLoader("virtual_radio", str(Path(__file__).parent.parent / "virtual-radio"))
    module = module_from_spec(spec_from_loader("virtual_radio", loader))
    loader.exec_module(module)
    return module


class AVerdict(unittest.TestCase):
    """Of a scenario without a live command, whose one error is that something was not ready in time."""

    SCENARIO = Scenario("late", {"about": "", "radio": {}, "timeline": [{"at": 0, "do": "end"}]})

    def verdict(self, found: list[Beat], may_be_unjudged: bool = True) -> tuple[str, str]:
        class Fixed:
            between = staticmethod(lambda begin, end: found)

        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()) as said:
            run = {"seconds": 5, "wall": [BEGAN / 1e6, BEGAN / 1e6 + 3], "programs": {}, "error": "TimeoutError: the bus"}
            Path(name, "run.json").write_text(json.dumps(run))
            verdict = command().judge(self.SCENARIO, Path(name), None, Fixed, may_be_unjudged)
        return verdict, said.getvalue()

    def test_fails_without_a_stall(self):
        self.assertEqual(self.verdict(beats(count=40))[0], "FAILED")

    def test_says_how_long_the_host_stalled(self):
        verdict, said = self.verdict(beats((3.1, 3.1)))
        self.assertEqual(verdict, "-")
        self.assertIn("not judged: the host stalled 3.0 s", said)
        self.assertIn("TimeoutError: the bus", said)

    def test_fails_if_another_scenario_was_not_judged_before(self):
        verdict, said = self.verdict(beats((3, 3)), may_be_unjudged=False)
        self.assertEqual(verdict, "FAILED")
        self.assertIn("only 1 scenario", said)

    def test_fails_if_the_heartbeat_ended(self):
        self.assertEqual(self.verdict(beats())[0], "FAILED")
        self.assertIn("no heartbeat", self.verdict([])[1])


if __name__ == "__main__":
    unittest.main()
