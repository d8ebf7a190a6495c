# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""What must hold after a scenario. A check answers its complaints, none when all is well, and leaves figures behind."""

import json
import re
from collections import Counter, defaultdict, deque

import screens
import visits
from evidence import UNAVAILABLE, Evidence, microseconds
from stalls import ALLOWED

# A region that is said to be left within this time of a packet was not left: the quickest exit takes 3 s of silence.
SHORTEST_SILENCE = 2_000_000
# The kernel's copy of what a full monitor socket lost is no fault of the radio.
CAPTURE_LOSS = 0.01
# What the clocks of two programs that looked at the same packet may differ by, in microseconds.
CLOCKS_APART = 2000
# How long an emulated machine may be held up, in microseconds, and how many of the reports that may concern.
STALLED = 50_000
ADMITTED_LATE = 0.05


def ran(evidence: Evidence) -> list[str]:
    """The scenario got to its end inside the machine, unless something there was not ready in time."""
    error = error_of(evidence)
    return [f"the machine: {error}"] if error and not error.startswith("TimeoutError") else []


def ready(evidence: Evidence) -> list[str]:
    """All that the scenario waits for inside the machine was ready in time."""
    error = error_of(evidence)
    return [f"the machine: {error}"] if error and error.startswith("TimeoutError") else []


def error_of(evidence: Evidence) -> str | None:
    """The last line of what ended the scenario inside the machine; `None` where it got to its end."""
    return evidence.run["error"].strip().splitlines()[-1] if "error" in evidence.run else None


def radio(evidence: Evidence) -> list[str]:
    """The kernel got every report that the controller says it sent."""
    sent = evidence.fates()["sent"]
    evidence.figures["hci"] = sent
    refused = len(evidence.lines("refused"))
    complaints = [f"the kernel refused {refused} packets of the controller"] if refused else []
    # When all is over btmon is ended too, with what it has not read yet: the last reports may be missing.
    early = sum(packet.fate == "sent" and packet.time < evidence.ended for packet in evidence.packets)
    least, most = early * (1 - CAPTURE_LOSS), sent * (1 + CAPTURE_LOSS)
    if evidence.hci_reports is not None and not least <= evidence.hci_reports <= most:
        complaints.append(f"the controller sent {sent} reports, the HCI capture holds {evidence.hci_reports}")
    return complaints


def ends(evidence: Evidence, code: int | None = 0, within: float = 2) -> list[str]:
    """The live command ran until its signal, then left in time and with this code (null: killed, neither is asked)."""
    end = evidence.run.get("end")
    if end is None:
        return ["the live command was never ended"]
    if end["early"]:
        return [f"the live command left by itself, exit code {end['code']}"]
    evidence.figures["cpu"] = end["cpu"]
    evidence.figures["left"] = end["seconds"]
    if code is None:
        return []
    complaints = [] if end["code"] == code else [f"exit code {end['code']} in place of {code}"]
    if end["seconds"] > within:
        complaints.append(f"took {end['seconds']} s to leave, not {within}")
    return complaints


def ended(evidence: Evidence) -> list[str]:
    """The recording says itself that it is whole."""
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
    """What live told is byte for byte what a replay of its recording tells."""
    if evidence.replay_code != 0:
        return [f"the replay ended with exit code {evidence.replay_code}"]
    if not evidence.live:
        return ["live told nothing at all"]
    evidence.figures["events"] = evidence.live.count(b"\n")
    if evidence.live == evidence.replayed:
        return []
    return ["replay differs, " + first_difference(evidence.live, evidence.replayed)]


