# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A simple live listener in place of the command, to test the machine without the command.

    probe.py RECORDING [--monitor|--mgmt]      until SIGINT or SIGTERM
    probe.py --leave-monitor                   adds a monitor to the kernel and leaves it there, like a crash

--monitor registers an advertisement monitor with bluetoothd, --mgmt adds one directly to the kernel.

It writes a recording of `report` lines. Once a second it requests the missing parts (adapter, filter, discovery). It
shares no code with the project.
"""

import ctypes
import json
import os
import re
import signal
import socket
import struct
import sys
import time
from datetime import datetime, timezone

from bus import CALL, ERROR, MEMBER, SIGNAL, Adapter, Bus, BusError

APPLICATION = "/probe"
MANAGER = "org.bluez.AdvertisementMonitorManager1"
MONITOR = {
    "org.bluez.AdvertisementMonitor1": {
        "Type": ("s", "or_patterns"),
        "RSSILowThreshold": ("n", -127),
        "RSSIHighThreshold": ("n", -126),
        "RSSILowTimeout": ("q", 300),
        "RSSIHighTimeout": ("q", 1),
        "Patterns": ("a(yyay)", [(0, 0xFF, [0x4C, 0x00, 0x02, 0x15])]),
    }
}
# A message's values are read only where needed: Python is too slow on an emulated processor to read all.
RSSI = re.compile(rb"RSSI\x00\x01n\x00")
FRAME = re.compile(rb"\x02ay\x00.{0,3}\x17\x00\x00\x00(\x02\x15.{21})", re.DOTALL)


FILTER = {"Transport": ("s", "le"), "DuplicateData": ("b", True), "RSSI": ("n", -127), "Pattern": ("s", "")}
# mgmt's Add Advertisement Patterns Monitor for adapter 0: one pattern, iBeacon frames in manufacturer data.
ADD_MONITOR = struct.pack("<HHH", 0x0052, 0, 35) + b"\x01\xff\x00\x04\x4c\x00\x02\x15" + bytes(27)
NO_DEVICE, CONTROL_CHANNEL = 0xFFFF, 3


def stamp() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def add_monitor_by_mgmt():
    with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as control:
        # Python's own `bind` cannot name a channel.
        address = struct.pack("<HHH", socket.AF_BLUETOOTH, NO_DEVICE, CONTROL_CHANNEL)
        if ctypes.CDLL(None, use_errno=True).bind(control.fileno(), address, len(address)):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        control.send(ADD_MONITOR)


class Probe:
    def __init__(self, recording, options: list[str]):
        self.recording = recording
        self.monitored, self.by_mgmt = bool(options), "--mgmt" in options
        self.bus = Bus()
        self.adapter = Adapter(self.bus)
        self.registered = False
        self.signals = 0
        for rule in ("Properties',member='PropertiesChanged',path_namespace='/org/bluez'", "ObjectManager',path='/'"):
            self.bus.match("type='signal',sender='org.bluez',interface='org.freedesktop.DBus." + rule)

    def tend(self):
        """Starts discovery, or starts it again."""
        try:
            if not self.adapter.get("Powered"):
                self.registered = False
            elif self.monitored and not self.registered:
                # Discovery starts in the next round: a scan that starts before the monitor keeps its duplicate filter.
                self.register()
            elif not self.adapter.get("Discovering"):
                self.adapter.set_filter(FILTER)
                self.adapter.call("StartDiscovery")
        except (BusError, OSError) as error:
            self.registered = False
            print(f"{stamp()} {error}", file=sys.stderr, flush=True)

    def register(self):
        self.registered = True
        if self.by_mgmt:
            add_monitor_by_mgmt()
            return
        # bluetoothd reads our objects before it answers, so this cannot wait for the answer here.
        self.bus.post("org.bluez", self.adapter.path, MANAGER, "RegisterMonitor", "o", APPLICATION)

    def take(self, message):
        member = message.fields.get(MEMBER)
        if message.kind == CALL and member == "GetManagedObjects":
            self.bus.reply(message, "a{oa{sa{sv}}}", {APPLICATION + "/monitor": MONITOR})
        elif message.kind == SIGNAL and member in ("PropertiesChanged", "InterfacesAdded"):
            self.record(message)
        elif message.kind == ERROR:
            print(f"{stamp()} {message.fields} {message.body!r}", file=sys.stderr, flush=True)

    def record(self, message):
        strength, frame = RSSI.search(message.body), FRAME.search(message.body)
        if not strength or not frame or b"org.bluez.Device1" not in message.body:
            return
        at = strength.end() + strength.end() % 2
        self.signals += 1
        report = {"v": 1, "type": "report", "t": stamp(), "receiver": "hci0", "address": None}
        report |= {"rssi": struct.unpack_from("<h", message.body, at)[0], "manufacturer": {"004c": frame[1].hex()}}
        self.recording.write(json.dumps(report) + "\n")

    def run(self):
        tended = 0.0
        while True:
            if time.monotonic() - tended > 1:
                self.tend()
                tended = time.monotonic()
                self.recording.flush()
            if message := self.bus.receive(0.2):
                self.take(message)


def leave(*_):
    raise KeyboardInterrupt


def main():
    signal.signal(signal.SIGTERM, leave)
    if sys.argv[1] == "--leave-monitor":
        add_monitor_by_mgmt()
        return
    with open(sys.argv[1], "w", encoding="utf-8") as recording:
        recording.write(json.dumps({"v": 1, "type": "capture", "tool": "probe"}) + "\n")
        probe = Probe(recording, sys.argv[2:])
        try:
            probe.run()
        except (KeyboardInterrupt, ConnectionError):
            pass
        recording.write(json.dumps({"v": 1, "type": "end", "t": stamp()}) + "\n")
        print(f"{probe.signals} reports", file=sys.stderr)


if __name__ == "__main__":
    main()
