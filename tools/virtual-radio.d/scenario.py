# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Scenario files: the radio's packets, the programs, the timeline, and the checks afterwards.

    about         one sentence
    ci            true for a scenario that runs without arguments
    radio         see air.py; a list gives several controllers, hci0 and so on, and the command scans with all of them
    experimental  bluetoothd with -E: programs may register advertisement monitors
    refused       true: the kernel refuses bluetoothd's Add Extended Advertising Data, as those of June 2026 do
    user          "nobody", otherwise root;  capabilities: the ones kept, e.g. ["net_admin"]
    live          the command and its options; source, format and recording are added
    adapter       with which the live command listens, otherwise all
    via           "dbus" (the default), "kernel", or "automatic" for whatever is permitted
    recording     the file that `record` writes; a name ending in .btsnoop makes it a capture
    timeline      actions at seconds from the start of the radio, see guest.py's do_…; the last is `end`
    files         paths in the project to copy into the scenario's folder, in which everything runs
    programs      products of the package that it needs besides beaconctl
    replay        the command and its options for the replay of the recording, if they are not those of `live`
    afterwards    shell commands to run on the host in the scenario's folder at the end, by name, in order
    capture       false leaves out the HCI capture
    calls         true logs bluetoothd's calls of our advertisement monitors
    systemd       true for a scenario of the service, in a machine whose first process is systemd
    packages      Debian packages that it needs besides
    prepare       actions without a time, in order, before the radio sends
    judge         the checks' arguments by name, see checks.py; "default" checks need not be named
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

import air

FOLDER = Path(__file__).with_name("scenarios")
KEYS = {
    "about", "ci", "radio", "experimental", "user", "capabilities", "live", "via", "recording", "timeline", "capture",
    "calls", "judge", "files", "programs", "adapter", "replay", "afterwards",
    "systemd", "packages", "prepare", "refused",
}
ACTIONS = {
    "live": set(),
    "end": {"signal"},
    "power": {"on", "radio"},
    "daemon": {"signal", "start"},
    "unplug": {"radio"},
    "plug": {"radio"},
    "client": {"name", "filter", "discover"},
    "leave": {"name"},
    "pause": set(),
    "resume": set(),
    "run": {"name", "command", "user", "background"},
    "stop": {"name", "signal"},
    "doctor": {"name", "options", "user", "rounds"},
    "terminal": {"name", "command", "keys"},
    "await": {"name", "command", "seconds"},
    "signal": {"name", "signal"},
}
# What only a machine with systemd has.
OF_SYSTEMD = {"signal"}


class Faulty(Exception):
    """A faulty scenario file."""


@dataclass
class Scenario:
    name: str
    content: dict
    judge: dict = field(init=False)

    def __post_init__(self):
        self.judge = self.content.get("judge", {})
        try:
            self.validate()
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise Faulty(f"{self.name}: {error if isinstance(error, ValueError) else repr(error)}") from error

    def validate(self):
        air.check_keys("scenario", self.content, KEYS)
        timeline = self.content["timeline"]
        for action in timeline:
            self.validate_action(action, {"at"})
        for action in self.content.get("prepare", []):
            self.validate_action(action, set())
        times = [action["at"] for action in timeline]
        if times != sorted(times) or timeline[-1]["do"] != "end":
            raise ValueError("a timeline runs forward and finishes with `end`")
        if ("live" in self.content) != ("live" in [action["do"] for action in timeline]):
            raise ValueError("`live` is both a key and an action, or neither")

    def validate_action(self, action: dict, time: set[str]):
        what = action["do"]
        if what not in ACTIONS or (what in OF_SYSTEMD and not self.systemd):
            raise ValueError(f"no action {what}; there are: {', '.join(ACTIONS)}")
        air.check_keys(f"action {what}", action, {"do"} | time | ACTIONS[what])

    @property
    def systemd(self) -> bool:
        return self.content.get("systemd", False)

    @property
    def about(self) -> str:
        return self.content["about"]

    @property
    def seconds(self) -> float:
        return self.content["timeline"][-1]["at"]

    @property
    def radios(self) -> list[dict]:
        radios = self.content["radio"]
        return radios if isinstance(radios, list) else [radios]

    @property
    def visit(self) -> dict | None:
        """The simulated visit that the radio sends; the command must make it first."""
        return next((radio["visit"] for radio in self.radios if "visit" in radio), None)

    def schedules(self, root: Path, visit: Path | None = None) -> list[str]:
        """The schedule of each controller; `visit` is the capture of the simulated visit, once it exists."""
        try:
            return [air.schedule_of(radio, root, visit) for radio in self.radios]
        except (KeyError, TypeError, ValueError) as error:
            raise Faulty(f"{self.name}: {error if isinstance(error, ValueError) else repr(error)}") from error


def load(name: str) -> Scenario:
    path = Path(name) if name.endswith(".json") else FOLDER / f"{name}.json"
    if not path.is_file():
        raise Faulty(f"no scenario {name}; there are: {', '.join(names())}")
    try:
        return Scenario(path.stem, json.loads(path.read_text()))
    except json.JSONDecodeError as error:
        raise Faulty(f"{path.name}:{error.lineno}:{error.colno}: {error.msg}") from error


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def in_ci() -> list[str]:
    return [name for name in names() if load(name).content.get("ci")]
