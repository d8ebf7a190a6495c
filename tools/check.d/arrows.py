# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Checks that modules import, and Package.swift declares, only what the house allows (docs/architecture.md)."""

import json
import re
import subprocess

from swift_files import ROOT, code_lines, report, swift_files

# What a module of ours may depend on.
ARROWS = {
    "BeaconCore": [],
    "BeaconFormats": ["BeaconCore"],
    "BeaconSites": ["BeaconCore", "BeaconFormats"],
    "BeaconFleet": ["BeaconCore", "BeaconFormats"],
    "BeaconGateway": ["BeaconCore", "BeaconFormats"],
    "BeaconMuseum": ["BeaconCore", "BeaconFormats"],
    "BeaconScenarios": ["BeaconCore", "BeaconFormats"],
    "SystemKit": [],
    "Beacons": ["BeaconCore", "BeaconFormats", "SystemKit"],
    "BeaconBlueZ": ["BeaconCore", "BeaconFormats", "Beacons", "DBus", "CBluetooth"],
    "DBus": ["SystemKit", "CDBus"],
    "BeaconService": ["BeaconCore", "BeaconFormats", "Beacons", "DBus", "SystemKit"],
    "WebServer": ["SystemKit"],
    "BeaconTesting": ["BeaconCore", "Beacons", "BeaconFormats", "BeaconScenarios"],
    "CoreLocation": [
        "BeaconCore", "BeaconFormats", "Beacons", "BeaconBlueZ", "BeaconService", "SystemKit", "CoreLocationModules",
    ],
    "CoreLocationModules": [],
    "BeaconTerminal": ["SystemKit"],
    "BeaconViews": ["BeaconCore", "BeaconFormats", "BeaconTerminal"],
    "BeaconCommandLine": [],
    "BeaconCommands": [
        "BeaconCore", "BeaconFormats", "BeaconScenarios", "Beacons", "BeaconBlueZ", "BeaconCommandLine", "BeaconTerminal",
        "BeaconViews", "SystemKit",
    ],
    "MuseumCommands": [
        "BeaconCore", "BeaconFormats", "BeaconMuseum", "Beacons", "BeaconBlueZ", "BeaconCommandLine", "BeaconCommands",
        "BeaconTerminal", "SystemKit", "WebServer",
    ],
    "SiteCommands": [
        "BeaconCore", "BeaconFormats", "BeaconSites", "BeaconCommandLine", "BeaconCommands", "BeaconTerminal",
        "SystemKit",
    ],
    "FleetCommands": [
        "BeaconCore", "BeaconFleet", "BeaconFormats", "BeaconMuseum", "BeaconCommandLine", "BeaconCommands", "SystemKit",
    ],
    "BeaconHistory": ["BeaconCore", "BeaconFormats", "SystemKit", "CSQLite"],
    "HistoryCommands": [
        "BeaconCore", "BeaconFormats", "BeaconMuseum", "Beacons", "BeaconBlueZ", "BeaconCommandLine", "BeaconCommands",
        "BeaconHistory", "SystemKit", "WebServer",
    ],
    "BrokerClient": ["BeaconCore", "BeaconGateway", "SystemKit", "CMosquitto"],
    "GatewayCommands": [
        "BeaconCore", "BeaconFormats", "BeaconGateway", "BeaconSites", "Beacons", "BeaconBlueZ", "BeaconCommandLine",
        "BeaconCommands", "BrokerClient", "SystemKit",
    ],
    "ServiceCommands": [
        "BeaconCore", "BeaconFormats", "Beacons", "BeaconBlueZ", "BeaconCommandLine", "BeaconCommands", "BeaconService", "DBus",
        "SystemKit",
    ],
    "DoctorCommands": [
        "BeaconCore", "BeaconFormats", "Beacons", "BeaconBlueZ", "BeaconCommandLine", "BeaconCommands", "BeaconTerminal",
        "SystemKit",
    ],
    "beaconctl": [
        "BeaconCommands", "DoctorCommands", "FleetCommands", "GatewayCommands", "HistoryCommands", "MuseumCommands",
        "ServiceCommands", "SiteCommands",
    ],
    "MuseumWalk": ["CoreLocation"],
    "CDBus": [], "CBluetooth": [], "CSQLite": [], "CMosquitto": [],
}

# The pure modules: bytes and values in, values out. They see nothing of the machine, so that a replay cannot differ.
PURE = {"BeaconCore", "BeaconFormats", "BeaconMuseum", "BeaconScenarios", "BeaconSites", "BeaconGateway", "BeaconFleet"}
# What comes with the toolchain and the others may use.
TOOLCHAIN = {"Synchronization", "Dispatch", "Glibc", "Musl", "Darwin"}
# Foundation brings six megabytes of libraries into a process, its essentials two: what the command is made of does without.
WITH_FOUNDATION = {"CoreLocation", "MuseumWalk"}

IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?(\w+)"
)


def imports():
    """What the sources import."""
    for path in swift_files("Sources"):
        module = path.relative_to(ROOT / "Sources").parts[0]
        if module not in ARROWS:
            yield path, 1, f"module {module} is not in the table of tools/check.d/arrows.py"
            continue
        allowed = set(ARROWS[module]) | (set() if module in PURE else TOOLCHAIN)
        if module in WITH_FOUNDATION:
            allowed.add("Foundation")
        for number, line in enumerate(code_lines(path), 1):
            match = IMPORT.match(line)
            if match and match[1] not in allowed:
                yield path, number, f"{module} may not import {match[1]}"


def declarations():
    """What Package.swift declares."""
    described = subprocess.run(
        ["swift", "package", "describe", "--type", "json"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    for target in json.loads(described.stdout)["targets"]:
        if not target["path"].startswith("Sources"):
            continue
        for dependency in target.get("target_dependencies", []):
            if dependency not in ARROWS.get(target["name"], []):
                yield ROOT / "Package.swift", 1, f"{target['name']} may not depend on {dependency}"


report([*imports(), *declarations()], "arrows")
