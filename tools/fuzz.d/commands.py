#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Runs whole commands on mutated inputs: captures, recordings, configurations, scenarios, manifests, plans, state files.

Each input is read by one command, chosen at random, in a separate process from `main` on. A fault is: a signal, an exit
code that the command does not have for such an input, much CPU time or memory, a failure without a message, JSON that is
none, or a control character or bytes that are not UTF-8 in anything that is written. Faults are kept with their input.
"""

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import inputs  # noqa: E402
from mutations import Mutator  # noqa: E402
from server import Server, compile_library  # noqa: E402

# A hang. The longest seed, an hour of a beacon that sends ten times a second, takes 4 s in a debug build.
MOST_CPU = 20.0
MOST_MEGABYTES = 300
# Everything but the end of a line, which is CR LF in CSV: C0, DEL, C1, and what changes the direction of text.
CONTROL = re.compile(
    rb"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c"
)
BINARY = (".btsnoop", ".pcap")
KEPT = 5
HOSTILE_NAME = "in \x1b[31m\u202e\n"


class Fuzz:
    """One worker: its random numbers, its folder and its command."""

    def __init__(self, options, number, folder):
        self.options, self.number, self.folder = options, number, folder
        self.random = random.Random(f"{options.seed}/{number}")
        self.mutator = Mutator(self.random)
        self.faults, self.codes, self.counts = Counter(), Counter(), Counter()
        self.most = {"cpu": 0.0, "megabytes": 0.0}
        self.stopped = False
        walk = (inputs.FIXTURES / "captures/walk.btsnoop").read_bytes()
        (folder / inputs.SHORT).write_bytes(walk[:3000])
        (folder / "manifest.json5").write_bytes(inputs.MANIFEST)
        for name, data in ((inputs.SITE, inputs.SITE_LINES), (inputs.TRUTH, inputs.STAYS), (inputs.MODEL, inputs.MODEL_TEXT)):
            (folder / name).write_bytes(data)
        self.server = Server(options.beaconctl, options.library, folder)
        self.kinds = inputs.kinds(self.states(), self.histories())
        self.others = [seed for kind in self.kinds for _, seed in kind.seeds]

    def states(self):
        """Files that the command itself wrote."""
        for words in (["auth", "set", "always", "--client", "guide"], ["auth", "services", "on"],
                      ["monitor", "-f", inputs.SHORT, "-r", f"a={inputs.UUID}", "--state", "state/beacons", "--format", "none"]):
            if self.server.run(words).code:
                raise SystemExit(f"{' '.join(words)} failed: {self.server.run(words).errors.decode()}")
        written = sorted((self.folder / "state").rglob("*.json"))
        return [(".json", path.read_bytes()) for path in written] * 10

    def histories(self):
        """The file of a history that the command itself wrote, in addition to those of the corpus."""
        words = ["monitor", "-f", str(inputs.FIXTURES / "captures/walk.btsnoop"), "-r", f"a={inputs.UUID}", "--history",
                 inputs.HISTORY, "--format", "none"]
        if self.server.run(words).code:
            raise SystemExit(f"{' '.join(words)} failed: {self.server.run(words).errors.decode()}")
        written = [(".db", path.read_bytes()) for path in (self.folder / inputs.HISTORY).glob("*.db")]
        shutil.rmtree(self.folder / inputs.HISTORY)
        return written * 4 + inputs.contents("corpus/history/*.db")

    def corpus(self):
        """Every seed as it is, once, or as many as the time for them allows; all kinds have a part in it."""
        until = time.monotonic() + self.options.corpus_seconds if self.options.corpus_seconds else None
        seeds = [(kind, *seed) for kind in self.kinds for seed in dict.fromkeys(kind.seeds)]
        if until:
            self.random.shuffle(seeds)
        for kind, suffix, data in seeds:
            if self.stopped or until and time.monotonic() > until:
                break
            self.try_input(kind, suffix, data)

    def mutated(self):
        kind = self.random.choices(self.kinds, [kind.share for kind in self.kinds])[0]
        suffix, data = self.random.choice(kind.seeds)
        self.try_input(kind, suffix, self.mutator.mutate(data, self.others, kind.whole))

    def place(self, kind, suffix, data):
        """Writes the input to the command's file."""
        if kind.place == "state":
            shutil.rmtree(self.folder / "state", ignore_errors=True)
            path = self.folder / "state/beacons" / self.random.choice(inputs.STATE_PLACES)
            path.parent.mkdir(parents=True, mode=0o700)
        elif kind.place == "history":
            path = self.folder / inputs.HISTORY / f"history-{self.random.choice(inputs.MONTHS)}.db"
            path.parent.mkdir(mode=0o700)
        else:
            name = HOSTILE_NAME if self.random.random() < 0.02 else "in"
            path = self.folder / (name + suffix)
        path.write_bytes(data)
        return path

    def try_input(self, kind, suffix, data):
        path = self.place(kind, suffix, data)
        use = self.random.choices([words for _, words in kind.uses], [share for share, _ in kind.uses])[0]
        words, standard_input = use.split(), "/dev/null"
        if words[-1] == "<@":
            words, standard_input = words[:-1], path.name
        words = [path.name if word == "@" else word for word in words]
        ended = self.server.run(words, standard_input)
        written = self.written()
        self.counts[kind.name] += 1
        self.codes[(" ".join(words[:2]) if words[0] in ("museum", "auth", "config") else words[0], ended.code)] += 1
        for what, amount in (("cpu", ended.cpu), ("megabytes", ended.megabytes)):
            if amount > self.most[what]:
                self.most[what] = amount
                self.keep_in(f"most-{what}-{self.number}", "the most", path, data, use, ended, written)
        fault = fault_of(kind, words, ended, written)
        if fault:
            self.keep(fault, path, data, use, ended, written)
        self.clean(path, written)

    def written(self):
        """The command's files, without its standard output and error."""
        found = {}
        with os.scandir(self.folder) as entries:
            for entry in entries:
                if entry.name.startswith("out") and entry.is_file():
                    found[entry.name] = Path(entry.path).read_bytes()
        return found

    def clean(self, path, written):
        path.unlink(missing_ok=True)
        for name in written:
            (self.folder / name).unlink()
        for name in ("out.state", "out.history", "state", inputs.HISTORY):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def keep(self, fault, path, data, use, ended, written):
        name = fault.split(":")[0]
        self.faults[f"{name} ({use})"] += 1
        if self.faults[f"{name} ({use})"] > KEPT:
            return
        place = f"{name.replace(' ', '-')}-{self.number}-{sum(self.faults.values())}"
        self.keep_in(place, fault, path, data, use, ended, written)

    def keep_in(self, name, why, path, data, use, ended, written):
        kept = self.options.faults / name
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        (kept / f"input{path.suffix}").write_bytes(data)
        (kept / "stderr").write_bytes(ended.errors[:20000])
        (kept / "stdout").write_bytes(ended.output[:2_000_000])
        for file, content in written.items():
            (kept / file).write_bytes(content[:2_000_000])
        place = f"the input was {path.relative_to(self.folder)!s:}\n".encode("unicode_escape").decode()
        (kept / "why").write_text(f"{why}\nbeaconctl {use}\n{place}code {ended.code}, {ended.cpu:.2f} s, {ended.megabytes:.0f} MB\n")

    def result(self):
        return {"faults": self.faults, "codes": {f"{name} {code}": count for (name, code), count in self.codes.items()},
                "counts": self.counts, "most": self.most}


