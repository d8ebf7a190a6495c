# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Stalls of the emulated machine: times in which the host did not run it, found in its heartbeat.

The machine writes its clocks to a serial line at a steady rate (heartbeat.py), and the host notes when it reads each line.
If the host does not run the machine, two lines are far apart by both clocks. A difference by only one clock is not a stall:
lines that the host reads late were written in time, and a clock of the machine that stops delays nothing in the machine.
On an overloaded host the heartbeat stays in time, because it has the highest priority in the machine, but everything else
is delayed. So the host's kernel also reports how long each thread of the emulator, which is a processor of the machine,
waited for a processor of the host. A host that stops for seconds causes one long stall, an overloaded host many short
ones; their sum counts.
"""

import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Iterable

# The time between two lines, in microseconds.
PERIOD = 100_000
# How late a line may be, and how long a processor of the machine may wait in that time, without a stall. Emulation
# causes a few milliseconds; a machine that gets less than half a processor loses reports.
LATEST = 50_000
# The largest sum of all stalls, in seconds, with which a check is still judged: less than any check depends on.
ALLOWED = 0.5


@dataclass(frozen=True)
class Beat:
    """A line of the heartbeat: the machine's monotonic and wall clock, and the host's monotonic one, in microseconds.

    `waited` is for how long one of the machine's processors waited for one of the host's, since the line before.
    """

    machine: int
    wall: int
    host: int
    waited: int = 0


@dataclass(frozen=True)
class Stall:
    """A time in which the machine did not run, by its own wall clock in microseconds."""

    begin: int
    end: int

    @property
    def seconds(self) -> float:
        return (self.end - self.begin) / 1e6


def beat_of(line: bytes, host: int, waited: int = 0) -> Beat | None:
    """The beat of a line; `None` if the line is incomplete."""
    words = line.split()
    if len(words) != 2 or not all(word.isdigit() for word in words):
        return None
    return Beat(int(words[0]), int(words[1]), host, waited)


class Waits:
    """How long the threads of a process waited for a processor, as Linux counts it."""

    def __init__(self, process: int | None):
        self.tasks = Path(f"/proc/{process}/task")
        self.before: dict[str, int] = {}

    def longest(self) -> int:
        """The longest wait of a thread since the last call, in microseconds; 0 if Linux does not count it."""
        now = {}
        for path in self.tasks.glob("*/schedstat"):
            try:
                now[path.parent.name] = int(path.read_text().split()[1]) // 1000
            except (OSError, IndexError):
                # The thread has ended, or Linux does not count.
                continue
        longest = max((waited - self.before.get(name, waited) for name, waited in now.items()), default=0)
        self.before = now
        return longest


def stalls_in(beats: Iterable[Beat]) -> list[Stall]:
    """The stalls between beats, each as long as by both clocks, or as long as a processor of the machine waited."""
    found, before = [], None
    for beat in beats:
        if before is not None:
            gap = min(beat.machine - before.machine, beat.host - before.host)
            stalled = max(gap - PERIOD, min(beat.waited, gap))
            if stalled > LATEST:
                found.append(Stall(beat.wall - stalled, beat.wall))
        before = beat
    return found


class Heartbeat:
    """Reads the heartbeat from the machine's serial line, on a separate thread."""

    def __init__(self, line: BinaryIO, process: int | None = None):
        self.line, self.waits = line, Waits(process)
        self.beats: list[Beat] = []
        self.came = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for text in self.line:
            beat = beat_of(text, time.monotonic_ns() // 1000, self.waits.longest())
            if beat is not None:
                with self.came:
                    self.beats.append(beat)
                    self.came.notify_all()

    def between(self, begin: int, end: int, patience: float = 30) -> list[Beat]:
        """The beats from the last one before a time to the first one after another, by the machine's wall clock.

        Waits until that last beat has come. Returns the beats so far if it does not come in time.
        """
        with self.came:
            self.came.wait_for(lambda: self.beats and self.beats[-1].wall >= end, patience)
            beats = list(self.beats)
        first = max((place for place, beat in enumerate(beats) if beat.wall <= begin), default=0)
        last = next((place for place, beat in enumerate(beats) if beat.wall >= end), len(beats) - 1)
        return beats[first : last + 1]
