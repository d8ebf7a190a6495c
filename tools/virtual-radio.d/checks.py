# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""The checks of a scenario. A check returns its complaints (none if it passes) and adds figures to the evidence."""

import json
import re
from collections import Counter, defaultdict, deque

import air
import screens
import service_checks
import visits
from evidence import SHORTEST_SILENCE, UNAVAILABLE, Evidence, microseconds, satisfies
from stalls import ALLOWED

# The share of reports that a full monitor socket may lose, which is not a fault of the radio.
CAPTURE_LOSS = 0.01
# How far two programs' times of the same packet may differ, in microseconds.
CLOCKS_APART = 2000
# How long the emulated machine may be delayed, in microseconds, and the share of reports that this may affect.
STALLED = 50_000
ADMITTED_LATE = 0.05


def ran(evidence: Evidence) -> list[str]:
    """The scenario reached its end inside the machine, except if something was not ready in time."""
    error = error_of(evidence)
    return [f"the machine: {error}"] if error and not error.startswith("TimeoutError") else []


def ready(evidence: Evidence) -> list[str]:
    """Everything that the scenario waits for inside the machine was ready in time."""
    error = error_of(evidence)
    return [f"the machine: {error}"] if error and error.startswith("TimeoutError") else []


def error_of(evidence: Evidence) -> str | None:
    """The last line of the error that ended the scenario inside the machine; `None` if it reached its end."""
    return evidence.run["error"].strip().splitlines()[-1] if "error" in evidence.run else None


def radio(evidence: Evidence) -> list[str]:
    """The kernel received every report that the controller sent."""
    sent = evidence.fates()["sent"]
    evidence.figures["hci"] = sent
    refused = len(evidence.lines("refused"))
    complaints = [f"the kernel refused {refused} packets of the controller"] if refused else []
    # At the end btmon is stopped too, even if it has not read everything: the last reports may be missing.
    early = sum(packet.fate == "sent" and packet.time < evidence.ended for packet in evidence.packets)
    least, most = early * (1 - CAPTURE_LOSS), sent * (1 + CAPTURE_LOSS)
    if evidence.hci_reports is not None and not least <= evidence.hci_reports <= most:
        complaints.append(f"the controller sent {sent} reports, the HCI capture contains {evidence.hci_reports}")
    return complaints


def ends(evidence: Evidence, code: int | None = 0, within: float = 2) -> list[str]:
    """The live command ran until its signal, then ended in time with this exit code (null: killed, not checked)."""
    end = evidence.run.get("end")
    if end is None:
        return ["the live command was never ended"]
    if end["early"]:
        return [f"the live command ended by itself, exit code {end['code']}"]
    evidence.figures["cpu"] = end["cpu"]
    evidence.figures["left"] = end["seconds"]
    if code is None:
        return []
    complaints = [] if end["code"] == code else [f"exit code {end['code']} instead of {code}"]
    if end["seconds"] > within:
        complaints.append(f"took {end['seconds']} s to end, not {within}")
    return complaints


def ended(evidence: Evidence) -> list[str]:
    """The recording is complete: its last line is its `end`."""
    last = evidence.recording[-1] if evidence.recording else {}
    return [] if last.get("type") == "end" else ["the recording lacks its `end`"]


def first_difference(live: bytes, replayed: bytes) -> str:
    ours, theirs = live.split(b"\n"), replayed.split(b"\n")
    for number, (ours_now, theirs_now) in enumerate(zip(ours, theirs), 1):
        if ours_now != theirs_now:
            live_start, replay_start = (line[:160].decode(errors="replace") for line in (ours_now, theirs_now))
            return f"line {number}: live {live_start} | replay {replay_start}"
    return f"live has {len(ours)} lines, the replay {len(theirs)}"


def replay(evidence: Evidence) -> list[str]:
    """The live events are byte for byte those of a replay of the recording."""
    if evidence.replay_code != 0:
        return [f"the replay ended with exit code {evidence.replay_code}"]
    if not evidence.live:
        return ["the live command wrote no event"]
    evidence.figures["events"] = evidence.live.count(b"\n")
    if evidence.live == evidence.replayed:
        return []
    return ["replay differs, " + first_difference(evidence.live, evidence.replayed)]


def replay_of_torn(evidence: Evidence, lines: int = 2) -> list[str]:
    """The replay of a killed recording gives the live events, except a few last lines that were not written yet."""
    if evidence.replay_code != 0:
        return [f"the replay ended with exit code {evidence.replay_code}"]
    live, replayed = (text.split(b"\n")[:-1] for text in (evidence.live, evidence.replayed))
    evidence.figures["events"] = len(live)
    common = min(len(live), len(replayed))
    if common == 0:
        return ["the live command or the replay wrote no event"]
    if live[:common] != replayed[:common]:
        return ["replay differs, " + first_difference(b"\n".join(live[:common]), b"\n".join(replayed[:common]))]
    apart = abs(len(live) - len(replayed))
    return [] if apart <= lines else [f"the live command wrote {len(live)} lines, the replay {len(replayed)}"]