def replay_of_torn(evidence: Evidence, lines: int = 2) -> list[str]:
    """What a killed recording tells is what live told, up to a few last lines that either had not written yet."""
    if evidence.replay_code != 0:
        return [f"the replay ended with exit code {evidence.replay_code}"]
    live, replayed = (text.split(b"\n")[:-1] for text in (evidence.live, evidence.replayed))
    evidence.figures["events"] = len(live)
    common = min(len(live), len(replayed))
    if common == 0:
        return ["live or replay told nothing at all"]
    if live[:common] != replayed[:common]:
        return ["replay differs, " + first_difference(b"\n".join(live[:common]), b"\n".join(replayed[:common]))]
    apart = abs(len(live) - len(replayed))
    return [] if apart <= lines else [f"live told {len(live)} lines, the replay {len(replayed)}"]


def identities(evidence: Evidence) -> list[str]:
    """The beacons heard are those that were sent, each with strengths that were sent."""
    sent, heard = {}, {}
    for packet in evidence.sent():
        sent.setdefault(packet.identity, set()).add(packet.rssi)
    for report in evidence.beacons_heard():
        heard.setdefault(report.identity, set()).add(report.rssi)
    evidence.figures["beacons"] = len(heard)
    complaints = [f"{name} was sent and never heard" for name in sorted(set(sent) - set(heard))]
    complaints += [f"{name} was heard and never sent" for name in sorted(set(heard) - set(sent))]
    for name in sorted(set(sent) & set(heard)):
        if wrong := sorted(rssi for rssi in heard[name] - sent[name] if rssi is not None):
            complaints.append(f"{name} was heard at {wrong[0]} dBm and never sent so")
    if not sent:
        complaints.append("the radio sent no beacon")
    return complaints


def counts(
    evidence: Evidence, window: list[float], least: float = 0.95, most: float = 1.05, radio: str | None = None
) -> list[str]:
    """Of the reports that the kernel was given in a window, of one radio or of all, this share was recorded."""
    packets, reports = evidence.sent(*evidence.window(window)), evidence.beacons_heard(*evidence.window(window))
    sent = sum(packet.radio == radio for packet in packets) if radio else len(packets)
    heard = sum(report.receiver == radio for report in reports) if radio else len(reports)
    where = f" by {radio}" if radio else ""
    evidence.figures[f"heard{where} {window[0]:g}-{window[1]:g} s"] = f"{heard}/{sent}"
    if sent == 0:
        return [f"the radio sent nothing{where} from {window[0]} to {window[1]} s"]
    share = heard / sent
    if least <= share <= most:
        return []
    return [f"{heard} of {sent} reports{where} from {window[0]} to {window[1]} s: {share:.1%}"]


def every(evidence: Evidence, window: list[float], within: float = 0.25) -> list[str]:
    """Each report that the kernel was given in a window was recorded, once, soon, at the strength it was sent with."""
    since, until = evidence.window(window)
    sent, left = evidence.sent(since, until), defaultdict(deque)
    for report in evidence.beacons_heard(since - 1_000_000, until + 1_000_000):
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
    """What was recorded is what `btmon -w` wrote beside it: the same data and strengths in the same order and time."""
    since, until = evidence.window(window)
    ours = [report for report in evidence.reports_recorded if since <= report[0] < until]
    strength = {UNAVAILABLE: None}
    theirs = [(one.time, strength.get(one.rssi, one.rssi), one.data) for one in evidence.captured]
    if not ours:
        return ["nothing was recorded"]
    # Both begin with the same packet, which the clocks put a little apart.
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
    # A machine that was held up hands a report over late; it is then admitted late.
    late = sum(one > CLOCKS_APART for one in apart)
    if max(apart) <= STALLED and late <= ADMITTED_LATE * len(apart):
        return []
    return [f"{late} of {len(apart)} reports lie more than {CLOCKS_APART} us from btmon's, one {max(apart)} us"]


def whole(evidence: Evidence) -> list[str]:
    """Every recorded report holds its packet whole, as only the kernel tells it."""
    lines = [line for line in evidence.recording if line.get("type") == "report"]
    partial = sum("ad" not in line for line in lines)
    if not lines:
        return ["nothing was recorded"]
    return [f"{partial} of {len(lines)} reports came over D-Bus"] if partial else []


