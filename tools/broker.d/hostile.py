# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Messages of other programs at a broker, against a gateway and a reader of its site: both continue, and their memory stays bounded."""

import json
import os
import random
import re
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path

from brokers import mosquitto, wait_for
from mqtt import connect, frame, publish

UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
MIB = 1 << 20
# A command with a site's tables takes 30 MiB; a message of 100 MB would take far more.
GROWTH = 32 * MIB
SEED = 7


class Attacker:
    """A client that sends whatever it is given; answers are not read."""

    def __init__(self, port, name):
        self.wire = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.wire.sendall(connect(name))
        assert self.wire.recv(4)[3] == 0

    def send(self, topic, payload, retained=False):
        self.wire.sendall(publish(topic, payload if isinstance(payload, bytes) else payload.encode(), retained=retained))

    def close(self):
        self.wire.sendall(frame(0xE0))
        self.wire.close()


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime(seconds))


def levels(seconds, number, boot="b", receiver="hci0", minor=9, reports=3, rssi=-60):
    return json.dumps({
        "v": 1, "t": stamp(seconds), "boot": boot, "seq": number, "receiver": receiver, "span": 1,
        "beacons": [[f"{UUID}/1/{minor}", rssi, reports, -59]],
    })


def attack(port):
    """Everything that a stranger may send, in a few seconds."""
    chance, stranger = random.Random(SEED), Attacker(port, "stranger")
    good = levels(time.time(), 1)
    topics = [f"beacons/1/home/{name}" for name in ("hall/levels", "evil/levels", "hall/radio", "hall/status", "a/b/c/levels")]
    topics += ["espresense/devices/iBeacon:x/room", "espresense/rooms/r/status", "home/gw/BTtoMQTT/AA", "home/gw/LWT", "homeassistant/status"]
    for topic in topics:
        for payload in ("", "{", "null", "[" * 5000, '{"v":1}', '{"v":9}', '{"v":1e999}', "\xff\x00", '"' * 200, "online", good[:-9]):
            stranger.send(topic, payload)
        # Every byte of a good message changed in its turn, and texts of chance.
        for place in range(0, len(good), 3):
            stranger.send(topic, good[:place] + chr(chance.randrange(32, 127)) + good[place + 1:])
        stranger.send(topic, bytes(chance.randrange(256) for _ in range(3000)))
    # Clocks that are a day, a year and all of time off, numbers at their ends.
    for seconds in (0, time.time() - 86400, time.time() + 86400, 253_402_300_799):
        stranger.send("beacons/1/home/clock/levels", levels(seconds, 1))
    for number in (-1, 0, 2**63 - 1, 2**64, 10**40):
        stranger.send("beacons/1/home/numbers/levels", levels(time.time(), number, reports=number, rssi=number))
    # Old messages, kept by the broker and sent again.
    stranger.send("beacons/1/home/replayed/levels", good, retained=True)
    for number in range(300):
        stranger.send(f"espresense/rooms/r{number}/status", "online", retained=True)
        radio = {"v": 1, "t": stamp(time.time()), "receivers": [{"name": f"r{name}", "state": "off"} for name in range(64)]}
        stranger.send(f"beacons/1/home/evil{number}/radio", json.dumps(radio), retained=True)
    for _ in range(50):
        stranger.send("beacons/1/home/hall/levels", good)
    # More gateways, receivers and beacons than any site has.
    for number in range(3000):
        stranger.send(f"beacons/1/home/g{number}/levels", levels(time.time(), number, f"b{number}", f"r{number}", number))
    # A flood that asks again and again for all that Home Assistant needs.
    for _ in range(2000):
        stranger.send("homeassistant/status", "online")
    stranger.close()
    # Two of the sizes that a broker takes: a reader's limit, and 100 MB.
    for size, topic in ((300_000, "hall/levels"), (100_000_000, "hall/levels")):
        large = Attacker(port, f"large-{size}")
        large.send(f"beacons/1/home/{topic}", b"[" * size)
        large.send("homeassistant/status", b"o" * size)
        large.close()


def memory(process):
    text = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", text)[1]) * 1024