def identities(evidence: Evidence) -> list[str]:
    """The received beacons are the ones that were sent, each with signal strengths that were sent."""
    sent, received = {}, {}
    for packet in evidence.sent():
        sent.setdefault(packet.identity, set()).add(packet.rssi)
    for report in evidence.beacons_received():
        received.setdefault(report.identity, set()).add(report.rssi)
    evidence.figures["beacons"] = len(received)
    complaints = [f"{name} was sent and never received" for name in sorted(set(sent) - set(received))]
    complaints += [f"{name} was received and never sent" for name in sorted(set(received) - set(sent))]
    for name in sorted(set(sent) & set(received)):
        if wrong := sorted(rssi for rssi in received[name] - sent[name] if rssi is not None):
            complaints.append(f"{name} was received at {wrong[0]} dBm and never sent with that")
    if not sent:
        complaints.append("the radio sent no beacon")
    return complaints


def counts(
    evidence: Evidence, window: list[float], least: float = 0.95, most: float = 1.05, radio: str | None = None
) -> list[str]:
    """Of the reports that one controller, or all of them, sent in a window, this share was recorded."""
    packets, reports = evidence.sent(*evidence.window(window)), evidence.beacons_received(*evidence.window(window))
    sent = sum(packet.radio == radio for packet in packets) if radio else len(packets)
    received = sum(report.receiver == radio for report in reports) if radio else len(reports)
    where = f" by {radio}" if radio else ""
    evidence.figures[f"received{where} {window[0]:g}-{window[1]:g} s"] = f"{received}/{sent}"
    if sent == 0:
        return [f"the radio sent nothing{where} from {window[0]} to {window[1]} s"]
    share = received / sent
    if least <= share <= most:
        return []
    return [f"{received} of {sent} reports{where} from {window[0]} to {window[1]} s: {share:.1%}"]


def every(evidence: Evidence, window: list[float], within: float = 0.25) -> list[str]:
    """Each report that the controller sent in a window was recorded once, soon, and with its signal strength."""
    since, until = evidence.window(window)
    sent, left = evidence.sent(since, until), defaultdict(deque)
    for report in evidence.beacons_received(since - 1_000_000, until + 1_000_000):
        left[report.identity, report.rssi].append(report.time)
    missing = 0
    for packet in sent:
        times = left[packet.identity, packet.rssi]
        # The controller's time is taken before the packet is sent.
        while times and times[0] < packet.time - CLOCKS_APART:
            times.popleft()
        if times and times[0] - packet.time <= within * 1e6:
            times.popleft()
        else:
            missing += 1
    evidence.figures[f"every {window[0]:g}-{window[1]:g} s"] = f"{len(sent) - missing}/{len(sent)}"
    if not sent:
        return [f"the radio sent nothing from {window[0]} to {window[1]} s"]
    return [f"{missing} of {len(sent)} reports from {window[0]} to {window[1]} s are missing"] if missing else []


def same_reports(evidence: Evidence, window: list[float]) -> list[str]:
    """The recording has the same reports as the capture of `btmon -w`: the same data, strengths, order and times."""
    since, until = evidence.window(window)
    ours = [report for report in evidence.reports_recorded if since <= report[0] < until]
    strength = {UNAVAILABLE: None}
    theirs = [(one.time, strength.get(one.rssi, one.rssi), one.data) for one in evidence.captured]
    if not ours:
        return ["nothing was recorded"]
    # Both begin with the same packet; their times differ a little.
    first = next((place for place, one in enumerate(theirs) if one[1:] == ours[0][1:]
                  and abs(one[0] - ours[0][0]) <= STALLED), None)
    if first is None:
        return ["the first report recorded is not in btmon's capture"]
    theirs = [one for one in theirs[first:] if one[0] < until - CLOCKS_APART]
    evidence.figures["as btmon"] = f"{len(theirs)}"
    if len(ours) < len(theirs):
        return [f"{len(ours)} reports recorded, btmon has {len(theirs)}"]
    apart = [abs(one[0] - other[0]) for one, other in zip(ours, theirs) if one[1:] == other[1:]]
    if len(apart) != len(theirs):
        return [f"{len(theirs) - len(apart)} of {len(theirs)} reports differ from btmon's"]
    evidence.figures["apart"] = f"{sorted(apart)[len(apart) // 2]} us, at most {max(apart)} us"
    # A delayed machine passes a report on late, and it is then admitted late.
    late = sum(one > CLOCKS_APART for one in apart)
    if max(apart) <= STALLED and late <= ADMITTED_LATE * len(apart):
        return []
    return [f"{late} of {len(apart)} reports are more than {CLOCKS_APART} us from btmon's, one {max(apart)} us"]


