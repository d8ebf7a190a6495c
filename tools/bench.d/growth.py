# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""How time and memory of the commands grow with each thing that a user can have more of: at 1, 10, 100 and 1,000 times.

Each row is a command and one such thing; the inputs are generated. A tenfold number may take at most fourteen times as
long, which is more than n log n needs, once a run takes a tenth of a second.
"""

import argparse
import json
import os
import random
import shutil
import sys
from datetime import datetime, timedelta, timezone

from claims import Claims
from measuring import Failed, measure
from workshop import CACHE, release_beaconctl

UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
OTHER = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
# A thousand days before today.
START = datetime(2020, 1, 1, 10, tzinfo=timezone.utc)
HEADER = {"v": 1, "type": "capture", "tool": "beaconctl", "version": "0.1.0", "receivers": [], "profile": None, "redacted": True}
# The most that a tenfold number may cost, and the seconds from which that is measured.
MOST, SHORTEST = 14, 0.1


def line(second, number=0, receiver=None, uuid=UUID):
    """Returns a report of the beacon with a number."""
    ad = "0201061aff4c000215" + uuid.replace("-", "") + f"{number >> 16 & 0xFFFF:04x}{number & 0xFFFF:04x}c5"
    return json.dumps({
        "v": 1, "type": "report", "t": (START + timedelta(seconds=second)).isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "receiver": receiver, "address": f"02:00:{number >> 24 & 255:02x}:{number >> 16 & 255:02x}:{number >> 8 & 255:02x}:{number & 255:02x}",
        "address_type": "random", "event": "ADV_NONCONN_IND", "rssi": -60, "ad": ad,
    })


def recording(path, lines, receivers=()):
    """Writes a recording."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(HEADER | {"receivers": list(receivers)}) + "\n")
        for one in lines:
            file.write(one + "\n")
    return path


