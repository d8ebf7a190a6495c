# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Checks the arrows between modules: Package.swift declares only arrows of the layout, and sources import only declared modules.

Each room is a folder of Sources, and its modules depend on modules of the same room and of rooms above it.
"""

import json
import re
import subprocess

from swift_files import ROOT, code_lines, module_of, report, swift_files

# From the first room, which depends on nothing, to the last.
ROOMS = ["Engine", "Library", "Command", "Museum", "Service", "iPhone", "Operator", "Site", "beaconctl"]
# The C libraries: only these modules import each.
C_LIBRARIES = {
    "CDBus": {"DBus"}, "CBluetooth": {"BeaconBlueZ"}, "CSQLite": {"BeaconHistory"}, "CMosquitto": {"BrokerClient"},
    "CSodium": {"ESPHomeProxies"},
}
# These know nothing of beacons: their possible dependencies.
WITHOUT_BEACONS = {
    "SystemKit": set(), "BeaconCommandLine": set(), "CoreLocationModules": set(),
    "DBus": {"SystemKit"}, "BeaconTerminal": {"SystemKit"}, "WebServer": {"SystemKit"}, "Pages": set(),
}
# The pure modules: bytes and values in, values out. They see nothing of the machine, so that a replay cannot differ.
PURE = {"BeaconCore", "BeaconFormats", "BeaconScenarios", "BeaconMuseum", "BeaconSites", "BeaconGateway", "BeaconFleet", "ESPHomeAPI",
        "Pages", "BeaconPlots"}
# More than the rooms demand: what these modules do not depend on, and why.
APART = {
    # What shows beacons on a terminal is used by commands, and opens no source.
    "BeaconViews": {"Beacons", "DBus", "BeaconBlueZ"},
    # A package that can import CoreLocation need not have D-Bus: it links these two, and imports neither.
    "UserNotifications": {"Beacons", "BeaconBlueZ", "BeaconService"},
    "MuseumWalk": {"Beacons", "BeaconBlueZ", "BeaconService"},
}
# Modules of the toolchain that modules that are not pure may use.
TOOLCHAIN = {"Synchronization", "Dispatch", "Glibc", "Musl", "Darwin"}
# Foundation brings six megabytes of libraries into a process, its essentials two: the command's modules do without.
WITH_FOUNDATION = {"CoreLocation", "UserNotifications", "MuseumWalk"}

IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?(\w+)"
)


def described():
    """Returns what Package.swift declares: {module: (room, dependencies)}, for the modules of Sources and of Tests."""
    listed = subprocess.run(
        ["swift", "package", "describe", "--type", "json"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    modules = {}
    targets = json.loads(listed.stdout)["targets"]
    # They run while the package is built, and no module imports them.
    plugins = {target["name"] for target in targets if target["type"] == "plugin"}
    for target in targets:
        top, room, *_ = target["path"].split("/")
        modules[target["name"]] = top, room, set(target.get("target_dependencies", [])) - plugins
    return modules


def declarations(modules):
    """What Package.swift may not declare."""
    package = ROOT / "Package.swift"
    for name, (top, room, dependencies) in modules.items():
        if top == "Tests":
            tested = modules.get(name.removesuffix("Tests"))
            if tested and tested[1] != room:
                yield package, 1, f"{name} is in Tests/{room}, and its module in Sources/{tested[1]}"
            continue
        if top != "Sources" or room == "System":
            continue
        if room not in ROOMS:
            yield package, 1, f"the room {room} of {name} is not in the list of tools/check.d/arrows.py"
            continue
        for dependency in sorted(dependencies):
            other = modules[dependency][1]
            if dependency in C_LIBRARIES:
                allowed = name in C_LIBRARIES[dependency]
            else:
                allowed = (
                    ROOMS.index(other) <= ROOMS.index(room)
                    and (name not in WITHOUT_BEACONS or dependency in WITHOUT_BEACONS[name])
                    and (name not in PURE or dependency in PURE)
                    and dependency not in APART.get(name, ())
                )
            if not allowed:
                yield package, 1, f"{name} ({room}) may not depend on {dependency} ({other})"


def imports(modules):
    """Yields forbidden imports of the sources."""
    for path in swift_files("Sources"):
        module, _ = module_of(path)
        if module not in modules:
            yield path, 1, f"module {module} is not in Package.swift"
            continue
        allowed = modules[module][2] | (set() if module in PURE else TOOLCHAIN)
        # This import is compiled only with the package's trait.
        if module in WITH_FOUNDATION or path.name == "Beacons.swift":
            allowed.add("Foundation")
        for number, line in enumerate(code_lines(path), 1):
            match = IMPORT.match(line)
            if match and match[1] not in allowed:
                yield path, number, f"{module} may not import {match[1]}"


modules = described()
report([*declarations(modules), *imports(modules)], "arrows")
