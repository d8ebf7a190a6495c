# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A real Home Assistant in its own system: started, set up as a new user would, and asked over REST and its web socket."""

import base64
import json
import os
import signal
import socket
import struct
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
# A start takes 10 s on an idle machine.
START = 180


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, limit, look, pause=0.2):
    """Returns the first true value that a function returns; fails with the name of the wait."""
    end = time.monotonic() + limit
    while True:
        if found := look():
            return found
        if time.monotonic() > end:
            raise AssertionError(f"within {limit} s there is no {what}")
        time.sleep(pause)


class Inside:
    """A program in Home Assistant's system; it ends with this object's `kill`."""

    def __init__(self, folder, log, command):
        with open(log, "ab") as out:
            self.process = subprocess.Popen(
                ["bash", HERE / "inside.sh", folder, *command],
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
            )

    def kill(self):
        """Ends all of it together, as a power cut would."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Broker:
    """Debian 13's mosquitto. It keeps nothing on the disk: retained messages are lost with it."""

    def __init__(self, logs):
        self.port = free_port()
        self.folder = logs / "mosquitto"
        self.folder.mkdir()
        (self.folder / "mosquitto.conf").write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\n")
        self.log = logs / "mosquitto.log"
        self.start()

    def start(self):
        self.inside = Inside(self.folder, self.log, ["mosquitto", "-c", "/config/mosquitto.conf"])
        wait_for("mosquitto", 30, self.answers)

    def answers(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        self.inside.kill()
        wait_for("free port of the broker", 30, lambda: not self.answers())

    def retain(self, topic, text=""):
        """Replaces the retained message of a topic, as another MQTT client; an empty text deletes it."""
        name, client = topic.encode(), b"check"
        connect = b"\0\4MQTT\4\2\0\x3c" + struct.pack(">H", len(client)) + client
        publish = struct.pack(">H", len(name)) + name + text.encode()
        # Seven bits a byte, lowest first; all but the last are marked.
        length, rest = b"", len(publish)
        while rest > 0x7F:
            length, rest = length + bytes([rest & 0x7F | 0x80]), rest >> 7
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as wire:
            wire.sendall(bytes([0x10, len(connect)]) + connect)
            assert wire.recv(4) == b"\x20\2\0\0"
            wire.sendall(b"\x31" + length + bytes([rest]) + publish + b"\xe0\0")
            assert wire.recv(1) == b""


class WebSocket:
    """A web socket of Home Assistant for one request and its answer at a time."""

    def __init__(self, port, token):
        self.number = 0
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /api/websocket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.stream = self.socket.makefile("rb")
        while self.stream.readline() != b"\r\n":
            pass
        self.read()
        self.write({"type": "auth", "access_token": token})
        assert self.read()["type"] == "auth_ok"

    def write(self, value):
        text = json.dumps(value).encode()
        # Lengths up to 125, or in two bytes; the mask is nought, which is as good as any between two programs of one machine.
        length = struct.pack(">B", 0x80 | len(text)) if len(text) < 126 else struct.pack(">BH", 0x80 | 126, len(text))
        self.socket.sendall(b"\x81" + length + bytes(4) + text)

    def read(self):
        """Returns the next message of text."""
        while True:
            kind, length = self.stream.read(2)
            if length == 126:
                length = struct.unpack(">H", self.stream.read(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self.stream.read(8))[0]
            text = self.stream.read(length)
            if kind & 0x0F == 1:
                return json.loads(text)

    def ask(self, kind, **values):
        self.number += 1
        self.write({"id": self.number, "type": kind, **values})
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                assert answer["success"], answer
                return answer["result"]

    def close(self):
        self.stream.close()
        self.socket.close()


class Assistant:
    """Home Assistant."""

    def __init__(self, logs, more=""):
        self.port = free_port()
        self.token = None
        self.folder = logs / "config"
        self.folder.mkdir()
        self.log = logs / "home-assistant.log"
        self.configure(more)
        self.start()

    def configure(self, more=""):
        """Writes the configuration, which counts from the next start on."""
        (self.folder / "configuration.yaml").write_text(
            "homeassistant:\n  name: Check\n  time_zone: UTC\n"
            f"http:\n  server_host: 127.0.0.1\n  server_port: {self.port}\n"
            "api:\nconfig:\nonboarding:\nlovelace:\n  dashboards:\n    house-of-beacons:\n"
            "      mode: yaml\n      title: House\n      filename: house.yaml\n" + more
        )

    def start(self):
        """Starts it, and waits until it reports that it runs."""
        self.inside = Inside(self.folder, self.log, ["hass", "--config", "/config", "--skip-pip"])
        wait_for("Home Assistant", START, self.answers, 0.5)
        if self.token:
            wait_for("running Home Assistant", START, lambda: self.get("config")["state"] == "RUNNING", 0.5)

    def kill(self):
        self.inside.kill()

    def answers(self):
        assert self.inside.process.poll() is None, f"Home Assistant has ended; see {self.log}"
        try:
            return self.request("onboarding") is not None
        except (OSError, urllib.error.URLError, json.JSONDecodeError):
            return False

    # MARK: REST

    def request(self, path, value=None, form=False):
        headers = {}
        body = None
        if value is not None:
            body = (urllib.parse.urlencode(value) if form else json.dumps(value)).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded" if form else "application/json"
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        address = f"http://127.0.0.1:{self.port}/" + ("auth/token" if form else f"api/{path}")
        with urllib.request.urlopen(urllib.request.Request(address, body, headers), timeout=30) as answer:
            return json.loads(answer.read())

    def get(self, path):
        return self.request(path)

    def make_user(self):
        """Makes the first user, as the page of a new Home Assistant does."""
        client = f"http://127.0.0.1:{self.port}/"
        answer = self.request("onboarding/users", {
            "client_id": client, "name": "Check", "username": "check", "password": "check", "language": "en",
        })
        grant = {"grant_type": "authorization_code", "code": answer["auth_code"], "client_id": client}
        self.token = self.request("", grant, form=True)["access_token"]

    def set_up(self, broker):
        """Makes the first user, and adds the integration MQTT."""
        self.make_user()
        flow = self.request("config/config_entries/flow", {"handler": "mqtt", "show_advanced_options": False})
        done = self.request(
            f"config/config_entries/flow/{flow['flow_id']}", {"broker": "127.0.0.1", "port": broker.port}
        )
        assert done["type"] == "create_entry", done

    def states(self):
        """Returns each entity's state by the entity's name at Home Assistant."""
        return {state["entity_id"]: state for state in self.get("states")}

    def ask(self, kind, **values):
        wire = WebSocket(self.port, self.token)
        try:
            return wire.ask(kind, **values)
        finally:
            wire.close()

    def entities(self):
        """Returns the registered entities of MQTT by their own identifiers."""
        found = self.ask("config/entity_registry/list")
        return {entity["unique_id"]: entity for entity in found if entity["platform"] == "mqtt"}

    def devices(self):
        """Returns the devices of MQTT by their identifiers."""
        found = self.ask("config/device_registry/list")
        return {name: device for device in found for domain, name in device["identifiers"] if domain == "mqtt"}
