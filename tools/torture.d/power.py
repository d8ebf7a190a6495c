# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Cuts the power of an emulated machine that records to an ext4 disk, and reads the disk then.

Each machine is killed once, as a power cut ends one. The log of its disk has many more places at which the power could have
gone: at each chosen one the disk holds all that was flushed, and a random part of its cache.
"""

import functools
import hashlib
import json
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PARTS = ROOT / "tools/torture.d"
sys.path[:0] = [str(ROOT / "tools/virtual-radio.d"), str(ROOT / "tools/bench.d")]

import machine  # noqa: E402
from disk import Disk  # noqa: E402
from private_bus import BUS  # noqa: E402
from workshop import compiled  # noqa: E402

MEGABYTES = 32
MODULES = ("virtio_blk", "crc32c_generic", "ext4")
BOOT_LIMIT = 900
# How long a machine records before its power goes; emulation is slow.
LEAST_SECONDS, MOST_SECONDS = 40, 100
CAPTURES = ["h4.btsnoop", "link-layer.pcap", "monitor.btsnoop", "walk.btsnoop"]
GRANTS = ["notDetermined", "denied", "whenInUse", "always"]
# After every so many cuts a recorder continues with the rest after the cut.
CONTINUED = 20
# How many cuts of a disk that lies show that the checks find losses.
LIES = 3


@functools.cache
def checksum(data):
    result = 0xCBF29CE484222325
    for byte in data:
        result = (result ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{result:x}"


class Machine:
    """One life of a machine: its disk with the log, and its promises."""

    def __init__(self, torture, folder, kernel, guest="guest.py"):
        self.torture, self.folder = torture, folder
        self.share = folder / "share"
        self.share.mkdir(parents=True)
        image = folder / "image"
        with open(image, "wb") as file:
            file.truncate(MEGABYTES << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
        self.disk = Disk(image.read_bytes(), folder / "disk")
        for number, name in enumerate(CAPTURES):
            shutil.copy(ROOT / "Fixtures/captures" / name, self.share / f"{number}.btsnoop")
        shutil.copy(torture.beaconctl, self.share / "beaconctl")
        shutil.copy(compiled("play_bluez", "dbus-1"), self.share)
        shutil.copy(PARTS / guest, self.share)
        (self.share / "bus.conf").write_text(BUS.format(path="/run/torture-bus"))
        words = ["cc", "-std=gnu17", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror"]
        subprocess.run([*words, "-o", self.share / "promise.so", PARTS / "promise.c", "-ldl"], check=True)
        machine.make_initramfs(kernel, guest, folder / "initramfs.gz", MODULES)
        self.kernel, self.ready = kernel, threading.Event()

    def live(self):
        """Boots, records for a while, and loses its power; returns for how many seconds it recorded."""
        more = ("-drive", f"file=nbd:unix:{self.folder}/disk,format=raw,if=virtio,cache=none")
        process = machine.boot(self.kernel, self.folder / "initramfs.gz", self.share, more)
        threading.Thread(target=self.listen, args=(process.stdout,), daemon=True).start()
        try:
            if not self.ready.wait(BOOT_LIMIT):
                raise SystemExit(f"the machine did not come up: {(self.share / 'console.log').read_text()[-2000:]}")
            seconds = self.torture.random.uniform(LEAST_SECONDS, MOST_SECONDS)
            time.sleep(seconds)
        finally:
            process.kill()
            process.wait()
        return seconds

    def listen(self, stream):
        for line in stream:
            text = line.decode(errors="replace").strip()
            self.disk.note(text)
            if text == "ready":
                self.ready.set()
            if text.startswith(("failed", "the recorder ended")):
                self.torture.fault(f"before the power cut: {text}")


class Promises:
    """The promises before a place of the log."""

    def __init__(self, log):
        self.synced, self.done, self.begun = {}, {}, {}
        for event in log:
            if event[0] != "line":
                continue
            words = event[1].split()
            if len(words) == 5 and words[0] == "synced" and words[4].startswith("/data/rec/"):
                self.synced[words[1]] = (int(words[2]), words[3])
            elif len(words) == 3 and words[0] in ("done", "begun"):
                getattr(self, words[0])[words[1]] = int(words[2])


class Cuts:
    def __init__(self, torture, life):
        self.torture, self.life, self.folder = torture, life, life.folder / "cut"
        self.versions = {"grants": [], "converted": []}
        for number in range(4):
            out = life.folder / f"{number}.jsonl"
            subprocess.run([torture.beaconctl, "convert", life.share / f"{number}.btsnoop", out], check=True, capture_output=True)
            self.versions["converted"].append(digest(out.read_bytes()))
        self.figures = Counter()

    def places(self, count):
        """Places of the log from the first recorded byte on; the last is the real power cut."""
        log = self.life.disk.log
        first = next(at for at, event in enumerate(log) if event == ("line", "ready"))
        return [self.torture.random.randrange(first, len(log)) for _ in range(count - 1)] + [len(log)]

    def prove(self):
        """A disk that lies must be found, or the other cuts prove nothing."""
        faults, self.torture.faults, shown = self.torture.faults, [], self.torture.shows
        self.torture.shows = False
        figures, self.figures = self.figures, Counter()
        for _ in range(LIES):
            self.cut(len(self.life.disk.log), continues=False, lies=True)
        found = len(self.torture.faults)
        self.torture.faults, self.torture.shows, self.figures = faults, shown, figures
        self.figures["faults of a disk that lies, which were found"] = found
        if found == 0:
            self.torture.fault("a disk that loses what it said was flushed is not found")

    def cut(self, at, continues, lies=False):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        image = self.folder / "image"
        image.write_bytes(self.life.disk.after_cut(at, self.torture.random, lies))
        done = subprocess.run(["e2fsck", "-f", "-y", image], capture_output=True, text=True, errors="replace",
                              check=False)
        # 1 means that something was repaired, such as counts that the journal does not keep.
        if done.returncode > 1:
            self.torture.fault(f"cut at {at}: e2fsck ended with {done.returncode}: {done.stdout[-500:]}")
            return
        if subprocess.run(["debugfs", "-R", f"rdump / {self.folder}", image], capture_output=True, check=False).returncode:
            self.torture.fault(f"cut at {at}: the disk cannot be read")
            return
        promises = Promises(self.life.disk.log[:at])
        self.judge_recording(at, promises, image)
        self.judge_files(at, promises)
        if continues:
            self.go_on(at)
        self.torture.ends += 1
        self.figures["cuts"] += 1

    def judge_recording(self, at, promises, image):
        listing = subprocess.run(["debugfs", "-R", "ls -p /rec", image], capture_output=True, text=True, errors="replace",
                                 check=True).stdout
        names = {fields[1]: fields[5] for fields in (line.split("/") for line in listing.splitlines()) if len(fields) > 5}
        for inode, (size, expected) in promises.synced.items():
            self.figures["promises"] += 1
            path = self.folder / "rec" / names.get(inode, "?")
            content = path.read_bytes() if path.exists() else b""
            if len(content) < size or checksum(content[:size]) != expected:
                self.torture.fault(f"cut at {at}: of {size} bytes that were synchronized to {path.name} "
                                   f"(inode {inode}) {len(content)} are there")
        for path in sorted((self.folder / "rec").glob("air.jsonl*")):
            promised = next((promises.synced[inode][0] for inode, name in names.items()
                             if name == path.name and inode in promises.synced), 0)
            if path.stat().st_size == 0:
                continue
            self.figures["files"] += 1
            self.figures["bytes beyond a promise"] += path.stat().st_size - promised
            done = subprocess.run([self.torture.beaconctl, "inspect", "--format", "json", path], capture_output=True, check=False)
            if done.returncode and promised:
                self.torture.fault(f"cut at {at}: {path.name} cannot be read: {done.stderr.decode()}")
            elif done.returncode == 0:
                self.figures["reports"] += json.loads(done.stdout)["advertising_reports"]

    def judge_files(self, at, promises):
        grants = self.folder / "state/beacons/clients/guide/grants.json"
        self.judge_file(at, promises, "grants", grants, lambda data: GRANTS.index(json.loads(data)["grants"]["authorization"]))
        self.judge_file(at, promises, "converted", self.folder / "out.jsonl",
                        lambda data: self.versions["converted"].index(digest(data)))

    def judge_file(self, at, promises, name, path, version_of):
        """The file is that of the last command that ended, or of the next that began."""
        done = promises.done.get(name)
        allowed = {done, promises.begun.get(name)}
        if not path.exists():
            if done is not None:
                self.torture.fault(f"cut at {at}: {path.name} is gone")
            return
        try:
            version = version_of(path.read_bytes())
        except (ValueError, KeyError) as error:
            self.torture.fault(f"cut at {at}: {path.name} is damaged: {error!r}")
            return
        self.figures["replaced files"] += 1
        if version not in allowed:
            self.torture.fault(f"cut at {at}: {path.name} is version {version}, allowed are {allowed}")

    def go_on(self, at):
        """A recorder continues the rest after the cut, and nothing of it goes."""
        from private_bus import Bus
        from recordings import Recordings
        recordings = Recordings(self.torture)
        recordings.folder = self.folder / "rec"
        # If the power went before the folder was on the disk, the recorder begins.
        recordings.folder.mkdir(exist_ok=True)
        with Bus() as bus:
            recordings.kill_once(bus, "record air.jsonl --rotate 24K --keep 1000")
        self.figures["continued"] += 1


def digest(data):
    # The times of a converted file are those of its capture, so the same input is the same file.
    return hashlib.sha256(data).hexdigest()


def cut(torture, options):
    try:
        machine.install_packages()
        kernel = machine.kernel()
    except machine.Unavailable as error:
        raise SystemExit(f"no machine to cut the power of: {error}") from error
    figures, seconds = Counter(), 0.0
    for boot in range(options.boots):
        life = Machine(torture, torture.folder / f"machine{boot}", kernel)
        seconds += life.live()
        cuts = Cuts(torture, life)
        share = options.cuts // options.boots
        for number, at in enumerate(cuts.places(share)):
            cuts.cut(at, continues=number % CONTINUED == 0)
        cuts.prove()
        figures.update(cuts.figures)
        figures["flushes"] += sum(event[0] == "flush" for event in life.disk.log)
        figures["writes"] += sum(event[0] == "write" for event in life.disk.log)
        shutil.rmtree(life.folder)
    said = ", ".join(f"{count} {name}" for name, count in figures.items())
    return f"{options.boots} machines recorded {seconds:.0f} s; {said}"
