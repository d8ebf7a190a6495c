#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Makes a capture in JSON Lines of a table of levels.

    tools/bench.d/level_table.py TABLE.csv[.gz] OUT.jsonl [options]

The table has a line of titles. The first column is the time in seconds; each further one is a receiver, with the level in dBm at which
it received the beacon at that time, and nothing if it did not. Every value becomes a report of one iBeacon. A receiver without any
value was not there, and is left out; every other one listens from the first line to the last. `--without NAME` leaves a receiver out,
as if it had been lost and this were known; `--silent NAME` leaves out its levels, as if this were not known. Times are counted from `--start`.
"""

import argparse
import csv
import datetime
import gzip
import json
import sys

UUID, MAJOR, MINOR, POWER = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E", 1, 1, -59
ADDRESS = "02:00:00:00:00:01"


def payload(uuid=UUID, major=MAJOR, minor=MINOR, power=POWER):
    """The advertising data of an iBeacon."""
    return f"0201061aff4c000215{uuid.replace('-', '').lower()}{major:04x}{minor:04x}{power & 0xFF:02x}"


def stamp(start, seconds):
    """A time in RFC 3339."""
    time = start + datetime.timedelta(microseconds=round(seconds * 1_000_000))
    return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def line(**keys):
    """A line of a recording."""
    return json.dumps({"v": 1, **keys}, separators=(",", ":")) + "\n"


def report(t, receiver, level, ad, address=ADDRESS):
    """The line of a report."""
    return line(type="report", t=t, receiver=receiver, address=address, address_type="random", event="ADV_NONCONN_IND", rssi=level, ad=ad)


def head(receivers, t):
    """The lines a recording starts with: every receiver listens."""
    yield line(type="capture", tool="level_table", version="1", receivers=receivers, profile=None, redacted=True)
    for receiver in receivers:
        yield line(type="radio", t=t, receiver=receiver, state="listening")


def read(path):
    """The receivers and the rows (seconds, levels) of a table."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if not rows or len(rows[0]) < 2:
        sys.exit(f"{path}: no line of titles with a time and receivers")
    table = [(float(row[0]), [float(value) if value.strip() else None for value in row[1:]]) for row in rows[1:] if row]
    return rows[0][1:], table


def capture(path, start, without=(), silent=(), stronger=None):
    """The lines of a table's capture, without some receivers, with some that listen and receive nothing, and some that receive all stronger."""
    stronger = stronger or {}
    receivers, table = read(path)
    there = [k for k, name in enumerate(receivers) if name not in without and any(levels[k] is not None for _, levels in table)]
    ad = payload()
    yield from head([receivers[k] for k in there], stamp(start, 0))
    for seconds, levels in table:
        t = stamp(start, seconds)
        values = [(receivers[k], round(levels[k]) + stronger.get(receivers[k], 0)) for k in there if levels[k] is not None and receivers[k] not in silent]
        for name, level in values:
            yield report(t, name, max(-127, min(20, level)), ad)
        if not values:
            yield line(type="mark", t=t)
    yield line(type="end", t=stamp(start, table[-1][0] if table else 0))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table")
    parser.add_argument("out")
    parser.add_argument("--start", default="2026-01-01T00:00:00+00:00", help="the time of second 0 (2026-01-01T00:00:00+00:00)")
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="leave this receiver out; may be repeated")
    parser.add_argument("--silent", action="append", default=[], metavar="NAME", help="leave its levels out; may be repeated")
    options = parser.parse_args()
    start = datetime.datetime.fromisoformat(options.start).astimezone(datetime.timezone.utc)
    with open(options.out, "x", encoding="utf-8") as out:
        out.writelines(capture(options.table, start, options.without, options.silent))


if __name__ == "__main__":
    main()