def whole(evidence: Evidence) -> list[str]:
    """Every recorded report contains the whole packet, which only reports through the kernel do."""
    lines = [line for line in evidence.recording if line.get("type") == "report"]
    partial = sum("ad" not in line for line in lines)
    if not lines:
        return ["nothing was recorded"]
    return [f"{partial} of {len(lines)} reports came over D-Bus"] if partial else []


def refuses(evidence: Evidence, code: int, says: list[str]) -> list[str]:
    """The live command ended by itself with this exit code and one line that contains these words."""
    end = evidence.run.get("end") or {}
    if not end.get("early") or end.get("code") != code:
        return [f"the live command did not end by itself with exit code {code}: {end}"]
    lines = evidence.said.strip().splitlines()
    if len(lines) != 1:
        return [f"{len(lines)} lines were written instead of one"]
    return [f"'{words}' is not in: {lines[0]}" for words in says if words not in lines[0]]


def on_air(evidence: Evidence, window: list[float], least: float = 0, most: float = 1) -> list[str]:
    """Of the beacons' packets in a window, this share passed the controller's duplicate filter.

    What stalls can take of `least` is the time that they lasted, during which the filter may have stayed.
    """
    since, until = evidence.window(window)
    least -= evidence.stalled(window[1]) / (window[1] - window[0])
    aired = [packet for packet in evidence.packets if since <= packet.time < until and evidence.is_comparable(packet)]
    share = sum(packet.fate == "sent" for packet in aired) / len(aired) if aired else 0
    evidence.figures["past the filter"] = f"{share:.1%}"
    if least <= share <= most:
        return []
    return [f"{share:.1%} of {len(aired)} packets from {window[0]} to {window[1]} s passed the controller"]


def scans(evidence: Evidence, filtered: bool, since: float = 0) -> list[str]:
    """Every scan that started at or after a time was started with, or without, the controller's duplicate filter."""
    started = [line for line in evidence.lines("scan") if line["on"] and line["wall"] >= evidence.window([since])[0]]
    wrong = sum(line["filter_duplicates"] != filtered for line in started)
    evidence.figures["scans"] = len(started)
    if not started:
        return [f"no scan started after {since} s"]
    return [f"{wrong} of {len(started)} scans started {'without' if filtered else 'with'} the filter"] if wrong else []


def calls(evidence: Evidence, member: str, least: int, most: int) -> list[str]:
    """bluetoothd called this method of our advertisement monitor this number of times."""
    number = evidence.calls.count(member)
    evidence.figures[member] = number
    return [] if least <= number <= most else [f"{member} was called {number} times, not {least} to {most}"]


def lost(evidence: Evidence, window: list[float], least: int, apart: int = 20) -> list[str]:
    """The reports of a window that were not recorded are the ones that the summary counts as dropped."""
    since, until = evidence.window(window)
    dropped = evidence.summary.get("dropped", {}).get("kernelOverflow", 0)
    missing = len(evidence.sent(since, until)) - len(evidence.beacons_received(since, until))
    evidence.figures["dropped"] = dropped
    evidence.figures["not recorded"] = missing
    complaints = [] if dropped >= least else [f"the kernel dropped {dropped}, not {least} or more: so the check shows nothing"]
    if abs(missing - dropped) > apart:
        complaints.append(f"{missing} reports were not recorded, the summary says that {dropped} were dropped")
    return complaints


def counted(evidence: Evidence, dropped: dict[str, int]) -> list[str]:
    """The summary counts at least this many drops of each reason."""
    found = evidence.summary.get("dropped", {})
    evidence.figures |= {name: found.get(name, 0) for name in dropped}
    return [f"{found.get(name, 0)} {name}, not {least}" for name, least in dropped.items() if found.get(name, 0) < least]


def flat(evidence: Evidence, since: float, most: float = 1_000_000, share: float = 0.03) -> list[str]:
    """From a time on the live command's memory grows by at most this number of bytes, or this share of it."""
    sizes = [size for moment, size in evidence.run.get("resident", []) if moment >= since]
    if len(sizes) < 10:
        return [f"{len(sizes)} samples of memory from {since} s on"]
    first, last = sorted(sizes[:5])[2], sorted(sizes[-5:])[2]
    evidence.figures["resident"] = f"{first / 1e6:.1f} MB, {(last - first) / 1e3:+.0f} kB"
    grown = last - first
    return [f"memory grew by {grown:,} bytes to {last:,}"] if grown > max(most, share * first) else []


def constraints_of(live: list[str]) -> dict[str, str]:
    """The regions of a command's options: a map from identifier to UUID[/MAJOR[/MINOR]]."""
    values = [value for option, value in zip(live, live[1:]) if option == "--region"]
    return dict(value.split("=", 1) for value in values)


