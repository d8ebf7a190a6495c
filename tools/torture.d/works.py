# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Commands that write files, the files before them, and those allowed after an end that they did not choose."""

import json
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FIXTURES = ROOT / "Fixtures"
CAPTURE = FIXTURES / "captures/walk.btsnoop"
PLAN = FIXTURES / "museum/plan.json5"
UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
OLD = b"the old file\n"
SITE = b"// A site.\n{\n  // Ours.\n  set: { \"ranging.linger\": 10 },\n}\n"


def grants(authorization):
    limits = {"until": None, "accuracy": "full", "always_spent": False, "confirmation_due": False, "services": True,
              "restricted": False}
    return (json.dumps({"version": 1, "grants": {"authorization": authorization, **limits}}, indent=2) + "\n").encode()


class Work:
    """A command, and the files that it writes: each with its content before, or None.

    A file that existed is afterwards the old or the new one. A new file is complete, a beginning of it
    becomes, or not there.
    """

    def __init__(self, words, files, others=None, to_file=False, lines=1, may_be_lost=()):
        self.words, self.files, self.others, self.to_file = words.split(), files, others or {}, to_file
        self.name = " ".join(word for word in self.words if "/" not in word)
        # How many lines explain a failure, and what may be missing after a success that was explained.
        self.lines, self.may_be_lost = lines, may_be_lost
        self.after = {}

    def prepare(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        for name, content in (self.others | self.files).items():
            if content is None:
                continue
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            for parent in path.relative_to(folder).parents:
                (folder / parent).chmod(0o700)
            path.write_bytes(content)
            path.chmod(0o600)

    def learn(self, folder):
        """Keeps what an undisturbed run made."""
        self.after = {name: (folder / name).read_bytes() if (folder / name).exists() else None for name in self.files}
        unchanged = [name for name, before in self.files.items() if self.after[name] == before]
        if unchanged:
            raise SystemExit(f"{self.name}: {unchanged} did not change")

    def faults(self, folder, succeeded=False, explained=False):
        """The fault of the files after an end."""
        found = []
        for name, before in self.files.items():
            path = folder / name
            content = path.read_bytes() if path.exists() else None
            if succeeded and content != self.after[name]:
                if not (name in self.may_be_lost and explained and content == before):
                    found.append(f"{name} is incomplete, and the exit code is 0")
            elif before is not None and content is None and self.after[name] is not None:
                found.append(f"{name} is gone")
            elif content in (before, self.after[name]) or content is None:
                continue
            elif before is None and self.after[name].startswith(content):
                continue
            else:
                found.append(f"{name}: {len(content)} bytes that are neither the old content nor the new")
        for name, content in self.others.items():
            path = folder / name
            if not path.exists() or path.read_bytes() != content:
                found.append(f"{name}, which the command only reads, was changed")
        return found


def model(place):
    levels = '"hall":{"silent":0,"-60":20}'
    return f'{{"version":1,"power":-59,"receivers":["hall"],"places":[{{"name":"{place}","seconds":20,"levels":{{{levels}}}}}]}}'.encode()


def walk():
    """Twenty seconds of a beacon at the receiver of the hall."""
    return "".join(
        f'{{"v":1,"type":"sighting","t":"2026-05-02T10:00:{second:02}.000000Z","uuid":"{UUID}","major":1,"minor":1,"power":-59,'
        '"rssi":-60,"receiver":"hall"}\n' for second in range(21)).encode()


def works():
    """Every command that writes, without a radio."""
    grant = "beacons/clients/guide/grants.json"
    state = "kept/clients/operator/state.json"
    # The first 176 records.
    capture = CAPTURE.read_bytes()[:11980]
    return [
        Work("convert in.btsnoop out.jsonl --force", {"out.jsonl": OLD}, {"in.btsnoop": capture}),
        Work("convert in.btsnoop out.jsonl", {"out.jsonl": None}, {"in.btsnoop": capture}),
        Work("convert in.btsnoop out.pcap --force", {"out.pcap": OLD}, {"in.btsnoop": capture}),
        Work(f"scan -f in.btsnoop --format none --record rec.jsonl --force -o jsonl:out.jsonl -o csv:out.csv",
             {"rec.jsonl": None, "out.jsonl": None, "out.csv": None}, {"in.btsnoop": capture}),
        Work(f"range -f in.btsnoop -s {UUID} --format jsonl", {"stdout": None}, {"in.btsnoop": capture}, to_file=True),
        # The events of a run are worth more than the next run's knowledge of this one.
        Work(f"monitor -f in.btsnoop -r a={UUID} --state kept --format none", {state: None}, {"in.btsnoop": capture},
             may_be_lost=(state,)),
        # The capture has the beacons 1/1 to 1/3.
        Work("museum report in.btsnoop --plan plan.json5 --html page.html --csv page.csv --force",
             {"page.html": OLD, "page.csv": OLD},
             {"in.btsnoop": capture, "plan.json5": PLAN.read_bytes().replace(b"minor: 10", b"minor: ")}),
        Work(f"museum simulate out.jsonl --plan {PLAN} --truth truth.jsonl --force", {"out.jsonl": OLD, "truth.jsonl": OLD}),
        Work(f"museum plan new plan.json5 -f in.btsnoop -s {UUID} --force", {"plan.json5": OLD}, {"in.btsnoop": capture},
             lines=2),
        Work(f"calibrate -f in.btsnoop -b {UUID}/1/1 --at 1m --write site.json5", {"site.json5": SITE}, {"in.btsnoop": capture},
             lines=3),
        # A model that is replaced stays, and two models are exchanged: each is whole, under one name or the other.
        Work("site survey -f walk.jsonl --truth walk.csv --write house.json --force",
             {"house.json": model("old"), "house.json.1": None},
             {"walk.jsonl": walk(), "walk.csv": b"start,end,name\n0,20,hall\n"}, lines=3),
        Work("site survey --undo house.json", {"house.json": model("new"), "house.json.1": model("old"), "house.json.2": None}),
        Work("auth set denied --client guide", {grant: grants("always")}),
        Work("auth set always --client guide", {grant: None}),
        Work("auth precise off --client guide", {grant: grants("always")}, {"beacons/clients/other/grants.json": grants("denied")}),
        Work("auth services off", {"beacons/machine.json": b'{\n  "version": 1,\n  "services": true\n}\n'},
             {grant: grants("always")}),
    ]
