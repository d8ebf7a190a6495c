# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Measures the written and kept bytes of a day of history, with simulated days through the command.

  tools/bench history [--beacons 40] [--days 1] [--speed 1000x]

A day's recording is played to `beaconctl monitor --history` so fast that each minute is still a separate commit. The bytes
written are those that the kernel charges to the process (ru_oublock), the bytes kept those of the folder after the run.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools/torture.d"))

from history import capture, crossings, regions  # noqa: E402

DAY = 86_400
# The limits of a day at 40 beacons.
MOST_WRITTEN, MOST_KEPT = 50e6, 2e6
# Each beacon comes and goes so often that 40 of them make some 4,000 crossings a day.
PRESENT, ABSENT = 1500, 228


def measure(beaconctl, options, folder):
    history = folder / "history"
    words = [beaconctl, "monitor", "--from", "-", "--speed", options.speed, "--history", history, "--format", "none",
             *regions(options.beacons)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE)

    def feed():
        with process.stdin as pipe:
            for line in capture(DAY * options.days, options.beacons, PRESENT, ABSENT, options.step):
                pipe.write(line.encode())

    threading.Thread(target=feed, daemon=True).start()
    _, status, use = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the run ended with {os.waitstatus_to_exitcode(status)}")
    kept = sum(path.stat().st_size for path in history.iterdir())
    return use.ru_oublock * 512, kept, crossings(history), use.ru_utime + use.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beacons", type=int, default=40)
    parser.add_argument("--days", type=float, default=1)
    parser.add_argument("--speed", default="1000x")
    parser.add_argument("--step", type=float, default=5, help="seconds between two reports of a beacon")
    parser.add_argument("--beaconctl", type=Path, help="the command to measure; the release is built without this")
    parser.add_argument("--folder", type=Path, help="where the history is written; not a file system in memory")
    options = parser.parse_args()
    beaconctl = options.beaconctl
    if beaconctl is None:
        subprocess.run(["swift", "build", "-c", "release", "--product", "beaconctl"], cwd=ROOT, check=True)
        beaconctl = ROOT / ".build/release/beaconctl"
    folder = Path(tempfile.mkdtemp(prefix="beacons-history-", dir=options.folder or Path.home()))
    try:
        written, kept, count, cpu = measure(beaconctl.resolve(), options, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    days = options.days
    print(f"{options.beacons} beacons, {days:g} days, {count} crossings, {cpu:.1f} s of CPU")
    print(f"written a day  {written / days / 1e6:7.2f} MB   (bar {MOST_WRITTEN / 1e6:.0f} MB at 40 beacons)")
    print(f"kept a day     {kept / days / 1e6:7.2f} MB   (bar {MOST_KEPT / 1e6:.0f} MB at 40 beacons)")
    met = written / days <= MOST_WRITTEN and kept / days <= MOST_KEPT
    return 0 if met or options.beacons > 40 else 1


if __name__ == "__main__":
    sys.exit(main())
