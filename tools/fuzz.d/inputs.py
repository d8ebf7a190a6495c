# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""What is mutated, and which commands read it with which exit codes."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FIXTURES = ROOT / "Fixtures"
PLAN = FIXTURES / "museum/plan.json5"
ANSWERS = FIXTURES / "museum/demo-answers.json5"
UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
SHORT = "short.btsnoop"

MANIFEST = b'{ whenInUse: "To show what you stand in front of.", alwaysAndWhenInUse: "To greet you.", backgroundLocation: true }\n'
CONFIGURATION = b"""// A site.
{
  profile: "default",
  set: { "ranging.linger": 10, "ranging.filter": "kalman", "recording.synchronizeInterval": 5 },
  regions: { a: { exit: 8, sightings: 3 } },
  calibration: {
    beacons: { "F7826DA6-4FA2-4E98-8024-BC5B71E0893E": -61, "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/17": -58.5 },
    receivers: { hci0: -3 },
    site: { powerAt1m: -59, powerAtFar: -75, farDistance: 6 },
  },
}
"""
LINES = b"1aff4c000215f7826da64fa24e988024bc5b71e0893e00010002c5\n4c000215f7826da64fa24e988024bc5b71e0893e00010002c5\n" \
    b"\n043e0c02010000112233445566000bb\nzz\n02011a1aff4c000215\n"


def contents(*patterns):
    """The files of patterns below Fixtures, in the order of their names."""
    found = [path for pattern in patterns for path in sorted(FIXTURES.glob(pattern)) if path.is_file()]
    return [(path.suffix, path.read_bytes()) for path in found if not path.name.endswith((".md", ".py"))]


class Kind:
    """Inputs of one kind: their share of all inputs, the seeds, where a run finds the input, and what reads it."""

    def __init__(self, name, share, seeds, uses, codes, place=None, whole=False):
        self.name, self.share, self.seeds, self.uses, self.codes = name, share, seeds, uses, codes
        self.place, self.whole = place, whole


