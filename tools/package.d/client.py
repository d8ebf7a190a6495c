# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A program of the service: watches a region, and appends what it receives to a file, across restarts of the service.

  client.py UUID FILE LABEL
"""

import os
import sys
import time

import dbus

NAME = "io.github.swift_beacons.Beacons1"
PATH = "/io/github/swift_beacons/Beacons1"


def watch(uuid: str, output, label: str, since: int) -> int:
    """Until the service ends; returns the sequence of the last crossing."""
    bus = dbus.SystemBus(private=True)
    manager = dbus.Interface(bus.get_object(NAME, PATH), NAME.replace("Beacons1", "Manager1"))
    session = bus.get_object(NAME, manager.CreateSession({"label": label}))
    beacons = dbus.Interface(session, NAME.replace("Beacons1", "Session1"))
    options = dbus.Dictionary({"since": dbus.UInt64(since)} if since else {}, signature="sv")
    lines = os.fdopen(beacons.OpenStream(options).take(), "r")
    beacons.Request("always", dbus.Dictionary({}, signature="sv"))
    constraint = dbus.Dictionary({"uuid": uuid}, signature="sv")
    beacons.StartMonitoring("lobby", constraint, dbus.Dictionary({}, signature="sv"))
    for line in lines:
        output.write(line)
        output.flush()
        if '"sequence":' in line:
            since = int(line.split('"sequence":')[1].split(",")[0].split("}")[0])
    bus.close()
    return since


def main() -> None:
    uuid, path, label = sys.argv[1:]
    since = 0
    with open(path, "a", encoding="utf-8") as output:
        while True:
            try:
                since = watch(uuid, output, label, since)
            except dbus.DBusException as error:
                print(error, file=sys.stderr, flush=True)
            time.sleep(0.2)


main()
