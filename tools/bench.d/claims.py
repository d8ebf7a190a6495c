# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A bench's result: claims with the measurement, the bar, and whether it was met."""

import json
from dataclasses import asdict, dataclass


@dataclass
class Claim:
    """One row. `met` is `None` for a figure without a bar, or one that could not be measured."""

    name: str
    measured: str
    bar: str = ""
    met: bool | None = None
    value: float | None = None


class Claims:
    """The rows of a run, printed one by one and again as a table."""

    def __init__(self):
        self.rows = []
        self.gaps = []

    def add(self, name, value, bar=None, unit="", least=False, digits=2):
        """Adds a figure. It may not exceed its bar, or with `least` not fall below it."""
        met = None if bar is None else (value >= bar if least else value <= bar)
        text = "" if bar is None else f"{'≥' if least else '≤'} {bar:,.{digits}f}{unit}"
        self._append(Claim(name, f"{value:,.{digits}f}{unit}", text, met, value))

    def missing(self, name, why):
        """Adds a row that could not be measured, which never counts as passed."""
        self.gaps.append(f"{name}: {why}")
        self._append(Claim(name, "not measured", "", False))

    def _append(self, claim):
        self.rows.append(claim)
        print(f"  {claim.name}: {claim.measured} {claim.bar}", flush=True)

    def table(self):
        """Returns the rows as a table of aligned columns."""
        verdict = {True: "met", False: "NOT MET", None: ""}
        lines = [("claim", "measured", "bar", "")]
        lines += [(row.name, row.measured, row.bar, verdict[row.met]) for row in self.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(3)]
        table = ["  ".join(cell.ljust(width) for cell, width in zip(line, [*widths, 0])).rstrip() for line in lines]
        return "\n".join([*table, *(f"not measured: {gap}" for gap in self.gaps)])

    @property
    def all_met(self):
        """Whether no bar was missed and nothing was left unmeasured."""
        return all(row.met is not False for row in self.rows)

    def write(self, path):
        """Writes the rows as JSON."""
        path.write_text(json.dumps([asdict(row) for row in self.rows], indent=2, ensure_ascii=False) + "\n")