def exits(evidence: Evidence) -> list[str]:
    """No region was left while one of its beacons was sent, whether it was received or not."""
    regions = constraints_of(evidence.scenario["live"])
    complaints, number = [], 0
    for event in evidence.events:
        if event["type"] != "region.exit":
            continue
        number += 1
        time, constraint = microseconds(event["t"]), regions.get(event["region"])
        if constraint is None:
            complaints.append(f"exit of a region that no option names: {event['region']}")
            continue
        silence = evidence.silence(constraint, time)
        if silence < SHORTEST_SILENCE:
            complaints.append(f"{event['region']} was left {silence / 1e6:.1f} s after one of its packets")
    evidence.figures["exits"] = number
    return complaints


def delivered(evidence: Evidence, events: list[dict], others: bool = False) -> list[str]:
    """These events were delivered in this order, each `between` its seconds; without `others`, no more of their types."""
    types = {expected["type"] for expected in events}
    left = [event for event in evidence.events if event["type"] in types]
    complaints = []
    for expected in events:
        fields = {key: value for key, value in expected.items() if key != "between"}
        since, until = evidence.window(expected["between"])
        in_time = (since <= microseconds(event["t"]) < until for event in left)
        alike = (all(event.get(key) == value for key, value in fields.items()) for event in left)
        place = next((i for i, fits in enumerate(zip(in_time, alike)) if all(fits)), None)
        if place is None:
            complaints.append(f"not delivered from {expected['between'][0]} to {expected['between'][1]} s: {fields}")
            continue
        if place and not others:
            complaints.append(f"delivered and not expected: {left[:place]}")
        left = left[place + 1 :]
    if left and not others:
        complaints.append(f"delivered and not expected: {left[:3]}")
    return complaints


def never(evidence: Evidence, types: list[str]) -> list[str]:
    """No event of these types was delivered."""
    found = Counter(event["type"] for event in evidence.events if event["type"] in types)
    return [f"{kind} was delivered {number} times" for kind, number in sorted(found.items())]


def says(evidence: Evidence, diagnostic: str) -> list[str]:
    """A diagnostic with this code was delivered."""
    codes = {event.get("code") for event in evidence.events if event["type"] == "diagnostic"}
    if diagnostic in codes:
        return []
    return [f"no diagnostic {diagnostic}; there were {sorted(filter(None, codes)) or 'none'}"]


def steady(evidence: Evidence, window: list[float], longest: float) -> list[str]:
    """Two consecutive recorded reports in a window are never farther apart than this number of seconds."""
    since, until = evidence.window(window)
    times = [since, *(report.time for report in evidence.beacons_received(since, until)), until]
    gap = max(after - before for before, after in zip(times, times[1:])) / 1e6
    evidence.figures["longest gap"] = f"{gap:.1f} s"
    return [] if gap <= longest else [f"nothing was received for {gap:.1f} s between {window[0]} and {window[1]} s"]


def plugged(evidence: Evidence, times: int) -> list[str]:
    """The adapter was plugged in this number of times."""
    seen = len(evidence.lines("plugged"))
    return [] if seen == times else [f"the adapter was plugged in {seen} times, not {times}"]


def deaf(evidence: Evidence, recovers: bool, before: float, within: float = 4) -> list[str]:
    """The radio went deaf, the recording contains it soon, and the radio recovered before a time, or never."""
    went = [line["wall"] for line in evidence.lines("deaf")]
    if not went:
        return ["the radio never went deaf"]
    states = [line for line in evidence.recording if line.get("type") == "radio"]
    recorded_deaf = [microseconds(line["t"]) for line in states if line["state"] == "deaf"]
    if not recorded_deaf:
        return [f"no `radio` line says deaf: {[line['state'] for line in states]}"]
    delay = recorded_deaf[0] - went[0]
    evidence.figures["deaf after"] = f"{delay / 1e6:.1f} s"
    complaints = []
    if not 0 <= delay <= within * 1e6:
        complaints.append(f"recorded as deaf {delay / 1e6:.1f} s after it went deaf")
    recovered = [line["wall"] for line in evidence.lines("recovered")]
    again = [microseconds(line["t"]) for line in states if line["state"] == "listening"]
    again = [time for time in again if time > recorded_deaf[0]]
    if not recovers:
        return complaints + [f"it receives again: {states[-1]}"] * bool(recovered or again)
    if not recovered or not again:
        return [*complaints, f"it {'recovered, and the recording does not say so' if recovered else 'did not recover'}"]
    evidence.figures["receives again after"] = f"{(again[0] - went[0]) / 1e6:.1f} s"
    if again[0] < recovered[0] or again[0] > evidence.window([before, before])[0]:
        complaints.append(f"recorded as receiving again {(again[0] - evidence.air_began) / 1e6:.1f} s after the start")
    return complaints


