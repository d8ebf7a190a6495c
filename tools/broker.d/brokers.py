# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Real brokers on loopback: NATS servers with JetStream, one or a cluster, and mosquitto. They are killed, and start again."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Where tools/setup puts it.
CACHE = Path(os.environ.get("BEACONS_CACHE", Path.home() / ".cache/beacons"))
NATS = CACHE / "nats/bin/nats-server"
MOSQUITTO = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
PATIENCE = 60
TICKS = os.sysconf("SC_CLK_TCK")


def free_ports(count):
    """Returns unused ports."""
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def wait_for(what, look, limit=PATIENCE):
    """Waits until a function returns something true."""
    end = time.monotonic() + limit
    while not (found := look()):
        if time.monotonic() > end:
            raise AssertionError(f"within {limit} s there is no {what}")
        time.sleep(0.1)
    return found


def waited_for_core(process):
    """The seconds that the threads of a process were ready to run and had no core, of those threads that are left."""
    total = 0
    for file in Path(f"/proc/{process}/task").glob("*/schedstat"):
        try:
            total += int(file.read_text().split()[1])
        except (FileNotFoundError, ProcessLookupError):
            pass
    return total / 1e9


class Broker:
    """A broker's process. Its use before a kill counts as well."""

    def __init__(self, name, command, port, folder):
        self.name, self.command, self.port, self.folder = name, command, port, folder
        self.process, self.used, self.waited, self.peak = None, 0.0, 0.0, 0

    def start(self):
        with open(self.folder / f"{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def kill(self):
        """Ends it as a power cut would."""
        if self.process and self.process.poll() is None:
            self.look()
            self.used += self.cpu_now()
            self.waited += waited_for_core(self.process.pid)
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def answers(self):
        assert self.process.poll() is None, f"{self.name} has ended; see {self.folder / self.name}.log"
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def lives(self):
        return self.process.poll() is None

    def cpu_now(self):
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        except FileNotFoundError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / TICKS

    def cpu(self):
        """The seconds of CPU that all its processes used."""
        return self.used + (self.cpu_now() if self.lives else 0)

    def wait(self):
        """The seconds that all its processes waited for a core."""
        return self.waited + (waited_for_core(self.process.pid) if self.lives else 0)

    def look(self):
        """Notes how much memory it has."""
        try:
            for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    self.peak = max(self.peak, int(line.split()[1]) * 1024)
        except FileNotFoundError:
            pass

    def stored(self):
        """The bytes that it has on the disk."""
        return sum(file.stat().st_size for file in (self.folder / self.name).rglob("*") if file.is_file())


def mosquitto(folder, port=None):
    """A mosquitto that keeps its messages on the disk."""
    (folder / "mosquitto").mkdir(parents=True)
    port = port or free_ports(1)[0]
    written = configuration("mosquitto.conf", PORT=port, FOLDER=folder / "mosquitto")
    # As root it would become another account, which may not write there.
    file = folder / "mosquitto.conf"
    file.write_text(written + f"user {'root' if os.getuid() == 0 else os.environ.get('USER', 'nobody')}\n")
    broker = Broker("mosquitto", [MOSQUITTO, "-c", file], port, folder).start()
    wait_for("mosquitto", broker.answers)
    return broker


def nats(folder, count=1, accounts=()):
    """NATS servers with JetStream and MQTT; three and more are a cluster, with accounts, that keeps everything three times."""
    ports = free_ports(3 * count)
    routes = ", ".join(f'"nats://127.0.0.1:{port}"' for port in ports[count:2 * count])
    users = "\n  ".join(
        f'{name} {{ jetstream: enabled, users: [{{ user: "{name}", password: "{name}" }}] }}' for name in accounts
    )
    brokers = []
    for number in range(count):
        name = f"nats-{number + 1}"
        (folder / name).mkdir(parents=True)
        file = folder / f"{name}.conf"
        file.write_text(configuration(
            "nats-cluster.conf" if count > 1 else "nats.conf",
            NAME=name, FOLDER=folder / name, MQTT=ports[number], CLUSTER=ports[count + number], ROUTES=routes,
            ACCOUNTS=users, CLIENT=ports[2 * count + number],
        ))
        brokers.append(Broker(name, [NATS, "-c", file], ports[number], folder).start())
        brokers[-1].client_port = ports[2 * count + number]
    for broker in brokers:
        wait_for(broker.name, broker.answers)
    return brokers


class Api:
    """NATS's own protocol, as much as a request needs: one account on one server."""

    def __init__(self, port, account):
        self.socket = socket.create_connection(("127.0.0.1", port), 5)
        self.lines = self.socket.makefile("rb")
        self.lines.readline()
        options = {"user": account, "pass": account, "verbose": False, "headers": False}
        self.socket.sendall(f"CONNECT {json.dumps(options)}\r\nSUB answers 1\r\n".encode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def ask(self, subject, **body):
        """Returns the answer to a request."""
        body = json.dumps(body) if body else ""
        self.socket.sendall(f"PUB $JS.API.{subject} answers {len(body)}\r\n{body}\r\n".encode())
        while line := self.lines.readline():
            if line.startswith(b"MSG "):
                return json.loads(self.lines.read(int(line.split()[-1]) + 2))
            if line.startswith(b"PING"):
                self.socket.sendall(b"PONG\r\n")
            assert not line.startswith(b"-ERR"), line
        raise EOFError(subject)


def balance(brokers, accounts):
    """Spreads the leaders over the servers, as `nats stream cluster balance` does: a third of the accounts to each."""
    for number, account in enumerate(accounts):
        place = {"preferred": brokers[number % len(brokers)].name}
        with Api(brokers[0].client_port, account) as api:
            for stream in api.ask("STREAM.NAMES")["streams"] or []:
                # It answers with an error if that server leads already.
                api.ask(f"STREAM.LEADER.STEPDOWN.{stream}", placement=place)
                for consumer in api.ask(f"CONSUMER.NAMES.{stream}")["consumers"] or []:
                    api.ask(f"CONSUMER.LEADER.STEPDOWN.{stream}.{consumer}", placement=place)


def configuration(name, **values):
    """Returns one of the configurations of the documentation, with the values of a run."""
    text = (ROOT / "docs/fleet" / name).read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", str(value))
    assert "@" not in text, text
    return text