def refuses(evidence: Evidence, code: int, says: list[str]) -> list[str]:
    """The live command left by itself with this code and one line, which holds these words."""
    end = evidence.run.get("end") or {}
    if not end.get("early") or end.get("code") != code:
        return [f"the live command did not leave by itself with exit code {code}: {end}"]
    lines = evidence.said.strip().splitlines()
    if len(lines) != 1:
        return [f"{len(lines)} lines were said in place of one"]
    return [f"'{words}' was not said: {lines[0]}" for words in says if words not in lines[0]]


def on_air(evidence: Evidence, window: list[float], least: float = 0, most: float = 1) -> list[str]:
    """Of the beacons' packets on the air in a window, this share came past the controller's duplicate filter."""
    since, until = evidence.window(window)
    aired = [packet for packet in evidence.packets if since <= packet.time < until and evidence.is_comparable(packet)]
    share = sum(packet.fate == "sent" for packet in aired) / len(aired) if aired else 0
    evidence.figures["past the filter"] = f"{share:.1%}"
    if least <= share <= most:
        return []
    return [f"{share:.1%} of {len(aired)} packets from {window[0]} to {window[1]} s passed the controller"]


def scans(evidence: Evidence, filtered: bool, since: float = 0) -> list[str]:
    """Every scan that began from so many seconds on was begun with, or without, the controller's duplicate filter."""
    begun = [line for line in evidence.lines("scan") if line["on"] and line["wall"] >= evidence.window([since])[0]]
    wrong = sum(line["filter_duplicates"] != filtered for line in begun)
    evidence.figures["scans"] = len(begun)
    if not begun:
        return [f"no scan began after {since} s"]
    return [f"{wrong} of {len(begun)} scans began {'without' if filtered else 'with'} the filter"] if wrong else []


def calls(evidence: Evidence, member: str, least: int, most: int) -> list[str]:
    """bluetoothd called this method of our advertisement monitor so often."""
    number = evidence.calls.count(member)
    evidence.figures[member] = number
    return [] if least <= number <= most else [f"{member} was called {number} times, not {least} to {most}"]


def lost(evidence: Evidence, window: list[float], least: int, apart: int = 20) -> list[str]:
    """Of the reports that the kernel was given in a window, those not recorded are those that the summary calls dropped."""
    since, until = evidence.window(window)
    dropped = evidence.summary.get("dropped", {}).get("kernelOverflow", 0)
    missing = len(evidence.sent(since, until)) - len(evidence.beacons_heard(since, until))
    evidence.figures["dropped"] = dropped
    evidence.figures["not recorded"] = missing
    complaints = [] if dropped >= least else [f"the kernel dropped {dropped}, not {least} or more: nothing was shown"]
    if abs(missing - dropped) > apart:
        complaints.append(f"{missing} reports were not recorded, the summary says that {dropped} were dropped")
    return complaints


def counted(evidence: Evidence, dropped: dict[str, int]) -> list[str]:
    """The summary tells of at least so many of each reason."""
    found = evidence.summary.get("dropped", {})
    evidence.figures |= {name: found.get(name, 0) for name in dropped}
    return [f"{found.get(name, 0)} {name}, not {least}" for name, least in dropped.items() if found.get(name, 0) < least]


def flat(evidence: Evidence, since: float, most: float = 1_000_000, share: float = 0.03) -> list[str]:
    """From a time on the live command's memory grows by no more than so many bytes, or this share of it."""
    sizes = [size for moment, size in evidence.run.get("resident", []) if moment >= since]
    if len(sizes) < 10:
        return [f"{len(sizes)} samples of memory from {since} s on"]
    first, last = sorted(sizes[:5])[2], sorted(sizes[-5:])[2]
    evidence.figures["resident"] = f"{first / 1e6:.1f} MB, {(last - first) / 1e3:+.0f} kB"
    grown = last - first
    return [f"memory grew by {grown:,} bytes to {last:,}"] if grown > max(most, share * first) else []