def said(evidence: Evidence, words: list[str]) -> list[str]:
    """The live command wrote these words as errors, in this order."""
    return in_order("standard error", evidence.said, words)


def in_order(what: str, text: str, words: list[str]) -> list[str]:
    """Returns a complaint for each of the words that is not in a text after the previous one."""
    place, complaints = 0, []
    for one in words:
        found = text.find(one, place)
        if found < 0:
            complaints.append(f"{what} does not say '{one}'{' at that place' if one in text else ''}")
        place = max(place, found)
    return complaints


def program(evidence: Evidence, name: str, code: int | None = 0, says: list[str] = (), errors: list[str] = ()) -> list[str]:
    """A program ended with this exit code (null: any) and wrote these words in this order, as output and as errors."""
    ended = evidence.program(name)["code"]
    complaints = [] if code in (None, ended) else [f"{name} ended with exit code {ended} instead of {code}"]
    complaints += in_order(name, evidence.text(f"{name}.out"), says)
    return complaints + in_order(f"{name}, as errors,", evidence.text(f"{name}.err"), errors)


def same_output(evidence: Evidence, one: str, other: str) -> list[str]:
    """Two programs wrote the same output, which is not empty."""
    ours, theirs = evidence.text(f"{one}.out"), evidence.text(f"{other}.out")
    evidence.figures[f"lines of {one}"] = ours.count("\n")
    if not ours:
        return [f"{one} wrote nothing"]
    if ours == theirs:
        return []
    pairs = enumerate(zip(ours.splitlines() + [""], theirs.splitlines() + [""]), 1)
    number, (first, second) = next(pair for pair in pairs if pair[1][0] != pair[1][1])
    return [f"line {number}: {one} wrote '{first}', {other} '{second}'"]


# doctor


def doctor(
    evidence: Evidence, name: str, subject: str, says: str, level: str = "problem", code: int = 2, remedy: str | None = None,
    well: bool = True,
) -> list[str]:
    """`doctor` found this. With a `remedy`, its command ran and the finding disappeared; with `well`, so did all others."""
    rounds = evidence.program(name)
    first, last = rounds[0], rounds[-1]
    if not first["said"]:
        return [f"{name}: doctor wrote no findings: {first['errors'].strip()}"]
    fits = lambda one: one["subject"] == subject and says in one["text"]
    found = next((one for one in first["said"]["findings"] if fits(one)), None)
    if not found or found["level"] != level:
        others = [f"{one['subject']}: {one['text']}" for one in first["said"]["findings"] if one["level"] != "good"]
        return [f"{name}: no {level} on {subject} says '{says}'; there are {others}"]
    complaints = [] if first["code"] == code else [f"{name}: exit code {first['code']} instead of {code}"]
    if remedy is None:
        return complaints
    if remedy not in (found["remedy"] or ""):
        return [*complaints, f"{name}: the remedy is {found['remedy']}"]
    cures = [one["cure"] for one in rounds if "cure" in one]
    evidence.figures[name] = f"{len(cures)} commands"
    complaints += [f"{name}: {one['command']} failed: {one['said'].strip()[-200:]}" for one in cures if one["code"] != 0]
    if not any(one["command"] == found["remedy"] for one in cures):
        complaints.append(f"{name}: its remedy was never suggested as the next command")
    if not last["said"] or any(fits(one) and one["level"] != "good" for one in last["said"]["findings"]):
        complaints.append(f"{name}: the finding is still there")
    elif well and (last["code"] != 0 or not last["said"]["sentence"].startswith("You can range now: ")):
        complaints.append(f"{name}: at the end doctor says: {last['said']['sentence']}")
    return complaints


def without_bluetooth(evidence: Evidence, name: str, says: str) -> list[str]:
    """`doctor` ended with exit code 69; its JSON has the one sentence."""
    last = evidence.program(name)[-1]
    sentence = (last["said"] or {}).get("sentence") or ""
    fine = last["code"] == 69 and last["errors"] == "" and says in sentence
    return [] if fine else [f"{name}: exit code {last['code']}, {sentence!r}, {last['errors']!r}"]


