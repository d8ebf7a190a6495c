# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""The gateway and a NATS server, as tools/broker-check describes."""

import asyncio
import datetime
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import encrypted
import hostile
from brokers import nats
from mqtt import Reader

UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
SITE, GATEWAY = "home", "hall"
PREFIX = f"beacons/1/{SITE}/{GATEWAY}/"
VISITS = 12
PATIENCE = 60


def stamp(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def line(kind, seconds, **values):
    return json.dumps({"v": 1, "type": kind, "t": stamp(seconds), **values}) + "\n"


def radio(seconds):
    return line("radio", seconds, receiver="hci0", state="listening")


def sighting(seconds):
    return line("sighting", seconds, uuid=UUID, major=1, minor=7, power=-59, rssi=-60, receiver="hci0", address="C0:11:22:33:44:55")


def visits():
    """A minute each: a beacon comes for 10 s and is then away for longer than an exit takes."""
    start = 1_767_225_600
    lines = [radio(start)]
    for second in range(60 * VISITS):
        if 15 <= second % 60 < 25:
            lines.append(sighting(start + second + 0.5))
        lines.append(line("mark", start + second + 1))
    return "".join(lines) + line("end", start + 60 * VISITS)


def gateway(command, port, folder, *more):
    return [
        command, "gateway", "--broker", f"mqtt://127.0.0.1:{port}", "--site", SITE, "--gateway", GATEWAY,
        "--spool", folder / "spool", "--region", f"dog={UUID}/1/7", "--home-assistant", *more,
    ]


def started(command, **options):
    return subprocess.Popen(command, env={**os.environ, "BEACONS_CONFIG": "none"}, text=True, stderr=subprocess.PIPE, **options)


async def until(what, look):
    """Waits until a function returns something true."""
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < end, f"within {PATIENCE} s there is no {what}"
        await asyncio.sleep(0.05)
    return found


async def ended(process):
    """Waits for a command and returns its standard error."""
    errors = (await asyncio.to_thread(process.communicate))[1]
    assert process.returncode == 0, errors
    return errors


def numbered(messages, *topics):
    """Returns the numbers of the messages of some topics."""
    values = [json.loads(payload) for topic, payload, _ in messages if topic.removeprefix(PREFIX) in topics]
    return [(value["boot"], value["seq"]) for value in values]


class Check:
    """The steps."""

    def __init__(self, command, folder):
        self.command, self.folder, self.count = command, folder, 0
        (self.node,) = nats(folder)
        self.capture = folder / "visits.jsonl"
        self.capture.write_text(visits())

    def passed(self, what):
        self.count += 1
        print(f"ok {what}", flush=True)

    async def replay(self):
        reader = await Reader.open(self.node.port, "replay", ["beacons/1/#", "homeassistant/#"])
        process = started([*gateway(self.command, self.node.port, self.folder, "--from", self.capture, "--speed", "200x")])
        errors = await ended(process)
        assert "MQTT 3.1.1" in errors, errors
        self.passed("NATS speaks 3.1.1, and the gateway with it")
        await until("goodbye", lambda: any(
            topic == PREFIX + "status" and json.loads(payload)["state"] == "offline" for topic, payload, _ in reader.messages))
        crossings = [json.loads(payload) for topic, payload, _ in reader.messages if topic == PREFIX + "crossing"]
        assert [value["type"] for value in crossings] == ["region.enter", "region.exit"] * VISITS, crossings
        self.passed(f"{len(crossings)} crossings in order")
        levels = numbered(reader.messages, "levels")
        assert len(levels) == 60 * VISITS == len(set(levels)), len(levels)
        self.passed(f"{len(levels)} seconds, each once")
        reader.close()

    async def retained(self):
        reader = await Reader.open(self.node.port, "late", ["beacons/1/#", "homeassistant/#"])
        devices = f"homeassistant/device/beacons_{SITE}_"
        await until("retained state", lambda: len({topic for topic, _, kept in reader.messages if kept}) >= 5)
        topics = {topic.removeprefix(PREFIX) for topic, _, _ in reader.messages}
        assert {"status", "radio", "region/dog"} <= topics and sum(name.startswith(devices) for name in topics) == 2, topics
        assert all(kept for _, _, kept in reader.messages)
        reader.close()
        self.passed("another reader gets the retained states by wildcard")

    async def killed(self):
        # This reader's session outlives the server's kill.
        reader = await Reader.open(self.node.port, "durable", [PREFIX + "crossing", PREFIX + "late"], clean=False)
        process = started([*gateway(self.command, self.node.port, self.folder, "--from", self.capture, "--speed", "100x")])
        await until("first crossings", lambda: len(reader.messages) >= 3)
        self.node.kill()
        await asyncio.sleep(2)
        self.node.start()
        await until("server", self.node.answers)
        again = await Reader.open(self.node.port, "durable", [PREFIX + "crossing", PREFIX + "late"], clean=False)
        errors = await ended(process)
        assert "trying again, messages wait on the disk" in errors, errors
        messages = lambda: reader.messages + again.messages  # noqa: E731
        await until("all crossings", lambda: len(set(numbered(messages(), "crossing"))) >= 2 * VISITS)
        numbers = numbered(messages(), "crossing")
        kinds = {number: json.loads(payload)["type"] for number, (_, payload, _) in zip(
            numbers, [message for message in messages() if message[0] == PREFIX + "crossing"])}
        assert list(kinds.values()).count("region.enter") == VISITS == list(kinds.values()).count("region.exit"), kinds
        late = numbered(messages(), "late")
        assert late, "no second waited for the server"
        again.close()
        self.passed(f"a kill lost no crossing; {len(numbers) - len(kinds)} came twice and are known by their numbers; "
                    f"{len(set(late))} seconds came late")

    async def read(self):
        process = started(gateway(self.command, self.node.port, self.folder, "--from", "-", "--speed", "max"), stdin=subprocess.PIPE)
        ends = threading.Event()

        def feed():
            told = False
            while not ends.wait(0.25):
                now = time.time()
                process.stdin.write(("" if told else radio(now)) + sighting(now) + line("mark", now + 0.001))
                process.stdin.flush()
                told = True

        thread = threading.Thread(target=feed)
        thread.start()
        address = f"mqtt://127.0.0.1:{self.node.port}/{SITE}"
        reader = started([self.command, "scan", "--from", address, "--format", "jsonl"], stdout=subprocess.PIPE)
        try:
            first = await asyncio.wait_for(asyncio.to_thread(reader.stdout.readline), PATIENCE)
        finally:
            ends.set()
            thread.join()
            process.stdin.close()
            reader.terminate()
            reader.wait()
        value = json.loads(first)
        assert value["uuid"] == UUID and value["receiver"] == f"{GATEWAY}/hci0", value
        process.wait()
        self.passed("what the gateways of a site receive is read from NATS")

    async def run(self):
        await self.replay()
        await self.retained()
        await self.killed()
        await self.read()
        self.passed("a stranger at mosquitto: " + await asyncio.to_thread(hostile.check, self.command, self.folder))
        self.passed("a hostile broker over TLS: " + await asyncio.to_thread(encrypted.check, self.command, self.folder))


def main():
    with tempfile.TemporaryDirectory() as folder:
        check = Check(sys.argv[1], Path(folder))
        try:
            asyncio.run(check.run())
        except AssertionError as fault:
            print(f"FAULT {fault}")
            return 1
        finally:
            check.node.kill()
    print(f"{check.count} passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