def constraints_of(live: list[str]) -> dict[str, str]:
    """The regions among a command's options: identifier to UUID[/MAJOR[/MINOR]]."""
    values = [value for option, value in zip(live, live[1:]) if option == "--region"]
    return dict(value.split("=", 1) for value in values)


def exits(evidence: Evidence) -> list[str]:
    """No region was left while one of its beacons was on the air, heard or not."""
    regions = constraints_of(evidence.scenario["live"])
    complaints, number = [], 0
    for event in evidence.told:
        if event["type"] != "region.exit":
            continue
        number += 1
        time, constraint = microseconds(event["t"]), regions.get(event["region"])
        if constraint is None:
            complaints.append(f"left a region that nobody asked for: {event['region']}")
            continue
        heard_of = [packet.time for packet in evidence.packets if satisfies(packet.identity, constraint)]
        last = max((moment for moment in heard_of if moment <= time), default=0)
        if time - last < SHORTEST_SILENCE:
            complaints.append(f"{event['region']} was left {(time - last) / 1e6:.1f} s after a packet on the air")
    evidence.figures["exits"] = number
    return complaints


def satisfies(identity: str | None, constraint: str) -> bool:
    return identity is not None and (identity + "/").upper().startswith(constraint.upper() + "/")


def told(evidence: Evidence, events: list[dict], others: bool = False) -> list[str]:
    """These events are told in this order, each `between` its seconds; unless `others`, no more of their types."""
    types = {expected["type"] for expected in events}
    left = [event for event in evidence.told if event["type"] in types]
    complaints = []
    for expected in events:
        fields = {key: value for key, value in expected.items() if key != "between"}
        since, until = evidence.window(expected["between"])
        in_time = (since <= microseconds(event["t"]) < until for event in left)
        alike = (all(event.get(key) == value for key, value in fields.items()) for event in left)
        place = next((i for i, fits in enumerate(zip(in_time, alike)) if all(fits)), None)
        if place is None:
            complaints.append(f"not told from {expected['between'][0]} to {expected['between'][1]} s: {fields}")
            continue
        if place and not others:
            complaints.append(f"told beside what was expected: {left[:place]}")
        left = left[place + 1 :]
    if left and not others:
        complaints.append(f"told beside what was expected: {left[:3]}")
    return complaints


def never(evidence: Evidence, types: list[str]) -> list[str]:
    """Events of these types are not told at all."""
    found = Counter(event["type"] for event in evidence.told if event["type"] in types)
    return [f"{kind} was told {number} times" for kind, number in sorted(found.items())]


def says(evidence: Evidence, diagnostic: str) -> list[str]:
    """A diagnostic of this code is told."""
    codes = {event.get("code") for event in evidence.told if event["type"] == "diagnostic"}
    if diagnostic in codes:
        return []
    return [f"no diagnostic {diagnostic}; told were {sorted(filter(None, codes)) or 'none'}"]


def steady(evidence: Evidence, window: list[float], longest: float) -> list[str]:
    """Between two recorded reports of the window never lies more than so many seconds."""
    since, until = evidence.window(window)
    times = [since, *(report.time for report in evidence.beacons_heard(since, until)), until]
    gap = max(after - before for before, after in zip(times, times[1:])) / 1e6
    evidence.figures["longest gap"] = f"{gap:.1f} s"
    return [] if gap <= longest else [f"nothing was heard for {gap:.1f} s between {window[0]} and {window[1]} s"]


def plugged(evidence: Evidence, times: int) -> list[str]:
    """The kernel saw the adapter come so many times."""
    seen = len(evidence.lines("plugged"))
    return [] if seen == times else [f"the adapter came {seen} times, not {times}"]


