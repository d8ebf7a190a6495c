# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""The mutated files, and which commands read it with which exit codes."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FIXTURES = ROOT / "Fixtures"
PLAN = FIXTURES / "museum/plan.json5"
ANSWERS = FIXTURES / "museum/demo-answers.json5"
UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
SHORT = "short.btsnoop"
# A recording of a site with two places, when a beacon was where, and the model that is learned from them.
SITE, TRUTH, MODEL, HISTORY = "site.jsonl", "truth.csv", "model.json", "history"
STAYS = b"start,end,name\n0,115,hall\n122,239,room\n"

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
MODEL_TEXT = b"""{"version":1,"power":-59,"receivers":["hall","room"],"places":[
{"name":"hall","seconds":115,"moves":{"room":1},"levels":{"hall":{"silent":0,"-63":28,"-62":29,"-61":29,"-60":29},"room":{"silent":0,"-83":28,"-82":29,"-81":29,"-80":29}}},
{"name":"room","seconds":117,"moves":{},"levels":{"hall":{"silent":0,"-83":29,"-82":30,"-81":29,"-80":29},"room":{"silent":0,"-63":29,"-62":30,"-61":29,"-60":29}}}
]}
"""
LINES = b"1aff4c000215f7826da64fa24e988024bc5b71e0893e00010002c5\n4c000215f7826da64fa24e988024bc5b71e0893e00010002c5\n" \
    b"\n043e0c02010000112233445566000bb\nzz\n02011a1aff4c000215\n"


def site():
    """The lines of two receivers in two places, between which a beacon is carried after two minutes."""
    yield ('{"v":1,"type":"capture","tool":"beaconctl","version":"0.1.0","receivers":["hall","room"],"profile":"default",'
           '"redacted":true,"begun":"2026-05-02T10:00:00.000000Z","piece":1}')
    for second in range(240):
        for number, name in enumerate(("hall", "room")):
            rssi = (-60 if (second < 120) == (name == "hall") else -80) - second % 4
            yield (f'{{"v":1,"type":"report","t":"2026-05-02T10:{second // 60:02}:{second % 60:02}.{number + 2}00000Z","receiver":"{name}",'
                   f'"address":"02:00:00:00:00:01","address_type":"random","event":"ADV_IND","rssi":{rssi},'
                   f'"ad":"0201061aff4c000215{UUID.replace("-", "").lower()}00010001c5"}}')


SITE_LINES = "".join(f"{line}\n" for line in site()).encode()


def contents(*patterns):
    """The files of patterns below Fixtures, in the order of their names."""
    found = [path for pattern in patterns for path in sorted(FIXTURES.glob(pattern)) if path.is_file()]
    return [(path.suffix, path.read_bytes()) for path in found if not path.name.endswith((".md", ".py"))]


class Kind:
    """Inputs of one kind: their share of all inputs, the seeds, the input's path in a run, and what reads it."""

    def __init__(self, name, share, seeds, uses, codes, place=None, whole=False):
        self.name, self.share, self.seeds, self.uses, self.codes = name, share, seeds, uses, codes
        self.place, self.whole = place, whole


