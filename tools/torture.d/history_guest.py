# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Runs inside the machine whose power is cut: keeps a history on a disk until the power goes.

A second after a crossing was written to standard output, this writes to the second serial line how many were.
"""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

SHARE = Path(sys.argv[1])
DATA = Path("/data")
BEACONS = 10
UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"


def say(text):
    with open("/dev/ttyS1", "w", encoding="utf-8") as serial:
        serial.write(text + "\n")


def main():
    DATA.mkdir()
    subprocess.run(["mount", "-t", "ext4", "/dev/vda", DATA], check=True)
    (DATA / "history").mkdir(mode=0o700)
    subprocess.run(["sync"], check=True)
    regions = [word for beacon in range(BEACONS) for word in ("--region", f"r{beacon}={UUID}/1/{beacon}")]
    words = [SHARE / "beaconctl", "monitor", "--from", SHARE / "air.jsonl", "--speed", "10x", "--history", DATA / "history",
             "--format", "jsonl", *regions]
    run = subprocess.Popen(words, stdout=subprocess.PIPE, env={**os.environ, "HOME": "/data"})
    told = []
    threading.Thread(target=listen, args=(run.stdout, told), daemon=True).start()
    say("ready")
    promised = 0
    while run.poll() is None:
        now = time.monotonic()
        count = sum(at < now - 1 for at in told)
        if count > promised:
            promised = count
            say(f"told {promised}")
        time.sleep(0.05)
    say(f"the recorder ended with {run.returncode}")


def listen(stream, told):
    for line in stream:
        if b'"type":"region.enter"' in line or b'"type":"region.exit"' in line:
            told.append(time.monotonic())


main()