def deaf(evidence: Evidence, mended: bool, before: float, within: float = 4) -> list[str]:
    """The radio went deaf, it was recorded within so many seconds, and it was mended before a time, or never."""
    went = [line["wall"] for line in evidence.lines("deaf")]
    if not went:
        return ["the radio never went deaf"]
    states = [line for line in evidence.recording if line.get("type") == "radio"]
    told = [microseconds(line["t"]) for line in states if line["state"] == "deaf"]
    if not told:
        return [f"no `radio` line says deaf: {[line['state'] for line in states]}"]
    evidence.figures["deaf told after"] = f"{(told[0] - went[0]) / 1e6:.1f} s"
    complaints = []
    if told[0] < went[0] or told[0] - went[0] > within * 1e6:
        complaints.append(f"told deaf {(told[0] - went[0]) / 1e6:.1f} s after it went deaf")
    was_mended = [line["wall"] for line in evidence.lines("mended")]
    again = [microseconds(line["t"]) for line in states if line["state"] == "listening"]
    again = [time for time in again if time > told[0]]
    if not mended:
        return complaints + [f"it hears again: {states[-1]}"] * bool(was_mended or again)
    if not was_mended or not again:
        return [*complaints, f"it was {'mended and not told' if was_mended else 'not mended'}"]
    evidence.figures["heard again after"] = f"{(again[0] - went[0]) / 1e6:.1f} s"
    if again[0] < was_mended[0] or again[0] > evidence.window([before, before])[0]:
        complaints.append(f"told to hear again {(again[0] - evidence.air_began) / 1e6:.1f} s from the beginning")
    return complaints


def said(evidence: Evidence, words: list[str]) -> list[str]:
    """Each of these was said to the operator, in this order."""
    return in_order("standard error", evidence.said, words)


def in_order(what: str, text: str, words: list[str]) -> list[str]:
    """Complains of each of the words that does not stand in a text behind the one before it."""
    place, complaints = 0, []
    for one in words:
        found = text.find(one, place)
        if found < 0:
            complaints.append(f"{what} does not say '{one}'{' there' if one in text else ''}")
        place = max(place, found)
    return complaints


def program(evidence: Evidence, name: str, code: int | None = 0, says: list[str] = (), errors: list[str] = ()) -> list[str]:
    """A program ended with this code (null: whatever) and wrote these words in this order, as output and as errors."""
    ended = evidence.program(name)["code"]
    complaints = [] if code in (None, ended) else [f"{name} ended with exit code {ended} in place of {code}"]
    complaints += in_order(name, evidence.text(f"{name}.out"), says)
    return complaints + in_order(f"{name}, as errors,", evidence.text(f"{name}.err"), errors)


def same_output(evidence: Evidence, one: str, other: str) -> list[str]:
    """Two programs wrote the same, and not nothing."""
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
    evidence: Evidence, name: str, subject: str, says: str, level: str = "problem", code: int = 2, mends: str | None = None,
    well: bool = True,
) -> list[str]:
    """`doctor` found this; unless `mends` is null, its command ran and the finding went, with `well` in the end all did."""
    rounds = evidence.program(name)
    first, last = rounds[0], rounds[-1]
    if not first["said"]:
        return [f"{name}: doctor told no findings: {first['errors'].strip()}"]
    fits = lambda one: one["subject"] == subject and says in one["text"]
    found = next((one for one in first["said"]["findings"] if fits(one)), None)
    if not found or found["level"] != level:
        told = [f"{one['subject']}: {one['text']}" for one in first["said"]["findings"] if one["level"] != "good"]
        return [f"{name}: no {level} on {subject} says '{says}'; told were {told}"]
    complaints = [] if first["code"] == code else [f"{name}: exit code {first['code']} in place of {code}"]
    if mends is None:
        return complaints
    if mends not in (found["remedy"] or ""):
        return [*complaints, f"{name}: the remedy is {found['remedy']}"]
    cures = [one["cure"] for one in rounds if "cure" in one]
    evidence.figures[name] = f"mended by {len(cures)}"
    complaints += [f"{name}: {one['command']} failed: {one['said'].strip()[-200:]}" for one in cures if one["code"] != 0]
    if not any(one["command"] == found["remedy"] for one in cures):
        complaints.append(f"{name}: its remedy was never the command to run next")
    if not last["said"] or any(fits(one) and one["level"] != "good" for one in last["said"]["findings"]):
        complaints.append(f"{name}: the finding is still there")
    elif well and (last["code"] != 0 or not last["said"]["sentence"].startswith("You can range now: ")):
        complaints.append(f"{name}: in the end doctor says: {last['said']['sentence']}")
    return complaints


