# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A live recorder on a bus with a program that plays BlueZ: killed, with calls that fail, on a disk that fills up."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools/bench.d"))

from commands import CODES, ERRORS, NAMES  # noqa: E402
from private_bus import Bus  # noqa: E402
from workshop import compiled  # noqa: E402

UUID = "42424242-4242-4242-4242-424242424242"
RATE = 1000
# From the start of the command on; a tenth of it passes before the first report.
LONGEST_LIFE = 0.8
LONGEST_STOP = 20
# The minor number of a stranger's packets (play_bluez --forge).
FORGED = 666
# After so many kills a folder is left: a rotation renames every older file.
LIVES = 25
# A clock that all processes share, in the reports of a stamped player.
STAMP = re.compile(rb"0215(?:42){8}([0-9a-fA-F]{16})")

RECORDERS = [
    "record air.jsonl --rotate 8K --keep 1000", "record air.jsonl", "record air.btsnoop --rotate 16K --keep 1000",
    f"monitor -r a={UUID} --record air.jsonl --format none --set recording.synchronizeInterval=1",
    f"scan --record air.jsonl --format none -o jsonl:events.jsonl --force",
]
FAILING = [RECORDERS[0], RECORDERS[2], RECORDERS[3]]
# A call that SIGTERM interrupts: the recorder ends, and ends its recording before.
STOP = -1


def pieces(folder):
    """The recording's files, the oldest first."""
    def age(path):
        last = path.name.rsplit(".", 1)[-1]
        return -int(last) if last.isdigit() else 0

    return sorted(folder.glob("air.*"), key=age)


def content(folder):
    return b"".join(path.read_bytes() for path in pieces(folder))


