# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Sends each signal that ends a command at each stage of it: whatever it waits for, it ends within a second."""

import os
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time

from works import CAPTURE, FIXTURES, PLAN, UUID, model, walk

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
LONGEST = 1.25


class Ends:
    """The peers that accept and say nothing, and the commands that wait for them."""

    def __init__(self, torture):
        self.torture, self.folder = torture, torture.folder / "ends"
        self.folder.mkdir()
        self.environment = os.environ | {"HOME": str(self.folder)} | {
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

    @staticmethod
    def free():
        """A port that no program has now."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            return server.getsockname()[1]

    def fifo(self):
        self.number += 1
        path = self.folder / f"fifo-{self.number}"
        os.mkfifo(path)
        return str(path)

    def keep(self):
        """A model, a truth, a plan that may be written, a visit, and two histories, one of which another program has locked."""
        (self.folder / "house.json").write_bytes(model("hall"))
        (self.folder / "walk.jsonl").write_bytes(walk())
        line = walk().decode().splitlines()[0]
        (self.folder / "years.jsonl").write_text("".join(line.replace("2026-05", f"{1980 + month // 12}-{month % 12 + 1:02}") + "\n" for month in range(700)))
        (self.folder / "walk.csv").write_text("start,end,name\n0,20,hall\n")
        shutil.copy(PLAN, self.folder / "plan.json5")
        simulate = ["museum", "simulate", self.folder / "visit.jsonl", "--plan", PLAN]
        subprocess.run([self.torture.beaconctl, *simulate], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        words = ["monitor", "-f", CAPTURE, "-r", f"a={UUID}", "--format", "none", "--history"]
        for name in ("days", "locked"):
            subprocess.run([self.torture.beaconctl, *words, self.folder / name], env=self.environment, stderr=subprocess.DEVNULL, check=False)
        locks = []
        for path in (self.folder / "locked").glob("*.db"):
            lock = sqlite3.connect(path, isolation_level=None)
            lock.execute("PRAGMA locking_mode = EXCLUSIVE")
            lock.execute("BEGIN EXCLUSIVE")
            locks.append(lock)
        if not locks:
            raise SystemExit("ends: no history was kept")
        return locks

    def files(self):
        """Stages of commands that read and write files, as those of `cases`."""
        house, days, locked = ([option, str(self.folder / name)] for option, name in
                               (("--model", "house.json"), ("--history", "days"), ("--history", "locked")))
        visit, walk_file = str(self.folder / "visit.jsonl"), str(self.folder / "walk.jsonl")
        survey = ["site", "survey", "-f", walk_file, "--truth", str(self.folder / "walk.csv"), "--write"]
        listings = ("visits", "crossings", "minutes", "places", "receivers", "notices")
        for name in listings:
            yield "locked history", {}, ["history", name, *locked], False
            yield "full pipe", {}, ["history", name, *days, "--format", "jsonl"], True
        many = ["monitor", "-f", str(self.folder / "years.jsonl"), "-r", f"a={UUID}", "--format", "none", "--exec"]
        for hook in ("exit 3", "sleep 30", "yes >&2"):
            yield "full pipe of errors", {}, [*many, hook], "errors"
        years = ["-f", str(self.folder / "years.jsonl"), "--history", "new"]
        yield "history of many months", {}, ["monitor", *years, "-r", f"a={UUID}", "--format", "none"], False
        yield "history of many months", {}, ["web", "--port", "0", *years, "--speed", "max"], False
        yield "locked history", {}, ["web", "--port", "0", *locked, "--from", str(CAPTURE), "--speed", "1x"], False
        yield "locked history", {}, ["history", "purge", *locked, "--before", "1d"], False
        for words in (["museum", "report", visit, "--plan", PLAN], ["museum", "plan", "show", PLAN], ["museum", "simulate", "/dev/stdout", "--to", "jsonl", "--plan", PLAN],
                      ["museum", "doctor", "--plan", PLAN, "-f", visit], ["site", "health", "-f", CAPTURE, "--beacon", UUID], ["site", "fuse", "-f", walk_file, *house],
                      ["rehearse", *sorted((FIXTURES / "scenarios").glob("*.json5"))[:9]], ["name"], ["config", "show"], ["config", "path"], ["config", "check", PLAN],
                      ["auth", "status"], ["demo"], ["proxy", "--insecure", "--listen", "127.0.0.1:PORT", "--from", CAPTURE]):
            yield "full pipe", {}, [str(word) for word in words], True
        for words in (["museum", "simulate", "FIFO", "--to", "jsonl", "--plan", PLAN], ["museum", "report", visit, "--plan", PLAN, "--html", "FIFO"], [*survey, "FIFO"],
                      ["museum", "plan", "new", "FIFO", "-f", CAPTURE, "-s", UUID], ["museum", "plan", "show", PLAN, "--svg", "FIFO"]):
            yield "pipe without a reader", {}, [self.fifo() if word == "FIFO" else str(word) for word in words], False
        for words in (["range", "-f", "FIFO"], ["museum", "report", "FIFO", "--plan", PLAN], ["museum", "report", visit, "--plan", "FIFO"],
                      ["museum", "serve", "--plan", "FIFO", "--port", "0"], ["museum", "plan", "edit", "FIFO", "--port", "0"], ["museum", "plan", "show", "FIFO"],
                      ["site", "health", "-f", "FIFO", "--beacon", UUID], ["site", "fuse", "-f", "FIFO", *house], ["site", "fuse", "-f", CAPTURE, "--model", "FIFO"],
                      ["site", "survey", "-f", "FIFO", *survey[4:], "m.json"], ["rehearse", "FIFO"], ["config", "show", "--config", "FIFO"],
                      ["config", "check", "FIFO"], ["name", f"{UUID}/1/1", "A", "--config", "FIFO"],
                      ["calibrate", "-f", "FIFO", "-b", f"{UUID}/1/1", "--at", "1m"], ["proxy", "--key-file", "FIFO", "--listen", "127.0.0.1:PORT"],
                      ["proxy", "--insecure", "--listen", "127.0.0.1:PORT", "--from", "FIFO"], ["inspect", "FIFO"], ["convert", "FIFO", "c.jsonl"]):
            yield "pipe without a writer", {}, [self.fifo() if word == "FIFO" else str(word) for word in words], False

    def cases(self, stopped, running):
        """Each stage: its name, the environment of the bus, the words, and whether standard output is a pipe that is full, or "errors"."""
        mute, broker = f"mqtt://127.0.0.1:{self.mute}", f"mqtt://127.0.0.1:{self.broker}"
        region = ["-r", f"a={UUID}"]
        gateway = ["gateway", "--site", "s", "--gateway", "g", "--from", str(CAPTURE), *region]
        for word in ("range", "scan", "record", "monitor", "advertise", "doctor", "service run", "service agent --bus session",
                     "service status --bus session", "web --from service:session --port 0", "range --from service:session",
                     "web --port 0", "museum guide --plan PLAN", "museum serve --plan PLAN --port 0", "calibrate", "auth status --bus session",
                     "auth set always --client guide --bus session", "proxy --insecure --listen 127.0.0.1:PORT", "museum plan edit EDITED --port 0",
                     "museum plan edit EDITED --port 0 --live", "site fuse --model MODEL", f"site survey --live --beacon {UUID}/1/1 --write m.json", "demo"):
            paths = {"PLAN": PLAN, "EDITED": self.folder / "plan.json5", "MODEL": self.folder / "house.json"}
            words = [str(paths.get(w, w)) for w in word.split()]
            words += region if word == "monitor" else ["r.jsonl"] if word == "record" else []
            words += [UUID, "1", "1"] if word == "advertise" else []
            yield "stopped bus", stopped, words, False
            yield "bus without BlueZ", running, words, False
        hook = "trap '' TERM HUP INT; sleep 30; sleep 30"
        for more in ([], ["--exec", hook], ["--exec", hook, "--history", "h", "--record", "r.jsonl"]):
            yield "stopped bus", stopped, ["monitor", "-f", str(CAPTURE), *region, "--drain", "--format", "none", "--notify", *more], False
        house = ["--model", str(self.folder / "house.json")]
        for words in (["range"], ["scan"], ["monitor", *region], ["web", "--port", "0"], ["record", "b.jsonl"], ["site", "fuse", *house],
                      ["site", "survey", "--live", "--beacon", f"{UUID}/1/1", "--write", "m.json"]):
            for kind, address in (("mute broker", mute), ("mute TLS broker", "mqtts" + mute[4:]), ("broker without acknowledgement", broker)):
                yield kind, running, [*words, "--from", address + "/s"], False
            yield "mute proxy", running, [*words, "--from", f"esphome://127.0.0.1:{self.mute}"], False
        proxy = ["proxy", "--insecure", "--listen", "127.0.0.1:PORT", "--from", f"esphome://127.0.0.1:{self.mute}"]
        yield "mute proxy", running, proxy, False
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
        words = [word.replace("PORT", str(self.free())) for word in words]
        read, write = os.pipe() if is_full else (None, subprocess.DEVNULL)
        if is_full:
            os.set_blocking(write, False)
            try:
                while os.write(write, b"\n" * 4096):
                    pass
            except BlockingIOError:
                os.set_blocking(write, True)
        process = subprocess.Popen([self.torture.beaconctl, *words], env=self.environment | environment, cwd=tempfile.mkdtemp(dir=self.folder),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL if is_full == "errors" else write,
                                   stderr=write if is_full == "errors" else subprocess.DEVNULL)
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
        locks = self.keep()
        (first, stopped), (second, running) = self.bus(True), self.bus(False)
        cases = [case for case in (*self.cases(stopped, running), *self.files()) if self.torture.only in " ".join(case[2])]
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
            for lock in locks:
                lock.close()
        return f"{len(cases)} stages, {len(SIGNALS)} signals each"
