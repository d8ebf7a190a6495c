# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Home Assistant as the subscriber of a proxy: its integration ESPHome is added, and its Bluetooth gets each advertisement."""

import base64
import itertools
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from assistant import Assistant, WebSocket, free_port, wait_for
from check import SECOND, SOON, mark, radio, stamp

NAME = "check-proxy"
# The advertisements of devices, by their addresses: an iBeacon, a thermometer's service data (BTHome), a name, an extended one of 200 bytes.
BEACON = "0201061aff4c000215f7826da64fa24e988024bc5b71e0893e00010007c5"
DEVICES = {
    "C0:11:22:33:44:55": BEACON,
    "C0:11:22:33:44:66": "0201060a16d2fc4002c40903bf13",
    "C0:11:22:33:44:77": "0201060908" + b"lantern-".hex(),
    "C0:11:22:33:44:88": "c8ff3412" + bytes(range(197)).hex(),
}


class Proxy:
    """A `proxy` over the devices of the check; each advertises four times a second."""

    def __init__(self, command, logs, port, key):
        self.key = logs / f"key-{port}"
        self.key.write_text(key + "\n")
        self.key.chmod(0o600)
        self.log = logs / "proxy.log"
        self.is_silent = False
        with open(self.log, "ab") as out:
            self.process = subprocess.Popen(
                [command, "proxy", "--from", "-", "--speed", "max", "--listen", f"127.0.0.1:{port}", "--key-file", self.key,
                 "--name", NAME],
                stdin=subprocess.PIPE, stdout=out, stderr=out, env={**os.environ, "BEACONS_CONFIG": "none"},
            )
        threading.Thread(target=self.feed, daemon=True).start()

    def feed(self):
        now = float(int(time.time()))
        try:
            self.write(radio("listening", now))
            for turn in itertools.count():
                for address, data in {} if self.is_silent else DEVICES.items():
                    self.write(
                        f'{{"v":1,"type":"report","t":"{stamp(now)}","receiver":"hci0","address":"{address}","address_type":"random",'
                        f'"event":"ADV_NONCONN_IND","rssi":{-60 - turn % 5},"ad":"{data}"}}\n'
                    )
                now += 0.25
                self.write(mark(now))
                time.sleep(SECOND)
        except (BrokenPipeError, ValueError):
            pass

    def write(self, line):
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()

    def kill(self):
        self.process.kill()
        self.process.wait()


class Subscription:
    """Reports of one kind by Home Assistant's Bluetooth, as the page of an integration gets them."""

    def __init__(self, assistant, kind):
        self.wire = WebSocket(assistant.port, assistant.token)
        self.wire.ask(kind)
        self.events = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            while True:
                message = self.wire.read()
                if message["type"] == "event":
                    self.events.append(message["event"])
        except (OSError, ValueError):
            pass

    def added(self):
        return [item for event in list(self.events) for item in event.get("add", [])]


def passed(text):
    print(f"ok     {text}", flush=True)


def add(assistant, port, key):
    """Adds the integration ESPHome as its page does, with a wrong key first."""
    flow = assistant.request("config/config_entries/flow", {"handler": "esphome", "show_advanced_options": False})
    address = f"config/config_entries/flow/{flow['flow_id']}"
    step = assistant.request(address, {"host": "127.0.0.1", "port": port})
    assert step["step_id"] == "encryption_key", step
    other = base64.b64encode(bytes(32)).decode()
    step = assistant.request(address, {"noise_psk": other})
    assert step["step_id"] == "encryption_key" and step["errors"] == {"base": "invalid_psk"}, step
    passed("it asks for the key, and refuses another one")
    step = assistant.request(address, {"noise_psk": key})
    assert step["type"] == "create_entry" and step["title"] == NAME, step
    passed("with the key the proxy is added, by its name")


def entry(assistant, domain):
    found = [item for item in assistant.ask("config_entries/get") if item["domain"] == domain]
    return found[-1] if found else {}


def received(assistant, what):
    """Waits until each device is received, and compares its bytes."""
    advertisements = Subscription(assistant, "bluetooth/subscribe_advertisements")
    wanted = {(address, data) for address, data in DEVICES.items()}
    wait_for(
        f"each advertisement {what}", SOON, lambda: wanted <= {(item["address"], item["raw"]) for item in advertisements.added()}
    )
    for item in advertisements.added():
        assert not item["connectable"] and -64 <= item["rssi"] <= -60, item
    beacon = next(item for item in advertisements.added() if item["address"] == "C0:11:22:33:44:55")
    assert beacon["manufacturer_data"] == {"76": BEACON[14:]}, beacon
    passed(f"its Bluetooth gets the bytes of each advertisement {what}")


def complaints(assistant):
    """The log's warnings about the proxy or Bluetooth, without missing parts of this machine and the refused keys."""
    lines = assistant.log.read_text(errors="replace").splitlines()
    return [
        line for line in lines
        if (" WARNING " in line or " ERROR " in line) and any(word in line for word in ("esphome", "bluetooth", NAME))
        and not any(word in line for word in ("dbus", "D-Bus", "DBus", "rfkill", "requires encryption", "Invalid encryption key"))
    ]


def check(command, logs, assistant, port, key):
    proxy = Proxy(command, logs, port, key)
    try:
        wait_for("proxy", SOON, lambda: "listens on" in proxy.log.read_text())
        assistant.make_user()
        add(assistant, port, key)
        wait_for("connection", SOON, lambda: entry(assistant, "esphome").get("state") == "loaded")
        scanners = Subscription(assistant, "bluetooth/subscribe_scanner_details")
        scanner = wait_for("scanner", SOON, lambda: next(iter(scanners.added()), None))
        assert scanner["name"].startswith(NAME) and not scanner["connectable"], scanner
        passed("its Bluetooth has a scanner that only listens")
        state = Subscription(assistant, "bluetooth/subscribe_scanner_state")
        wait_for("state", SOON, lambda: state.events)
        assert state.events[-1]["current_mode"] == "passive", state.events
        passed(f"the scanner is {state.events[-1]['current_mode']}")
        received(assistant, "of the proxy")
        found = complaints(assistant)
        assert not found, found
        passed("its log has no warning of the proxy or of Bluetooth")
        proxy.kill()
        wait_for("loss", SOON, lambda: all(
            state["state"] == "unavailable" for name, state in assistant.states().items() if NAME.replace("-", "_") in name))
        proxy = Proxy(command, logs, port, key)
        wait_for("subscriber", 90, lambda: proxy.log.read_text().count("receives the advertisements") >= 2)
        received(assistant, "after the proxy was killed and started")
        assistant.kill()
        assistant.start()
        wait_for("connection", 90, lambda: entry(assistant, "esphome").get("state") == "loaded")
        received(assistant, "after its own restart")
    finally:
        proxy.kill()


def main():
    command, logs = sys.argv[1], Path(sys.argv[2])
    assistant = Assistant(logs, "bluetooth:\n")
    try:
        check(command, logs, assistant, free_port(), base64.b64encode(os.urandom(32)).decode())
    except (AssertionError, OSError) as fault:
        print(f"FAULT {fault}\nsee {logs}")
        return 1
    finally:
        assistant.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
