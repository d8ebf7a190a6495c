# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Commands without a radio: killed at random points, each call failing once, on disks that are full."""

import errno
import os
import subprocess
import time

from works import works

# The kinds of a failing call: a persistent error, one that a signal causes, or half of a write.
ERRORS = [errno.ENOSPC, errno.EIO, errno.EINTR, 0]
NAMES = {errno.ENOSPC: "ENOSPC", errno.EIO: "EIO", errno.EINTR: "EINTR", 0: "short"}
# docs/api-stability.md, without those of a signal and the one for a fault of the program.
CODES = {0, 1, 2, 64, 65, 66, 69, 77, 78}
MOST_KB = 128
LONGEST = 60


class Commands:
    def __init__(self, torture):
        self.torture = torture
        self.works = [work for work in works() if torture.only in work.name]

    def start(self, work, folder=None, prepare=True, **environment):
        folder = folder or self.torture.folder / "run"
        if prepare:
            work.prepare(folder)
        clean = {"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_STATE_HOME": str(folder), "TORTURE_FOLDER": str(folder)}
        output = subprocess.PIPE
        try:
            if work.to_file:
                output = open(folder / "stdout", "wb")
            return subprocess.Popen([self.torture.beaconctl, *work.words], cwd=folder, env=clean | environment,
                                    stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE)
        finally:
            if output != subprocess.PIPE:
                output.close()

    def learn(self, work):
        """Runs a command to its end; returns how long it took and how many calls it made."""
        log = self.torture.folder / "log"
        log.unlink(missing_ok=True)
        begun = time.monotonic()
        process = self.start(work, LD_PRELOAD=self.torture.library, TORTURE_LOG=str(log))
        _, errors = process.communicate(timeout=LONGEST)
        if process.returncode:
            raise SystemExit(f"{work.name} failed by itself: {errors.decode()}")
        work.learn(self.torture.folder / "run")
        return time.monotonic() - begun, int(log.read_text().split()[-1])

    def kill(self, times):
        """Kills each command at random points; returns the figures."""
        kills = 0
        for number, work in enumerate(self.works):
            span, _ = self.learn(work)
            for _ in range(times // len(self.works) + (number < times % len(self.works))):
                process = self.start(work)
                delay = self.torture.random.uniform(0, span * 1.1)
                try:
                    process.wait(delay)
                except subprocess.TimeoutExpired:
                    process.kill()
                    kills += 1
                process.communicate()
                for fault in work.faults(self.torture.folder / "run", process.returncode == 0):
                    self.torture.fault(f"{work.name}, killed after {delay:.4f} s: {fault}")
                self.torture.ends += 1
        return f"{times} runs, {kills} of them killed before their end"

    def fail(self):
        """Lets each call fail in each way, for every command."""
        runs = 0
        for work in self.works:
            _, calls = self.learn(work)
            for number in range(1, calls + 1):
                for error in ERRORS:
                    self.fail_once(work, number, error)
                    runs += 1
            print(f"  {calls:4} calls: {work.name}", flush=True)
        return f"{len(self.works)} commands, {runs} runs"

    def fail_once(self, work, number, error):
        log = self.torture.folder / "log"
        log.unlink(missing_ok=True)
        process = self.start(work, LD_PRELOAD=self.torture.library, TORTURE_LOG=str(log), TORTURE_FAIL_AT=str(number),
                             TORTURE_ERROR=str(error))
        try:
            _, errors = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
            _, errors = process.communicate()
            self.torture.fault(f"{work.name}, call {number}, {NAMES[error]}: does not end")
            return
        failed = (log.read_text().splitlines() or [""])[0] if log.exists() else ""
        how = f"{work.name}, {NAMES[error]} at call {failed}"
        self.judge(work, process, errors, how, hurts=error > 0 and error != errno.EINTR and "not failed" not in failed)
        self.torture.ends += 1

    def judge(self, work, process, errors, how, hurts):
        folder = self.torture.folder / "run"
        code, lines = process.returncode, errors.decode().splitlines()
        for fault in work.faults(folder, code == 0, explained=bool(lines)):
            self.torture.fault(f"{how}: {fault}: {lines}")
        if code not in CODES:
            self.torture.fault(f"{how}: exit code {code}")
        elif not hurts and code:
            self.torture.fault(f"{how}: exit code {code}, although the call need only be repeated: {lines}")
        elif code and not explains(work, lines):
            self.torture.fault(f"{how}: exit code {code} and {len(lines)} lines: {lines}")

    def fill(self, mount):
        """Runs each command on a file system with less and less space; returns the figures."""
        runs = failed = 0
        for work in self.works:
            self.learn(work)
            for kilobytes in range(0, MOST_KB, 4):
                code = self.fill_once(work, mount, kilobytes)
                runs += 1
                failed += code != 0
        return f"{len(self.works)} commands, {runs} runs, {failed} of which met a full disk"

    def fill_once(self, work, mount, kilobytes):
        run = mount / "run"
        work.prepare(run)
        if work.to_file:
            (run / "stdout").touch()
        filler = mount / "filler"
        filler.unlink(missing_ok=True)
        free = os.statvfs(mount)
        size = free.f_bavail * free.f_frsize - kilobytes * 1024
        filler.write_bytes(bytes(max(0, size)))
        process = self.start(work, folder=run, prepare=False)
        _, errors = process.communicate(timeout=LONGEST)
        filler.unlink()
        how = f"{work.name}, {kilobytes} KiB free"
        lines = errors.decode().splitlines()
        for fault in work.faults(run, process.returncode == 0, explained=bool(lines)):
            self.torture.fault(f"{how}: {fault}")
        if process.returncode not in (0, 1) or process.returncode and not explains(work, lines):
            self.torture.fault(f"{how}: exit code {process.returncode}, {lines}")
        self.torture.ends += 1
        return process.returncode


def explains(work, lines):
    """Whether a command's output is one sentence about what failed."""
    return 0 < len(lines) <= work.lines and all(line.startswith("beaconctl: ") for line in lines)
