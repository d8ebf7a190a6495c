# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Measures in how many seconds `beaconctl site fuse` names the right place, compared with simpler rules on the same levels.

    tools/bench fusion [--data DIR] [--beaconctl PATH] [--only sphere|redhat|tetam] [--walks N,…] [--keep DIR]

sphere-rooms: each run is judged with a model that `beaconctl site survey` learned from the other runs, at most four of them; then with each
receiver left out in turn, known to be lost, and silent without this being known; then with models of 60 s a place of one other run;
then in each place with a model of the others; then with each receiver 6 dB off; with a table of how often a probability is right. --walks judges only these. redhat-rooms: each beacon is judged, in the
recording of all, with a model of the other beacons' written stays. tetam-tracks: each track is judged with a model of the others; the places are the west,
middle and east third of the hall. Everything of ours goes through the two commands. The runs and rows are those that are there: a run
is judged with the four runs that follow it in order of number. Left out if the data is absent.

The other rules get the same seconds. Each of their receivers stands for the place in which it was most often the strongest in the other
runs. "strongest": the strongest mean level of the second. "Bermuda": the nearest within 20 m by distances of 20 samples, at most 3 m/s;
another one must be nearer by 30 %, or by 15 % with the worst of its last five against the best of the present one's; away after 30 s.
"room-assistant": the nearest by a Kalman filter, immediately. The locators of tetam weigh distances of the strongest receivers to a position.
"""

import argparse
import collections
import csv
import datetime
import gzip
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import level_table
from claims import Claims
from workshop import ROOT, release_beaconctl

DAY = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
MODELS_FROM, SURVEY = 4, 60
SHIFT, LEARNED = 6, 600


class Trial:
    """A walk of a beacon: its capture, its truth as stays (start, end, name) in seconds, and its levels by second.

    A capture of several beacons needs the identity of this one.
    """

    def __init__(self, name, capture, stays, seconds, receivers, beacon=None):
        self.beacon = beacon
        self.name, self.capture, self.stays, self.seconds, self.receivers = name, capture, stays, seconds, receivers

    def truth(self):
        """The place of each second's middle; `None` without a label."""
        places = [None] * len(self.seconds)
        for start, end, name in self.stays:
            for second in range(max(0, math.ceil(start - 0.5)), min(len(places), math.ceil(end - 0.5))):
                places[second] = name
        return places


class Bench:
    """Runs the two commands in a folder."""

    def __init__(self, beaconctl, folder):
        self.beaconctl, self.folder = beaconctl, Path(folder)
        self.count = 0

    def path(self, suffix):
        """A new file."""
        self.count += 1
        return str(self.folder / f"{self.count}{suffix}")

    def labels(self, stays, beacon=None):
        """Writes a file of labels."""
        path = self.path(".csv")
        with open(path, "x", encoding="utf-8", newline="") as file:
            rows = [("start", "end", "name"), *stays]
            csv.writer(file).writerows(rows if beacon is None else [(*row, beacon if k else "beacon") for k, row in enumerate(rows)])
        return path

    def survey(self, trials, shortened=None, without=None):
        """The model of some trials without a place, of which each place counts for so many seconds at most."""
        words = []
        for trial in trials:
            stays = trial.stays if shortened is None else shorten(trial.stays, shortened)
            stays = [stay for stay in stays if stay[2] != without]
            words += ["--from", trial.capture, "--truth", self.labels(stays, trial.beacon)]
        model = self.path(".json")
        subprocess.run([self.beaconctl, "site", "survey", *words, "--write", model, "--quiet"], check=True)
        return model

    def fuse(self, model, trial, capture=None):
        """The place and the probability of each second of a trial."""
        command = [self.beaconctl, "site", "fuse", "--model", model, "--from", capture or trial.capture, "--format", "jsonl", "--quiet"]
        command += ["--beacon", trial.beacon] if trial.beacon else []
        told = [(None, 0.0)] * len(trial.seconds)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
            for text in run.stdout:
                line = json.loads(text)
                # The line stands at the end of its second.
                second = round((datetime.datetime.fromisoformat(line["t"].replace("Z", "+00:00")) - DAY).total_seconds()) - 1
                if 0 <= second < len(told):
                    told[second] = (line["place"], line["p"])
        if run.returncode:
            sys.exit(f"{command} failed")
        return told