class Recordings:
    def __init__(self, torture):
        self.torture = torture
        self.folder = torture.folder / "recording"
        self.oldest, self.states = 0.0, 0

    def start(self, bus, words, folder, **environment):
        """Starts a recorder on a bus where reports come."""
        # The stamps are in the place of the identity that a region would be entered with.
        player = bus.play(RATE, 60, devices=5, stamp=not words.startswith("monitor"))
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_STATE_HOME": str(folder),
                       "TORTURE_FOLDER": str(folder), "DBUS_SYSTEM_BUS_ADDRESS": bus.address, **environment}
        return player, subprocess.Popen([self.torture.beaconctl, *words.split()], cwd=folder, env=environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def stop(self, player):
        player.kill()
        player.communicate()

    def kill(self, times):
        reports = 0
        recorders = [words for words in RECORDERS if self.torture.only in words]
        with Bus() as bus:
            for number in range(times):
                if number % LIVES == 0:
                    words = recorders[number // LIVES % len(recorders)]
                    shutil.rmtree(self.folder, ignore_errors=True)
                    self.folder.mkdir(mode=0o700)
                self.kill_once(bus, words)
                if number % LIVES == LIVES - 1 or number == times - 1:
                    reports += self.read(words, kills=number % LIVES + 1)
        return (f"{times} kills; {reports} reports in recordings and {self.states} states that are whole; "
                f"the last report was at most {self.oldest:.2f} s old")

    def kill_once(self, bus, words):
        before = content(self.folder)
        player, recorder = self.start(bus, words, self.folder)
        try:
            code = recorder.wait(self.torture.random.uniform(0.02, LONGEST_LIFE))
            self.torture.fault(f"{words}: ended by itself with {code}: {recorder.stderr.read().decode()}")
        except subprocess.TimeoutExpired:
            # The contents of the files when it lived, and after.
            living = content(self.folder)
            recorder.kill()
            killed = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        _, errors = recorder.communicate()
        self.stop(player)
        self.torture.ends += 1
        after = content(self.folder)
        if not after.startswith(before):
            self.torture.fault(f"{words}: of {len(before)} bytes that were recorded not all are there")
        # Between two reads of a folder a rotation may have renamed its files.
        if "--rotate" not in words and code_is_killed(recorder) and not after.startswith(living):
            self.torture.fault(f"{words}: what was recorded before the kill is not all there")
        for path in self.folder.rglob("*.json"):
            self.states += 1
            if not is_json(path.read_bytes()):
                self.torture.fault(f"{words}: {path.relative_to(self.folder)} is damaged")
        stamps = STAMP.findall(after[len(before):])
        if stamps and code_is_killed(recorder):
            self.oldest = max(self.oldest, (killed - int(stamps[-1], 16)) / 1e9)

    def read(self, words, kills):
        """Reads what many lives recorded; returns the number of reports."""
        reports = 0
        for path in pieces(self.folder):
            if path.stat().st_size == 0:
                continue
            done = subprocess.run([self.torture.beaconctl, "inspect", "--format", "json", path], capture_output=True, check=False)
            if done.returncode:
                self.torture.fault(f"{words}: {path.name} cannot be read: {done.stderr.decode()}")
                continue
            reports += json.loads(done.stdout)["advertising_reports"]
        lines = [line for path in pieces(self.folder) if ".jsonl" in path.name for line in path.read_bytes().splitlines()]
        torn = sum(not is_json(line) for line in lines)
        if torn > kills:
            self.torture.fault(f"{words}: {torn} torn lines after {kills} kills")
        return reports

    def fail(self):
        """Lets each call of a recorder fail, until one that it does not come to within a second."""
        runs = 0
        with Bus() as bus:
            for words in (words for words in FAILING if self.torture.only in words):
                for error in (*ERRORS, STOP):
                    number = 1
                    while self.fail_once(bus, words, number, error):
                        # The first calls differ; those of one rotation after another do not.
                        number += 1 if number < 60 else 7
                        runs += 1
                    print(f"  {number:4} calls, {name_of(error)}: {words}", flush=True)
        return f"{runs} runs of recorders"

    def fail_once(self, bus, words, number, error):
        """Returns whether the recorder came to the call."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(mode=0o700)
        old = self.folder / ("air.btsnoop" if "btsnoop" in words else "air.jsonl")
        shutil.copy(ROOT / ("Fixtures/captures/h4.btsnoop" if "btsnoop" in words else "Fixtures/recordings/user-actions.jsonl"), old)
        before = content(self.folder)
        log = self.torture.folder / "log"
        log.unlink(missing_ok=True)
        stops = {"TORTURE_STOPS": "1"} if error == STOP else {}
        player, recorder = self.start(bus, words, self.folder, LD_PRELOAD=self.torture.library, TORTURE_LOG=str(log),
                                      TORTURE_FAIL_AT=str(number), TORTURE_ERROR=str(errno.EINTR if stops else error), **stops)
        by_itself = True
        try:
            recorder.wait(1)
        except subprocess.TimeoutExpired:
            by_itself = False
            # A second SIGTERM would end it immediately; a call that no signal interrupts has sent none.
            if not (stops and log.exists() and "(not failed)" not in log.read_text()):
                recorder.terminate()
        try:
            _, errors = recorder.communicate(timeout=LONGEST_STOP)
        except subprocess.TimeoutExpired:
            recorder.kill()
            _, errors = recorder.communicate()
            self.torture.fault(f"{words}, call {number}, {name_of(error)}: SIGTERM does not end it")
        self.stop(player)
        came = log.exists() and any(line.split()[0] == str(number) for line in log.read_text().splitlines())
        self.torture.ends += 1
        how = f"{words}, {name_of(error)} at call {log.read_text().splitlines()[0] if came else number}"
        lines = [line for line in errors.decode().splitlines() if line]
        if recorder.returncode not in CODES | {143, -15} or by_itself and recorder.returncode == 0 and not stops:
            self.torture.fault(f"{how}: exit code {recorder.returncode}: {lines}")
        if recorder.returncode == 1 and (error in (errno.EINTR, 0, STOP) or not lines or not lines[-1].startswith("beaconctl: ")):
            self.torture.fault(f"{how}: exit code 1: {lines}")
        if not content(self.folder).startswith(before):
            self.torture.fault(f"{how}: what was there is gone")
        return came and number < 200

    def believe(self, count):
        """Sends signals that another program forged next to BlueZ's own; none may be believed."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(mode=0o700)
        with Bus() as bus:
            player, recorder = self.start(bus, "scan --record air.jsonl --format jsonl -o jsonl:events.jsonl --summary", self.folder)
            while not (self.folder / "air.jsonl").exists() or b'"report"' not in content(self.folder):
                time.sleep(0.05)
            forger = bus.start([compiled("play_bluez", "dbus-1"), "--address", bus.address, "--forge", count], stderr=None)
            said, _ = forger.communicate(timeout=600)
            # Bytes sent before are read before.
            time.sleep(1)
            recorder.terminate()
            _, errors = recorder.communicate(timeout=LONGEST_STOP)
            self.stop(player)
        reports = [json.loads(line) for line in (self.folder / "events.jsonl").read_text().splitlines()]
        believed = sum(report.get("minor") == FORGED for report in reports)
        if believed or b"0001029A" in content(self.folder).upper() or not reports or said.strip() != "sent" or recorder.returncode:
            self.torture.fault(f"{believed} of {count} forged signals were believed, code {recorder.returncode}: {errors.decode()}")
        self.torture.ends += 1
        return f"{count} forged signals beside {len(reports)} reports, {believed} believed"

    def fill(self, mount):
        """Records until the disk is full."""
        ends = 0
        with Bus() as bus:
            for words in RECORDERS:
                for kilobytes in (0, 4, 16, 40, 100):
                    ends += self.fill_once(bus, words, mount, kilobytes)
        return f"{len(RECORDERS)} recorders, {ends} met a full disk"

    def fill_once(self, bus, words, mount, kilobytes):
        folder = mount / "run"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        filler = mount / "filler"
        filler.unlink(missing_ok=True)
        free = os.statvfs(mount)
        filler.write_bytes(bytes(free.f_bavail * free.f_frsize - kilobytes * 1024))
        player, recorder = self.start(bus, words, folder)
        try:
            _, errors = recorder.communicate(timeout=3)
        except subprocess.TimeoutExpired:
            recorder.terminate()
            _, errors = recorder.communicate(timeout=LONGEST_STOP)
        self.stop(player)
        self.torture.ends += 1
        filler.unlink()
        lines = [line for line in errors.decode().splitlines() if line]
        how = f"{words}, {kilobytes} KiB free"
        if recorder.returncode not in (0, 1) or recorder.returncode == 1 and (len(lines) != 1 or "No space left" not in lines[0]):
            self.torture.fault(f"{how}: exit code {recorder.returncode}: {lines}")
        for path in folder.glob("air.*"):
            done = subprocess.run([self.torture.beaconctl, "inspect", "--format", "json", path], capture_output=True, check=False)
            if path.stat().st_size and done.returncode:
                self.torture.fault(f"{how}: {path.name} cannot be read: {done.stderr.decode()}")
        self.continue_once(bus, words, folder, how)
        return recorder.returncode == 1

    def continue_once(self, bus, words, folder, how):
        """Records on after the disk has space again: what it cut off in the middle costs no other line."""
        before = content(folder)
        player, recorder = self.start(bus, words, folder)
        try:
            _, errors = recorder.communicate(timeout=1.5)
        except subprocess.TimeoutExpired:
            recorder.terminate()
            _, errors = recorder.communicate(timeout=LONGEST_STOP)
        self.stop(player)
        after = content(folder)
        if recorder.returncode not in (0, 143) or not after.startswith(before) or len(after) <= len(before):
            self.torture.fault(f"{how}, then space again: exit code {recorder.returncode}, {len(before)} bytes, then "
                               f"{len(after)}: {errors.decode()}")
        torn = sum(not is_json(line) for line in after.splitlines()) if "air.jsonl" in words else 0
        if torn > 1:
            self.torture.fault(f"{how}, then space again: {torn} torn lines")


def name_of(error):
    return "SIGTERM" if error == STOP else NAMES[error]


def code_is_killed(process):
    return process.returncode == -9


def is_json(line):
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