def without_bluetooth(evidence: Evidence, name: str, says: str) -> list[str]:
    """`doctor` left with 69 and one sentence."""
    last = evidence.program(name)[-1]
    lines = last["errors"].strip().splitlines()
    fine = last["code"] == 69 and last["said"] is None and len(lines) == 1 and says in lines[0]
    return [] if fine else [f"{name}: exit code {last['code']}, {lines}"]


def measured(
    evidence: Evidence, name: str, beacons: int, gap: list[float], step: int, duplicates: str = "passed", within: float = 0.1
) -> list[str]:
    """What `doctor` measured in the end is what was on the air while it listened."""
    last = evidence.program(name)[-1]
    air = (last["said"] or {}).get("air")
    if not air:
        return [f"{name}: nothing was measured"]
    # It comes into its stride, and leaves, within the time it took.
    seconds = [last["begun"] * 1e6 + 2_000_000, last["ended"] * 1e6 - 1_000_000]
    rate = len(evidence.sent(*seconds)) / (seconds[1] - seconds[0]) * 1e6
    evidence.figures[f"{name} /s"] = f"{air['reports_per_second']} of {rate:.1f}"
    evidence.figures[f"{name} gap"] = air["median_gap"]
    evidence.figures[f"{name} step"] = air["smallest_rssi_step"]
    complaints = []
    if abs(air["reports_per_second"] - rate) > within * rate:
        complaints.append(f"{name}: {air['reports_per_second']} reports/s measured, {rate:.1f} sent")
    if air["beacons"] != beacons:
        complaints.append(f"{name}: {air['beacons']} beacons in place of {beacons}")
    if air["median_gap"] is None or not gap[0] <= air["median_gap"] <= gap[1]:
        complaints.append(f"{name}: a median gap of {air['median_gap']} s")
    if (air["smallest_rssi_step"], air["duplicates"]) != (step, duplicates):
        complaints.append(f"{name}: steps of {air['smallest_rssi_step']} dB, duplicates {air['duplicates']}")
    return complaints


# calibration


def offsets(evidence: Evidence, name: str, dB: dict[str, float], written: str | None = None, within: float = 1) -> list[str]:
    """`calibrate --receiver` found what exactly these receivers are off by, within so many dB, and wrote what it found."""
    ended = evidence.program(name)["code"]
    if ended != 0:
        return [f"{name} ended with exit code {ended}: {evidence.text(f'{name}.err').strip()}"]
    found = {one["receiver"]: one["offset"] for one in json.loads(evidence.text(f"{name}.out"))["receivers"]}
    evidence.figures[name] = " ".join(f"{receiver} {offset:+g}" for receiver, offset in found.items())
    complaints = [] if set(found) == set(dB) else [f"{name}: offsets of {sorted(found)}, not of {sorted(dB)}"]
    complaints += [f"{name}: {one} is off by {found[one]} dB, not {dB[one]}" for one in dB
                   if one in found and abs(found[one] - dB[one]) > within]
    if written:
        numbers = re.findall(r"(hci\d+)\W+?(-?[\d.]+)", evidence.text(written))
        kept = {receiver: float(number) for receiver, number in numbers}
        complaints += [] if kept == found else [f"{name}: {written} holds {kept}, found was {found}"]
    return complaints


