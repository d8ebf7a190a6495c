# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Gateways that are killed, whose broker goes and comes, and whose disk is full: each crossing reaches the broker."""

import json
import os
import shutil
import socket
import subprocess
import threading
import time
from collections import Counter
from datetime import datetime, timedelta, timezone

MOSQUITTO = "/usr/sbin/mosquitto"
UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
START = datetime(2026, 5, 10, tzinfo=timezone.utc)
# A beacon is there for so many seconds of the source, and then away until it has left.
THERE, CYCLE = 5, 60
# How long before a kill a crossing must have been fed to be promised: reading, deciding and the disk take less.
PROMISED = 2.0
PATIENCE = 60


def stamp(seconds):
    return (START + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Broker:
    """A broker, and a reader of its crossings: acknowledged messages are delivered, also after its next start."""

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.config = folder / "mosquitto.conf"
        self.config.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\npersistence true\n"
                               f"persistence_location {folder}/\nmax_queued_messages 0\n")
        (folder / "mosquitto.db").unlink(missing_ok=True)
        self.process = self.reader = None
        self.received, self.times = [], set()

    def start(self):
        self.process = subprocess.Popen([MOSQUITTO, "-c", self.config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            time.sleep(0.02)
        self.reader = subprocess.Popen(
            ["mosquitto_sub", "-p", str(self.port), "-q", "1", "-c", "-i", "reader", "-t", "beacons/1/+/+/crossing"],
            stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, args=(self.reader.stdout,), daemon=True).start()
        # A reader that subscribes after a message does not get it: nothing is sent before this one has.
        time.sleep(0.5)

    def read(self, stream):
        for line in stream:
            line = json.loads(line)
            self.received.append((line["boot"], line["seq"]))
            self.times.add((line["boot"], line["t"], line["type"]))

    def stop(self):
        for process in (self.process, self.reader):
            process.terminate()
            process.wait()


class Gateway:
    """A gateway that gets a timeline in which a beacon comes and goes, much faster than time passes."""

    def __init__(self, beaconctl, broker, spool, log, begun):
        self.log, self.now, self.entered, self.ends = open(log, "ab"), begun, [], False
        self.process = subprocess.Popen(
            [beaconctl, "gateway", "--from", "-", "--speed", "max", "--broker", f"mqtt://127.0.0.1:{broker.port}",
             "--site", "home", "--gateway", "hall", "--spool", spool, "--region", f"dog={UUID}/1/7", "--config", "none"],
            stdin=subprocess.PIPE, stdout=self.log, stderr=self.log)
        self.thread = threading.Thread(target=self.feed, daemon=True)
        self.thread.start()

    def feed(self):
        prefix = "0201061aff4c000215" + UUID.replace("-", "").lower() + "00010007c5"
        try:
            self.write(f'{{"v":1,"type":"radio","t":"{stamp(self.now)}","receiver":"hci0","state":"listening"}}\n')
            for turn in range(10_000_000):
                if self.ends:
                    break
                self.now += 1
                if turn % CYCLE < THERE:
                    if turn % CYCLE == 0 and turn > 0:
                        self.entered.append((stamp(self.now), time.monotonic()))
                    self.write(f'{{"v":1,"type":"report","t":"{stamp(self.now)}","receiver":"hci0","address":null,'
                               f'"address_type":null,"event":"ADV_NONCONN_IND","rssi":-60,"ad":"{prefix}"}}\n')
                else:
                    self.write(f'{{"v":1,"type":"mark","t":"{stamp(self.now)}"}}\n')
                time.sleep(0.008)
        except (BrokenPipeError, ValueError):
            pass

    def write(self, line):
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()

    def kill(self):
        killed = time.monotonic()
        self.process.kill()
        self.finish()
        return {at for at, fed in self.entered if fed < killed - PROMISED}

    def end(self):
        """Ends it as a service manager does; earlier messages are promised."""
        self.ends = True
        self.thread.join()
        time.sleep(PROMISED)
        self.process.terminate()
        self.finish()
        return {at for at, _ in self.entered}

    def finish(self):
        self.process.wait(timeout=PATIENCE)
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.log.close()


class Gateways:
    def __init__(self, torture):
        self.torture, self.folder, self.figures = torture, torture.folder / "gateways", Counter()
        if not os.access(MOSQUITTO, os.X_OK):
            raise SystemExit("mosquitto is not installed; tools/setup installs it")
        self.folder.mkdir(exist_ok=True)

    def judge(self, broker, spool, begun, promised, what):
        """Starts a last gateway, and waits until the broker has each entry that was promised."""
        last = Gateway(self.torture.beaconctl, broker, spool, self.folder / "last", begun)

        def missing():
            return promised - {at for _, at, kind in list(broker.times) if kind == "region.enter"}

        end = time.monotonic() + PATIENCE
        while missing() and time.monotonic() < end:
            time.sleep(0.1)
        last.kill()
        self.figures["entries promised"] += len(promised)
        self.figures["crossings received"] += len(broker.times)
        self.figures["of them again"] += len(broker.received) - len(set(broker.received))
        self.torture.ends += 1
        if lost := missing():
            self.torture.fault(f"{what}: {len(lost)} of {len(promised)} entries never came, such as {sorted(lost)[0]}")

    def kill(self, count):
        """Kills gateways, and their broker in between; now and then a kill left the newest file empty."""
        random, spool = self.torture.random, self.folder / "spool"
        broker, promised, begun = Broker(self.folder), set(), 0
        broker.start()
        for number in range(count):
            gateway = Gateway(self.torture.beaconctl, broker, spool, self.folder / "log", begun)
            time.sleep(random.uniform(0.2, 3))
            if random.random() < 0.6:
                broker.stop()
                time.sleep(random.uniform(0, 2))
                broker.start()
                time.sleep(random.uniform(0, 2))
            promised |= gateway.kill()
            begun = gateway.now + 1000
            names = sorted(path.name for path in spool.glob("spool-*"))
            if names and random.random() < 0.3:
                # The result of a kill after the creation of the next file.
                records = (spool / names[-1]).read_bytes().count(b"beacons/1/home/hall/")
                (spool / f"spool-{int(names[-1][6:]) + records:020}").touch()
                self.figures["empty newest files"] += 1
        self.judge(broker, spool, begun, promised, f"{count} kills")
        broker.stop()
        return f"{count} kills"

    def fill(self, mount):
        """Fills the disk while the broker is there, and while it is away; it has room again before the end."""
        for number, away in enumerate((False, True, True)):
            broker, spool = Broker(self.folder), mount / f"spool{number}"
            log = self.folder / f"full{number}"
            broker.start()
            gateway = Gateway(self.torture.beaconctl, broker, spool, log, 0)
            time.sleep(2)
            if away:
                broker.stop()
                time.sleep(1)
            ballast = mount / "ballast"
            with open(ballast, "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(4096 if number else 65536))
                except OSError:
                    pass
            time.sleep(3)
            if away and number == 2:
                broker.start()
                time.sleep(3)
                broker.stop()
                time.sleep(1)
            ballast.unlink()
            time.sleep(2)
            if away:
                broker.start()
            promised = gateway.end()
            self.judge(broker, spool, gateway.now + 1000, promised, f"full disk {number}")
            said = log.read_text(errors="replace").count("messages cannot be kept on the disk")
            if said > 1 or gateway.process.returncode not in (0, 130, 143):
                self.torture.fault(f"full disk {number}: said {said} times, exit {gateway.process.returncode}")
            self.figures["full disks that were said"] += said
            broker.stop()
            shutil.rmtree(spool)
        return "3 full disks, " + ", ".join(f"{value} {name}" for name, value in self.figures.items())
