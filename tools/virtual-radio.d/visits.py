# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A simulated visit to a museum, cut to length, as a capture for the radio; and its ground truth."""

import json
import shutil
import struct
import subprocess
from pathlib import Path

KEYS = {"plan", "seed", "seconds", "at"}


def cut(path: Path, seconds: float):
    """Shortens a btsnoop file to its first seconds."""
    content, at = path.read_bytes(), 16
    first = struct.unpack_from(">q", content, at + 16)[0]
    while at + 24 <= len(content) and struct.unpack_from(">q", content, at + 16)[0] - first < seconds * 1e6:
        at += 24 + struct.unpack_from(">I", content, at + 4)[0]
    path.write_bytes(content[:at])


def make(command: Path, visit: dict, root: Path, folder: Path) -> Path:
    """Writes visit.btsnoop, truth.jsonl and the plan into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(root / visit["plan"], folder)
    path = folder / "visit.btsnoop"
    words = [str(command), "museum", "simulate", "--plan", str(root / visit["plan"]), "--seed", str(visit["seed"])]
    words += ["--truth", str(folder / "truth.jsonl"), str(path)]
    subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    cut(path, visit["seconds"])
    return path


def stops(path: Path, seconds: float, least: float) -> list[int]:
    """The exhibits (minors) at which the visitor stood for at least this time, in order, from the ground truth."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    # The truth has ten rows a second.
    spans: list[list] = []
    for row in rows[: round(seconds * 10)]:
        before = row["looks_at"]["minor"] if row["standing"] and row["looks_at"] else None
        if not spans or spans[-1][0] != before:
            spans.append([before, 0])
        spans[-1][1] += 0.1
    return [minor for minor, stood in spans if minor is not None and stood >= least]