def measured(
    evidence: Evidence, name: str, beacons: int, gap: list[float], step: int, duplicates: str = "passed", within: float = 0.1
) -> list[str]:
    """The last measurement of `doctor` agrees with the packets sent while it scanned."""
    last = evidence.program(name)[-1]
    air = (last["said"] or {}).get("air")
    if not air:
        return [f"{name}: nothing was measured"]
    # Its scan starts later and ends earlier than the program.
    seconds = [last["begun"] * 1e6 + 2_000_000, last["ended"] * 1e6 - 1_000_000]
    rate = len(evidence.sent(*seconds)) / (seconds[1] - seconds[0]) * 1e6
    evidence.figures[f"{name} /s"] = f"{air['reports_per_second']} of {rate:.1f}"
    evidence.figures[f"{name} gap"] = air["median_gap"]
    evidence.figures[f"{name} step"] = air["smallest_rssi_step"]
    complaints = []
    if abs(air["reports_per_second"] - rate) > within * rate:
        complaints.append(f"{name}: {air['reports_per_second']} reports/s measured, {rate:.1f} sent")
    if air["beacons"] != beacons:
        complaints.append(f"{name}: {air['beacons']} beacons instead of {beacons}")
    if air["median_gap"] is None or not gap[0] <= air["median_gap"] <= gap[1]:
        complaints.append(f"{name}: a median gap of {air['median_gap']} s")
    if (air["smallest_rssi_step"], air["duplicates"]) != (step, duplicates):
        complaints.append(f"{name}: steps of {air['smallest_rssi_step']} dB, duplicates {air['duplicates']}")
    return complaints


# calibration


def offsets(evidence: Evidence, name: str, dB: dict[str, float], written: str | None = None, within: float = 1) -> list[str]:
    """`calibrate --receiver` found these offsets of exactly these receivers and wrote them to the file."""
    ended = evidence.program(name)["code"]
    if ended != 0:
        return [f"{name} ended with exit code {ended}: {evidence.text(f'{name}.err').strip()}"]
    found = {one["receiver"]: one["offset"] for one in json.loads(evidence.text(f"{name}.out"))["receivers"]}
    evidence.figures[name] = " ".join(f"{receiver} {offset:+g}" for receiver, offset in found.items())
    complaints = [] if set(found) == set(dB) else [f"{name}: offsets of {sorted(found)}, not of {sorted(dB)}"]
    complaints += [f"{name}: {one} has an offset of {found[one]} dB, not {dB[one]}" for one in dB
                   if one in found and abs(found[one] - dB[one]) > within]
    if written:
        numbers = re.findall(r"(hci\d+)\W+?(-?[\d.]+)", evidence.text(written))
        kept = {receiver: float(number) for receiver, number in numbers}
        complaints += [] if kept == found else [f"{name}: {written} contains {kept}, but {found} was found"]
    return complaints


def distance(evidence: Evidence, name: str, meters: float, within: float = 0.25) -> list[str]:
    """The last distance of the only beacon in the output of `range` is this one, within a share of it."""
    events = [json.loads(line) for line in evidence.text(f"{name}.out").splitlines()]
    beacons = [beacon for event in events if event["type"] == "ranged" for beacon in event["beacons"]]
    if not beacons:
        return [f"{name}: no beacon was ranged"]
    last = beacons[-1]["distance"]
    evidence.figures[f"{name} m"] = last
    return [] if abs(last - meters) <= within * meters else [f"{name}: {last} m instead of {meters}"]


# the museum


def exhibits_of(events: list[dict], announced: bool) -> list[int]:
    """The exhibits (minors) of a guide's events in order, without repetitions; with `announced` only announced ones."""
    shown = [event for event in events if event["type"] == "guide.exhibit" and event["minor"] is not None]
    minors = [event["minor"] for event in shown if event["announced"] or not announced]
    return [minor for place, minor in enumerate(minors) if place == 0 or minors[place - 1] != minor]


def guide(evidence: Evidence, direct: str, stand: float = 4) -> list[str]:
    """Live, the guide announces the same exhibits as from the capture, only those at which the visitor stood, in that order.

    It may omit an exhibit, because it announces only with high confidence; `tools/bench museum` measures how often.
    """
    visit = next(radio["visit"] for radio in [evidence.scenario["radio"]] if "visit" in radio)
    live, capture = evidence.events, [json.loads(line) for line in evidence.text(f"{direct}.out").splitlines()]
    announced, wanted = exhibits_of(live, True), exhibits_of(capture, True)
    stood = visits.stops(evidence.folder / "truth.jsonl", visit["seconds"], stand)
    evidence.figures["announced"] = " ".join(map(str, announced))
    evidence.figures["shown as from the capture"] = exhibits_of(live, False) == exhibits_of(capture, False)
    complaints = [] if announced else ["no exhibit was announced"]
    if announced != wanted:
        complaints.append(f"announced {announced}, from the capture {wanted}")
    rest = iter(stood)
    if not all(exhibit in rest for exhibit in announced):
        complaints.append(f"announced {announced}, the visitor stood in front of {stood}")
    evidence.figures["stood in front of"] = " ".join(map(str, stood))
    # Ticks fall at other places in the capture's seconds, so exhibits and rooms that are shown only briefly may differ.
    rooms = [[event["major"] for event in events if event["type"] == "guide.room"] for events in (live, capture)]
    evidence.figures["rooms"] = f"{rooms[0]} of {rooms[1]}"
    return complaints


