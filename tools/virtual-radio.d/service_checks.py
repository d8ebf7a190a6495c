# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""The checks of the scenarios of the service: what its programs received, and how soon it served again."""

from itertools import zip_longest

from evidence import SHORTEST_SILENCE, Evidence, microseconds


def crossings(evidence: Evidence, file: str, client: str, region: str, kinds: list[str]) -> list[str]:
    """A program received exactly these crossings (`enter`, `exit`), numbered from 1, and no false exit.

    `region` is its region, UUID[/MAJOR[/MINOR]]. All its lines are of this client, and it was outside at no time at which
    a beacon of its region was sent.
    """
    lines = evidence.lines_of(file)
    crossed = [line for line in lines if line["type"] in ("region.enter", "region.exit")]
    found = [line["type"].removeprefix("region.") for line in crossed]
    evidence.figures[file.removesuffix(".jsonl")] = " ".join(found) or "nothing"
    complaints = [] if lines else [f"{file} has no line"]
    if found != kinds:
        complaints.append(f"{file}: {found} instead of {kinds}")
    numbers = [line.get("sequence") for line in crossed]
    if numbers != list(range(1, len(crossed) + 1)):
        complaints.append(f"{file}: the crossings have the numbers {numbers}")
    others = sorted({line["client"] for line in lines if line.get("client") not in (None, client)})
    complaints += [f"{file}: a line of {other}" for other in others]
    for line in lines:
        if line["type"] == "region.exit" or line.get("state") == "outside":
            silence = evidence.silence(region, microseconds(line["t"]))
            if silence < SHORTEST_SILENCE:
                complaints.append(f"{file}: outside {silence / 1e6:.1f} s after a packet")
    return complaints


def nothing(evidence: Evidence, file: str) -> list[str]:
    """A program without a grant ran, and received nothing that is derived from a beacon."""
    lines = evidence.lines_of(file)
    told = [line for line in lines if line["type"] in ("region.enter", "region.exit", "ranged") or line.get("state") == "inside"]
    complaints = [f"{file}: {line['type']} without a grant" for line in told[:1]]
    return complaints if lines else [f"{file} has no line"]


def back(evidence: Evidence, name: str, within: float) -> list[str]:
    """Another process of the service served this soon after the signal, without the time in which the host did not run the machine."""
    fact = evidence.program(name)
    begun = fact["begun"] * 1e6
    seconds = fact["seconds"] - evidence.stalled_between(begun, begun + fact["seconds"] * 1e6)
    evidence.figures[name] = f"{seconds:.1f} s"
    return [] if seconds <= within else [f"{name}: the service was back after {seconds:.1f} s, not {within}"]


def profiles(evidence: Evidence, expected: dict[str, list[str]]) -> list[str]:
    """The client of each profile was asked and received exactly this, in order; see profiles.py."""
    complaints = []
    for profile, wanted in expected.items():
        file = evidence.folder / f"{profile}.txt"
        found = file.read_text().splitlines() if file.exists() else []
        place = next((place for place, (a, b) in enumerate(zip_longest(found, wanted)) if a != b), None)
        if place is not None:
            line = [lines[place] if place < len(lines) else "nothing" for lines in (found, wanted)]
            complaints.append(f"{profile}: line {place + 1} is {line[0]!r} instead of {line[1]!r}")
    evidence.figures["profiles"] = f"{len(expected) - len(complaints)} of {len(expected)}"
    return complaints


ALL = (crossings, nothing, back, profiles)
TIMED = {"back", "profiles"}
