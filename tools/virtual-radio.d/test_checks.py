# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Each check passes on evidence that is as it should be, and complains of the fault it is there for."""

import json
import unittest
from datetime import datetime, timedelta, timezone

import air
import captures
import checks
from evidence import Evidence
from stalls import Stall

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
BEGAN = 1_800_000_000_000_000
FRAME = air.beacon_payload(f"{UUID}/1/1", -59, 6)


def stamp(seconds: float) -> str:
    moment = datetime.fromtimestamp(BEGAN // 1_000_000, timezone.utc) + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def packet(seconds: float, fate: str = "sent", **more) -> dict:
    wall = BEGAN + round(seconds * 1_000_000)
    return {"type": "packet", "wall": wall, "device": 0, "event": 3, "rssi": -60, "payload": 0, "fate": fate, **more}


def report(seconds: float, rssi: int = -60, data: bytes = FRAME) -> dict:
    return {"v": 1, "type": "report", "t": stamp(seconds), "rssi": rssi, "ad": data.hex()}


def event(kind: str, seconds: float, **fields) -> dict:
    return {"v": 1, "type": kind, "t": stamp(seconds), **fields}


def evidence(packets: list, recorded: list = (), events: list = (), **more) -> Evidence:
    log = [{"type": "payload", "number": 0, "ad": FRAME.hex()}, {"type": "air", "wall": BEGAN}, *packets]
    live = b"".join(json.dumps(event).encode() + b"\n" for event in events)
    run = {"end": {"early": False, "code": 0, "seconds": 0.5, "cpu": 1.0}}
    recording = [*recorded, {"type": "end", "t": stamp(100)}]
    scenario = {"live": ["monitor", "--region", f"hall={UUID}/1"]}
    return Evidence(scenario, more.pop("run", run), {"hci0": log}, recording, live, live, 0, **more)


TEN = [packet(i / 10) for i in range(10)]
RECEIVED = [report(i / 10 + 0.01) for i in range(10)]


class TheCommand(unittest.TestCase):
    def test_that_leaves_in_time_is_fine(self):
        self.assertEqual(checks.ends(evidence(TEN)), [])

    def test_that_is_slow_or_leaves_with_another_code_fails(self):
        run = {"end": {"early": False, "code": 1, "seconds": 3, "cpu": 1.0}}
        self.assertEqual(len(checks.ends(evidence(TEN, run=run))), 2)

    def test_that_left_by_itself_fails(self):
        self.assertIn("by itself", checks.ends(evidence(TEN, run={"end": {"early": True, "code": 70}}))[0])

    def test_that_is_killed_needs_no_code(self):
        run = {"end": {"early": False, "code": -9, "seconds": 0, "cpu": 1.0}}
        self.assertEqual(checks.ends(evidence(TEN, run=run), code=None), [])

    def test_whose_recording_lacks_its_end_fails(self):
        torn = evidence(TEN, RECEIVED)
        self.assertEqual(checks.ended(torn), [])
        torn.recording.pop()
        self.assertEqual(len(checks.ended(torn)), 1)


class AnAdvertiser(unittest.TestCase):
    IDENTITY = f"{UUID}/1/1"
    SAID = [f"beaconctl: hci1 sends {IDENTITY}, measured power -59 dBm, every 100 to 150 ms, 1 of 5 advertisements in use",
            "beaconctl: stopped"]

    def judge(self, sent=None, received=None, flags=4, ticks=(0.9,), code=0, said=None, **more) -> list[str]:
        sent = [packet(i * 0.105) for i in range(80)] if sent is None else sent
        received = [report(i * 0.105 + 0.01) for i in range(80)] if received is None else received
        major = {"uuid": UUID, "major": 1, "minor": 1}
        found = evidence(sent, received, [event("ranged", at, beacons=[major]) for at in ticks])
        found.run["programs"] = {"sender": {"code": code, "ended": BEGAN / 1e6 + 8.4}}
        found.text = lambda name: "\n".join(self.SAID if said is None else said)
        return checks.advertised(found, "sender", self.IDENTITY, -59, flags=flags, **more)

    def test_as_it_should_be_passes(self):
        self.assertEqual(self.judge(flags=6), [])

    def test_other_bytes_fail(self):
        self.assertIn("instead of", self.judge(flags=4)[0])

    def test_that_is_ranged_late_or_never_fails(self):
        self.assertIn("ranged 1.90 s", self.judge(flags=6, ticks=(1.9,))[0])
        self.assertIn("never", self.judge(flags=6, ticks=())[0])

    def test_whose_interval_is_received_otherwise_fails(self):
        received = [report(i * 0.11 + 0.01) for i in range(76)]
        self.assertIn("an interval of 110.0 ms", self.judge(flags=6, received=received)[0])

    def test_that_sends_on_or_fails_fails(self):
        sent = [packet(i * 0.105) for i in range(100)]
        self.assertTrue(any("sent for" in line for line in self.judge(flags=6, sent=sent)))
        self.assertIn("ended with 1", self.judge(flags=6, code=1)[0])

    def test_that_says_something_else_fails(self):
        self.assertEqual(len(self.judge(flags=6, said=self.SAID[:1])), 1)
        self.assertEqual(len(self.judge(flags=6, said=[self.SAID[0].replace("100 to 150", "200 to 250"), self.SAID[1]])), 1)
        self.assertEqual(len(self.judge(flags=6, times=2)), 1)


class AReplay(unittest.TestCase):
    EVENTS = [event("ranged", second, beacons=[]) for second in range(5)]

    def test_must_equal_live_to_the_byte(self):
        same = evidence(TEN, RECEIVED, self.EVENTS)
        self.assertEqual(checks.replay(same), [])
        same.replayed = same.live.replace(b":03.", b":04.")
        self.assertIn("line 4", checks.replay(same)[0])

    def test_without_events_fails(self):
        self.assertEqual(len(checks.replay(evidence(TEN, RECEIVED))), 1)

    def test_with_an_error_fails(self):
        failed = evidence(TEN, RECEIVED, self.EVENTS)
        failed.replay_code = 65
        self.assertIn("65", checks.replay(failed)[0])

    def test_of_a_killed_recording_may_lack_the_last_lines_only(self):
        torn = evidence(TEN, RECEIVED, self.EVENTS)
        lines = torn.live.splitlines(keepends=True)
        torn.replayed = b"".join(lines[:-1])
        self.assertEqual(checks.replay_of_torn(torn), [])
        torn.replayed = b"".join(lines[:-3])
        self.assertEqual(len(checks.replay_of_torn(torn)), 1)
        torn.replayed = b"".join(lines[1:])
        self.assertEqual(len(checks.replay_of_torn(torn)), 1)


class Beacons(unittest.TestCase):
    def test_received_as_sent_agree(self):
        self.assertEqual(checks.identities(evidence(TEN, RECEIVED)), [])

    def test_never_received_never_sent_or_with_another_strength_fail(self):
        self.assertIn("never received", checks.identities(evidence(TEN))[0])
        stranger = report(0.5, data=air.beacon_payload(f"{UUID}/9/9", -59, 6))
        self.assertIn("never sent", checks.identities(evidence(TEN, [*RECEIVED, stranger]))[0])
        self.assertIn("-61 dBm", checks.identities(evidence(TEN, [*RECEIVED, report(0.5, -61)]))[0])

    def test_without_strength_or_response_need_not_agree(self):
        silent = [packet(i, rssi=127, device=1, payload=1) for i in range(3)]
        lone = [packet(i, event=0, device=2, payload=2) for i in range(3)]
        odd = evidence([*TEN, *silent, *lone], RECEIVED)
        for number, minor in ((1, 6), (2, 4)):
            ad = air.beacon_payload(f"{UUID}/1/{minor}", -59, 6).hex()
            odd.logs["hci0"].insert(0, {"type": "payload", "number": number, "ad": ad})
        self.assertEqual(checks.identities(odd), [])
        self.assertEqual(checks.counts(odd, [0, 1]), [])

    def test_are_counted_within_bounds(self):
        self.assertEqual(checks.counts(evidence(TEN, RECEIVED), [0, 1]), [])
        self.assertEqual(len(checks.counts(evidence(TEN, RECEIVED[:9]), [0, 1])), 1)
        self.assertEqual(len(checks.counts(evidence(TEN, [*RECEIVED, report(0.5)]), [0, 1])), 1)
        self.assertEqual(len(checks.counts(evidence(TEN, RECEIVED), [5, 6])), 1)

    def test_are_counted_for_one_of_two_radios(self):
        by = lambda radio: [{**line, "receiver": radio} for line in RECEIVED]
        both = evidence(TEN, [*by("hci0"), *by("hci1")[:5]])
        both.logs["hci1"] = [both.logs["hci0"][0], *TEN[:6]]
        self.assertEqual(checks.counts(both, [0, 1], radio="hci0"), [])
        self.assertEqual(checks.counts(both, [0, 0.45], radio="hci1"), [])
        self.assertEqual(len(checks.counts(both, [0, 1], radio="hci1")), 1)
        self.assertEqual(checks.counts(both, [0, 1], least=15 / 16), [])

    def test_are_scanned_for_without_the_filter(self):
        scan = lambda second, filtered, on=True: {
            "type": "scan", "wall": BEGAN + second * 1_000_000, "on": on, "filter_duplicates": filtered}
        late = evidence([scan(1, True), scan(2, True, on=False), scan(3, False)])
        self.assertEqual(checks.scans(late, filtered=False, since=2), [])
        self.assertEqual(len(checks.scans(late, filtered=False)), 1)
        self.assertEqual(len(checks.scans(late, filtered=False, since=4)), 1)

    def test_are_counted(self):
        called = evidence(TEN, calls=["Activate", "DeviceFound", "DeviceFound"])
        self.assertEqual(checks.calls(called, "DeviceFound", 2, 2), [])
        self.assertEqual(len(checks.calls(called, "DeviceFound", 1, 1)), 1)
        self.assertEqual(len(checks.calls(called, "DeviceLost", 1, 1)), 1)

    def test_filtered_by_the_controller_count_as_packets_and_not_as_sent(self):
        filtered = evidence([packet(0), *(packet(i / 10, "filtered") for i in range(1, 10))], RECEIVED[:1])
        self.assertEqual(checks.counts(filtered, [0, 1]), [])
        self.assertEqual(checks.on_air(filtered, [0, 1], most=0.2), [])
        self.assertEqual(len(checks.on_air(filtered, [0, 1], least=0.9)), 1)
        # A stall of a fifth of the window explains as much less, and not a filter that stayed.
        filtered.stalls = [Stall(BEGAN, BEGAN + 200_000)]
        self.assertEqual(len(checks.on_air(filtered, [0, 1], least=0.9)), 1)
        self.assertEqual(checks.on_air(filtered, [0, 1], least=0.25), [])

    def test_received_with_a_gap_fail(self):
        self.assertEqual(checks.steady(evidence(TEN, RECEIVED), [0, 1], 0.2), [])
        self.assertEqual(len(checks.steady(evidence(TEN, RECEIVED), [0, 3], 1.5)), 1)


class ReportsOfTheKernel(unittest.TestCase):
    def test_are_all_recorded_or_counted_as_missing(self):
        self.assertEqual(checks.every(evidence(TEN, RECEIVED), [0, 1]), [])
        self.assertIn("1 of 10", checks.every(evidence(TEN, RECEIVED[:9]), [0, 1])[0])
        self.assertIn("1 of 10", checks.every(evidence(TEN, [*RECEIVED[:9], report(0.91, -61)]), [0, 1])[0])
        self.assertIn("1 of 10", checks.every(evidence(TEN, [*RECEIVED[:9], report(1.5)]), [0, 1])[0])
        self.assertIn("sent nothing", checks.every(evidence(TEN, RECEIVED), [5, 6])[0])

    def test_are_those_of_btmon(self):
        def beside(recorded: list, shift: int = 0):
            two = evidence(TEN, recorded)
            two.captured = [
                captures.Report(BEGAN + i * 100_000 + 10_000 + shift, 3, True, "C0:00:00:00:00:01", -60, FRAME)
                for i in range(10)
            ]
            return two

        self.assertEqual(checks.same_reports(beside(RECEIVED), [0, 1]), [])
        self.assertEqual(checks.same_reports(beside(RECEIVED, 1000), [0, 1]), [])
        self.assertEqual(len(checks.same_reports(beside(RECEIVED, 5000), [0, 1])), 1)
        self.assertEqual(len(checks.same_reports(beside(RECEIVED, 80_000), [0, 1])), 1)
        self.assertIn("9 reports", checks.same_reports(beside([*RECEIVED[:5], *RECEIVED[6:]]), [0, 1])[0])
        other = [*RECEIVED[:5], report(0.51, -61), *RECEIVED[6:]]
        self.assertIn("1 of 10", checks.same_reports(beside(other), [0, 1])[0])
        self.assertEqual(len(checks.same_reports(beside([]), [0, 1])), 1)

    def test_are_whole(self):
        self.assertEqual(checks.whole(evidence(TEN, RECEIVED)), [])
        rebuilt = {"v": 1, "type": "report", "t": stamp(1), "rssi": -60, "manufacturer": {"004c": "0215"}}
        self.assertEqual(len(checks.whole(evidence(TEN, [*RECEIVED, rebuilt]))), 1)
        self.assertEqual(len(checks.whole(evidence(TEN))), 1)

    def test_without_permission_are_refused_in_one_line(self):
        run = {"end": {"early": True, "code": 77}}
        self.assertEqual(checks.refuses(evidence([], run=run, said="beaconctl: setcap x\n"), 77, ["setcap"]), [])
        self.assertEqual(len(checks.refuses(evidence([], run=run, said="a\nb\n"), 77, [])), 1)
        self.assertEqual(len(checks.refuses(evidence([], run=run, said="no\n"), 77, ["setcap"])), 1)
        self.assertEqual(len(checks.refuses(evidence([], said="setcap\n"), 77, ["setcap"])), 1)


class Overflow(unittest.TestCase):
    @staticmethod
    def said(dropped: int) -> str:
        tally = f'{{"kernelOverflow":{dropped}}}' if dropped else "{}"
        return f'beaconctl: hello\n{{"v":1,"type":"summary","dropped":{tally}}}\n'

    def test_equals_what_is_not_recorded(self):
        self.assertEqual(checks.lost(evidence(TEN, RECEIVED[:6], said=self.said(4)), [0, 1], 1, 0), [])
        self.assertEqual(len(checks.lost(evidence(TEN, RECEIVED[:6], said=self.said(5)), [0, 1], 1, 0)), 1)
        self.assertEqual(len(checks.lost(evidence(TEN, RECEIVED[:6], said=self.said(0)), [0, 1], 1, 0)), 2)
        self.assertEqual(len(checks.lost(evidence(TEN, RECEIVED), [0, 1], 1, 0)), 1)

    def test_is_counted_by_its_reason(self):
        self.assertEqual(checks.counted(evidence([], said=self.said(4)), {"kernelOverflow": 4}), [])
        self.assertEqual(len(checks.counted(evidence([], said=self.said(4)), {"kernelOverflow": 5, "late": 1})), 2)

    def test_memory_that_grows_fails(self):
        def growing(each: int):
            return {"resident": [[second, 10_000_000 + max(0, second - 5) * each] for second in range(40)]}

        self.assertEqual(checks.flat(evidence([], run=growing(0)), 10), [])
        self.assertEqual(checks.flat(evidence([], run=growing(10_000)), 10), [])
        self.assertEqual(len(checks.flat(evidence([], run=growing(100_000)), 10)), 1)
        self.assertEqual(len(checks.flat(evidence([], run=growing(0)), 35)), 1)


class Regions(unittest.TestCase):
    def test_while_a_beacon_sends_fail_even_if_nothing_is_received(self):
        unreceived = [packet(1), packet(9.5, "unplugged")]
        self.assertEqual(len(checks.exits(evidence(unreceived, [], [event("region.exit", 10, region="hall")]))), 1)
        self.assertEqual(checks.exits(evidence(unreceived, [], [event("region.exit", 20, region="hall")])), [])

    def test_do_not_mix_up_majors(self):
        self.assertTrue(checks.satisfies(f"{UUID}/1/1", f"{UUID}/1"))
        self.assertFalse(checks.satisfies(f"{UUID}/11/1", f"{UUID}/1"))

    def test_are_delivered_in_order_and_in_time(self):
        events = [event("region.enter", 1, region="hall"), event("region.exit", 30, region="hall")]
        expected = [{"type": "region.enter", "region": "hall", "between": [0, 2]},
                    {"type": "region.exit", "region": "hall", "between": [20, 40]}]
        self.assertEqual(checks.delivered(evidence(TEN, [], events), expected), [])
        self.assertEqual(len(checks.delivered(evidence(TEN, [], events[:1]), expected)), 1)
        self.assertEqual(len(checks.delivered(evidence(TEN, [], [*events, *events]), expected)), 1)
        self.assertTrue(checks.delivered(evidence(TEN, [], events), expected[::-1]))

    def test_that_must_not_occur_fail(self):
        self.assertEqual(checks.never(evidence(TEN), ["region.exit"]), [])
        self.assertEqual(len(checks.never(evidence(TEN, [], [event("region.exit", 1)]), ["region.exit"])), 1)


class ADeafRadio(unittest.TestCase):
    @staticmethod
    def of(log: dict, radio: dict, said: str = "") -> Evidence:
        two = evidence(TEN, [event("radio", at, state=state) for state, at in radio], said=said)
        two.logs["hci0"] += [{"type": kind, "wall": BEGAN + at * 1_000_000} for kind, at in log]
        return two

    def test_is_recorded_and_recovers_in_time(self):
        recovered = self.of([("deaf", 20), ("recovered", 23)], [("listening", 1), ("deaf", 22), ("listening", 24)])
        self.assertEqual(checks.deaf(recovered, True, 30), [])
        self.assertEqual(len(checks.deaf(recovered, True, 23.5)), 1)
        self.assertEqual(len(checks.deaf(recovered, False, 30)), 1)
        self.assertEqual(len(checks.deaf(recovered, True, 30, within=1)), 1)

    def test_without_recovery_stays_deaf(self):
        still = self.of([("deaf", 20)], [("listening", 1), ("deaf", 22)], "deaf; restart\nstays deaf\n")
        self.assertEqual(checks.deaf(still, False, 30), [])
        self.assertEqual(len(checks.deaf(still, True, 30)), 1)
        self.assertEqual(len(checks.deaf(self.of([("deaf", 20)], []), False, 30)), 1)
        self.assertEqual(len(checks.deaf(self.of([], []), False, 30)), 1)
        self.assertEqual(checks.said(still, ["restart", "stays"]), [])
        self.assertEqual(len(checks.said(still, ["stays", "restart"])), 1)


class TheMachine(unittest.TestCase):
    def test_that_stopped_is_the_only_complaint(self):
        broken = evidence(TEN, run={"error": "Traceback\nTimeoutError: the bus was not there"})
        self.assertEqual(checks.judge(broken, {}), ["the machine: TimeoutError: the bus was not there"])

    def test_that_lost_packets_fails(self):
        lossy = evidence(TEN)
        lossy.hci_reports = 10
        self.assertEqual(checks.radio(lossy), [])
        lossy.hci_reports = 8
        self.assertEqual(len(checks.radio(lossy)), 1)
        # Those sent after the end of the timeline may be missing, and those before it may not.
        lossy.run["actions"] = [{"do": "end", "wall": BEGAN / 1e6 + 0.75}]
        self.assertEqual(checks.radio(lossy), [])
        lossy.hci_reports = 7
        self.assertEqual(len(checks.radio(lossy)), 1)

    def test_judges_by_every_entry_of_a_list(self):
        fine = evidence(TEN, RECEIVED, AReplay.EVENTS)
        fine.hci_reports, fine.replay_code = 10, 0
        self.assertEqual(checks.judge(fine, {"counts": [{"window": [0, 0.5]}, {"window": [0.5, 1]}]}), [])
        self.assertEqual(len(checks.judge(fine, {"counts": [{"window": [0, 1]}, {"window": [5, 6]}]})), 1)
        self.assertEqual(checks.judge(fine, {"no_such": {}}), ["there is no check no_such"])


if __name__ == "__main__":
    unittest.main()
