# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Runs inside the machine whose power is cut: records to a disk, and replaces files on it, until the power goes.

Promises are written to the second serial line: by promise.c for each fsync of the recorder, and here for each command
that has ended with exit code 0.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

SHARE = Path(sys.argv[1])
DATA = Path("/data")
GRANTS = ["notDetermined", "denied", "whenInUse", "always"]


def say(text):
    with open("/dev/ttyS1", "w", encoding="utf-8") as serial:
        serial.write(text + "\n")


def main():
    DATA.mkdir()
    subprocess.run(["mount", "-t", "ext4", "/dev/vda", DATA], check=True)
    (DATA / "rec").mkdir()
    environment = {**os.environ, "HOME": "/data", "XDG_STATE_HOME": "/data/state", "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
                   "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/run/torture-bus"}
    words = ["dbus-daemon", f"--config-file={SHARE}/bus.conf", "--nofork", "--print-address"]
    bus = subprocess.Popen(words, stdout=subprocess.PIPE)
    bus.stdout.readline()
    words = [SHARE / "play_bluez", "--address", environment["DBUS_SYSTEM_BUS_ADDRESS"], "--devices", "5", "--rate", "100",
             "--seconds", "100000", "--stamp"]
    subprocess.Popen(words, stdout=subprocess.PIPE).stdout.readline()
    words = [SHARE / "beaconctl", "record", "/data/rec/air.jsonl", "--rotate", "24K", "--keep", "1000",
             "--set", "recording.synchronizeInterval=1"]
    recorder = subprocess.Popen(words, env={**environment, "LD_PRELOAD": str(SHARE / "promise.so")})
    say("ready")
    round_ = 0
    while recorder.poll() is None:
        for name, words in (("grants", ["auth", "set", GRANTS[round_ % 4], "--client", "guide"]),
                            ("converted", ["convert", SHARE / f"{round_ % 4}.btsnoop", "/data/out.jsonl", "--force"])):
            say(f"begun {name} {round_ % 4}")
            code = subprocess.run([SHARE / "beaconctl", *words], env=environment, stdout=subprocess.DEVNULL, check=False).returncode
            say(f"done {name} {round_ % 4}" if code == 0 else f"failed {name} {code}")
        round_ += 1
        time.sleep(0.2)
    say(f"the recorder ended with {recorder.returncode}")


main()
