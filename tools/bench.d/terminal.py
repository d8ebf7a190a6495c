# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Measures the cost of the terminal view of `range`: 200 beacons, each received ten times a second.

    tools/bench terminal [--seconds N]

A made capture is played at its own speed inside tmux, at 80x24 and at 200x60. The bar is 5 % of a core, over all threads, with
the list and with one beacon's page shown.
"""

import argparse
import os
import shlex
import subprocess
import sys
import time

from workshop import CACHE, capture, release_beaconctl

BAR = 0.05
BEACONS = 200
RATE = 2000
UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
# The first seconds start the process and fill the list.
SETTLING = 5


def tmux(socket, *words):
    """Sends a request to the server of a socket and returns its answer."""
    run = subprocess.run(["tmux", "-S", socket, "-f", "/dev/null", *words], check=True, capture_output=True, text=True,
                         env=dict(os.environ, LC_ALL="C.UTF-8", TMUX=""))
    return run.stdout


def cpu(pid):
    """Returns the processor time of a process so far, in seconds."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(beaconctl, played, columns, rows, keys, seconds):
    """Returns the share of a core that the view takes, and the last screen."""
    socket = str(CACHE / f"terminal-{os.getpid()}")
    command = shlex.join([str(beaconctl), "range", "--from", str(played), "--speed", "1x", "-s", UUID])
    tmux(socket, "new-session", "-d", "-x", str(columns), "-y", str(rows), f"exec {command}")
    try:
        pid = int(tmux(socket, "list-panes", "-F", "#{pane_pid}"))
        time.sleep(SETTLING)
        for key in keys:
            tmux(socket, "send-keys", key)
        start, before = time.monotonic(), cpu(pid)
        time.sleep(seconds)
        share = (cpu(pid) - before) / (time.monotonic() - start)
        return share, tmux(socket, "capture-pane", "-p")
    finally:
        subprocess.run(["tmux", "-S", socket, "kill-server"], check=False, stderr=subprocess.DEVNULL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=20, help="how long each is measured (20)")
    seconds = parser.parse_args().seconds
    beaconctl = release_beaconctl()
    played = capture(reports=RATE * (seconds + SETTLING + 5), identities=BEACONS, rate=RATE, share=100)
    worst = 0
    print(f"{'screen':<10}{'shows':<10}{'of a core':>10}   bar {BAR:.0%}")
    for columns, rows in ((80, 24), (200, 60)):
        for page, keys in (("list", []), ("beacon", ["F2"])):
            share, screen = measured(beaconctl, played, columns, rows, keys, seconds)
            if f"{BEACONS} beacons" not in screen:
                print(f"not {BEACONS} beacons on the screen:\n{screen}")
                return 1
            worst = max(worst, share)
            print(f"{columns}x{rows:<7}{page:<10}{share:>10.2%}")
    print("bar met" if worst <= BAR else "the bar was missed")
    return 0 if worst <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