def fault_of(kind, words, ended, written):
    """The fault of how a run ended; None if nothing is."""
    if ended.code < 0:
        return f"signal {-ended.code}"
    if ended.code not in kind.codes:
        return f"exit code {ended.code}"
    if ended.cpu > MOST_CPU:
        return f"CPU time: {ended.cpu:.1f} s"
    if ended.megabytes > MOST_MEGABYTES:
        return f"memory: {ended.megabytes:.0f} MB"
    # The findings of a check or a rehearsal are its output, and a report's its files.
    if ended.code and not ended.errors and not (ended.code == 2 and (ended.output or written)):
        return f"no message with exit code {ended.code}"
    texts = {"stdout": ended.output, "stderr": ended.errors}
    texts |= {name: content for name, content in written.items() if not name.endswith(BINARY)}
    for name, text in texts.items():
        found = CONTROL.search(text)
        if found:
            return f"control character in {name}: {found.group()!r} at {found.start()}"
        try:
            text.decode()
        except UnicodeDecodeError as error:
            return f"no UTF-8 in {name}: {error}"
    return fault_of_json(words, ended)


def fault_of_json(words, ended):
    if ended.code or not ended.output or not {"json", "jsonl"} & set(words):
        return None
    try:
        for text in ended.output.splitlines() if "jsonl" in words else [ended.output]:
            json.loads(text)
    except ValueError as error:
        return f"no JSON: {error}"
    return None


