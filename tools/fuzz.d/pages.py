#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Sends hostile requests to the pages of `beaconctl web` and `museum serve`, and holds many slow connections open.

A fault is: a server that ends, a malformed answer or one without a field that protects the reader, a control character or
text of the request in an answer, a connection that stays open, a page that does not load within 2 s for another reader,
much memory, or files that stay open. The requests of a fault are kept. The time in which the server or the reader was ready
and had no processor does not count: on a busy machine that is not the server's.
"""

import argparse
import ctypes
import json
import os
import random
import re
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import inputs  # noqa: E402
from mutations import Mutator  # noqa: E402

LIBC = ctypes.CDLL(None)
LOAD_SECONDS, MOST_MEGABYTES = 2.0, 150
# A request may take 10 s to arrive and an answer 30 s to be received; what ended its side has no longer to wait.
ANSWER_SECONDS = 15
STATUSES = {200, 400, 403, 404, 405, 408, 409, 413, 414, 415, 422, 429, 431, 501, 503, 505}
FIELDS = (b"content-security-policy: default-src 'none'", b"x-frame-options: deny", b"x-content-type-options: nosniff",
          b"referrer-policy: no-referrer", b"cache-control: no-store", b"permissions-policy: ")
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]")
MARK = b"<b id=hostile>"
PATHS = [b"/", b"/metrics", b"/style.css", b"/script.js", b"/?at=0", b"/?at=29384923", b"/?at=-1", b"/?at=4223371679",
         b"/?at=99999999999999999999", b"/?at=" + b"9" * 400, b"/?at=%1b" + b"%3cb%3e", b"/operator", b"/operator/next", b"/page.js", b"/page.css", b"/events/visitor",
         b"/events/operator", b"/plan", b"/media/", b"/media/../../etc/passwd", b"/%2e%2e/%2e%2e/etc/passwd", b"//etc/passwd",
         b"/..\\..\\etc", b"/%00", b"/" + b"a" * 9000, b"/?" + b"&".join(b"a%d=1" % n for n in range(200)), b"*", b"",
         b"http://other/", b"/?language=%1b%5b2J", b"/?language=" + MARK, b"/media/" + MARK, b"/%ff%fe", b"/#x", b"/?%zz",
         b"/answer", b"/nearby", b"/signals", b"/signals?of=" + MARK]
METHODS = [b"GET"] * 6 + [b"HEAD", b"POST", b"POST", b"PUT", b"OPTIONS", b"CONNECT", b"PRI", b"get", b"G\x00T", b"A" * 300, b""]
VERSIONS = [b"HTTP/1.1"] * 6 + [b"HTTP/1.0", b"HTTP/2.0", b"HTTP/0.9", b"HTTP/1.11", b"http/1.1", b"HTTP/1.1 x", b""]
LINES = [b"Host: localhost", b"Host: a\r\nHost: b", b"Connection: close", b"Connection: keep-alive, upgrade", b"Expect: 100-continue",
         b"Content-Length: 0", b"Content-Length: 5", b"Content-Length: -1", b"Content-Length: 99999999999999999999",
         b"Content-Length: 5\r\nContent-Length: 6", b"Content-Length: +5", b"Transfer-Encoding: chunked",
         b"Transfer-Encoding: chunked\r\nContent-Length: 3", b"Content-Type: application/x-www-form-urlencoded",
         b"Content-Type: application/json", b"Origin: http://evil.example", b"Origin: null", b"Range: bytes=0-99999999999",
         b"Accept-Language: " + b"de;q=0.1," * 300, b"Accept-Language: \xff\x1b[2J", b"Cookie: " + b"c" * 20000, b"X: a\r\n b",
         b"X : a", b": a", b"X\x00: a", b"X: a\rb", b"X: a\nb", b"Upgrade: websocket", b"Referer: " + MARK,
         b"\r\n".join(b"X%d: 1" % number for number in range(150)), b"X: " + b"\x80" * 40]
# All choices of a visitor, whether they are offered now or not.
CHOICES = ["answer.whileUsing", "answer.once", "answer.dontAllow", "close", "open", "tap", "approximate", "precise", "place",
           "never", "again", "allow"]
BODIES = [b"", b"code=000000", b"code=" + MARK, b"hello", b"code=" + b"9" * 30000, b"\x00" * 64, b"5\r\nhello\r\n0\r\n\r\n",
          b"FFFFFFFFFFFFFFFF\r\n", b'{"code":"000000"}', b"code=%zz&code=%1b"]


def waited(process):
    """The seconds for which each thread of a process was ready and had no processor."""
    waits = {}
    for task in Path(f"/proc/{process}/task").iterdir():
        try:
            waits[task.name] = int((task / "schedstat").read_text().split()[1]) / 1e9
        except (OSError, IndexError):
            continue
    return waits


class Site:
    """A command that serves pages."""

    def __init__(self, beaconctl, words, folder):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), "LC_ALL": "C.UTF-8"}
        self.name = " ".join(words[:2]) if words[0] == "museum" else words[0]
        self.errors = folder / f"{words[0]}.stderr"
        self.output = folder / f"{words[0]}.stdout"
        with open(self.output, "wb") as output, open(self.errors, "wb") as errors:
            self.process = subprocess.Popen([beaconctl, *words, "--port", "0", "--public"], cwd=folder, env=environment,
                                            stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        self.port = self.wait_for_port()
        self.forms = self.right_forms() if words[0] == "museum" else []

    def wait_for_port(self):
        until = time.monotonic() + 60
        while time.monotonic() < until and self.process.poll() is None:
            found = re.search(rb":(\d+)/", self.output.read_bytes())
            if found:
                return int(found.group(1))
            time.sleep(0.05)
        raise SystemExit(f"{self.name} does not serve: {self.errors.read_text(errors='replace')}")

    def right_forms(self):
        """The forms of a visitor's page with the right token and code, and some that are almost right: each path and body."""
        token = re.search(r'"token":"(\w+)"', self.first_event())
        secrets = re.search(r"#(\S+)[\s\S]*?code\s+(\S+)", self.output.read_text())
        if not secrets or not token:
            raise SystemExit(f"{self.name} has no token or no code: {self.output.read_text()}")
        right = {"token": token[1], "code": secrets[1], "choice": CHOICES[0], "precise": True}
        # Until the visitor is asked, the right answer is refused.
        until = time.monotonic() + 60
        while not self.post(b"/answer", right).startswith(b"HTTP/1.1 200"):
            if time.monotonic() > until:
                raise SystemExit(f"{self.name} refuses the right answer: {self.post(b'/answer', right)!r}")
            time.sleep(0.2)
        forms = [{**right, "choice": choice, "code": code, "precise": precise}
                 for choice in CHOICES for code in (secrets[1], secrets[2]) for precise in (True, False)]
        forms += [{**right, key: value} for key in right for value in ("", MARK.decode(), None, 7, [], {}, "\x1b[2J", "9" * 400)]
        forms += [{other: right[other] for other in right if other != key} for key in right]
        return [(path, json.dumps(form).encode()) for form in forms for path in (b"/answer", b"/operator/next")]

    def first_event(self):
        """The first state that the visitor's page gets."""
        with self.connect("127.200.0.2", 30) as connection:
            connection.sendall(b"GET /events/visitor HTTP/1.1\r\nHost: localhost\r\n\r\n")
            text = b""
            while b'"token":"' not in text and (part := connection.recv(65536)):
                text += part
            return text.decode()

    def post(self, path, form):
        """The answer to a form."""
        with self.connect("127.200.0.3", 10) as connection:
            connection.sendall(form_request(path, json.dumps(form).encode()))
            return connection.recv(65536)

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def megabytes(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024

    def cpu(self):
        words = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def connect(self, source, seconds, receive=None):
        # On this machine the peers are accounts: as root, each address connects as another one.
        if os.geteuid() == 0:
            LIBC.setfsuid(10_000 + zlib.crc32(source.encode()) % 50_000)
        connection = socket.socket()
        LIBC.setfsuid(os.geteuid())
        if receive:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        connection.settimeout(seconds)
        connection.bind((source, 0))
        connection.connect(("127.0.0.1", self.port))
        return connection

    def load(self):
        """The seconds in which another reader has the page, without those for which a processor was waited for; None without it."""
        processes = (self.process.pid, os.getpid())
        began, waits = time.monotonic(), [waited(process) for process in processes]
        try:
            with self.connect("127.200.0.1", 10) as connection:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                answer = b""
                while part := connection.recv(65536):
                    answer += part
        except OSError:
            return None
        if not answer.startswith(b"HTTP/1.1 200") or not answer.rstrip().endswith(b"</html>"):
            return None
        took = time.monotonic() - began
        for process, before in zip(processes, waits):
            took -= max((after - before.get(thread, after) for thread, after in waited(process).items()), default=0)
        return took

    def end(self):
        self.process.terminate()
        return self.process.wait(10)


def form_request(path, body):
    """A form as a page sends it."""
    return (b"POST " + path + b" HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nConnection: close\r\n"
            + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def request(chance, mutator, seeds, forms):
    """Bytes of one connection: requests, one behind another, some of them mutated."""
    if chance.random() < 0.2:
        return mutator.mutate(chance.choice(seeds), seeds)
    if forms and chance.random() < 0.3:
        path, body = chance.choice(forms)
        return form_request(path, mutator.mutate(body, [other for _, other in forms]) if chance.random() < 0.3 else body)
    result, hostile = b"", chance.choice((0.05, 0.2, 0.6))

    def some(usual, others):
        return chance.choice(others) if chance.random() < hostile else usual

    for _ in range(chance.choice((1, 1, 1, 1, 2, 3, 10, 50))):
        method, path = some(chance.choice((b"GET", b"GET", b"HEAD", b"POST")), METHODS), some(chance.choice(PATHS[:9]), PATHS)
        lines = [b" ".join((method, path, some(b"HTTP/1.1", VERSIONS))), some(b"Host: localhost", LINES)]
        lines += [line for line in LINES if chance.random() < hostile / 10]
        body = some(b"", BODIES) if method != b"POST" else chance.choice(BODIES)
        if method == b"POST" and chance.random() > hostile:
            # Without its own origin a form is refused before it is read.
            lines += [b"Origin: http://localhost", b"Content-Type: application/x-www-form-urlencoded", b"Content-Length: %d" % len(body)]
        end = some(b"\r\n", (b"\n", b"\r"))
        result += end.join(lines) + end + end + body
    return mutator.mutate(result, seeds, whole=True) if chance.random() < hostile else result


def exchange(site, chance, data):
    """Sends the bytes immediately or in parts; returns the answer, and whether the server closed the connection in time."""
    source = f"127.{chance.randrange(1, 100)}.{chance.randrange(256)}.{chance.randrange(1, 255)}"
    answer = b""
    with site.connect(source, ANSWER_SECONDS) as connection:
        try:
            at = 0
            while at < len(data):
                size = chance.choice((len(data), len(data), len(data), 1, 7, 100, 4096))
                connection.sendall(data[at:at + size])
                at += size if at < 5000 else len(data)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # The server answered and closed before it had received all.
        try:
            while part := connection.recv(1 << 16):
                answer += part
                # A stream has no end.
                if b"text/event-stream" in answer and answer.endswith(b"\n\n"):
                    return answer, True
        except TimeoutError:
            return answer, False
        except OSError:
            pass
    return answer, True


def fault_of(data, answer, closed):
    """The fault of an answer; None if nothing is."""
    if not closed:
        return "the connection stays open"
    at = 0
    while at < len(answer):
        head, separator, rest = answer[at:].partition(b"\r\n\r\n")
        if not separator:
            # A connection that is reset loses the end of an answer.
            return None if head.startswith(b"HTTP/1.1 ") else "an answer without a head"
        found = re.match(rb"HTTP/1\.1 (\d{3}) [A-Za-z ]+\r\n", head)
        if not found or int(found.group(1)) not in STATUSES:
            return f"the answer begins with {head[:40]!r}"
        if CONTROL.search(head) or not head.isascii():
            return "a control character in the fields of an answer"
        missing = [field for field in FIELDS if field not in head.lower()]
        if missing:
            return f"an answer lacks {missing[0].decode()}"
        length = re.search(rb"\r\nContent-Length: (\d+)", head)
        stream = b"text/event-stream" in head
        if not length and not stream:
            return "an answer without a length"
        body = rest if stream else rest[:int(length.group(1))]
        if body.startswith(b"HTTP/1.1 ") and b"HEAD" in data:
            body = b""
        text = re.search(rb"\r\nContent-Type: (text|application/json)", head)
        if text and CONTROL.search(body):
            return f"a control character in an answer: {CONTROL.search(body).group()!r}"
        if MARK in body:
            return "text of the request in an answer"
        at += len(head) + 4 + len(body)
    return None


class Fuzz:
    def __init__(self, options, site):
        self.options, self.site = options, site
        self.faults, self.statuses, self.sent, self.lock = Counter(), Counter(), 0, threading.Lock()
        self.slowest, self.failed, self.loads = 0.0, 0, 0
        seeds = [data for _, data in inputs.contents("corpus/http/*")]
        seeds += [b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n\r\n" for path in PATHS]
        self.seeds = seeds + [form_request(path, body) for path, body in site.forms]

    def fault(self, text, data=b""):
        with self.lock:
            self.faults[f"{self.site.name}: {text}"] += 1
            number = self.faults[f"{self.site.name}: {text}"]
        if number <= 5:
            self.options.faults.mkdir(parents=True, exist_ok=True)
            name = re.sub(r"[^a-z]+", "-", f"{self.site.name} {text}".lower())[:80]
            (self.options.faults / f"{name}-{number}").write_bytes(data)

    def worker(self, number, until):
        chance = random.Random(f"{self.options.seed}/{self.site.name}/{number}")
        mutator = Mutator(chance)
        while time.monotonic() < until and self.site.process.poll() is None:
            data = request(chance, mutator, self.seeds, self.site.forms)
            try:
                answer, closed = exchange(self.site, chance, data)
            except OSError as error:
                self.fault(f"no connection: {error}", data)
                continue
            with self.lock:
                self.sent += 1
                self.statuses.update(int(code) for code in re.findall(rb"(?:^|\n)HTTP/1\.1 (\d{3}) ", answer))
                self.statuses["none"] += not answer
            fault = fault_of(data, answer, closed)
            if fault:
                self.fault(fault, data)

    def watch(self, until):
        """Loads the page as another reader, until the end: in another process, which shares no interpreter with the attackers."""
        read, write = os.pipe()
        reader = os.fork()
        if reader == 0:
            loads = []
            while time.monotonic() < until and Path(f"/proc/{self.site.process.pid}/schedstat").exists():
                loads.append(self.site.load())
                time.sleep(0.1)
            os.write(write, json.dumps([len(loads), loads.count(None), max((load or 0 for load in loads), default=0)]).encode())
            os._exit(0)
        os.close(write)
        with open(read, "rb") as results:
            self.loads, self.failed, self.slowest = json.loads(results.read())
        os.waitpid(reader, 0)

    def requests(self, seconds):
        files, until = self.site.files(), time.monotonic() + seconds
        workers = [threading.Thread(target=self.worker, args=(number, until)) for number in range(8)]
        for worker in workers:
            worker.start()
        self.watch(until)
        for worker in workers:
            worker.join()
        self.judge("requests", files)
        codes = ", ".join(f"{count} {code}" for code, count in sorted(self.statuses.items(), key=str))
        return f"{self.sent} connections of requests; {codes}; {self.figures()}"

    def slow(self, count, sources, seconds):
        """Holds connections that wait, send or receive slowly, and opens each again that the server closes."""
        files, until, chance = self.site.files(), time.monotonic() + seconds, random.Random(self.options.seed)
        self.slowest, self.failed, self.loads = 0.0, 0, 0
        watcher = threading.Thread(target=self.watch, args=(until,))
        watcher.start()
        opened, selector, waiting = 0, selectors.DefaultSelector(), {}
        while time.monotonic() < until and self.site.process.poll() is None:
            while len(waiting) < count and time.monotonic() < until:
                number, opened = opened, opened + 1
                try:
                    connection = self.site.connect(f"127.{150 + number % sources // 200}.1.{number % sources % 200 + 1}", 1, 4096)
                    connection.setblocking(False)
                    connection.send(FIRST[number % len(FIRST)])
                except OSError:
                    continue
                waiting[connection] = number
                selector.register(connection, selectors.EVENT_READ)
            for key, _ in selector.select(0.2):
                # Those with an even number receive a byte at a time, the others nothing of their answers.
                try:
                    alive = bool(key.fileobj.recv(1))
                except OSError:
                    alive = False
                if not alive:
                    selector.unregister(key.fileobj)
                    waiting.pop(key.fileobj)
                    key.fileobj.close()
            for connection in chance.sample(list(waiting), min(50, len(waiting))):
                try:
                    connection.send(b"X")
                except OSError:
                    pass
        watcher.join()
        for connection in waiting:
            connection.close()
        self.judge(f"{count} connections of {sources} addresses", files)
        return f"{count} slow connections of {sources} addresses, {opened} opened; {self.figures()}"

    def figures(self):
        return (f"{self.loads} loads of the page beside them, {self.failed} failed, at most {self.slowest:.2f} s; "
                f"{self.site.megabytes():.0f} MB" if self.site.process.poll() is None else "the server ended")

    def judge(self, what, files):
        if self.site.process.poll() is not None:
            self.fault(f"{what}: the server ended with {self.site.process.returncode}")
            return
        if self.failed or self.slowest > LOAD_SECONDS:
            self.fault(f"{what}: {self.failed} loads failed, at most {self.slowest:.2f} s")
        if self.site.megabytes() > MOST_MEGABYTES:
            self.fault(f"{what}: {self.site.megabytes():.0f} MB")
        # What its readers left is closed within the time of an answer.
        until = time.monotonic() + 40
        while self.site.files() > files + 2 and time.monotonic() < until:
            time.sleep(0.5)
        if self.site.files() > files + 2:
            self.fault(f"{what}: {self.site.files() - files} files stay open")
        if CONTROL.search(self.site.errors.read_bytes()):
            self.fault(f"{what}: a control character in a message")


FIRST = [b"", b"G", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20,
         b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"POST /operator/next HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n",
         b"GET /events/visitor HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\r\n",
         b"POST /answer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"]


def sites(folder):
    (folder / "site.jsonl").write_bytes(inputs.SITE_LINES)
    yield ["web", "--from", "site.jsonl", "--speed", "max", "-s", inputs.UUID, "-r", f"a={inputs.UUID}", "--plan", str(inputs.PLAN),
           "--history", "days"]
    # The visitor answers on the page.
    yield ["museum", "serve", "--plan", str(inputs.PLAN), "--simulate", "1", "--speed", "5x"]


def main():
    parser = argparse.ArgumentParser(prog="tools/fuzz pages", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="how long each command gets requests")
    parser.add_argument("--slow-seconds", type=float, default=30, help="how long each set of slow connections stays; 0 for none")
    parser.add_argument("--slow", type=int, default=1000, help="how many slow connections there are")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--beaconctl", type=Path, help="the command; the release is built without this")
    parser.add_argument("--faults", type=Path, default=inputs.ROOT / ".build-fuzz/pages", help="where faults are kept")
    options = parser.parse_args()
    if options.beaconctl is None:
        subprocess.run(["swift", "build", "-c", "release", "--product", "beaconctl"], cwd=inputs.ROOT, check=True)
        options.beaconctl = inputs.ROOT / ".build/release/beaconctl"
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    faults = Counter()
    with tempfile.TemporaryDirectory(prefix="beacons-pages-") as folder:
        for words in sites(Path(folder)):
            # The server has as many files as usual, this program as many as it needs.
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, most), most))
            fuzz = Fuzz(options, Site(options.beaconctl.resolve(), words, Path(folder)))
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, usual[1]))
            print(f"{fuzz.site.name}: {fuzz.requests(options.seconds)}", flush=True)
            for sources in (1, 200) if options.slow_seconds else ():
                print(f"{fuzz.site.name}: {fuzz.slow(options.slow, sources, options.slow_seconds)}", flush=True)
            print(f"{fuzz.site.name}: {fuzz.site.cpu():.1f} s of CPU in all, exit code {fuzz.site.end()}", flush=True)
            faults.update(fuzz.faults)
    for name, count in faults.most_common():
        print(f"  FAULT {name}: {count}", file=sys.stderr)
    print(f"pages: {sum(faults.values())} faults, seed {options.seed}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
