# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Sends each signal that ends a command at each stage of it: whatever it waits for, it ends within a second."""

import os
import resource
import signal
import socket
import subprocess
import tempfile
import threading
import time

from works import CAPTURE, PLAN, UUID

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
LONGEST = 1.25


class Ends:
    """The peers that accept and say nothing, and the commands that wait for them."""

    def __init__(self, torture):
        self.torture, self.folder = torture, torture.folder / "ends"
        self.folder.mkdir()
        self.environment = os.environ | {"HOME": str(self.folder), "SWIFT_BACKTRACE": "enable=no"} | {
            f"XDG_{name}_HOME": str(self.folder / name) for name in ("STATE", "CONFIG")}
        self.peers, self.number = [], 0
        self.mute = self.listen(b"")
        # CONNACK, and an answer to each subscription; nothing is acknowledged after it.
        self.broker = self.listen(b"\x20\x03\x00\x00\x00")

    def listen(self, greeting):
        """A peer with a port that reads all, and answers only with a greeting."""
        server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, args=(server, greeting), daemon=True).start()
        return server.getsockname()[1]

    def accept(self, server, greeting):
        while True:
            peer = server.accept()[0]
            self.peers.append(peer)
            if greeting:
                threading.Thread(target=self.answer, args=(peer, greeting), daemon=True).start()

    @staticmethod
    def answer(peer, greeting):
        try:
            peer.recv(4096)
            peer.sendall(greeting)
            while peer.recv(4096):
                pass
        except OSError:
            pass

    def bus(self, is_stopped):
        path = self.folder / f"bus-{is_stopped}"
        bus = subprocess.Popen(["dbus-daemon", "--session", f"--address=unix:path={path}", "--nofork"], stderr=subprocess.DEVNULL)
        while not path.exists():
            time.sleep(0.05)
        if is_stopped:
            bus.send_signal(signal.SIGSTOP)
        return bus, {f"DBUS_{name}_BUS_ADDRESS": f"unix:path={path}" for name in ("SYSTEM", "SESSION")}

    def fifo(self):
        self.number += 1
        path = self.folder / f"fifo-{self.number}"
        os.mkfifo(path)
        return str(path)

    def cases(self, stopped, running):
        """Each stage: its name, the environment of the bus, the words, and whether standard output is a pipe that is full."""
        mute, broker = f"mqtt://127.0.0.1:{self.mute}", f"mqtt://127.0.0.1:{self.broker}"
        region = ["-r", f"a={UUID}"]
        gateway = ["gateway", "--site", "s", "--gateway", "g", "--from", str(CAPTURE), *region]
        for word in ("range", "scan", "record", "monitor", "advertise", "doctor", "service run", "service agent --bus session",
                     "service status --bus session", "web --from service:session --port 0", "range --from service:session",
                     "web --port 0", "museum guide --plan PLAN", "museum serve --plan PLAN --port 0", "calibrate", "auth status --bus session"):
            words = [str(PLAN) if w == "PLAN" else w for w in word.split()]
            words += region if word == "monitor" else ["r.jsonl"] if word == "record" else []
            words += [UUID, "1", "1"] if word == "advertise" else []
            yield "stopped bus", stopped, words, False
            yield "bus without BlueZ", running, words, False
        for words in (["range"], ["scan"], ["monitor", *region], ["web", "--port", "0"], ["record", "b.jsonl"]):
            for kind, address in (("mute broker", mute), ("mute TLS broker", "mqtts" + mute[4:]), ("broker without acknowledgement", broker)):
                yield kind, running, [*words, "--from", address + "/s"], False
            yield "mute proxy", running, [*words, "--from", f"esphome://127.0.0.1:{self.mute}"], False
        for kind, address in (("mute broker", mute), ("mute TLS broker", "mqtts" + mute[4:]), ("broker without acknowledgement", broker)):
            self.number += 1
            yield kind, running, [*gateway, "--broker", address, "--spool", str(self.folder / f"spool-{self.number}")], False
        for words in (["range", "-f", CAPTURE, "--format", "jsonl"], ["scan", "-f", CAPTURE, "--format", "jsonl"], ["decode", CAPTURE],
                      ["convert", CAPTURE, "/dev/stdout"], ["inspect", CAPTURE, "--format", "json"], ["config", "list"], ["plot", CAPTURE]):
            yield "full pipe", running, [str(word) for word in words], True
        for words in (["range", "-f", CAPTURE, "--record"], ["convert", CAPTURE], ["museum", "serve", "--plan", PLAN, "--simulate", "7", "--port", "0", "--record"],
                      ["service", "run", "--bus", "session", "--from", CAPTURE, "--state", self.folder / "st", "--record"],
                      ["range", "--from", broker + "/s", "--record"], ["plot", CAPTURE, "-o"]):
            yield "pipe without a reader", running, [*map(str, words), self.fifo()], False

    def one(self, kind, environment, words, is_full, number):
        read, write = os.pipe() if is_full else (None, subprocess.DEVNULL)
        if is_full:
            os.set_blocking(write, False)
            try:
                while os.write(write, b"\n" * 4096):
                    pass
            except BlockingIOError:
                os.set_blocking(write, True)
        process = subprocess.Popen([self.torture.beaconctl, *words], env=self.environment | environment, cwd=tempfile.mkdtemp(dir=self.folder),
                                   stdin=subprocess.DEVNULL, stdout=write, stderr=subprocess.DEVNULL)
        time.sleep(self.torture.random.choice((0.02, 0.3, 1.5)) if number != signal.SIGQUIT else 1)
        begun = time.monotonic()
        if process.poll() is None:
            process.send_signal(number)
            # A service reads its configuration again.
            if number == signal.SIGHUP and words[:2] == ["service", "run"]:
                process.send_signal(signal.SIGTERM)
            try:
                process.wait(8)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            self.torture.ends += 1
            took = time.monotonic() - begun
            if took > LONGEST:
                self.torture.fault(f"{kind}: {' '.join(words)}: {number.name} ended it after {took:.1f} s")
        if is_full:
            os.close(read)
            os.close(write)

    def run(self):
        # A shell ignores some of them for what it runs in the background, as nohup does.
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        (first, stopped), (second, running) = self.bus(True), self.bus(False)
        cases = [case for case in self.cases(stopped, running) if self.torture.only in " ".join(case[2])]
        try:
            for case in cases:
                threads = [threading.Thread(target=self.one, args=(*case, number)) for number in SIGNALS]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
        finally:
            first.kill()
            second.kill()
        return f"{len(cases)} stages, {len(SIGNALS)} signals each"