def distance(evidence: Evidence, name: str, meters: float, within: float = 0.25) -> list[str]:
    """What `range` told last of the one beacon is this far, within a share of it."""
    events = [json.loads(line) for line in evidence.text(f"{name}.out").splitlines()]
    beacons = [beacon for event in events if event["type"] == "ranged" for beacon in event["beacons"]]
    if not beacons:
        return [f"{name}: no beacon was ranged"]
    last = beacons[-1]["distance"]
    evidence.figures[f"{name} m"] = last
    return [] if abs(last - meters) <= within * meters else [f"{name}: {last} m in place of {meters}"]


# the museum


def exhibits_of(events: list[dict], announced: bool) -> list[int]:
    """The exhibits (minor) that a guide told, in order, each once on end; with `announced` only those it announced."""
    told = [event for event in events if event["type"] == "guide.exhibit" and event["minor"] is not None]
    minors = [event["minor"] for event in told if event["announced"] or not announced]
    return [minor for place, minor in enumerate(minors) if place == 0 or minors[place - 1] != minor]


def guide(evidence: Evidence, direct: str, stand: float = 4) -> list[str]:
    """The guide announces on the air what it does of the capture itself, nothing but what the visitor stood before, in that order.

    It may keep quiet about an exhibit: that is the price of being seldom wrong, which `tools/bench museum` measures.
    """
    visit = next(radio["visit"] for radio in [evidence.scenario["radio"]] if "visit" in radio)
    live, capture = evidence.told, [json.loads(line) for line in evidence.text(f"{direct}.out").splitlines()]
    announced, wanted = exhibits_of(live, True), exhibits_of(capture, True)
    stood = visits.stops(evidence.folder / "truth.jsonl", visit["seconds"], stand)
    evidence.figures["announced"] = " ".join(map(str, announced))
    evidence.figures["shown as of the capture"] = exhibits_of(live, False) == exhibits_of(capture, False)
    complaints = [] if announced else ["no exhibit was announced"]
    if announced != wanted:
        complaints.append(f"announced {announced}, of the capture itself {wanted}")
    rest = iter(stood)
    if not all(exhibit in rest for exhibit in announced):
        complaints.append(f"announced {announced}, the visitor stood before {stood}")
    evidence.figures["stood before"] = " ".join(map(str, stood))
    # Ticks fall elsewhere in the capture's seconds, so what is shown in passing, and its room, may differ.
    rooms = [[event["major"] for event in events if event["type"] == "guide.room"] for events in (live, capture)]
    evidence.figures["rooms"] = f"{rooms[0]} of {rooms[1]}"
    return complaints


def pages(evidence: Evidence, page: str, events: str, told: str) -> list[str]:
    """The page is there whole, and its stream told the exhibits that a replay of the recording tells, in that order."""
    html, stream = evidence.text(page), evidence.text(events)
    states = [json.loads(line.removeprefix("data:")) for line in stream.splitlines() if line.startswith("data:")]
    titles = [state["title"] for state in states if state.get("exhibit") and state.get("title")]
    titles = [title for place, title in enumerate(titles) if place == 0 or titles[place - 1] != title]
    lines = [json.loads(line) for line in evidence.text(told).splitlines()]
    wanted = [line["title"] for line in lines if line["type"] == "guide.exhibit" and line["title"]]
    wanted = [title for place, title in enumerate(wanted) if place == 0 or wanted[place - 1] != title]
    evidence.figures["states"], evidence.figures["exhibits"] = len(states), len(titles)
    complaints = [] if html.rstrip().endswith("</html>") else [f"{page} is no whole page: {html[-80:]!r}"]
    if not titles:
        complaints.append(f"no exhibit in {len(states)} states")
    if titles != wanted:
        complaints.append(f"the page was told {titles}, a replay tells {wanted}")
    return complaints


# the terminal