class Inputs:
    """The inputs of the rows, in a folder."""

    def __init__(self, folder):
        self.folder = folder

    def captures(self, count, seconds):
        """Captures of two reports, each `seconds` after the one before."""
        return [
            recording(self.folder / f"{index:06}.jsonl", [line(index * seconds), line(index * seconds + 1)])
            for index in range(count)
        ]

    def identities(self, count):
        """A recording with so many beacons, each received twice."""
        return recording(self.folder / "identities.jsonl", (line(round_ * count * 1e-4 + i * 1e-4, i) for round_ in range(2) for i in range(count)))

    def receivers(self, count):
        """A recording of so many receivers."""
        names = [f"r{i}" for i in range(count)]
        return recording(self.folder / "receivers.jsonl", (line(i * 1e-3, 1, names[i % count]) for i in range(2000)), names)

    def visits(self, count):
        """Recordings of visitors of the demo's museum, ten minutes apart."""
        return [
            recording(self.folder / f"visit-{index:05}.jsonl", [line(index * 600 + second, (1 << 16) + 101) for second in range(8)])
            for index in range(count)
        ]

    def days(self, count):
        """A recording in which a beacon comes and goes 24 times on each of so many days, while others show that the receiver listens."""
        starts = [day * 86400 + visit * 120 for day in range(count) for visit in range(24)]
        moments = [(0, UUID), (1, UUID), (2, UUID), (3, UUID), (50, OTHER), (100, OTHER)]
        return recording(self.folder / "days.jsonl", (line(start + second, 1, uuid=uuid) for start in starts for second, uuid in moments))

    def places(self, count):
        """A walk of ten seconds in each of so many places, and its labels."""
        walk = recording(self.folder / "walk.jsonl", (line(i * 10 + s, 1, f"r{i % 8}") for i in range(count) for s in range(10)), [f"r{i}" for i in range(8)])
        truth = self.folder / "walk.csv"
        truth.write_text("start,end,name\n" + "".join(f"{i * 10},{i * 10 + 9},place {i}\n" for i in range(count)), encoding="utf-8")
        return ["-f", walk, "--truth", truth]

    def configuration(self, count):
        """A configuration with so many names of beacons and regions with an exit time."""
        path = self.folder / "configuration.json5"
        beacons = {f"{UUID}/1/{i}" if i < 65536 else f"{UUID}/2/{i - 65536}": f"Exhibit {i}" for i in range(count)}
        path.write_text(json.dumps({"beacons": beacons, "regions": {f"r{i}": {"exit": 9} for i in range(count)}}, indent=1), encoding="utf-8")
        return path

    def clients(self, count):
        """A state folder with the grants of so many clients."""
        for number in range(count):
            client = self.folder / "home/beacons/clients" / f"c{number}"
            client.mkdir(parents=True, mode=0o700, exist_ok=True)
            (client / "grants.json").write_text('{"version":1,"grants":{"authorization":"whenInUse","accuracy":"full"}}', encoding="utf-8")

    def plan(self, count):
        """A plan with so many exhibits."""
        path = self.folder / "plan.json5"
        rooms = [{"name": {"en": f"Room {i}"}, "major": i} for i in range(1, count // 20 + 2)]
        exhibits = [{"room": 1 + i // 20, "minor": i, "title": {"en": f"E {i}"}, "text": {"en": "A text."}} for i in range(count)]
        manifest = {"whenInUse": {"en": "To guide."}}
        plan = {"museum": {"en": "Growth"}, "uuid": UUID, "languages": ["en"], "manifest": manifest, "rooms": rooms, "exhibits": exhibits}
        path.write_text(json.dumps(plan), encoding="utf-8")
        return path


def many(option, values):
    """Returns an option for each value."""
    return [word for value in values for word in (option, value)]


def rows(inputs, demo):
    """Returns each row: what grows, its number at 1, and the command for a number."""
    one = recording(inputs.folder / "one.jsonl", [line(second / 5, second % 3) for second in range(100)])
    everything = f"all={UUID}"
    quiet = ["--format", "none", "--config", "none"]
    history = inputs.folder / "history"

    def past(count):
        shutil.rmtree(history, ignore_errors=True)
        measure([inputs.command, "monitor", *quiet, "-f", inputs.days(count), "-r", everything, "--history", history])
        return ["history", "visits", "--history", history, "--format", "jsonl"]

    def clients(count):
        inputs.clients(count)
        return ["auth", "status"]

    return [
        ("captures, one after the other", 10, lambda n: ["monitor", *quiet, *many("-f", inputs.captures(n, 5)), "-r", everything]),
        ("captures at the same time", 10, lambda n: ["monitor", *quiet, *many("-f", inputs.captures(n, 0)), "-r", everything]),
        ("identities, range", 100, lambda n: ["range", *quiet, "-f", inputs.identities(n), "-s", UUID]),
        ("identities, scan", 100, lambda n: ["scan", *quiet, "-f", inputs.identities(n)]),
        ("identities, monitor", 100, lambda n: ["monitor", *quiet, "-f", inputs.identities(n), "-r", everything]),
        ("identities, inspect", 100, lambda n: ["inspect", inputs.identities(n), "--format", "json"]),
        ("regions", 20, lambda n: ["monitor", *quiet, "-f", one, *many("-r", (f"r{i}={UUID}/0/{i % 65536}" for i in range(n)))]),
        ("constraints", 20, lambda n: ["range", *quiet, "-f", one, *many("-s", (f"{UUID}/0/{i % 65536}" for i in range(n)))]),
        ("receivers", 2, lambda n: ["monitor", *quiet, "-f", inputs.receivers(min(n, 255)), "-r", everything]),
        ("entries of the configuration", 50, lambda n: ["monitor", "--format", "none", "--config", inputs.configuration(n), "-f", one, "-r", everything]),
        ("entries of the configuration, name", 50, lambda n: ["name", f"{UUID}/1/7", "Other", "--config", inputs.configuration(n)]),
        ("clients", 10, clients),
        ("exhibits of a plan", 1, lambda n: ["museum", "plan", "check", inputs.plan(n)]),
        ("exhibits of a plan, labels", 1, lambda n: ["museum", "plan", "show", inputs.plan(n), "--labels", inputs.folder / "labels.html", "--force"]),
        ("places of a survey", 5, lambda n: ["site", "survey", *inputs.places(min(n, 200)), "--write", inputs.folder / "model.json", "--force"]),
        ("days, plot", 1, lambda n: ["plot", inputs.days(n), "-o", inputs.folder / "plot.svg", "--force"]),
        ("identities, convert", 100, lambda n: ["convert", inputs.identities(n), inputs.folder / "converted.jsonl", "--force"]),
        ("visits", 5, lambda n: ["museum", "report", "--plan", demo, "--config", "none", "--html", inputs.folder / "r.html", "--force", *inputs.visits(n)]),
        ("days", 1, lambda n: ["monitor", *quiet, "-f", inputs.days(n), "-r", everything]),
        ("days of history", 1, past),
    ]


def main():
    parser = argparse.ArgumentParser(prog="tools/bench growth", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beaconctl", help="the command (default: the release, which is built)")
    parser.add_argument("--times", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--only", default="", help="only rows that contain this text")
    arguments = parser.parse_args()
    command = arguments.beaconctl or release_beaconctl()
    folder = CACHE / "growth"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    inputs = Inputs(folder)
    inputs.command = os.path.abspath(command)
    demo = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../Fixtures/museum/plan.json5"))
    os.environ["XDG_STATE_HOME"] = os.environ["XDG_CONFIG_HOME"] = str(folder / "home")
    random.seed(1)
    claims = Claims()
    print(f"{'seconds of a processor (MB)':36}" + "".join(f"{f'{times} x':>18}" for times in arguments.times))
    for name, base, build in rows(inputs, demo):
        if arguments.only not in name:
            continue
        costs = []
        for times in arguments.times:
            try:
                costs.append(measure([inputs.command, *build(base * times)]))
            except Failed as error:
                claims.missing(f"{name}, {times} x", error)
                break
        print(f"{name:36}" + "".join(f"{f'{cost.cpu:.2f} ({cost.peak / 1e6:.0f})':>18}" for cost in costs), flush=True)
        for times, before, after in zip(arguments.times[1:], costs, costs[1:]):
            if after.cpu >= SHORTEST:
                claims.add(f"{name}, {times} x", after.cpu / max(before.cpu, SHORTEST / 10), MOST, " times as long", digits=1)
    shutil.rmtree(folder, ignore_errors=True)
    print(claims.table())
    return 0 if claims.all_met else 1


if __name__ == "__main__":
    sys.exit(main())