class Site:
    """A gateway with a beacon that is there all the time, and a reader of its site."""

    def __init__(self, command, folder):
        self.broker, self.ends = mosquitto(folder / "hostile"), threading.Event()
        environment = {**os.environ, "BEACONS_CONFIG": "none"}
        address = f"mqtt://127.0.0.1:{self.broker.port}"
        self.errors = [open(folder / name, "w+") for name in ("gateway.log", "reader.log")]  # noqa: SIM115
        self.gateway = subprocess.Popen(
            [command, "gateway", "--from", "-", "--speed", "max", "--broker", address, "--site", "home", "--gateway", "hall",
             "--spool", folder / "hostile/spool", "--region", f"dog={UUID}/1/7", "--home-assistant"],
            stdin=subprocess.PIPE, stderr=self.errors[0], env=environment, text=True,
        )
        self.reading = [command, "scan", "--from", address + "/home", "--satisfying", f"{UUID}/1/7", "--format", "jsonl"]
        self.environment, self.seen = environment, 0
        self.reader = self.start_reader()
        threading.Thread(target=self.feed, daemon=True).start()

    def start_reader(self):
        reader = subprocess.Popen(
            self.reading, stdout=subprocess.PIPE, stderr=self.errors[1], env=self.environment, text=True,
        )
        threading.Thread(target=self.read, args=[reader], daemon=True).start()
        return reader

    def restart_reader(self):
        """A reader that comes later gets the broker's kept messages."""
        self.reader.terminate()
        self.reader.wait(timeout=60)
        self.reader = self.start_reader()

    def read(self, reader):
        for line in reader.stdout:
            self.seen += '"minor":7' in line and '"hall/hci0"' in line

    def feed(self):
        started = False
        while not self.ends.wait(0.25):
            now = time.time()
            text = f"{stamp(now)[:19]}.{int(now % 1 * 1e6):06d}Z"
            lines = [] if started else [{"type": "radio", "receiver": "hci0", "state": "listening"}]
            lines += [
                {"type": "sighting", "uuid": UUID, "major": 1, "minor": 7, "power": -59, "rssi": -60, "receiver": "hci0",
                 "address": "C0:11:22:33:44:55"}, {"type": "mark"}]
            started = True
            try:
                self.gateway.stdin.write("".join(json.dumps({"v": 1, "t": text, **line}) + "\n" for line in lines))
                self.gateway.stdin.flush()
            except (BrokenPipeError, ValueError):
                return

    def more(self, what):
        """Waits until the reader has received the gateway's beacon again."""
        now = self.seen
        wait_for(what, lambda: self.seen >= now + 3)

    def end(self):
        self.ends.set()
        for process in (self.gateway, self.reader):
            if process.poll() is None:
                process.terminate()
        codes = [process.wait(timeout=60) for process in (self.gateway, self.reader)]
        self.broker.kill()
        return codes


def check(command, folder):
    """Attacks a site; returns the observations, or fails."""
    site = Site(command, folder)
    try:
        site.more("beacon")
        before = [memory(process) for process in (site.gateway, site.reader)]
        attack(site.broker.port)
        site.more("beacon behind the attack")
        assert site.gateway.poll() is None and site.reader.poll() is None, "a command has ended"
        after = [memory(process) for process in (site.gateway, site.reader)]
        grown = [(new - old) / MIB for new, old in zip(after, before)]
        assert max(grown) * MIB < GROWTH, f"the memory grew by {grown} MiB"
        site.restart_reader()
        site.more("beacon at a later reader")
    finally:
        codes = site.end()
    for file in site.errors:
        file.seek(0)
    texts = [file.read() for file in site.errors]
    assert codes[0] in (0, -15, 143) and "not used" in texts[1], (codes, texts)
    # The names of reasons, whose first letters are small.
    lists = re.findall(r"not used: ([^\n]*)", texts[1])
    reasons = sorted({name for text in lists for name in re.findall(r"(\w+) \d+", text)})
    # Messages that come too fast are left out before it is looked at; the others are sent by each of these.
    assert {"notJSON", "wrongForm", "retained"} <= set(reasons), reasons
    return f"{len(reasons)} reasons counted ({', '.join(reasons)}); memory grew by at most {max(grown):.0f} MiB"
