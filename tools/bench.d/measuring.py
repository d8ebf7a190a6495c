# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Measures commands: CPU and wall time, peak memory, instructions."""

import json
import re
import statistics
import subprocess
from dataclasses import dataclass

from workshop import compiled, scratch_file, shown


class Failed(Exception):
    """A measured command failed."""


@dataclass
class Cost:
    """The cost of one run of a command: seconds and bytes."""

    cpu: float
    wall: float
    peak: int


def measure(command, pipe=False):
    """Runs a command once, with its output discarded or read by `cat` through a pipe."""
    result = scratch_file()
    try:
        with subprocess.Popen(
            [compiled("measure"), result, *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE if pipe else subprocess.DEVNULL, stderr=subprocess.PIPE,
        ) as child:
            reader = None
            if pipe:
                reader = subprocess.Popen(["cat"], stdin=child.stdout, stdout=subprocess.DEVNULL)
                child.stdout.close()
            said = child.stderr.read().decode(errors="replace")
            status = child.wait()
            if reader:
                reader.wait()
        if status:
            raise Failed(f"{shown(command)} ended with {status}: {said.strip()[-200:]}")
        return Cost(**json.loads(result.read_text()))
    finally:
        result.unlink()


def interleaved(contestants, rounds, pipe=False, repeats=None):
    """Runs each contestant once in each round, so that a busy minute of the machine affects all; returns the medians by name.

    `repeats` names contestants too short for the clock: these run several times a round, and their mean is the round's.
    """
    runs = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, command in contestants.items():
            costs = [measure(command, pipe) for _ in range((repeats or {}).get(name, 1))]
            runs[name].append(summed(costs, statistics.fmean))
    return {name: summed(costs, statistics.median) for name, costs in runs.items()}


def summed(costs, average):
    """Combines several costs into one, each part by an average."""
    return Cost(*(average(getattr(cost, part) for cost in costs) for part in ("cpu", "wall", "peak")))


def instructions(command):
    """Returns how many instructions a command executes, as callgrind counts them."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *map(str, command)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        raise Failed(f"callgrind of {shown(command)} ended with {done.returncode}: {done.stderr.strip()[-200:]}")
    return int(found[1])
