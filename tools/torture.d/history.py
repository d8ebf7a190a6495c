# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Histories that are killed, that find no room, and that lose their power: crossings delivered a second ago are in them."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from datetime import datetime, timedelta, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tools/virtual-radio.d"), str(ROOT / "tools/bench.d")]

UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
# Three minutes before the end of a month, so that runs write two files.
START = datetime(2026, 5, 31, 23, 57, tzinfo=timezone.utc)
# When a run begins that continues with the history of one that was killed.
LATER = 40 * 86400
# How long after its delivery a crossing has to be on the disk.
DURABLE = 1.0
# After every so many cuts a run continues with the rest after the cut.
LIES = 3


def text_of(seconds):
    return (START + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def capture(seconds, beacons, present, absent, step, start=0):
    """Lines of a recording in which each beacon is present for a while and then absent, one after another."""
    header = {"v": 1, "type": "capture", "tool": "torture", "version": "1", "receivers": ["hci0"], "profile": None,
              "redacted": True, "begun": text_of(start), "piece": 1}
    yield json.dumps(header, separators=(",", ":")) + "\n"
    yield f'{{"v":1,"type":"radio","t":"{text_of(start)}","receiver":"hci0","state":"listening"}}\n'
    cycle, prefix = present + absent, "0201061aff4c000215" + UUID.replace("-", "").lower()
    count = int(seconds / step)
    for tick in range(1, count):
        for beacon in range(beacons):
            now = tick * step + beacon * step / (beacons + 1)
            if (now + beacon * cycle / beacons) % cycle >= present:
                continue
            rssi = -60 - (tick * 7 + beacon) % 20
            yield (f'{{"v":1,"type":"report","t":"{text_of(start + now)}","receiver":"hci0","address":null,"address_type":null,'
                   f'"event":"ADV_NONCONN_IND","rssi":{rssi},"ad":"{prefix}0001{beacon:04x}c5"}}\n')


def regions(count):
    return [word for beacon in range(count) for word in ("--region", f"r{beacon}={UUID}/1/{beacon}")]


def crossings(folder):
    """How many crossings the files of a folder have; raises if one of them is damaged."""
    count = 0
    for path in sorted(Path(folder).glob("history-*.db")):
        database = sqlite3.connect(path)
        try:
            found = database.execute("PRAGMA integrity_check").fetchall()
            if found != [("ok",)]:
                raise ValueError(f"{path.name}: {found[:3]}")
            if database.execute("SELECT name FROM sqlite_schema WHERE name = 'crossing'").fetchone():
                numbers = [row[0] for row in database.execute("SELECT seq FROM crossing ORDER BY seq")]
                if numbers != list(range(count + 1, count + len(numbers) + 1)):
                    raise ValueError(f"{path.name}: the numbers of the crossings have holes")
                count += len(numbers)
        finally:
            database.close()
    return count


def rows(folder, query):
    """The rows of all files of a folder, the oldest file first."""
    found = []
    for path in sorted(Path(folder).glob("history-*.db")):
        database = sqlite3.connect(path)
        try:
            if database.execute("SELECT name FROM sqlite_schema WHERE name = 'visit'").fetchone():
                found += database.execute(query).fetchall()
        finally:
            database.close()
    return found


class Histories:
    def __init__(self, torture):
        self.torture, self.folder = torture, torture.folder / "histories"
        self.folder.mkdir(exist_ok=True)
        self.figures = Counter()

    def words(self, source, history, count, speed):
        return [self.torture.beaconctl, "monitor", "--from", source, "--speed", speed, "--history", history, "--format",
                "jsonl", *regions(count)]

    def kill(self, count):
        """Kills paced runs; each crossing that was written to standard output a second before is in the history."""
        source = self.folder / "air.jsonl"
        with open(source, "w", encoding="utf-8") as file:
            file.writelines(capture(3600, 10, 60, 60, 0.5))
        later = self.folder / "later.jsonl"
        with open(later, "w", encoding="utf-8") as file:
            file.writelines(capture(60, 10, 60, 60, 0.5, LATER))
        for number in range(count):
            history = self.folder / f"killed{number}"
            process = subprocess.Popen(self.words(source, history, 10, "100x"), stdout=subprocess.PIPE)
            end = time.monotonic() + self.torture.random.uniform(0.1, 4)
            told = []
            os.set_blocking(process.stdout.fileno(), False)
            while (now := time.monotonic()) < end and process.poll() is None:
                data = process.stdout.read() or b""
                told += [now] * (data.count(b'"type":"region.enter"') + data.count(b'"type":"region.exit"'))
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            killed = time.monotonic()
            process.wait()
            process.stdout.close()
            promised = sum(at < killed - DURABLE for at in told)
            try:
                found = crossings(history)
            except (ValueError, sqlite3.Error) as error:
                self.torture.fault(f"killed history {number}: {error!r}")
                continue
            self.figures["crossings told"] += len(told)
            self.figures["of them a second before"] += promised
            self.figures["crossings kept"] += found
            if found < promised:
                self.torture.fault(f"killed history {number}: of {promised} crossings told a second before, {found} are there")
            self.resume(history, later, number, found)
            shutil.rmtree(history, ignore_errors=True)
            self.torture.ends += 1
        said = ", ".join(f"{value} {name}" for name, value in self.figures.items())
        return f"{count} kills, {said}"

    def resume(self, history, later, number, found):
        """The next run records the end of the killed one, and counts on; no receiver listened and no stay continued in between."""
        words = [self.torture.beaconctl, "monitor", "--from", later, "--history", history, "--format", "none", "--region",
                 f"other={UUID}/9/9"]
        done = subprocess.run(words, capture_output=True, check=False, text=True)
        begun = int((START + timedelta(seconds=LATER)).timestamp() * 1_000_000)
        what = f"history {number} goes on"
        if done.returncode:
            self.torture.fault(f"{what}: exit {done.returncode}: {done.stderr}")
            return
        try:
            if crossings(history) < found:
                self.torture.fault(f"{what}: crossings are gone")
        except (ValueError, sqlite3.Error) as error:
            self.torture.fault(f"{what}: {error!r}")
        states = [state for _, state in sorted(rows(history, f"SELECT t, state FROM receiver_state WHERE t < {begun}"))]
        if states and states[-1] != "ended":
            self.torture.fault(f"{what}: until then the receiver was {states[-1]}")
        still = rows(history, "SELECT region FROM visit WHERE \"left\" IS NULL AND quality <> 'endUnknown'")
        if still:
            self.torture.fault(f"{what}: {len(still)} stays last that nobody observes")
        self.figures["went on"] += 1

    def fill(self, mount):
        """Runs whose history finds no room: the run continues and delivers all, and reports once that nothing is kept."""
        source = self.folder / "full.jsonl"
        with open(source, "w", encoding="utf-8") as file:
            file.writelines(capture(1200, 10, 60, 60, 0.5))
        whole = subprocess.run([self.torture.beaconctl, "monitor", "--from", source, "--format", "jsonl", *regions(10)],
                               capture_output=True, check=True).stdout
        met = 0
        space = os.statvfs(mount)
        free = space.f_bavail * space.f_frsize
        for left in (0, 8, 64, 128, 256, 1024):
            history, ballast = mount / "history", mount / "ballast"
            history.mkdir()
            with open(ballast, "wb") as file:
                file.write(bytes(max(0, free - (left << 10))))
            done = subprocess.run(self.words(source, history, 10, "max"), capture_output=True, check=False)
            errors = done.stderr.decode(errors="replace")
            said = errors.count("the history is not written at present")
            if done.stdout != whole:
                self.torture.fault(f"{left} KiB: the run delivered something else than without a history")
            if said > 1 or (done.returncode != 0) != ("the history is not complete" in errors):
                self.torture.fault(f"{left} KiB: exit {done.returncode}, said {said} times: {errors}")
            met += done.returncode != 0
            ballast.unlink()
            try:
                crossings(history)
            except (ValueError, sqlite3.Error) as error:
                self.torture.fault(f"{left} KiB: {error!r}")
            shutil.rmtree(history)
            self.torture.ends += 1
        if met == 0:
            self.torture.fault("no history met a full disk")
        return f"6 histories on a full disk, {met} of which were not complete and said so"


def cut(torture, options):
    """Cuts the power of machines that keep a history on a disk."""
    import machine
    from power import Machine

    try:
        machine.install_packages()
        kernel = machine.kernel()
    except machine.Unavailable as error:
        raise SystemExit(f"no machine to cut the power of: {error}") from error
    figures, seconds = Counter(), 0.0
    for boot in range(options.boots):
        life = Machine(torture, torture.folder / f"history{boot}", kernel, guest="history_guest.py")
        with open(life.share / "air.jsonl", "w", encoding="utf-8") as file:
            file.writelines(capture(3600, 10, 60, 60, 0.5))
        seconds += life.live()
        log = life.disk.log
        first = next(at for at, event in enumerate(log) if event == ("line", "ready"))
        places = [torture.random.randrange(first, len(log)) for _ in range(options.cuts // options.boots - 1)]
        for at in [*places, len(log)]:
            judge(torture, life, at, figures)
        prove(torture, life, figures)
        figures["flushes"] += sum(event[0] == "flush" for event in log)
        figures["writes"] += sum(event[0] == "write" for event in log)
        shutil.rmtree(life.folder)
    said = ", ".join(f"{count} {name}" for name, count in figures.items())
    return f"{options.boots} machines kept a history for {seconds:.0f} s; {said}"


def judge(torture, life, at, figures, lies=False):
    folder = life.folder / "cut"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    image = folder / "image"
    image.write_bytes(life.disk.after_cut(at, torture.random, lies))
    done = subprocess.run(["e2fsck", "-f", "-y", image], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode > 1:
        torture.fault(f"cut at {at}: e2fsck ended with {done.returncode}: {done.stdout[-300:]}")
        return
    subprocess.run(["debugfs", "-R", f"rdump / {folder}", image], capture_output=True, check=True)
    words = [event[1].split() for event in life.disk.log[:at] if event[0] == "line"]
    promised = max((int(line[1]) for line in words if len(line) == 2 and line[0] == "told"), default=0)
    try:
        found = crossings(folder / "history")
    except (ValueError, sqlite3.Error) as error:
        torture.fault(f"cut at {at}: {error!r}")
        return
    figures["cuts"] += 1
    figures["crossings promised"] += promised
    figures["crossings found"] += found
    torture.ends += 1
    if found < promised:
        torture.fault(f"cut at {at}: of {promised} crossings that were told a second before, {found} are there")


def prove(torture, life, figures):
    """A disk that lies must be found, or the other cuts prove nothing."""
    faults, torture.faults, shown, torture.shows = torture.faults, [], torture.shows, False
    for _ in range(LIES):
        judge(torture, life, len(life.disk.log), Counter(), lies=True)
    found = len(torture.faults)
    torture.faults, torture.shows = faults, shown
    figures["faults of a disk that lies, which were found"] += found
    if found == 0:
        torture.fault("a disk that loses what it said was flushed is not found")