# In an argument, @ is the input; what a command shall write has a name that begins with "out".
ON_CAPTURE = [
    (4, "inspect @ --format json"), (3, "inspect @ --format table"),
    (2, f"range -f @ -s {UUID} --format jsonl"), (1, f"range -f @ -s {UUID} --format table"),
    (1, f"range -f @ -s {UUID} --format csv"), (1, f"range -f @ -s {UUID} --format json --drain --summary"),
    (1, f"range -f @ -s {UUID} -r a={UUID} --while-inside a --format jsonl --time relative"),
    (2, "scan -f @ --format jsonl"), (2, "scan -f @ --format table"), (1, "scan -f @ --format csv --summary"),
    (1, "scan -f @ --format json --include-addresses"), (1, f"scan -f {SHORT} -f @ --format table"),
    (2, f"monitor -f @ -r a={UUID} -r b={UUID}/1/1 --format jsonl"),
    (2, f"monitor -f @ -r a={UUID} -r b={UUID}/1/1 --format table --drain"),
    (1, f"monitor -f @ -r a={UUID} --state out.state --format csv"),
    (1, f"range -f @ -s {UUID} --format none --record out.jsonl --include-addresses -o csv:out.csv"),
    (2, "convert @ out.jsonl"), (2, "convert @ out.btsnoop"), (2, "convert @ out.pcap --include-addresses"),
    (1, f"museum report @ --plan {PLAN} --html out.html --csv out.csv"), (1, f"museum report @ {SHORT} --plan {PLAN}"),
    (1, f"museum --from @ --plan {PLAN} --speed max --answers {ANSWERS} --format table"),
    (1, f"museum plan new -f @ -s {UUID}"), (1, f"calibrate -f @ -b {UUID}/1/1 --at 1m --format table"),
    (1, f"calibrate -f @ --receiver all -b {UUID}/1/1 --at 2m --format json"), (1, "inspect - --format json <@"),
]
ON_CONFIGURATION = [
    (3, "config check @"), (2, "config show --config @ --format table"), (1, "config show --config @ --format json"),
    (1, f"range -f {SHORT} -s {UUID} --config @ --format table"),
    (1, f"calibrate -f {SHORT} -b {UUID}/1/1 --at 1m --write @"),
]
ON_SCENARIO = [(1, "rehearse @ --format table"), (1, "rehearse @ --format json")]
ON_CONSENT = [
    (1, f"monitor -f {SHORT} -r a={UUID} --client guide --manifest @ --answers {ANSWERS} --format table"),
    (1, f"range -f {SHORT} -s {UUID} --client guide --manifest manifest.json5 --answers @ --format jsonl"),
    (1, f"museum --from {SHORT} --plan {PLAN} --answers @ --speed max --format table"),
    (1, f"range -f {SHORT} -s {UUID} --client guide --manifest @ --format table"),
]
ON_PLAN = [
    (4, "museum plan check @"), (1, f"museum report {SHORT} --plan @ --html out.html --csv out.csv"),
    (1, f"museum --from {SHORT} --plan @ --speed max --answers {ANSWERS} --format table"),
    (1, f"museum --from {SHORT} --plan @ --speed max --answers {ANSWERS} --format jsonl"),
    (1, f"range -f {SHORT} --plan @ -s {UUID} --format table"),
]
ON_STATE = [
    (2, "auth --format table"), (2, "auth --format json"), (1, "auth set denied --client guide"),
    (1, "auth precise off --client guide"), (1, "auth services on"), (1, "auth reset --client guide"),
    (2, f"monitor -f {SHORT} -r a={UUID} -r b={UUID}/1/1 --state state/beacons --format jsonl"),
    (1, f"monitor -f {SHORT} -r a={UUID} --client guide --manifest manifest.json5 --state state/beacons --format table"),
    (1, f"range -f {SHORT} -s {UUID} --client guide --manifest manifest.json5 --format jsonl"),
]
ON_LINES = [(1, "decode - --as ad --format jsonl <@"), (1, "decode - --as manufacturer --format table <@"),
            (1, "decode - --as hci --format table <@")]

STATE_PLACES = ["clients/guide/grants.json", "clients/guide/state.json", "clients/operator/state.json", "machine.json",
                "guide.client.json", "guide.regions.json", "operator.regions.json", "clients/guide/lock"]


def kinds(states):
    """Every kind; the seeds of states are files that the command itself wrote, beside those of version 0.1.0."""
    json5 = [seed for seed in contents("corpus/json5/*") if len(seed[1]) > 20]
    return [
        Kind("captures", 50, contents("captures/*", "corpus/captures/*"), ON_CAPTURE, {0, 2, 65, 77}),
        Kind("recordings", 12, contents("recordings/*.jsonl", "corpus/jsonlines/*", "state-0.1.0/*.jsonl"), ON_CAPTURE,
             {0, 2, 65, 77}),
        Kind("configurations", 10, [(".json5", CONFIGURATION)] * 400 + json5, ON_CONFIGURATION, {0, 2, 65, 78}),
        Kind("scenarios", 8, contents("scenarios/*.json5"), ON_SCENARIO, {0, 2, 65}),
        Kind("manifests and answers", 4, [(".json5", MANIFEST), (".json5", ANSWERS.read_bytes())], ON_CONSENT, {0, 65, 77, 78}),
        Kind("plans", 8, [(".json5", PLAN.read_bytes())] * 10 + contents("corpus/plan/*"), ON_PLAN, {0, 2, 65, 77, 78},
             whole=True),
        Kind("state files", 6, states + contents("state-0.1.0/beacons/*"), ON_STATE, {0, 77}, place="state"),
        Kind("lines to decode", 2, [(".txt", LINES)], ON_LINES, {0, 65}),
    ]
