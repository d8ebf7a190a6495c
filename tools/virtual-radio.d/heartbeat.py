# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Runs inside the machine: writes the machine's clocks to a serial line ten times a second, for stalls.py on the host.

    heartbeat.py DEVICE

A line contains the monotonic and the wall clock in microseconds. The process has the highest priority in the machine, so
that a late line means that the machine did not run, not that it was busy.
"""

import os
import sys
import time

PERIOD = 0.1


def main():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    line = os.open(sys.argv[1], os.O_WRONLY | os.O_NOCTTY)
    while True:
        os.write(line, b"%d %d\n" % (time.monotonic_ns() // 1000, time.time_ns() // 1000))
        time.sleep(PERIOD)


if __name__ == "__main__":
    main()