def pages(evidence: Evidence, page: str, events: str, replay: str) -> list[str]:
    """The page is complete, and its stream contains the exhibits of a replay of the recording, in the same order."""
    html, stream = evidence.text(page), evidence.text(events)
    states = [json.loads(line.removeprefix("data:")) for line in stream.splitlines() if line.startswith("data:")]
    titles = [state["title"] for state in states if state.get("exhibit") and state.get("title")]
    titles = [title for place, title in enumerate(titles) if place == 0 or titles[place - 1] != title]
    lines = [json.loads(line) for line in evidence.text(replay).splitlines()]
    wanted = [line["title"] for line in lines if line["type"] == "guide.exhibit" and line["title"]]
    wanted = [title for place, title in enumerate(wanted) if place == 0 or wanted[place - 1] != title]
    evidence.figures["states"], evidence.figures["exhibits"] = len(states), len(titles)
    complaints = [] if html.rstrip().endswith("</html>") else [f"{page} is not a complete page: {html[-80:]!r}"]
    if not titles:
        complaints.append(f"no exhibit in {len(states)} states")
    if titles != wanted:
        complaints.append(f"the page showed {titles}, a replay {wanted}")
    return complaints


# the terminal


def view(evidence: Evidence, name: str, shows: list[list]) -> list[str]:
    """When each key was pressed, these words were on the screen in this order; at the end the terminal was restored."""
    ended, lines = evidence.program(name), evidence.lines_of(f"{name}.tty")
    try:
        screen = screens.shown(lines)
    except ValueError as error:
        return [f"{name}: {error}"]
    evidence.figures["keys"] = ended["pressed"]
    complaints = [] if ended["code"] == 0 else [f"{name} ended with exit code {ended['code']}"]
    if len(screen) != len(shows) + 1:
        complaints.append(f"{name}: {len(screen) - 1} of {len(shows)} keys were pressed")
    for number, ((key, rows), (wanted, words)) in enumerate(zip(screen, shows), 1):
        if key != wanted:
            complaints.append(f"{name}: key {number} was {key!r}, not {wanted!r}")
        complaints += in_order(f"{name} at key {number}", "\n".join(rows), words)
    if not ended["left as it was"] or not screens.restored(lines):
        complaints.append(f"{name}: the terminal was not restored")
    return complaints


def recorded(evidence: Evidence, identities: list[str], least: int) -> list[str]:
    """A recording started and ended by a key has at least this number of reports, of exactly these beacons, and its `end`."""
    (path, *more) = sorted(evidence.folder.glob("beacons-*.jsonl")) or [None]
    if path is None or more:
        return ["the keys did not start exactly one recording"]
    named = Evidence(evidence.scenario, {}, evidence.logs, evidence.lines_of(path.name))
    found = Counter(report.identity for report in named.received if report.identity)
    evidence.figures["recorded"] = sum(found.values())
    complaints = ended(named)
    if sorted(found) != sorted(identities) or sum(found.values()) < least:
        complaints.append(f"the recording contains {dict(found)}")
    return complaints


def advertised(
    evidence: Evidence, name: str, identity: str, power: int, flags: int = 4, within: float = 1.05, apart: float = 0.02,
    times: int = 1, also: tuple[str, ...] = ()
) -> list[str]:
    """The advertisement of a program by its name has Apple's layout, is ranged soon, and at the interval that it had.

    The last packet is sent soon after the program is stopped. `times` is how often it started to send, and `also` is other data.
    """
    program = evidence.program(name)
    sent = [packet for packet in evidence.packets if packet.identity == identity]
    if not sent:
        return [f"{identity} was never sent"]
    complaints = [] if program["code"] == 0 else [f"{name} ended with {program['code']}"]
    # The bytes, made here and not by the command: Flags, which the daemon adds, and the frame.
    expected = air.beacon_payload(identity, power, flags).hex()
    if other := {line["ad"] for line in evidence.lines("payload")} - {expected, *also}:
        complaints.append(f"sent {sorted(other)[0]} instead of {expected}")
    ticks = [microseconds(event["t"]) for event in evidence.events if event["type"] == "ranged"
             and any(f"{one['uuid']}/{one['major']}/{one['minor']}" == identity for one in event["beacons"])]
    heard = (ticks[0] - sent[0].time) / 1e6 if ticks else None
    evidence.figures["ranged after"] = f"{heard:.2f} s" if ticks else "never"
    if heard is None or heard > within:
        complaints.append(f"ranged {evidence.figures['ranged after']} after the first packet, not {within} s")
    complaints += same_interval(evidence, sent, identity, apart) + said_of(evidence, name, identity, sent, times)
    late = (sent[-1].time / 1e6) - program["ended"]
    if late > 0.5:
        complaints.append(f"sent for {late:.1f} s after {name} had ended")
    return complaints