def shorten(stays, seconds):
    """The first stays in each place, up to so many seconds."""
    left, kept = collections.Counter(), []
    for start, end, name in stays:
        span = min(end - start, seconds - left[name])
        if span > 0:
            kept.append((start, start + span, name))
            left[name] += span
    return kept


class Score:
    """A rule's results over several trials."""

    def __init__(self):
        self.right = self.seconds = self.moves = self.real = self.length = self.sure = self.sure_right = self.missed = 0
        self.flips = 0
        self.said = collections.Counter()
        self.delays, self.each = [], []

    def add(self, trial, told):
        """Counts a trial."""
        truth = trial.truth()
        places = [place for place, _ in told]
        judged = [(place, p, real) for (place, p), real in zip(told, truth) if real is not None]
        right = sum(place == real for place, _, real in judged)
        self.each.append(100 * right / max(1, len(judged)))
        self.right += right
        self.seconds += len(judged)
        self.length += len(told)
        self.moves += sum(a != b for a, b in zip(places, places[1:]))
        self.flips += sum(
            a != b and x is not None and x == y for a, b, x, y in zip(places, places[1:], truth, truth[1:]))
        self.real += sum(a[2] != b[2] for a, b in zip(judged, judged[1:]))
        self.said.update((min(int(p * 20), 19), place == real) for place, p, real in judged if place is not None)
        sure = [place == real for place, p, real in judged if p >= 0.95]
        self.sure += len(sure)
        self.sure_right += sum(sure)
        start = 0
        while start < len(truth):
            end = start
            while end < len(truth) and truth[end] == truth[start]:
                end += 1
            if truth[start] is not None and end - start >= 5:
                hit = next((k for k in range(start, end) if places[k] == truth[start]), None)
                if hit is None:
                    self.missed += 1
                else:
                    self.delays.append(hit - start)
            start = end

    percent = property(lambda self: 100 * self.right / max(1, self.seconds))
    a_minute = property(lambda self: 60 * self.moves / max(1, self.length))
    flips_a_minute = property(lambda self: 60 * self.flips / max(1, self.seconds))
    median = property(lambda self: statistics.median(self.delays) if self.delays else math.inf)
    when_sure = property(lambda self: 100 * self.sure_right / max(1, self.sure))

    def row(self, name):
        """A row of the table."""
        sure = f"{self.when_sure:5.1f} % of {100 * self.sure / max(1, self.seconds):3.0f} %" if self.sure else ""
        worst = min(self.each, default=0)
        return (f"{name:44} {self.percent:5.1f} % {worst:6.1f} % {self.a_minute:6.2f} {self.median:5.1f} s"
                f" {self.missed:4} of {self.missed + len(self.delays):<4} {sure}")


HEAD = f"{'':44} {'right':>7} {'worst':>8} {'moves':>6} {'told':>7} {'missed stays':>13} right where sure (p ≥ 0.95)"


# Rules of others, written from their behavior, on levels by second.

def receiver_places(trials):
    """For each receiver, the place in which it was most often the strongest."""
    counts = collections.defaultdict(collections.Counter)
    for trial in trials:
        for levels, real in zip(trial.seconds, trial.truth()):
            if levels and real is not None:
                counts[max(sorted(levels), key=levels.get)][real] += 1
    return {receiver: places.most_common(1)[0][0] for receiver, places in counts.items()}


def strongest(trial):
    """The receiver with the strongest level of the second; the last one if none received it."""
    best = None
    for levels in trial.seconds:
        if levels:
            best = max(sorted(levels), key=levels.get)
        yield best


def meters(level, power=-59, exponent=3.0):
    """A distance by path loss."""
    return 10 ** ((power - level) / (10 * exponent))