def work(options, number, runs):
    """A worker's share: a number of inputs, or as many as the time allows."""
    with tempfile.TemporaryDirectory(prefix="beacons-fuzz-", dir=options.scratch) as folder:
        fuzz = Fuzz(options, number, Path(folder))
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, lambda *_: setattr(fuzz, "stopped", True))
        if number == 0 and not options.no_corpus:
            fuzz.corpus()
        until = time.monotonic() + options.seconds if options.seconds else None
        done = 0
        while not fuzz.stopped and (runs is None or done < runs) and (until is None or time.monotonic() < until):
            fuzz.mutated()
            done += 1
            if done % 1000 == 0:
                options.progress(number, fuzz.result())
        fuzz.server.close()
        options.progress(number, fuzz.result())


def start(options, number):
    """Starts a worker as a separate process; its result is a file."""
    runs = None
    if options.runs:
        runs = options.runs // options.jobs + (number < options.runs % options.jobs)
    process = os.fork()
    if process == 0:
        try:
            work(options, number, runs)
            os._exit(0)
        except BaseException as error:  # noqa: BLE001
            print(f"worker {number}: {error!r}", file=sys.stderr, flush=True)
            os._exit(1)
    return process


def collect(folder):
    """Adds up the workers' findings."""
    faults, codes, counts, most = Counter(), Counter(), Counter(), {"cpu": 0.0, "megabytes": 0.0}
    for path in sorted(folder.glob("result-*")):
        result = json.loads(path.read_text())
        faults.update(result["faults"])
        codes.update(result["codes"])
        counts.update(result["counts"])
        most = {key: max(value, result["most"][key]) for key, value in most.items()}
    return faults, codes, counts, most


def arguments():
    parser = argparse.ArgumentParser(prog="tools/fuzz commands", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, help="how many mutated inputs")
    parser.add_argument("--seconds", type=float, help="for how long; 60 without --runs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-corpus", action="store_true", help="do not try every seed as it is first")
    parser.add_argument("--corpus-seconds", type=float, help="for how long to try seeds as they are first; as long as it takes without this")
    parser.add_argument("--beaconctl", type=Path, help="the command; the release is built without this")
    parser.add_argument("--faults", type=Path, default=inputs.ROOT / ".build-fuzz/commands", help="where faults are kept")
    options = parser.parse_args()
    if not options.runs and not options.seconds:
        options.seconds = 60
    return options


def main():
    options = arguments()
    if options.beaconctl is None:
        subprocess.run(["swift", "build", "-c", "release", "--product", "beaconctl"], cwd=inputs.ROOT, check=True)
        options.beaconctl = inputs.ROOT / ".build/release/beaconctl"
    options.beaconctl = options.beaconctl.resolve()
    options.faults = options.faults.resolve()
    # In memory, since each run writes files and the disk would be most of the time.
    options.scratch = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="beacons-fuzz-", dir=options.scratch) as folder:
        folder = Path(folder)
        options.library = compile_library(folder)
        options.progress = lambda number, result: (folder / f"result-{number}").write_text(json.dumps(result))
        workers = [start(options, number) for number in range(options.jobs)]
        interrupted = []

        def interrupt(name, _):
            interrupted.append(name)
            for worker in workers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, name)

        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, interrupt)
        broken = [worker for worker in workers if os.waitpid(worker, 0)[1]]
        faults, codes, counts, most = collect(folder)
    tried, seconds = sum(counts.values()), time.monotonic() - began
    for name, count in sorted(codes.items()):
        print(f"  {name:<24} {count:9}")
    for name, count in counts.items():
        print(f"  {name:<24} {count:9} inputs")
    print(f"commands: {tried} inputs in {seconds:.0f} s, {tried / seconds:.0f} a second, seed {options.seed}; "
          f"at most {most['cpu']:.2f} s of CPU and {most['megabytes']:.0f} MB; {sum(faults.values())} faults")
    for name, count in faults.most_common():
        print(f"  FAULT {name}: {count}", file=sys.stderr)
    if faults:
        print(f"inputs are in {options.faults}", file=sys.stderr)
    if interrupted:
        print("interrupted", file=sys.stderr)
    return 1 if faults or broken or interrupted else 0


if __name__ == "__main__":
    sys.exit(main())