def outlived(evidence: Evidence, name: str, identity: str, least: float, most: float) -> list[str]:
    """The adapter still sent a killed program's advertisement for so many seconds, and no longer."""
    sent = [packet.time / 1e6 for packet in evidence.packets if packet.identity == identity]
    if not sent:
        return [f"{identity} was never sent"]
    late = max(sent) - evidence.program(name)["ended"]
    evidence.figures["after the kill"] = f"{late:.1f} s"
    return [] if least <= late <= most else [f"sent for {late:.1f} s after {name} was killed"]


def intervals(times: list[int]) -> list[int]:
    """The times between neighbors, without those of an interruption."""
    all_of_them = [later - earlier for earlier, later in zip(times, times[1:])]
    return [one for one in all_of_them if one < 1_000_000]


def same_interval(evidence: Evidence, sent: list, identity: str, apart: float) -> list[str]:
    """The mean interval of the recorded reports is that of the packets."""
    true = intervals([packet.time for packet in sent if packet.fate == "sent"])
    ours = intervals([report.time for report in evidence.received if report.identity == identity])
    if len(true) < 20 or len(ours) < 20:
        return [f"{len(ours)} of {len(true)} intervals were recorded, too few to compare"]
    means = [sum(of) / len(of) / 1000 for of in (true, ours)]
    evidence.figures["interval"] = f"{means[1]:.1f} ms of {means[0]:.1f} ms"
    if abs(means[1] / means[0] - 1) <= apart:
        return []
    return [f"an interval of {means[1]:.1f} ms was received, {means[0]:.1f} ms were sent"]


def said_of(evidence: Evidence, name: str, identity: str, sent: list, times: int) -> list[str]:
    """The program printed the obtained values, once for each time, and that it stopped."""
    said = evidence.text(f"{name}.err").splitlines()
    begun = [line for line in said if f"sends {identity}, measured power" in line]
    complaints = [] if len(begun) == times else [f"{name} said {len(begun)} times that it sends, not {times}: {said}"]
    if not said or not said[-1].endswith(": stopped"):
        complaints.append(f"{name} did not say that it stopped: {said[-1:]}")
    true = intervals([packet.time for packet in sent])
    mean = sum(true) / len(true) / 1000 if true else 0
    for line in begun:
        found = re.search(r"every ([0-9.]+) to ([0-9.]+) ms", line)
        # The controller adds up to 10 ms at random.
        if not found or not float(found[1]) <= mean <= float(found[2]) + 10:
            complaints.append(f"{name} said {line!r}, and the interval was {mean:.1f} ms")
    return complaints


# Checks of every scenario, and of every one with a live command; a null in `judge` switches one off.
ALWAYS = {"ran": {}, "ready": {}, "radio": {}}
OF_LIVE = {"ends": {}, "ended": {}, "replay": {}, "identities": {}, "exits": {}}
# Checks that the probe must pass too: those that need no events.
WITHOUT_EVENTS = {"ran", "ready", "radio", "ends", "ended", "identities", "counts", "on_air", "scans", "steady", "plugged"}
# Checks that a stalled machine cannot pass: how much is received, and how soon something is done. Not among them is
# what must hold during a stall too: live equals replay, no region is left falsely, a recording has its end.
TIMED = {"ready", "radio", "ends", "counts", "every", "same_reports", "scans", "calls", "lost", "delivered", "steady",
         "deaf", "measured", "guide", "pages", "view", "recorded", "advertised", "outlived", *service_checks.TIMED}
ALL = {
    check.__name__: check
    for check in (ran, ready, radio, ends, ended, replay, replay_of_torn, identities, counts, every, same_reports, whole, refuses,
                  on_air, scans, calls, lost, counted, flat, exits, delivered, never, says, steady, plugged, deaf, said, program,
                  same_output, doctor, without_bluetooth, measured, offsets, distance, guide, pages, view, recorded, advertised,
                  outlived, *service_checks.ALL)
}


def judge(evidence: Evidence, arguments: dict, probe: bool = False) -> list[str]:
    """The complaints of all checks of a scenario; a check with a list of arguments is made once for each entry.

    If the machine stalled before the end of the time that a timed check looks at, its complaints are put into the evidence
    as not judged: a stall may delay everything after it.
    """
    complaints = []
    defaults = {**ALWAYS, **(OF_LIVE if "live" in evidence.scenario else {})}
    for name, given in {**defaults, **arguments}.items():
        if name not in ALL:
            complaints.append(f"there is no check {name}")
        elif given is not None and (not probe or name in WITHOUT_EVENTS):
            for entry in given if isinstance(given, list) else [given]:
                until = entry["window"][1] if "window" in entry else None
                excused = name in TIMED and evidence.stalled(until) > ALLOWED
                (evidence.unjudged if excused else complaints).extend(ALL[name](evidence, **entry))
        if name == "ready" and "error" in evidence.run:
            break
    return complaints