def bermuda(trial):
    """The nearest by smoothed distances, with a contest between the present one and another."""
    history = collections.defaultdict(lambda: collections.deque(maxlen=20))
    seen, best, last_any = {}, None, -math.inf
    for second, levels in enumerate(trial.seconds):
        for receiver, level in sorted(levels.items()):
            distance, values = meters(level), history[receiver]
            if values and distance - values[-1] > 3 * max(1, second - seen[receiver]):
                distance = values[-1]
            values.append(distance)
            seen[receiver] = last_any = second
        near = {}
        for receiver, values in history.items():
            mean = sum(values) / len(values)
            if second - seen[receiver] <= 10 and mean <= 20:
                near[receiver] = mean
        if second - last_any > 30:
            best = None
        elif best not in near:
            best = min(sorted(near), key=near.get) if near else best
        else:
            for receiver in sorted(near):
                mine, theirs = near[receiver], near[best]
                recent, present = list(history[receiver])[-5:], list(history[best])[-5:]
                if mine < theirs * 0.7 or mine < theirs * 0.85 and max(recent) < min(present):
                    best = receiver
        yield best


def room_assistant(trial):
    """The nearest by a Kalman filter of levels, immediately."""
    states, best = {}, None
    for second, levels in enumerate(trial.seconds):
        for receiver, level in levels.items():
            value, variance, _ = states.get(receiver, (level, 1.0, second))
            variance += 1.4
            gain = variance / (variance + 10.0)
            states[receiver] = (value + gain * (level - value), (1 - gain) * variance, second)
        near = {name: state[0] for name, state in states.items() if second - state[2] <= 30}
        best = max(sorted(near), key=near.get) if near else None
        yield best


RULES = {"strongest receiver": strongest, "Bermuda's rule": bermuda, "room-assistant's rule": room_assistant}


def rules(trials, others):
    """Prints a row for each rule."""
    for name, rule in RULES.items():
        score = Score()
        for trial in trials:
            places = receiver_places(others(trial))
            score.add(trial, [(places.get(receiver), 0.0) for receiver in rule(trial)])
        print(score.row(name))


# sphere-rooms

def by_second(rows):
    """The mean level of each receiver in each second, of (seconds, receiver, level)."""
    sums = collections.defaultdict(lambda: collections.defaultdict(list))
    length = 0
    for seconds, receiver, level in rows:
        if level is not None:
            sums[int(seconds)][receiver].append(level)
        length = max(length, int(seconds) + 1)
    return [{name: sum(values) / len(values) for name, values in sums[second].items()} for second in range(length)]


def sphere_trials(folder, bench):
    """The runs that are there."""
    trials = []
    for path in sorted(folder.glob("rssi-*.csv*")):
        number = path.name.split("-")[1].split(".")[0]
        receivers, table = level_table.read(str(path))
        with open(folder / f"rooms-{number}.csv", encoding="utf-8") as file:
            stays = [(float(row["start"]), float(row["end"]), row["name"]) for row in csv.DictReader(file)]
        there = [name for k, name in enumerate(receivers) if any(levels[k] is not None for _, levels in table)]
        seconds = by_second((t, name, level) for t, levels in table for name, level in zip(receivers, levels))
        capture = bench.path(".jsonl")
        with open(capture, "x", encoding="utf-8") as out:
            out.writelines(level_table.capture(str(path), DAY))
        trial = Trial(number, capture, stays, seconds, there)
        trial.table = str(path)
        trials.append(trial)
    return trials


def following(trials, count):
    """For each trial, the next ones in order, at most so many."""
    def others(trial):
        at = trials.index(trial)
        return (trials[at + 1:] + trials[:at])[:count]
    return others


def reliability(said):
    """Prints how often places with a probability were right."""
    print(f"\n{'p of the place':>16} {'seconds':>8} {'right':>8}")
    for low, high in ((0, 9), (10, 13), (14, 16), (17, 17), (18, 18), (19, 19)):
        right, all_of = (sum(n for (bin, hit), n in said.items() if low <= bin <= high and hit >= only) for only in (True, False))
        print(f"{low / 20:10.2f}–{(high + 1) / 20:4.2f} {all_of:9} {100 * right / max(1, all_of):6.1f} %")


