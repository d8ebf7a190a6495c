# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Programs of the service, for its bench; run by the Python that has Debian's python3-dbus.

  service_clients.py ADDRESS grant N                 grants N clients
  service_clients.py ADDRESS listen N SECONDS UUID   N clients that range; writes their delays as JSON
  service_clients.py ADDRESS count N UUID            N clients that range, until their streams end; writes how many lines came
  service_clients.py ADDRESS stall N UUID            N clients that range and read nothing, until standard input ends
  service_clients.py ADDRESS flood SECONDS           connects, makes a session and leaves, as often as it goes
"""

import json
import os
import select
import socket
import struct
import sys
import time
from datetime import datetime

NAME, PATH = "io.github.swift_beacons.Beacons1", "/io/github/swift_beacons/Beacons1"
DOMAIN = "io.github.swift_beacons."
# Seconds in which clients come and tracks settle, before anything is counted.
WARM_UP = 3


def key(label):
    import pwd
    return f"user:{pwd.getpwuid(os.getuid()).pw_name}/{label}"


def program(address, label, signals=False):
    """Returns a connection and the session of a separate program."""
    import dbus
    import dbus.bus
    bus = dbus.bus.BusConnection(address)
    manager = dbus.Interface(bus.get_object(NAME, PATH, introspect=False), DOMAIN + "Manager1")
    options = dbus.Dictionary({"label": label, "signals": signals}, signature="sv")
    session = bus.get_object(NAME, manager.CreateSession(options), introspect=False)
    return bus, dbus.Interface(session, DOMAIN + "Session1")


def grant(address, count):
    import dbus
    import dbus.bus
    bus = dbus.bus.BusConnection(address)
    admin = dbus.Interface(bus.get_object(NAME, PATH, introspect=False), DOMAIN + "Admin1")
    for number in range(count):
        admin.SetGrant(key(f"c{number}"), "always", dbus.Dictionary({}, signature="sv"))
        time.sleep(0.02)


def stream(session):
    import dbus
    return session.OpenStream(dbus.Dictionary({}, signature="sv")).take()


def listen(address, count, seconds, uuid):
    """Ranges with some clients, and writes by how much each line came after its second, and after the first of its second."""
    import dbus
    held, files = [], {}
    for number in range(count):
        bus, session = program(address, f"c{number}")
        file = stream(session)
        session.StartRanging(dbus.Dictionary({"uuid": uuid}, signature="sv"))
        held.append((bus, session))
        files[file] = b""
    print("ready", flush=True)
    poll = select.poll()
    for file in files:
        poll.register(file, select.POLLIN)
    start = time.time() + WARM_UP
    lines = []
    while time.time() < start + seconds:
        for file, _ in poll.poll(200):
            data = os.read(file, 1 << 20)
            arrival = time.time()
            if not data:
                poll.unregister(file)
                continue
            *whole, files[file] = (files[file] + data).split(b"\n")
            if arrival >= start:
                lines += [(arrival, line) for line in whole if b'"ranged"' in line]
    delays, beacons = [], 0
    for arrival, line in lines:
        event = json.loads(line)
        second = datetime.fromisoformat(event["t"].replace("Z", "+00:00")).timestamp()
        delays.append((arrival - second) * 1000)
        beacons += len(event["beacons"])
    print(json.dumps({"delays": delays, "lines": len(lines), "beacons": beacons / max(1, len(lines))}), flush=True)


def count(address, number, uuid):
    """Ranges with some clients until their streams end; writes how many ticks came."""
    import dbus
    held, files, lines = [], set(), 0
    for each in range(number):
        bus, session = program(address, f"c{each}")
        files.add(stream(session))
        session.StartRanging(dbus.Dictionary({"uuid": uuid}, signature="sv"))
        held.append((bus, session))
    print("ready", flush=True)
    poll = select.poll()
    for file in files:
        poll.register(file, select.POLLIN)
    while files:
        for file, _ in poll.poll(1000):
            data = os.read(file, 1 << 20)
            lines += data.count(b'"ranged"')
            if not data:
                poll.unregister(file)
                files.discard(file)
    print(lines, flush=True)


def stall(address, count, uuid):
    import dbus
    held = []
    for number in range(count):
        bus, session = program(address, f"c{number}", signals=True)
        file = stream(session)
        session.StartRanging(dbus.Dictionary({"uuid": uuid}, signature="sv"))
        held.append((bus, session, file))
    print("ready", flush=True)
    sys.stdin.read()


# MARK: Connecting as fast as it goes, without a library


def padded(data, boundary):
    return data + b"\0" * (-len(data) % boundary)


def text(value):
    value = value.encode()
    return struct.pack("<I", len(value)) + value + b"\0"


def call(serial, destination, path, interface, member, signature="", body=b""):
    fields = b""
    entries = [(1, "o", path), (2, "s", interface), (3, "s", member), (6, "s", destination)]
    for code, kind, value in entries:
        fields = padded(fields, 8) + bytes([code, 1]) + kind.encode() + b"\0"
        fields = padded(fields, 4) + text(value)
    if signature:
        fields = padded(fields, 8) + b"\x08\x01g\0" + bytes([len(signature)]) + signature.encode() + b"\0"
    head = b"l\1\0\1" + struct.pack("<III", len(body), serial, len(fields)) + fields
    return padded(head, 8) + body


def options(label):
    entry = padded(text("label"), 1) + b"\1s\0"
    entry = padded(entry, 4) + text(label)
    # The array's elements begin at a multiple of 8.
    return struct.pack("<I", len(entry)) + b"\0\0\0\0" + entry


def flood(address, seconds):
    path = address.split("=", 1)[1]
    identity = str(os.getuid()).encode().hex().encode()
    greeting = b"\0AUTH EXTERNAL " + identity + b"\r\n"
    hello = call(1, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello")
    create = call(2, NAME, PATH, DOMAIN + "Manager1", "CreateSession", "a{sv}", options("flood"))
    end = time.time() + seconds
    made = refused = 0
    print("ready", flush=True)
    while time.time() < end:
        with socket.socket(socket.AF_UNIX) as peer:
            try:
                peer.connect(path)
                peer.sendall(greeting)
                peer.recv(256)
                peer.sendall(b"BEGIN\r\n" + hello + create)
                seen = b""
                while b"session/" not in seen and b"Error." not in seen:
                    data = peer.recv(65536)
                    if not data:
                        break
                    seen += data
            except OSError:
                refused += 1
                continue
            if b"session/" in seen:
                made += 1
            else:
                refused += 1
    print(json.dumps({"made": made, "refused": refused, "seconds": seconds}), flush=True)


def main():
    address, what, *rest = sys.argv[1:]
    if what == "grant":
        grant(address, int(rest[0]))
    elif what == "listen":
        listen(address, int(rest[0]), float(rest[1]), rest[2])
    elif what == "count":
        count(address, int(rest[0]), rest[1])
    elif what == "stall":
        stall(address, int(rest[0]), rest[1])
    else:
        flood(address, float(rest[0]))


if __name__ == "__main__":
    main()
