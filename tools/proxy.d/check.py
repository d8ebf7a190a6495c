# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Bluetooth proxies and aioesphomeapi, as tools/proxy-check describes."""

import asyncio
import base64
import contextlib
import datetime
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import aioesphomeapi
from fake import Fake
from hostile import Network, attack

sys.path.append(str(Path(__file__).resolve().parent.parent / "broker.d"))
from brokers import nats  # noqa: E402

UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
KEY = base64.b64encode(bytes(range(32))).decode()
OTHER = base64.b64encode(bytes(range(1, 33))).decode()
PATIENCE = 60
START = 1_767_225_600


def stamp(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def line(kind, seconds, **values):
    return json.dumps({"v": 1, "type": kind, "t": stamp(seconds), **values}) + "\n"


def beacon(minor):
    return bytes.fromhex("0201061aff4c000215" + UUID.replace("-", "") + "0001") + minor.to_bytes(2, "big") + b"\xc5"


def advertisements(count, seed=1):
    """Advertisements of every length: beacons and other data."""
    dice = random.Random(seed)
    for number in range(count):
        data = beacon(number & 0xFFFF) if number % 3 else dice.randbytes(dice.randrange(63))
        yield dice.getrandbits(48), number % 2, dice.randrange(-100, -20), data


def report(seconds, item):
    address, kind, rssi, data = item
    text = ":".join(f"{byte:02X}" for byte in address.to_bytes(6, "big"))
    return line(
        "report", seconds, receiver="hci0", address=text, address_type=("public", "random")[kind], event=None, rssi=rssi, ad=data.hex()
    )


def capture(path, items, rate, lead):
    """A recording: some seconds of silence, then the advertisements at a rate."""
    with path.open("w") as file:
        file.write(line("radio", START, receiver="hci0", state="listening"))
        for number in range(int(lead) + 1):
            file.write(line("mark", START + number))
        last = START + lead
        for number, item in enumerate(items):
            last = START + lead + number / rate
            file.write(report(last, item))
        file.write(line("end", last + 1))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def until(what, look, patience=PATIENCE):
    """Waits until a function returns something true."""
    end = time.monotonic() + patience
    while not (found := look()):
        assert time.monotonic() < end, f"within {patience} s there is no {what}"
        await asyncio.sleep(0.01)
    return found


class Command:
    """A running command, whose standard error and output go to files."""

    def __init__(self, folder, *words, stdin=subprocess.DEVNULL, credentials=None):
        self.out, self.errors = folder / f"out{time.monotonic_ns()}", folder / f"err{time.monotonic_ns()}"
        with self.out.open("wb") as out, self.errors.open("wb") as errors:
            environment = {**os.environ, "BEACONS_CONFIG": str(folder / "config.json5"), "XDG_STATE_HOME": str(folder)}
            if credentials:
                environment["CREDENTIALS_DIRECTORY"] = str(credentials)
            self.process = subprocess.Popen([BEACONCTL, *map(str, words)], stdin=stdin, stdout=out, stderr=errors, env=environment)

    def said(self, words):
        return words in self.errors.read_text()

    def lines(self):
        return [json.loads(text) for text in self.out.read_text().splitlines() if text.endswith("}")]

    def memory(self):
        """The resident memory in KiB."""
        return int(Path(f"/proc/{self.process.pid}/status").read_text().split("VmRSS:")[1].split()[0])

    async def end(self, signal=None):
        if signal:
            self.process.send_signal(signal)
        code = await asyncio.to_thread(self.process.wait, 60)
        assert code == 0, f"exit code {code}: {self.errors.read_text()}"


@contextlib.asynccontextmanager
async def proxy(folder, items, *words, rate=500, lead=3, speed="1x", key=KEY, is_unit=False):
    """Our proxy over a recording; in a unit of systemd its key is a credential."""
    path = folder / "capture.jsonl"
    capture(path, items, rate, lead)
    port = free_port()
    file = folder / "esphome-key"
    file.write_text(KEY + "\n")
    file.chmod(0o600)
    protection = [] if is_unit else ["--key-file", file] if key else ["--insecure"]
    command = Command(
        folder, "proxy", "--from", path, "--speed", speed, "--listen", f"127.0.0.1:{port}", *protection, "--name", "hall", *words,
        credentials=folder if is_unit else None,
    )
    try:
        await until("proxy", lambda: command.said("listens on") or command.process.poll() is not None)
        yield command, port
    finally:
        if command.process.poll() is None:
            command.process.terminate()
            command.process.wait()


class Subscriber:
    """Home Assistant's way to a proxy."""

    def __init__(self, port, key=KEY):
        self.client = aioesphomeapi.APIClient("127.0.0.1", port, None, noise_psk=key, client_info="Home Assistant 2026.2.3")
        self.got, self.times, self.states = [], [], []

    async def subscribe(self):
        await self.client.connect(login=True)
        self.info = await self.client.device_info()
        self.client.subscribe_bluetooth_scanner_state(self.states.append)
        self.client.subscribe_bluetooth_le_raw_advertisements(self.receive)
        return self

    def receive(self, message):
        now = time.monotonic()
        for item in message.advertisements:
            self.got.append((item.address, item.address_type, item.rssi, item.data))
            self.times.append(now)


# MARK: Out


async def out(folder):
    items = list(advertisements(1500))
    async with proxy(folder, items, is_unit=True) as (command, port):
        first, second = await Subscriber(port).subscribe(), await Subscriber(port).subscribe()
        for subscriber in (first, second):
            info = subscriber.info
            assert info.name == "hall" and info.api_encryption_supported and info.mac_address[1] in "26AE", info
            assert info.bluetooth_proxy_feature_flags == 97, info
        entities, services = await first.client.list_entities_services()
        assert not entities and not services
        assert not await first.client.noise_encryption_set_key(OTHER.encode()), "a key was accepted"
        first.client.bluetooth_scanner_set_mode(aioesphomeapi.BluetoothScannerMode.ACTIVE)
        for key, expected in ((OTHER, "InvalidEncryptionKey"), (None, "RequiresEncryption")):
            try:
                await Subscriber(port, key).subscribe()
                raise AssertionError("a client without the key was served")
            except aioesphomeapi.APIConnectionError as error:
                assert expected in type(error).__name__, repr(error)
        await until("all advertisements", lambda: len(first.got) == len(items) == len(second.got))
        assert first.got == items == second.got
        assert first.states[-1].state.name == "RUNNING" and first.states[-1].mode.name == "PASSIVE", first.states
        await first.client.disconnect()
        await command.end()
        assert command.said("wanted to set a key") and command.said("has another key and was refused")
        assert command.said("does not encrypt and was refused")


async def out_plain(folder):
    items = list(advertisements(200))
    async with proxy(folder, items, key=None) as (command, port):
        subscriber = await Subscriber(port, None).subscribe()
        try:
            await Subscriber(port, KEY).subscribe()
            raise AssertionError("an encrypted client was served")
        except aioesphomeapi.APIConnectionError as error:
            assert "Plaintext" in type(error).__name__, repr(error)
        await until("all advertisements", lambda: len(subscriber.got) == len(items))
        assert subscriber.got == items
        await command.end()


# MARK: In


def configure(folder, fake, key=KEY):
    (folder / "key").write_text(KEY + "\n" if key == KEY else key + "\n")
    (folder / "key").chmod(0o600)
    (folder / "config.json5").write_text(json.dumps({"proxies": {f"127.0.0.1:{fake.port}": {"keyFile": str(folder / "key")}}}))


async def into(folder):
    """A replay of a run's recording delivers the same as the run; the recording contains every advertisement that was sent."""
    fake = await Fake(KEY).start()
    configure(folder, fake)
    words = ["--region", f"house={UUID}", "--format", "jsonl"]
    recorded = folder / "recorded.jsonl"
    command = Command(folder, "monitor", "--from", f"esphome://127.0.0.1:{fake.port}", "--record", recorded, "--include-addresses", *words)
    await until("subscriber", lambda: fake.subscriber)
    await asyncio.sleep(0.3)
    sent = []
    dice = random.Random(3)
    for _ in range(40):
        items = list(advertisements(10, dice.random()))
        sent += items
        fake.advertise(items)
        await asyncio.sleep(0.1)
    # The proxy answers nothing more: after 4 s it is deaf, and no beacon has left.
    fake.is_silent = True
    await until("deaf proxy", lambda: any(entry["type"] == "region.state" and entry["reason"] == "radioDeaf" for entry in command.lines()), 6)
    fake.is_silent = False
    fake.advertise(sent[-10:])
    sent += sent[-10:]
    await until("house", lambda: command.lines()[-1]["type"] != "region.state" or command.lines()[-1]["state"] == "inside")
    await command.end(2)
    fake.stop()
    assert not any(entry["type"] == "region.exit" for entry in command.lines()), command.lines()
    assert fake.received[:4] == ["HelloRequest", "AuthenticationRequest", "DeviceInfoRequest", "SubscribeBluetoothLEAdvertisementsRequest"]
    assert recorded_reports(recorded) == sent
    replay = Command(folder, "monitor", "--from", recorded, *words)
    await replay.end()
    assert replay.out.read_bytes() == command.out.read_bytes(), "the replay is another than the run"


def recorded_reports(path):
    reports = (json.loads(text) for text in path.open())
    return [
        (int(entry["address"].replace(":", ""), 16), ("public", "random").index(entry["address_type"]), entry["rssi"], bytes.fromhex(entry["ad"]))
        for entry in reports
        if entry["type"] == "report"
    ]


async def faults(folder):
    """Each reason why a proxy cannot be used has a sentence, and ends the command."""
    for fake, key, words, code in (
        (await Fake(KEY).start(), OTHER, "has another key", 77),
        (await Fake(None).start(), KEY, "is not encrypted although a key is given", 77),
        (await Fake(KEY, features=1).start(), KEY, "is not a Bluetooth proxy", 77),
    ):
        configure(folder, fake, key)
        command = Command(folder, "range", "--from", f"esphome://127.0.0.1:{fake.port}", "--format", "none")
        assert await asyncio.to_thread(command.process.wait, 30) == code, command.errors.read_text()
        assert command.said(words), command.errors.read_text()
        fake.stop()
    command = Command(folder, "range", "--from", f"esphome://127.0.0.1:{free_port()}")
    assert await asyncio.to_thread(command.process.wait, 30) == 69 and command.said("does not answer"), command.errors.read_text()


async def lost(folder):
    """A proxy that restarts is found again; two proxies are two receivers."""
    fakes = [await Fake(KEY).start(), await Fake(None).start()]
    configure(folder, fakes[0])
    names = [f"127.0.0.1:{fake.port}" for fake in fakes]
    command = Command(folder, "scan", *(word for name in names for word in ("--from", f"esphome://{name}")), "--format", "jsonl")
    for fake in fakes:
        await until("subscriber", lambda fake=fake: fake.subscriber)
    await asyncio.sleep(0.3)
    for number, fake in enumerate(fakes):
        fake.advertise([(1, 1, -50, beacon(number))])
    await until("both", lambda: {entry.get("receiver") for entry in command.lines() if entry["type"] == "sighting"} == set(names))
    fakes[1].stop()
    await until("loss", lambda: command.said(f"the connection to the proxy {names[1]} was lost"))
    again = await Fake(None).start(fakes[1].port)
    await until("subscriber", lambda: again.subscriber)
    again.advertise([(1, 1, -50, beacon(7))])
    await until("beacon", lambda: any(entry.get("minor") == 7 for entry in command.lines()))
    assert command.said(f"connected to the proxy {names[1]} again")
    await command.end(2)
    fakes[0].stop()
    again.stop()


async def chain(folder):
    """A proxy that reads another proxy."""
    fake = await Fake(None).start()
    (folder / "key").write_text(KEY + "\n")
    (folder / "key").chmod(0o600)
    (folder / "config.json5").write_text("{}")
    port = free_port()
    command = Command(
        folder, "proxy", "--from", f"esphome://127.0.0.1:{fake.port}", "--listen", f"127.0.0.1:{port}", "--key-file", folder / "key"
    )
    await until("proxy", lambda: command.said("listens on"))
    await until("subscriber", lambda: fake.subscriber)
    subscriber = await Subscriber(port).subscribe()
    await until("state", lambda: subscriber.states and subscriber.states[-1].state.name == "RUNNING")
    items = list(advertisements(500))
    for start in range(0, len(items), 10):
        fake.advertise(items[start : start + 10])
        await fake.drain()
    await until("all", lambda: len(subscriber.got) == len(items))
    assert subscriber.got == items
    await command.end(2)
    fake.stop()


async def survey(folder):
    """A survey by walking, from two proxies, and places that are alike."""
    fakes = [await Fake(None).start(), await Fake(None).start()]
    names = [f"127.0.0.1:{fake.port}" for fake in fakes]
    levels = {"kitchen": (-50, -80), "hall": (-80, -50), "pantry": (-50, -80)}
    command = Command(
        folder, "site", "survey", "--live", "--stay", 8, "--beacon", f"{UUID}/1/1", "--write", folder / "house.json",
        *(word for name in names for word in ("--from", f"esphome://{name}")), stdin=subprocess.PIPE,
    )
    for fake in fakes:
        await until("subscriber", lambda fake=fake: fake.subscriber)
    for place in levels:
        command.process.stdin.write(f"{place}\n".encode())
        command.process.stdin.flush()
        while not command.said(f"learned '{place}'"):
            for fake, level in zip(fakes, levels[place], strict=True):
                fake.advertise([(1, 1, level, beacon(1))])
            await asyncio.sleep(0.1)
            assert command.process.poll() is None, f"{command.process.returncode}: {command.errors.read_text()}"
    await until("likeness", lambda: command.said("'kitchen' and 'pantry' are alike"))
    said = command.errors.read_text()
    assert said.count("are alike") == 1, said
    command.process.stdin.write(b"undo\n\n")
    command.process.stdin.flush()
    await command.end()
    places = [place["name"] for place in json.loads((folder / "house.json").read_text())["places"]]
    assert sorted(places) == ["hall", "kitchen"], places
    for fake in fakes:
        fake.stop()


async def fuse(folder):
    """Places, live, from two proxies whose site was surveyed by a recording."""
    fakes = [await Fake(None).start(), await Fake(None).start()]
    names = [f"127.0.0.1:{fake.port}" for fake in fakes]
    levels = {"kitchen": (-50, -80), "hall": (-80, -50)}
    walk, truth, model = folder / "walk.jsonl", folder / "walk.csv", folder / "house.json"
    with walk.open("w") as file, truth.open("w") as labels:
        labels.write("start,end,name\n")
        for name in names:
            file.write(line("radio", START, receiver=name, state="listening"))
        for number, place in enumerate(levels):
            labels.write(f"{60 * number},{60 * number + 60},{place}\n")
            for second in range(60):
                for name, level in zip(names, levels[place], strict=True):
                    entry = json.loads(report(START + 60 * number + second + 0.5, (1, 1, level + second % 3, beacon(1))))
                    file.write(json.dumps({**entry, "receiver": name}) + "\n")
        file.write(line("end", START + 121))
    await Command(folder, "site", "survey", "--from", walk, "--truth", truth, "--write", model).end()
    command = Command(folder, "site", "fuse", "--model", model, *(word for name in names for word in ("--from", f"esphome://{name}")), "--format", "jsonl")
    for fake in fakes:
        await until("subscriber", lambda fake=fake: fake.subscriber)
    for place in levels:
        for _ in range(40):
            for fake, level in zip(fakes, levels[place], strict=True):
                fake.advertise([(1, 1, level, beacon(1))])
            await asyncio.sleep(0.1)
        await until(place, lambda place=place: any(entry["place"] == place for entry in command.lines()[-2:]), 20)
    await command.end(2)
    for fake in fakes:
        fake.stop()


async def together(folder):
    """A broker and a proxy in one run: a loss of one of them makes no exit, the other continues, and a replay is equal."""
    fakes = [await Fake(None).start(), await Fake(None).start()]
    addresses = [f"esphome://127.0.0.1:{fake.port}" for fake in fakes]
    (broker,) = nats(folder)
    site = f"mqtt://127.0.0.1:{broker.port}/home"
    gateway = Command(
        folder, "gateway", "--from", addresses[0], "--broker", f"mqtt://127.0.0.1:{broker.port}", "--site", "home", "--gateway", "hall",
        "--beacon", UUID, "--spool", folder / "spool",
    )
    words = ["--region", f"far={UUID}/1/1", "--region", f"near={UUID}/1/2", "--set", "region.exit=3", "--format", "jsonl"]
    recorded = folder / "recorded.jsonl"
    command = Command(folder, "monitor", "--from", site, "--from", addresses[1], "--record", recorded, "--include-addresses", *words)

    def states(region):
        return [entry.get("state", entry["type"]) for entry in command.lines() if entry.get("region") == region]

    async def advertise(what, look, *minors):
        for fake in fakes:
            await until("subscriber", lambda fake=fake: fake.subscriber)
        end = time.monotonic() + PATIENCE
        while not look():
            assert time.monotonic() < end, f"{what}: not there: {command.lines()} {command.errors.read_text()}"
            for fake, minor in zip(fakes, minors, strict=True):
                fake.advertise([(minor, 1, -60, beacon(minor))])
            await asyncio.sleep(0.1)

    try:
        await advertise("beacon of both", lambda: "inside" in states("far") and "inside" in states("near"), 1, 2)
        broker.kill()
        # The proxy's own beacon leaves; the other one is not known any more.
        await advertise("exit of one", lambda: "region.exit" in states("near"), 1, 3)
        await command.end(2)
    finally:
        broker.kill()
        gateway.process.kill()
    assert "region.exit" not in states("far"), command.lines()
    receivers = {entry["receiver"] for entry in map(json.loads, recorded.open()) if entry["type"] == "report"}
    assert receivers == {"hall/" + addresses[0].removeprefix("esphome://"), addresses[1].removeprefix("esphome://")}, receivers
    replay = Command(folder, "monitor", "--from", recorded, *words)
    await replay.end()
    assert replay.out.read_bytes() == command.out.read_bytes(), "the replay is another than the run"
    for fake in fakes:
        fake.stop()


# MARK: Long


async def million_out(folder):
    count = 1_000_000
    items = list(advertisements(count))
    async with proxy(folder, items, rate=5000, lead=400, speed="40x") as (command, port):
        subscriber = await Subscriber(port).subscribe()
        await until("million", lambda: len(subscriber.got) >= count or command.process.poll() is not None, 1800)
        await asyncio.sleep(0.5)
        assert subscriber.got == items, f"{len(subscriber.got)} of {count} advertisements, or others"
        await command.end()


async def million_in(folder):
    count = 1_000_000
    fake = await Fake(KEY).start()
    configure(folder, fake)
    recorded = folder / "recorded.jsonl"
    command = Command(
        folder, "range", "--from", f"esphome://127.0.0.1:{fake.port}", "--record", recorded, "--include-addresses", "--format", "none"
    )
    await until("subscriber", lambda: fake.subscriber)
    await asyncio.sleep(0.5)
    items = list(advertisements(count))
    for start in range(0, count, 16):
        fake.advertise(items[start : start + 16])
        await fake.drain()
    # A recording is written every few seconds; it is whole when only marks of the time come.
    size, marks = -1, 1_000
    while size + marks < (size := recorded.stat().st_size):
        await asyncio.sleep(15)
    await command.end(2)
    fake.stop()
    got = recorded_reports(recorded)
    assert got == items, f"{len(got)} of {count} advertisements, or others: {command.errors.read_text()}"


async def delay(folder):
    """The same advertisements through our proxy and directly: the delay that the proxy adds."""
    rate, count = 500, 10_000
    fakes = [await Fake(KEY).start(), await Fake(KEY).start()]
    configure(folder, fakes[0])
    port = free_port()
    command = Command(
        folder, "proxy", "--from", f"esphome://127.0.0.1:{fakes[0].port}", "--listen", f"127.0.0.1:{port}", "--key-file", folder / "key"
    )
    await until("proxy", lambda: command.said("listens on") and fakes[0].subscriber)
    through, direct = await Subscriber(port).subscribe(), await Subscriber(fakes[1].port).subscribe()
    await asyncio.sleep(1)
    sent, start = [], time.monotonic()
    for number, item in enumerate(advertisements(count)):
        await asyncio.sleep(max(0, start + number / rate - time.monotonic()))
        sent.append(time.monotonic())
        for fake in fakes:
            fake.advertise([item])
    await until("all", lambda: len(through.got) == count == len(direct.got))
    p99 = []
    for name, subscriber in (("direct", direct), ("through", through)):
        late = sorted((arrived - left) * 1000 for arrived, left in zip(subscriber.times, sent, strict=True))
        p99.append(late[int(count * 0.99)])
        print(f"   delay at {rate}/s, {name}: p50 {late[count // 2]:.1f} ms, p99 {p99[-1]:.1f} ms, max {late[-1]:.1f} ms", flush=True)
    await command.end(2)
    for fake in fakes:
        fake.stop()
    assert p99[1] - p99[0] <= 20, "our proxy adds more than 20 ms"


async def thousand(folder):
    """A thousand connections that send nothing, or other bytes, while a subscriber is served."""
    count = 5000
    async with proxy(folder, advertisements(count), rate=500, lead=4) as (command, port):
        subscriber = await Subscriber(port).subscribe()
        dice = random.Random(5)
        held = []
        for number in range(1000):
            connection = socket.create_connection(("127.0.0.1", port))
            with contextlib.suppress(OSError):
                connection.send((b"", b"\1\0\0", b"GET / HTTP/1.1\r\n\r\n", dice.randbytes(200))[number % 4])
            held.append(connection)
            await asyncio.sleep(0.002)
        late = await Subscriber(port).subscribe()
        await until("all", lambda: len(subscriber.got) == count)
        assert len(late.got) > 0
        print(f"   resident memory after 1,000 connections: {command.memory() // 1024} MB", flush=True)
        for connection in held:
            connection.close()


async def day(folder):
    """A day of five advertisements a second, in a thousandth of the time: memory stays as it is after six hours."""
    hour, hours = 5 * 3600, 24
    async with proxy(folder, advertisements(hours * hour), rate=5, lead=4000, speed="1000x") as (command, port):
        subscriber, memory = await Subscriber(port).subscribe(), []
        for number in range(6, hours, 3):
            await until(f"hour {number}", lambda number=number: len(subscriber.got) >= number * hour, 600)
            memory.append(command.memory())
        await until("day", lambda: len(subscriber.got) == hours * hour, 600)
    print(f"   resident memory after 6 to 21 hours: {', '.join(f'{kibibytes / 1024:.1f}' for kibibytes in memory)} MB", flush=True)
    assert max(memory) - memory[0] <= 1024, "the memory grows"


async def assault(folder, seconds, key):
    """Hostile subscribers, some at a time, while another one is served: it gets everything, and so does one that comes later."""
    dice, rate = random.Random(seconds), 50
    count, number = seconds * rate, 0
    async with proxy(folder, advertisements(count), rate=rate, lead=3, key=key) as (command, port):
        subscriber = await Subscriber(port, key).subscribe()
        memory = 0
        while len(subscriber.got) < count and command.process.poll() is None:
            await asyncio.gather(*(attack(dice, port, key) for _ in range(8)))
            number += 8
            if number % 400 == 0 and len(subscriber.got) < count - 10 * rate:
                memory = max(memory, command.memory())
                async with asyncio.timeout(30):
                    await (await Subscriber(port, key).subscribe()).client.disconnect()
        assert command.process.poll() in (None, 0), f"{command.process.returncode}: {command.errors.read_text()[-2000:]}"
        await until("all", lambda: len(subscriber.got) == count or command.process.poll() is not None)
        assert subscriber.got == list(advertisements(count)), len(subscriber.got)
        print(f"   {number} hostile connections, resident memory {memory // 1024} MB", flush=True)
        assert memory < 100 * 1024
        assert not [text for text in command.errors.read_text() if text < " " and text != "\n"], "a control character is shown"


async def bad_network(folder, seconds):
    """A network that changes the bytes of two proxies: the command continues, and receives again once it is good."""
    dice = random.Random(seconds)
    fakes = [await Fake(KEY).start(), await Fake(None).start()]
    nets = [await Network(dice, fake.port).start() for fake in fakes]
    (folder / "key").write_text(KEY + "\n")
    (folder / "key").chmod(0o600)
    (folder / "config.json5").write_text(f'{{ proxies: {{ "127.0.0.1:{nets[0].port}": {{ keyFile: "{folder / "key"}" }} }} }}')
    command = Command(
        folder, "scan", "--format", "jsonl", *(word for net in nets for word in ("--from", f"esphome://127.0.0.1:{net.port}"))
    )
    for fake in fakes:
        await until("subscriber", lambda fake=fake: fake.subscriber)
    end = time.monotonic() + seconds
    for net in nets:
        net.is_bad = True
    while time.monotonic() < end:
        for fake in fakes:
            if fake.subscriber in fake.connections:
                fake.advertise([(number, 1, -60, beacon(number)) for number in range(dice.randrange(1, 9))])
        await asyncio.sleep(0.02)
        assert command.process.poll() is None, f"{command.process.returncode}: {command.errors.read_text()[-2000:]}"
    for net in nets:
        net.is_bad = False

    def received(number):
        return any(f'"minor":{number},' in text for text in command.out.read_text().splitlines()[-400:])

    for number, fake in enumerate(fakes, 60_001):
        def comes(number=number, fake=fake):
            if fake.subscriber in fake.connections:
                fake.advertise([(number, 1, -60, beacon(number))])
            return received(number)

        await until(f"reports of proxy {number}", comes, 120)
    print(f"   {sum(net.broken for net in nets)} changed pieces, resident memory {command.memory() // 1024} MB", flush=True)
    assert command.memory() < 100 * 1024
    command.process.terminate()
    command.process.wait()
    for fake in fakes:
        fake.stop()


async def hostile(folder):
    await assault(folder, 4, KEY)


async def hostile_long(folder):
    await assault(folder, 150, KEY)
    await assault(folder, 150, None)
    await bad_network(folder, 300)


QUICK = [hostile, out, out_plain, into, faults, lost, chain, survey, fuse, together]
LONG = [hostile_long, delay, thousand, day, million_out, million_in]


def main():
    global BEACONCTL  # noqa: PLW0603
    BEACONCTL = sys.argv[1]
    names = [word for word in sys.argv[2:] if word != "--long"]
    scenarios = QUICK + (LONG if "--long" in sys.argv else [])
    for scenario in scenarios:
        if names and scenario.__name__ not in names:
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "config.json5").write_text("{}")
            asyncio.run(scenario(Path(folder)))
        print(f"ok {scenario.__name__}: {time.monotonic() - began:.1f} s", flush=True)


main()