def unsurveyed(judged, others, bench, claims):
    """Beacons in a place that the survey does not have."""
    print("\nin a place outside of the survey: unknown or below 0.5; elsewhere right, and with the place surveyed")
    rejected, right, before = collections.Counter(), collections.Counter(), collections.Counter()
    whole = {trial.name: bench.fuse(bench.survey(others(trial)), trial) for trial in judged}
    for place in sorted({stay[2] for trial in judged for stay in trial.stays}):
        for trial in judged:
            told = bench.fuse(bench.survey(others(trial), without=place), trial)
            for (name, p), (known, _), real in zip(told, whole[trial.name], trial.truth()):
                if real == place:
                    rejected[place, name is None or p < 0.5] += 1
                elif real is not None:
                    right[name == real] += 1
                    before[known == real] += 1
        print(f"  {place:20} {100 * rejected[place, True] / (rejected[place, True] + rejected[place, False]):5.1f} %")
    share = 100 * sum(n for (_, no), n in rejected.items() if no) / sum(rejected.values())
    now, then = (100 * count[True] / sum(count.values()) for count in (right, before))
    print(f"  {'all':20} {share:5.1f} % {now:6.1f} % {then:6.1f} %")
    claims.add("sphere, place not surveyed: unknown, % of seconds", share, 90, least=True, digits=1)


def shifted(judged, models, bench, claims):
    """One receiver that receives everything stronger or weaker than in the survey, after ten minutes."""
    def after(trial, told):
        stays = [(start - LEARNED, end - LEARNED, name) for start, end, name in trial.stays if end > LEARNED]
        return Trial(trial.name, "", stays, trial.seconds[LEARNED:], trial.receivers), told[LEARNED:]
    as_surveyed, worst = Score(), 0
    for trial in judged:
        as_surveyed.add(*after(trial, bench.fuse(models[trial.name], trial)))
    print(f"\none receiver shifted, right after {LEARNED} s; as surveyed {as_surveyed.percent:.1f} %")
    for receiver in sorted({name for trial in judged for name in trial.receivers}):
        for decibels in (SHIFT, -SHIFT):
            score = Score()
            for trial in judged:
                capture = bench.path(".jsonl")
                with open(capture, "x", encoding="utf-8") as out:
                    out.writelines(level_table.capture(trial.table, DAY, stronger={receiver: decibels}))
                score.add(*after(trial, bench.fuse(models[trial.name], trial, capture)))
            print(f"  {receiver:20} {decibels:+} dB {score.percent:5.1f} %")
            worst = max(worst, as_surveyed.percent - score.percent)
    claims.add(f"sphere, one receiver {SHIFT} dB off for {LEARNED} s: right, points less (worst)", worst, 1, digits=1)