def view(evidence: Evidence, name: str, shows: list[list]) -> list[str]:
    """On a terminal, when each key was pressed, these words stood on the screen in this order; then all was left as it was."""
    ended, lines = evidence.program(name), evidence.lines_of(f"{name}.tty")
    try:
        screen = screens.shown(lines)
    except ValueError as error:
        return [f"{name}: {error}"]
    evidence.figures["keys"] = ended["pressed"]
    complaints = [] if ended["code"] == 0 else [f"{name} ended with exit code {ended['code']}"]
    if len(screen) != len(shows) + 1:
        complaints.append(f"{name}: {len(screen) - 1} keys were pressed of {len(shows)}")
    for number, ((key, rows), (wanted, words)) in enumerate(zip(screen, shows), 1):
        if key != wanted:
            complaints.append(f"{name}: key {number} was {key!r}, not {wanted!r}")
        complaints += in_order(f"{name} at key {number}", "\n".join(rows), words)
    if not ended["left as it was"] or not screens.restored(lines):
        complaints.append(f"{name}: the terminal was not left as it was")
    return complaints


def recorded(evidence: Evidence, identities: list[str], least: int) -> list[str]:
    """A recording that a key began and ended holds reports of exactly these beacons, so many at least, and its `end`."""
    (path, *more) = sorted(evidence.folder.glob("beacons-*.jsonl")) or [None]
    if path is None or more:
        return ["not one recording was begun by a key"]
    named = Evidence(evidence.scenario, {}, evidence.logs, evidence.lines_of(path.name))
    found = Counter(report.identity for report in named.heard if report.identity)
    evidence.figures["recorded"] = sum(found.values())
    complaints = ended(named)
    if sorted(found) != sorted(identities) or sum(found.values()) < least:
        complaints.append(f"recorded were {dict(found)}")
    return complaints


# Made for every scenario, or for every one with a live command, unless its `judge` says null of it.
ALWAYS = {"ran": {}, "ready": {}, "radio": {}}
OF_LIVE = {"ends": {}, "ended": {}, "replay": {}, "identities": {}, "exits": {}}
# What the plainest listener must satisfy too: those that need no events.
WITHOUT_EVENTS = {"ran", "ready", "radio", "ends", "ended", "identities", "counts", "on_air", "scans", "steady", "plugged"}
# What a machine that stood still cannot satisfy: how much is received, and how soon something is done. What must hold
# in a stall too is not among them: live equals the replay, no region is left falsely, a recording has its end.
TIMED = {"ready", "radio", "ends", "counts", "every", "same_reports", "on_air", "scans", "calls", "lost", "told", "steady",
         "deaf", "measured", "guide", "pages", "view", "recorded"}
ALL = {
    check.__name__: check
    for check in (ran, ready, radio, ends, ended, replay, replay_of_torn, identities, counts, every, same_reports, whole, refuses,
                  on_air, scans, calls, lost, counted, flat, exits, told, never, says, steady, plugged, deaf, said, program,
                  same_output, doctor, without_bluetooth, measured, offsets, distance, guide, pages, view, recorded)
}


def judge(evidence: Evidence, arguments: dict, probe: bool = False) -> list[str]:
    """The complaints of all checks of a scenario; a check given a list is made once for each entry.

    What a timed check complains of is left in the evidence as not judged, where the machine stalled before the end of what
    the check looks at: a stall may hold up whatever comes after it.
    """
    complaints = []
    defaults = {**ALWAYS, **(OF_LIVE if "live" in evidence.scenario else {})}
    for name, given in {**defaults, **arguments}.items():
        if name not in ALL:
            complaints.append(f"no check {name}")
        elif given is not None and (not probe or name in WITHOUT_EVENTS):
            for entry in given if isinstance(given, list) else [given]:
                until = entry["window"][1] if "window" in entry else None
                excused = name in TIMED and evidence.stalled(until) > ALLOWED
                (evidence.unjudged if excused else complaints).extend(ALL[name](evidence, **entry))
        if name == "ready" and "error" in evidence.run:
            break
    return complaints
