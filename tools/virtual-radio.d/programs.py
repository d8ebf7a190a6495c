# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Programs that a scenario runs in addition to its live command: shell commands, `doctor` with its remedies, and terminals."""

import fcntl
import json
import os
import pty
import pwd
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

TOOLS = Path(__file__).parent
# Substitutes for tools of a whole system: the machine has no systemd, and everything runs as root.
STAND_INS = {"systemctl": f'exec /usr/bin/python3 -B {TOOLS}/units.py "$@"', "sudo": 'exec "$@"'}
# How long a daemon may need after its start until its adapter is powered.
SETTLING = 4.0
# A program that hangs must not block the machine.
LIMIT = 120.0
SIZE = (24, 80)


def install_stand_ins():
    for name, command in STAND_INS.items():
        path = Path("/usr/local/bin") / name
        path.write_text(f"#!/bin/sh\n{command}\n")
        path.chmod(0o755)


def as_user(user: str, words: list[str]) -> list[str]:
    """Returns a command that runs as another user, with the user's current groups."""
    if user == "root":
        return words
    entry = pwd.getpwnam(user)
    return ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--init-groups", *words]


class Programs:
    """Runs them in a scenario's folder; `facts` has their results by name."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.running: dict[str, subprocess.Popen] = {}
        self.facts: dict = {}

    def environment(self, user: str) -> dict:
        return {**os.environ, "USER": user, "LC_ALL": "C.UTF-8"}

    def run(self, name: str, command: str, user: str = "root", background: bool = False):
        """Runs a shell command; its output goes to NAME.out and NAME.err."""
        begun = time.time()
        words = as_user(user, ["sh", "-c", command])
        with open(self.folder / f"{name}.out", "wb") as out, open(self.folder / f"{name}.err", "wb") as errors:
            streams = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": errors, "cwd": self.folder}
            process = subprocess.Popen(words, env=self.environment(user), start_new_session=True, **streams)
        self.running[name] = process
        self.facts[name] = {"begun": begun, "code": None}
        if not background:
            self.finish(name, LIMIT)

    def finish(self, name: str, seconds: float):
        process = self.running.pop(name)
        try:
            self.facts[name]["code"] = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.facts[name]["ended"] = time.time()

    def stop(self, name: str, with_signal: str):
        os.killpg(self.running[name].pid, getattr(signal, "SIG" + with_signal))
        self.finish(name, 10)

    def clear_away(self):
        for name in list(self.running):
            self.stop(name, "KILL")

    def doctor(self, name: str, options: list[str] = (), user: str = "root", rounds: int = 1):
        """Runs `doctor`, runs the command that it suggests, and repeats, until it suggests none or all rounds are over."""
        rounds_done = self.facts[name] = []
        for number in range(rounds):
            begun = time.time()
            words = as_user(user, ["beaconctl", "doctor", "--format", "json", *options])
            streams = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "cwd": self.folder}
            done = subprocess.run(words, env=self.environment(user), timeout=LIMIT, check=False, **streams)
            said = json.loads(done.stdout) if done.stdout.strip() else None
            about = {"begun": begun, "ended": time.time(), "code": done.returncode, "errors": done.stderr, "said": said}
            rounds_done.append(about)
            if not said or not said["next"] or number + 1 == rounds:
                return
            # A user would type `sudo`; here the command runs in root's shell.
            cure = {"capture_output": True, "text": True, "env": self.environment(user), "timeout": LIMIT}
            cured = subprocess.run(["sh", "-c", said["next"]], stdin=subprocess.DEVNULL, check=False, **cure)
            about["cure"] = {"command": said["next"], "code": cured.returncode, "said": cured.stdout + cured.stderr}
            time.sleep(SETTLING)

    def terminal(self, name: str, command: str, keys: list):
        """Runs a command on a terminal of 80 by 24 and presses keys at seconds from its start; the screen goes to NAME.tty."""
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        before = termios.tcgetattr(side)
        environment = {**self.environment("root"), "TERM": "xterm-256color"}
        streams = {"stdin": side, "stdout": side, "stderr": side, "cwd": self.folder}
        begun, wall = time.monotonic(), time.time()
        own = {"start_new_session": True, "preexec_fn": lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)}
        process = subprocess.Popen(["sh", "-c", command], env=environment, **streams, **own)
        pending, lines = list(keys), []

        def show(seconds: float) -> bool:
            if not select.select([main], [], [], max(0.0, seconds))[0]:
                return False
            lines.append({"at": round(time.monotonic() - begun, 3), "data": os.read(main, 1 << 16).hex()})
            return True

        while process.poll() is None and time.monotonic() - begun < LIMIT:
            left = begun + pending[0][0] - time.monotonic() if pending else 0.2
            if left <= 0:
                lines.append({"at": round(time.monotonic() - begun, 3), "key": pending[0][1]})
                os.write(main, pending.pop(0)[1].encode())
            else:
                show(min(left, 0.2))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        while show(0.2):
            pass
        self.facts[name] = {
            "begun": wall, "code": process.wait(), "ended": time.time(), "pressed": len(keys) - len(pending),
            "left as it was": termios.tcgetattr(side) == before,
        }
        (self.folder / f"{name}.tty").write_text("".join(json.dumps(line) + "\n" for line in lines))
        os.close(main)
        os.close(side)