def sphere(folder, bench, claims, walks):
    """Rooms of a house."""
    runs = sphere_trials(folder, bench)
    others = following(runs, MODELS_FROM)
    trials = [trial for trial in runs if not walks or trial.name.lstrip("0") in walks]
    models = {trial.name: bench.survey(others(trial)) for trial in trials}
    print(f"\nsphere-rooms, {len(trials)} runs\n{HEAD}")
    whole = Score()
    for trial in trials:
        whole.add(trial, bench.fuse(models[trial.name], trial))
    print(whole.row(f"beaconctl site fuse, models of {len(others(trials[0]))} runs"))
    lost, silent = {}, {}
    for receiver in sorted({name for trial in trials for name in trial.receivers}):
        lost[receiver] = Score()
        for trial in trials:
            if receiver in trial.receivers and len(trial.receivers) > 1:
                capture = bench.path(".jsonl")
                with open(capture, "x", encoding="utf-8") as out:
                    out.writelines(level_table.capture(trial.table, DAY, [receiver]))
                lost[receiver].add(trial, bench.fuse(models[trial.name], trial, capture))
                capture = bench.path(".jsonl")
                with open(capture, "x", encoding="utf-8") as out:
                    out.writelines(level_table.capture(trial.table, DAY, silent=[receiver]))
                silent.setdefault(receiver, Score()).add(trial, bench.fuse(models[trial.name], trial, capture))
        print(lost[receiver].row(f"  {receiver} lost"))
        if receiver in silent:
            print(silent[receiver].row(f"  {receiver} silent without a word"))
    thin = {}
    for count in (1, 2):
        fewer, some = Score(), following(runs, count)
        for trial in trials:
            fewer.add(trial, bench.fuse(bench.survey(some(trial)), trial))
        thin[count] = fewer
        print(fewer.row(f"  models of {count} run{'s' * (count > 1)}"))
    short = Score()
    for trial in trials:
        for other in others(trial):
            short.add(trial, bench.fuse(bench.survey([other], SURVEY), trial))
    print(short.row(f"  models of {SURVEY} s a place of one run"))
    claims.add(f"sphere, models of {SURVEY} s a place of one run: right, % of seconds", short.percent, 92, least=True, digits=1)
    claims.add(f"sphere, models of {SURVEY} s a place of one run: moves a minute", short.a_minute, 1.1)
    rules(trials, others)
    print(f"{'truth':44} {'':16} {60 * whole.real / whole.length:6.2f}\n")
    reliability(sum((score.said for score in (whole, *lost.values(), *silent.values(), *thin.values())), collections.Counter()))
    unsurveyed(trials, others, bench, claims)
    shifted(trials, models, bench, claims)
    claims.add("sphere: right, % of seconds", whole.percent, 95, least=True, digits=1)
    claims.add("sphere: moves a minute", whole.a_minute, 1.1)
    claims.add("sphere: told after, s (median)", whole.median, 3, digits=1)
    for name, score in (("models of one run", thin[1]), ("models of two runs", thin[2])):
        claims.add(f"sphere, {name}: right where p ≥ 0.95, %", score.when_sure, 95, least=True, digits=1)
    for name, scores, goal in (("lost", lost, 97), ("silent without a word", silent, 95)):
        worst = min(score.when_sure for score in scores.values())
        claims.add(f"sphere, one receiver {name}: right where p ≥ 0.95, % (worst)", worst, goal, least=True, digits=1)
    claims.add("sphere: right where p ≥ 0.95, %", whole.when_sure, 97, least=True, digits=1)
    mean = statistics.mean(score.percent for score in lost.values())
    claims.add("sphere, one receiver lost: right, % (mean)", mean, 86, least=True, digits=1)
    claims.add("sphere, one receiver lost: right, % (worst run)", min(min(s.each) for s in lost.values()), 60, least=True, digits=1)


# redhat-rooms

def objects(path):
    """The JSON objects of a file, one after another."""
    text, decoder, at = gzip.open(path, "rt", encoding="utf-8").read(), json.JSONDecoder(), 0
    while True:
        while at < len(text) and text[at] in " \r\n\t,":
            at += 1
        if at >= len(text):
            return
        entry, at = decoder.raw_decode(text, at)
        yield entry


def redhat_trials(folder, bench):
    """The beacons that were carried on 10 March, each as a walk."""
    name = "FourScannersRun1-2015-03-10"
    events = sorted((e for e in objects(folder / f"{name}.json.gz") if e["messageType"] == 0), key=lambda e: e["time"])
    with open(folder / "schedule.csv", encoding="utf-8") as file:
        schedule = [row for row in csv.DictReader(file) if row["file"] == name]
    start = events[0]["time"] // 1000 * 1000
    receivers = sorted({event["scannerID"] for event in events})
    capture = bench.path(".jsonl")
    with open(capture, "x", encoding="utf-8") as out:
        out.writelines(level_table.head(receivers, level_table.stamp(DAY, 0)))
        for event in events:
            ad = level_table.payload(minor=event["minor"], power=event["power"])
            out.write(level_table.report(level_table.stamp(DAY, (event["time"] - start) / 1000), event["scannerID"], event["rssi"], ad))
        out.write(level_table.line(type="end", t=level_table.stamp(DAY, (events[-1]["time"] - start) / 1000)))
    trials = []
    for minor in sorted({int(row["minor"]) for row in schedule}):
        own = [event for event in events if event["minor"] == minor]
        stays = [((int(row["from_unix_ms"]) - start) / 1000, (int(row["until_unix_ms"]) - start) / 1000, row["room"])
                 for row in schedule if int(row["minor"]) == minor]
        seconds = by_second(((event["time"] - start) / 1000, event["scannerID"], event["rssi"]) for event in own)
        beacon = f"{level_table.UUID}/{level_table.MAJOR}/{minor}"
        trials.append(Trial(str(minor), capture, stays, seconds, receivers, beacon))
    return trials


