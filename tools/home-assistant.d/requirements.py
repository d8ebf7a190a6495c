# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Prints what components of Home Assistant need from PyPI, with the components that they depend on. Runs in its installation."""

import json
import pathlib
import sys

import homeassistant

COMPONENTS = pathlib.Path(homeassistant.__file__).with_name("components")
# What Home Assistant loads without being asked, and cannot load without these.
ALWAYS = ("backup", "network", "person", "system_health")


def main():
    waiting, seen, needed = [*sys.argv[1:], *ALWAYS], set(), set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        manifest = json.loads((COMPONENTS / name / "manifest.json").read_text())
        needed.update(manifest.get("requirements", []))
        waiting += manifest.get("dependencies", [])
    print("\n".join(sorted(needed)))


main()
