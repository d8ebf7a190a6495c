# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Checks that each picture of the pages was made after its inputs last changed, by the list pictures.json.

  pictures.py              names the pictures to make again, and the command
  pictures.py --made NAME… notes that these were made now; the commands that make them do so
"""

import datetime
import hashlib
import json
import sys

from swift_files import ROOT

LIST = ROOT / "tools/check.d/pictures.json"
TEXTS, PAGES = "Sources/Command/Pages/Texts", "Sources/Museum/BeaconMuseum/Pages"
STYLES = [f"{TEXTS}/{name}.css" for name in ("colors", "guide", "drawing", "tabs", "guide-controls")]
PLAN = ["Fixtures/museum/plan.json5", "Fixtures/museum/demo-answers.json5", "Sources/Museum/BeaconMuseum/Phrases/en.ini"]
BROWSER, MOVING = "tools/browser-check pictures", "tools/moving-picture"
# Each picture: the command that makes it, and the files on which it depends.
PICTURES = {
    "guide-visitor.png": (BROWSER, [*STYLES, *PLAN, f"{PAGES}/VisitorPage.swift", f"{PAGES}/VisitorState.swift"]),
    "guide-operator.png": (BROWSER, [*STYLES, *PLAN, f"{PAGES}/OperatorPage.swift", f"{PAGES}/OperatorState.swift"]),
    "visit-report.png": (BROWSER, [f"{TEXTS}/colors.css", f"{TEXTS}/report.css", *PLAN, "Sources/Museum/BeaconMuseum/Report/*.swift"]),
    "demo.svg": (MOVING, [*PLAN, "tools/moving-picture", "Sources/Museum/MuseumCommands/Guide/GuideScene*.swift",
                          "Sources/Command/BeaconViews/RangeView+*.swift"]),
}


def inputs(name):
    """The checksum of a picture's inputs."""
    total = hashlib.sha256()
    for pattern in PICTURES[name][1]:
        for path in sorted(ROOT.glob(pattern)):
            total.update(path.read_bytes() + b"\0")
    return total.hexdigest()[:16]


def main():
    made = json.loads(LIST.read_text()) if LIST.exists() else {}
    if sys.argv[1:2] == ["--made"]:
        today = datetime.date.today().isoformat()
        made.update({name: {"date": today, "inputs": inputs(name)} for name in sys.argv[2:]})
        LIST.write_text(json.dumps(made, indent=2, sort_keys=True) + "\n")
        return 0
    stale = [name for name in PICTURES if made.get(name, {}).get("inputs") != inputs(name)]
    for name in stale:
        print(f"docs/pictures/{name}: its inputs changed since {made.get(name, {}).get('date', 'ever')}; make it with {PICTURES[name][0]}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
