# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Stalls of the emulated machine: times in which the host did not run it, found in its heartbeat.

The machine writes its clocks to a serial line at a steady rate (heartbeat.py), and the host notes when each line comes.
When the host does not run the machine, two lines lie far apart by both clocks. One clock alone is no stall: lines
that the host reads late were written in time, and a clock of the machine that stands still holds up nothing in it.
"""

import threading
import time
from dataclasses import dataclass
from typing import BinaryIO, Iterable

# The longest time between two lines that is no stall, in microseconds: five lines are missing.
LONGEST_GAP = 600_000


@dataclass(frozen=True)
class Beat:
    """A line of the heartbeat: the machine's monotonic and wall clock, and the host's monotonic one, in microseconds."""

    machine: int
    wall: int
    host: int


@dataclass(frozen=True)
class Stall:
    """A time in which the machine did not run, by its own wall clock in microseconds."""

    begin: int
    end: int

    @property
    def seconds(self) -> float:
        return (self.end - self.begin) / 1e6


def beat_of(line: bytes, host: int) -> Beat | None:
    """The beat of a line; `None` where the line is torn."""
    words = line.split()
    if len(words) != 2 or not all(word.isdigit() for word in words):
        return None
    return Beat(int(words[0]), int(words[1]), host)


def stalls_in(beats: Iterable[Beat]) -> list[Stall]:
    """The stalls between beats, each as long as both clocks say."""
    found, before = [], None
    for beat in beats:
        if before is not None:
            gap = min(beat.machine - before.machine, beat.host - before.host)
            if gap > LONGEST_GAP:
                found.append(Stall(beat.wall - gap, beat.wall))
        before = beat
    return found


class Heartbeat:
    """Reads the heartbeat from the machine's serial line as it comes, on a thread of its own."""

    def __init__(self, line: BinaryIO):
        self.line = line
        self.beats: list[Beat] = []
        self.came = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for text in self.line:
            beat = beat_of(text, time.monotonic_ns() // 1000)
            if beat is not None:
                with self.came:
                    self.beats.append(beat)
                    self.came.notify_all()

    def between(self, begin: int, end: int, patience: float = 30) -> list[Beat]:
        """The beats from the last one before a time to the first one after another, by the machine's wall clock.

        Waits until that last beat has come. Answers what there is where it does not come in time.
        """
        with self.came:
            self.came.wait_for(lambda: self.beats and self.beats[-1].wall >= end, patience)
            beats = list(self.beats)
        first = max((place for place, beat in enumerate(beats) if beat.wall <= begin), default=0)
        last = next((place for place, beat in enumerate(beats) if beat.wall >= end), len(beats) - 1)
        return beats[first : last + 1]