# In an argument, @ is the input; a file for a command to write has a name that begins with "out". The gateway is not among
# them: without a broker it ends after a second, and a broker's messages are a surface of the libraries' fuzzer.
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
    (1, f"calibrate -f @ --receiver all -b {UUID}/1/1 --at 2m --format json"),
    (1, f"calibrate -f @ --receiver all -b {UUID}/1/1 --at 2m --format table"), (1, "inspect - --format json <@"),
    (1, f"site survey -f @ --truth {TRUTH} -s {UUID}/1/1 --write out.model"), (1, f"site fuse -f @ --model {MODEL} --format jsonl"),
    (1, f"site fuse -f @ -f {SITE} --model {MODEL} --format table"),
    (1, f"monitor -f @ -r a={UUID} --history out.history --format none --summary"),
    (1, f"web -f @ --once --speed max --port 0 -r a={UUID} -s {UUID}"),
    (1, "convert @ out.jsonl --since 2026-05-02T10:00:02Z --until 2026-05-02T10:00:20Z"),
    (1, f"calibrate sweep -f @ -s {UUID} --try ranging.filter=kalman --format jsonl"),
]
ON_MODEL = [(1, f"site fuse -f {SITE} --model @ --format jsonl"), (1, f"site fuse -f {SITE} --model @ --format table")]
ON_TRUTH = [(1, f"site survey -f {SITE} --truth @ -s {UUID}/1/1 --write out.model"), (1, f"site survey -f {SITE} --truth @ --write out.model")]
ON_HISTORY = [
    *((1, f"history {what} --history history --format {form}")
      for what in ("visits", "crossings", "minutes", "receivers", "notices") for form in ("table", "jsonl", "csv")),
    (2, "history purge --history history --before 2026-05-02T10:00:05Z"),
    (3, f"monitor -f {SHORT} -r a={UUID} --history history --format none"),
]
ON_CONFIGURATION = [
    (3, "config check @"), (2, "config show --config @ --format table"), (1, "config show --config @ --format json"),
    (1, f"range -f {SHORT} -s {UUID} --config @ --format table"),
    (1, f"calibrate -f {SHORT} -b {UUID}/1/1 --at 1m --write @"),
    (1, f"name {UUID}/1/1 Astrolabe --config @"), (1, "name --config @"),
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

# The month of the captures, and others.
MONTHS = ["2026-05", "2026-05", "2026-04", "1970-01", "9999-12"]
STATE_PLACES = ["clients/guide/grants.json", "clients/guide/state.json", "clients/operator/state.json", "machine.json",
                "clients/guide/lock"]


def kinds(states, histories):
    """Every kind; the seeds of states and histories are files that the command itself wrote."""
    json5 = [seed for seed in contents("corpus/json5/*") if len(seed[1]) > 20]
    return [
        Kind("captures", 50, contents("captures/*", "corpus/captures/*"), ON_CAPTURE, {0, 2, 65, 77}),
        Kind("recordings", 12, contents("recordings/*.jsonl", "corpus/jsonlines/*"), ON_CAPTURE, {0, 2, 65, 77}),
        Kind("configurations", 10, [(".json5", CONFIGURATION)] * 400 + json5, ON_CONFIGURATION, {0, 2, 65, 78}),
        Kind("scenarios", 8, contents("scenarios/*.json5"), ON_SCENARIO, {0, 2, 65}),
        Kind("manifests and answers", 4, [(".json5", MANIFEST), (".json5", ANSWERS.read_bytes())], ON_CONSENT, {0, 65, 77, 78}),
        Kind("plans", 8, [(".json5", PLAN.read_bytes())] * 10 + contents("corpus/plan/*"), ON_PLAN, {0, 2, 65, 77, 78},
             whole=True),
        # 65: a change of a file that a newer program wrote is refused.
        Kind("state files", 6, states, ON_STATE, {0, 65, 77}, place="state"),
        Kind("recordings of a site", 3, [(".jsonl", SITE_LINES)], ON_CAPTURE, {0, 2, 65, 77}),
        Kind("models of a site", 2, [(".json", MODEL_TEXT)] * 4 + contents("corpus/site/*.json5"), ON_MODEL, {0, 2, 65}),
        Kind("stays of a beacon", 1, [(".csv", STAYS)] * 4 + contents("corpus/site/*.csv"), ON_TRUTH, {0, 2, 65}),
        # 64: a history that is still one may reach beyond the start of the replay that is added to it.
        Kind("histories", 4, histories, ON_HISTORY, {0, 2, 64, 65}, place="history"),
        Kind("lines to decode", 2, [(".txt", LINES)], ON_LINES, {0, 65}),
    ]
