# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Lets calls of the service for a descriptor fail at random: it lives, answers, and invents no client."""

import os
import pwd
import re
import signal
import subprocess
import time

from works import FIXTURES

ROUNDS = 40
LONGEST = 15


class Scarce:
    """A private bus with the service, whose clients are the built commands."""

    def __init__(self, torture):
        self.torture, self.folder = torture, torture.folder / "scarce"
        self.folder.mkdir()
        library = self.folder / "scarce.so"
        source = os.path.join(os.path.dirname(__file__), "scarce.c")
        words = ["cc", "-std=gnu17", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", library, source, "-ldl"]
        subprocess.run(words, check=True)
        path = self.folder / "bus"
        self.bus = subprocess.Popen(["dbus-daemon", "--session", f"--address=unix:path={path}", "--nofork"], stderr=subprocess.DEVNULL)
        while not path.exists():
            time.sleep(0.05)
        self.environment = os.environ | {"HOME": str(self.folder), "BEACONS_CONFIG": "none", "SWIFT_BACKTRACE": "enable=no"} | {
            f"DBUS_{name}_BUS_ADDRESS": f"unix:path={path}" for name in ("SYSTEM", "SESSION")}
        # A pool of the system's library ends its process without a descriptor; the service's reserve is for that.
        self.scarcity = {"LD_PRELOAD": str(library), "SCARCE_AFTER": "2", "SCARCE_SPARES": "1"}

    def call(self, *words):
        try:
            return subprocess.run([self.torture.beaconctl, *words], env=self.environment, stdin=subprocess.DEVNULL, timeout=LONGEST,
                                  capture_output=True, text=True, check=False)
        except subprocess.TimeoutExpired:
            return None

    def run(self):
        lives, account = 0, pwd.getpwuid(os.getuid()).pw_name
        for seed, one_in in enumerate((3, 10, 30), self.torture.seed):
            capture = FIXTURES / "captures/walk.btsnoop"
            service = subprocess.Popen(
                [self.torture.beaconctl, "service", "run", "--bus", "session", "--state", self.folder / f"state-{seed}", "--speed", "0.1x",
                 "--from", capture], env=self.environment | self.scarcity | {"SCARCE_SEED": str(seed), "SCARCE_ONE_IN": str(one_in)},
                stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(2.5)
            for number in range(ROUNDS):
                words = [("set", "always", "--client", f"user:{account}/guide"), ("services", "on" if number % 4 else "off"), ("status",)]
                done = self.call("auth", *words[number % 3], "--bus", "session")
                if done is None:
                    self.torture.fault(f"scarce {one_in}: auth {words[number % 3]} has no answer")
                elif made_up := re.findall(r"user:(?!" + re.escape(account) + r"/)\S+", done.stdout):
                    self.torture.fault(f"scarce {one_in}: clients {made_up}")
                if service.poll() is not None:
                    break
            if service.poll() is not None:
                self.torture.fault(f"scarce {one_in}: the service ended with {service.returncode}")
            else:
                lives += 1
                service.send_signal(signal.SIGTERM)
                if service.wait(LONGEST):
                    self.torture.fault(f"scarce {one_in}: the service ended with {service.returncode} at a signal")
            self.torture.ends += 1
        self.bus.terminate()
        self.bus.wait()
        return f"{lives} services with {ROUNDS} requests each"