def redhat(folder, bench, claims):
    """Beacons carried between four rooms."""
    trials = redhat_trials(folder, bench)
    others = following(trials, len(trials))
    print(f"\nredhat-rooms, {len(trials)} beacons\n{HEAD}")
    whole, short = Score(), Score()
    for trial in trials:
        whole.add(trial, bench.fuse(bench.survey(others(trial)), trial))
        short.add(trial, bench.fuse(bench.survey(others(trial), SURVEY), trial))
    print(whole.row("beaconctl site fuse, models of the other beacons"))
    print(short.row(f"  models of {SURVEY} s a place"))
    rules(trials, others)
    print()
    claims.add("redhat: right, % of seconds", whole.percent, 97, least=True, digits=1)
    claims.add("redhat: switches a minute in a stay", whole.flips_a_minute, 0.2)


# tetam-tracks

def third(x):
    """The place of a position in the hall, which is 18 m long."""
    return "west" if x < 6 else "middle" if x < 12 else "east"


def tetam_trials(folder, bench):
    """The tracks, each as a walk."""
    trials = []
    for path in sorted(folder.glob("straight_*.mbd")):
        with open(path, encoding="utf-8") as file:
            rows = sorted((float(r[0]), r[1], int(float(r[3])), float(r[4]), float(r[5])) for r in csv.reader(file))
        start = rows[0][0]
        receivers = sorted({row[1] for row in rows})
        stays = []
        for t, _, _, x, _ in rows:
            if stays and stays[-1][2] == third(x):
                stays[-1][1] = t - start
            else:
                if stays:
                    stays[-1][1] = t - start
                stays.append([t - start, t - start, third(x)])
        capture = bench.path(".jsonl")
        with open(capture, "x", encoding="utf-8") as out:
            out.writelines(level_table.head(receivers, level_table.stamp(DAY, 0)))
            for t, receiver, level, _, _ in rows:
                out.write(level_table.report(level_table.stamp(DAY, t - start), receiver, level, level_table.payload()))
            out.write(level_table.line(type="end", t=level_table.stamp(DAY, rows[-1][0] - start)))
        seconds = by_second((t - start, receiver, level) for t, receiver, level, _, _ in rows)
        trials.append(Trial(path.name, capture, [tuple(stay) for stay in stays], seconds, receivers))
    return trials


def positions(folder):
    """The places of the receivers, in meters."""
    text = (folder / "cnf_tetam.dev").read_text(encoding="utf-8").split("Beacons:")[0].split(":", 1)[1]
    return {name: entry[0][:2] for name, entry in json.loads(text.strip()).items()}


def weighted(points):
    """The mean of the receivers' positions, by 1 / distance²."""
    total = sum(1 / d ** 2 for _, _, d in points)
    return sum(x / d ** 2 for x, _, d in points) / total, sum(y / d ** 2 for _, y, d in points) / total


