# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A program of the service: monitors the region `lobby`, and appends its reports to a file, across restarts of the service
and of the program.

  client.py UUID FILE LABEL          a program that runs
  client.py UUID FILE LABEL NAME     one with a bus name, which the service starts when the region is crossed
"""

import os
import sys
import time
from pathlib import Path

import dbus

SERVICE = "io.github.swift_beacons.Beacons1"
PATH = "/io/github/swift_beacons/Beacons1"
NOTHING = dbus.Dictionary({}, signature="sv")


def last_sequence(line: str, before: int) -> int:
    """The sequence of a line; the one before otherwise."""
    return int(line.split('"sequence":')[1].split(",")[0].split("}")[0]) if '"sequence":' in line else before


def watch(uuid: str, output, label: str, name: str | None, since: int) -> int:
    """Until the service ends; returns the sequence of the last crossing."""
    bus = dbus.SystemBus(private=True)
    if name:
        bus.request_name(name)
    manager = dbus.Interface(bus.get_object(SERVICE, PATH), SERVICE.replace("Beacons1", "Manager1"))
    options = {"label": label, **({"wake": name} if name else {})}
    session = bus.get_object(SERVICE, manager.CreateSession(dbus.Dictionary(options, signature="sv")))
    beacons = dbus.Interface(session, SERVICE.replace("Beacons1", "Session1"))
    since_option = dbus.Dictionary({"since": dbus.UInt64(since)}, signature="sv")
    lines = os.fdopen(beacons.OpenStream(since_option).take(), "r")
    beacons.Request("always", NOTHING)
    constraint = dbus.Dictionary({"uuid": uuid}, signature="sv")
    # Being inside at first is a crossing as well; later the service knows the state.
    first = NOTHING if since else dbus.Dictionary({"assuming": "outside"}, signature="sv")
    beacons.StartMonitoring("lobby", constraint, first)
    for line in lines:
        output.write(line)
        output.flush()
        since = last_sequence(line, since)
    bus.close()
    return since


def main() -> None:
    uuid, path, label, *more = sys.argv[1:]
    since = 0
    if Path(path).exists():
        for line in Path(path).read_text().splitlines():
            since = last_sequence(line, since)
    with open(path, "a", encoding="utf-8") as output:
        while True:
            try:
                since = watch(uuid, output, label, more[0] if more else None, since)
            except dbus.DBusException as error:
                print(error, file=sys.stderr, flush=True)
            time.sleep(0.2)


main()