def simplex(points, cost):
    """The position with the least cost, by the downhill simplex of Nelder and Mead from the weighted mean."""
    x, y = weighted(points)
    corners = sorted(((x, y), (x + 1, y), (x, y + 1)), key=lambda at: cost(points, at))
    for _ in range(60):
        middle = tuple((a + b) / 2 for a, b in zip(*corners[:2]))
        def along(factor, corners=corners, middle=middle):
            return tuple(m + factor * (m - w) for m, w in zip(middle, corners[2]))
        reflected = along(1)
        if cost(points, reflected) < cost(points, corners[0]):
            stretched = along(2)
            new = stretched if cost(points, stretched) < cost(points, reflected) else reflected
        elif cost(points, reflected) < cost(points, corners[1]):
            new = reflected
        else:
            new = along(-0.5)
            if cost(points, new) >= cost(points, corners[2]):
                corners = [corners[0], *(tuple((a + b) / 2 for a, b in zip(corners[0], c)) for c in corners[1:])]
                corners.sort(key=lambda at: cost(points, at))
                continue
        corners = sorted([*corners[:2], new], key=lambda at: cost(points, at))
    return corners[0]


def squares(points, at):
    """Squared errors of the distances, near ones weighing more."""
    return sum((math.dist(at, (x, y)) - d) ** 2 / d for x, y, d in points)


def likelihood(points, at):
    """What speaks against a position where levels scatter evenly, that is distances by a factor."""
    return sum(math.log(max(0.3, math.dist(at, (x, y))) / d) ** 2 for x, y, d in points)


LOCATORS = {
    "nearest node": lambda points: min(points, key=lambda p: p[2])[:2],
    "Nadaraya–Watson (1/d²)": weighted,
    "Nelder–Mead": lambda points: simplex(points, squares),
    "MLE": lambda points: simplex(points, likelihood),
}


def locate(trial, places, locator):
    """The thirds of a locator, from levels smoothed over three seconds."""
    levels, told = {}, None
    for second, now in enumerate(trial.seconds):
        for receiver, level in now.items():
            old = levels.get(receiver, (level, second))
            levels[receiver] = (old[0] + 0.5 * (level - old[0]), second)
        points = [(*places[name], meters(level, -62, 1.4)) for name, (level, at) in sorted(levels.items()) if second - at <= 5]
        if len(points) >= 3:
            told = third(locator(points)[0])
        yield told


def tetam(folder, bench, _):
    """A beacon on tracks among twelve receivers, whose positions are known."""
    trials = tetam_trials(folder, bench)
    others = following(trials, len(trials))
    print(f"\ntetam-tracks, {len(trials)} tracks, thirds of the hall\n{HEAD}")
    whole = Score()
    for trial in trials:
        whole.add(trial, bench.fuse(bench.survey(others(trial)), trial))
    print(whole.row("beaconctl site fuse, models of the other tracks"))
    rules(trials, others)
    places = positions(folder)
    for name, locator in LOCATORS.items():
        score = Score()
        for trial in trials:
            score.add(trial, [(place, 0.0) for place in locate(trial, places, locator)])
        print(score.row(f"ESPresense Companion: {name}"))
    print(f"{'truth':44} {'':16} {60 * whole.real / whole.length:6.2f}\n")


PARTS = {"sphere": (sphere, "sphere-rooms"), "redhat": (redhat, "redhat-rooms"), "tetam": (tetam, "tetam-tracks")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data = os.environ.get("BEACON_DATA", str(ROOT / ".." / "shared" / "data"))
    parser.add_argument("--data", default=data, help="the folder with the recordings")
    parser.add_argument("--beaconctl", help="the command (default: builds the release)")
    parser.add_argument("--only", choices=sorted(PARTS), help="one of the parts")
    parser.add_argument("--walks", default="", help="judge only these walks of sphere, such as 2,4")
    parser.add_argument("--keep", help="keep captures and models in this new folder")
    options = parser.parse_args()
    if options.keep:
        os.mkdir(options.keep)
    claims = Claims()
    walks = {number for number in options.walks.split(",") if number}
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(options.beaconctl or release_beaconctl(), options.keep or scratch)
        for name, (part, folder) in PARTS.items():
            path = Path(options.data) / folder
            if options.only in (None, name):
                if path.is_dir():
                    part(path, bench, claims, *([walks] if name == "sphere" else []))
                else:
                    print(f"{name}: skipped, {path} is absent")
    print()
    print(claims.table())
    return 0 if claims.all_met else 1


if __name__ == "__main__":
    sys.exit(main())
