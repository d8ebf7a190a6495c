# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Writes Fixtures/scenarios: one file a row of the tables of authorization, accuracy and use, and the acceptance
scenarios.

    tools/make-scenarios.py          writes the files

The files are what counts: read those. This script only keeps their common parts alike.
"""

import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "Fixtures" / "scenarios"
M = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
N = "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"
WHEN = 'whenInUse: "To tell you what you stand before."'
ALWAYS = 'alwaysAndWhenInUse: "To greet you when you come back."'
PURPOSE = 'purposes: { ExhibitGuide: "To name the painting in front of you." }'
BOTH = f"{WHEN}, {ALWAYS}, {PURPOSE}"
CHOICES13 = '["whileUsing", "once", "dontAllow"]'
CHOICES2 = '["keepWhileUsing", "changeToAlways"]'
ALL = '["prompt", "authorization", "completion", "failure", "region.enter", "region.exit", "region.state"]'
AUTH = '["prompt", "authorization"]'


def value(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if v is None:
        return "null"
    if isinstance(v, (int, float)):
        return repr(v)
    if isinstance(v, Raw):
        return v.text
    return '"' + v + '"'


class Raw:
    """JSON5 as it is to be written."""

    def __init__(self, text):
        self.text = text


def entry(at, key, name, /, **fields):
    parts = [f"at: {value(at)}", f'{key}: "{name}"']
    parts += [f"{k}: {value(v)}" for k, v in fields.items()]
    return "    { " + ", ".join(parts) + " },"


def i(at, name, /, client="guide", **fields):
    """An input; those of the air have no client."""
    if name in ("report", "raw", "radio", "gap", "services", "restriction", "screenOn"):
        return entry(at, "input", name, **fields)
    return entry(at, "input", name, client=client, **fields)


def e(at, name, /, client="guide", **fields):
    return entry(at, "event", name, client=client, **fields)


def shows(at, what, **fields):
    more = "".join(f", {k}: {value(v)}" for k, v in fields.items())
    return f'    {{ at: {value(at)}, client: "guide", settingsShows: "{what}"{more} }},'


def beacon(at, major=1, minor=17, rssi=-65, uuid=M, **more):
    return i(at, "report", beacon=f"{uuid}/{major}/{minor}", rssi=rssi, **more)


def write(file, name, timeline, expect, why="", profile="coreLocation14", state=None, manifest=BOTH, only=ALL,
          never=None, until=None, sets=None, local=None, clients=None):
    lines = [f"// {line}" for line in why.splitlines()] + ["{"]
    lines += [f'  name: "{name}",', f'  profile: "{profile}",']
    if sets:
        lines.append(f"  set: {{ {sets} }},")
    if local:
        lines.append(f'  localTime: "{local}",')
    if clients is None:
        clients = {"guide": (manifest, state or {})}
    lines.append("  clients: {")
    lines += [f"    {c}: {{ manifest: {{ {m} }} }}," for c, (m, _) in clients.items()]
    lines += ["  },", "  state: {"]
    for c, (_, s) in clients.items():
        s = {"authorization": "notDetermined", "accuracy": "full", "foreground": True} | s
        lines.append(f"    {c}: {{ " + ", ".join(f"{k}: {value(v)}" for k, v in s.items()) + " },")
    lines += ["  },", "  timeline: ["] + timeline + ["  ],", "  expect: ["] + expect + ["  ],"]
    if only:
        lines.append(f"  only: {only},")
    if never:
        lines.append(f"  never: {never},")
    if until is not None:
        lines.append(f"  until: {value(until)},")
    lines.append("}")
    (FOLDER / f"{file}.json5").write_text("\n".join(lines) + "\n")


def auth(at, status, accuracy="full"):
    return e(at, "authorization", status=status, accuracy=accuracy)


def prompt(at, kind, choices):
    return e(at, "prompt", kind=kind, choices=Raw(choices))


P1 = lambda at: prompt(at, "whenInUse", CHOICES13)
P2 = lambda at: prompt(at, "always", CHOICES2)
WIU, ALW, DN, ND = "authorizedWhenInUse", "authorizedAlways", "denied", "notDetermined"
W = {"authorization": "whenInUse"}
A = {"authorization": "always"}
R = {"authorization": "whenInUse", "accuracy": "reduced"}
monitor = lambda at, region="museum", constraint=M, **more: i(at, "monitor", region=region, constraint=constraint, **more)
started = lambda at, region="museum": e(at, "completion", request="monitor", region=region, error=None)
state = lambda at, s, region="museum", **more: e(at, "region.state", region=region, state=s, **more)
enter = lambda at, region="museum": e(at, "region.enter", region=region, reason="heard")
leave = lambda at, region="museum": e(at, "region.exit", region=region, reason="allSilent")


def vectors():
    uuid = M.replace("-", "").lower()
    return {
        "spec": f"02011a 1aff4c000215 {uuid} 0001 0011 c5".replace("02011a", "020106"),
        "iPhone": f"02011a 1aff4c000215 {uuid} 0001 0011 c5",
        "noFlags": f"1aff4c000215 {uuid} 0001 0011 c5",
        "tail": f"020104 1bff4c000215 {uuid} 0001 0011 c5 4e",
        "noPower": f"19ff4c000215 {uuid} 0001 0011",
        "one": f"1aff4c000215 {uuid} 0001 0011 01",
        "zero": f"1aff4c000215 {uuid} 0001 0011 00",
        "type14": f"1aff4c000214 {uuid} 0001 0011 c5",
        "nearby": f"1aff4c001005 {uuid} 0001 0011 c5",
        "company": f"1aff18010215 {uuid} 0001 0011 c5",
        "cut": f"18ff4c000215 {uuid} 0001 00",
    }


def tick(at, constraint, beacons, **more):
    listed = ", ".join("{ " + ", ".join(f"{k}: {value(v)}" for k, v in b.items()) + " }" for b in beacons)
    return e(at, "ranged", constraint=constraint, beacons=Raw(f"[{listed}]"), **more)


NONE = '"ranging.filter": "none"'
RANGED = '["ranged", "failure"]'
rng = lambda at, c=M, **more: i(at, "range", constraint=c, **more)


def acceptance():
    v = vectors()
    raw = lambda at, key, rssi=-65: i(at, "raw", ad=v[key], rssi=rssi)
    b = dict(uuid=M, major=1, minor=17)
    write("ac01-vectors", "Frames of five makes are one beacon",
          [rng(0), raw(0.2, "spec"), raw(0.4, "iPhone"), raw(0.6, "noFlags"), raw(0.8, "tail")],
          [tick(1, M, [b | dict(rssi=-65, reports=4, distance=2.0, proximity="near")])],
          "AC1. Flags differ or are missing, a tail follows: the same identity and power. Identity bytes are not\n"
          "swapped: 00 01 is major 1. BlueZ passes on the frame without Flags.",
          state=W, sets=NONE, only=RANGED, until=1)
    write("ac01-without-power", "A frame without its power is presence",
          [monitor(0), rng(0), raw(0.5, "noPower")],
          [started(0), state(0.5, "inside"), tick(1, M, [b | dict(distance=None, proximity="unknown")])],
          "AC1. The value without its last byte: the region counts it, its distance is unknown.",
          state=W, sets=NONE, only='["ranged", "region.state", "completion"]', until=1)
    write("ac01-absurd-power", "A power of 0 dBm or more is no calibration",
          [rng(0), raw(0.5, "one"), raw(1.5, "zero")],
          [tick(t, M, [b | dict(distance=None, proximity="unknown", rssi=-65)]) for t in (1, 2)],
          "AC1. The identity is kept, the distance is unknown.", state=W, sets=NONE, only=RANGED, until=2)
    write("ac01-not-ibeacons", "A frame that only looks like an iBeacon is not one",
          [monitor(0), rng(0), raw(0.2, "type14"), raw(0.4, "nearby"), raw(0.6, "company"), raw(0.8, "cut")],
          [started(0), tick(1, M, []), state(10, "outside", reason="nothingHeard")],
          "AC1. Another type, another length, another company, a frame that is cut.",
          state=W, only='["region.state", "region.enter", "completion"]', until=10)

    four = [f"{M}", f"{M}/1", f"{M}/1/0", f"{M}/1/17"]
    heard = [beacon(0.5, 1, 17), beacon(0.5, 2, 17, rssi=-70), beacon(0.5, 1, 0, rssi=-75),
             beacon(0.5, 1, 17, rssi=-60, uuid=N)]
    ids = lambda *pairs: [dict(uuid=M, major=a, minor=c) for a, c in pairs]
    write("ac02-matching", "A beacon is delivered for every constraint that it satisfies",
          [rng(0, c) for c in (four[0], four[1], four[3], four[2])] + heard,
          [tick(1, four[0], ids((1, 17), (2, 17), (1, 0))), tick(1, four[1], ids((1, 17), (1, 0))),
           tick(1, four[2], ids((1, 0))), tick(1, four[3], ids((1, 17)))],
          "AC2. A beacon of another UUID appears nowhere; minor 0 is a minor like any other.",
          state=W, sets=NONE, only=RANGED, until=1)
    write("ac02-twice", "Ranging a constraint twice is ranging it once",
          [rng(0, four[1]), rng(0.1, four[1]), beacon(0.5), i(1.5, "unrange", constraint=four[1])],
          [tick(1, four[1], ids((1, 17)))], "AC2. And stopping it once ends it.",
          state=W, sets=NONE, only=RANGED, until=4)
    write("ac03-tick", "A tick lists the nearest first and the unknown last",
          [rng(0), beacon(0.5, 1, 4, rssi=-50)]
          + [beacon(t, 1, 1, rssi=r) for t, r in ((1.2, -44), (1.4, -46), (1.6, -45))]
          + [beacon(t, 1, 2, rssi=r) for t, r in ((1.3, -64), (1.5, -66))] + [beacon(1.7, 1, 3, rssi=-80)],
          [tick(1, M, [dict(minor=4, rssi=-50)]),
           tick(2, M, [dict(minor=1, rssi=-45, proximity="immediate", distance=0.2, reports=3),
                       dict(minor=2, rssi=-65, proximity="near", distance=2.0, reports=2),
                       dict(minor=3, rssi=-80, proximity="far", distance=11.22, reports=1),
                       dict(minor=4, rssi=None, proximity="unknown", distance=None, last_heard=0.5, reports=0)])],
          "AC3. The RSSI is the mean since the last tick; a beacon that was not received since is unknown, with the time of its last report.",
          state=W, sets=NONE, only=RANGED, until=2)
    write("ac03-boundary", "Near ends at three meters",
          [rng(0), beacon(0.5, 1, 1, rssi=-68), beacon(0.5, 1, 2, rssi=-69)],
          [tick(1, M, [dict(minor=1, proximity="near", distance=2.82), dict(minor=2, proximity="far", distance=3.16)])],
          "AC3. -68 dBm of a beacon of -59 is 2.82 m, -69 is 3.16 m.", state=W, sets=NONE, only=RANGED, until=1)
    silent = [tick(t, M, [dict(minor=17, rssi=None, proximity="unknown", distance=None, last_heard=5.9)])
              for t in range(7, 16)]
    write("ac04-silence", "A silent beacon lingers as unknown, then is gone",
          [rng(0), beacon(0.9, every=1, until=5.9), beacon(20.2)],
          [tick(t, M, [dict(minor=17, rssi=-65, last_heard=round(t - 0.1, 1))]) for t in range(1, 7)] + silent
          + [tick(t, M, []) for t in range(16, 21)] + [tick(21, M, [dict(minor=17, rssi=-65, last_heard=20.2)])],
          "AC4. Ten seconds of unknown with the time of the last advertisement, then empty ticks.",
          state=W, sets=NONE, only=RANGED, until=21)
    write("ac04-smoothing", "Smoothing settles within 21 seconds, and not within two",
          [rng(0), beacon(0.05, rssi=-53, every=0.1, until=29.95), beacon(30.05, rssi=-69, every=0.1, until=55)],
          [tick(30, M, [dict(distance=0.5)]), tick(32, M, [dict(distance=SMOOTH)]), tick(51, M, [dict(distance=3.16)])],
          "AC4. A step from 0.5 m to 3.16 m at 30 s: below 2.8 m at 32 s, there at 51 s.",
          state=W, only=None, until=55)

    life = [monitor(0), beacon(0, 1, 1, every=1, until=30)]
    second = [beacon(20, 2, 1, every=1, until=40)]
    ab = [started(0), state(0, "inside", reason="heard")]
    write("ac05a-already-inside", "A program whose user is already inside gets no enter", [monitor(0), beacon(0, 1, 1, every=1, until=15)],
          ab, "AC5 (a). The first determination is a state, never a crossing.", state=W, never='["region.enter"]', until=15)
    write("ac05b-second-beacon", "A second beacon of a region is no second entry", life + second, ab,
          "AC5 (b).", state=W, until=45)
    write("ac05c-exit", "A region is left when its last beacon has been silent for 30 seconds", life + second,
          ab + [leave(70), state(70, "outside", reason="allSilent")],
          "AC5 (c). The first beacon falls silent at 30, the second at 40: nothing until 70.0.", state=W, until=79)
    write("ac05d-return", "A return is an enter", life + second + [beacon(80, 1, 1)],
          ab + [leave(70), state(70, "outside"), enter(80), state(80, "inside")],
          "AC5 (d). The crossing first, then the state.", state=W, until=85)
    write("ac05e-nothing-heard", "Ten seconds of silence are outside", [monitor(0), beacon(15, 1, 1)],
          [started(0), state(10, "outside", reason="nothingHeard"), enter(15), state(15, "inside")],
          "AC5 (e). And from outside the first packet enters.", state=W, until=20)
    write("ac05f-short-gap", "A gap of 29.9 seconds is no exit", [monitor(0), beacon(0, 1, 1, every=29.9, count=3)],
          ab, "AC5 (f).", state=W, until=89)
    write("ac05g-exit-not-wanted", "Without notifyOnExit only the state is delivered",
          [monitor(0, notifyOnExit=False)] + life[1:] + second, ab + [state(70, "outside")], "AC5 (g).",
          state=W, never='["region.exit"]', until=79)
    both = {"guide": (BOTH, W), "shop": (BOTH, W)}
    pair = lambda f, at: [f(at), f(at).replace('client: "guide"', 'client: "shop"')]
    write("ac05-two-clients", "Each of two clients gets the events of its region",
          [monitor(0), monitor(0, client="shop"), beacon(12, 1, 1)],
          pair(started, 0) + pair(lambda t: state(t, "outside"), 10)
          + [enter(12), state(12, "inside")] + [x.replace('client: "guide"', 'client: "shop"') for x in (enter(12), state(12, "inside"))],
          "AC5. Every event goes to each.", clients=both, until=20)

    twenty = [monitor(0, f"r{n}", f"{M}/{n}") for n in range(1, 21)]
    begun = [started(0, f"r{n}") for n in range(1, 21)]
    only6 = '["completion", "failure", "region.enter"]'
    write("ac06-limit", "The 21st region fails, and the 20 continue", twenty + [monitor(0.5, "r21", f"{M}/21"), beacon(12, 20, 1), beacon(13, 21, 1)],
          begun + [e(0.5, "failure", code=5, region="r21"), enter(12, "r20")], "AC6.", state=W, only=only6, until=20)
    write("ac06-replaced", "A region of a known name replaces the old one",
          twenty + [monitor(0.5, "r7", f"{M}/77"), beacon(12, 7, 1), beacon(13, 77, 1)],
          begun + [started(0.5, "r7"), enter(13, "r7")], "AC6. The old constraint fires no more.", state=W, only=only6, until=20)
    write("ac06-relaunch", "Regions outlast a relaunch, ranging does not",
          [monitor(0), rng(0.5, f"{M}/1"), i(5.5, "relaunch"), beacon(12), i(14, "requestState", region="museum")],
          [started(0)] + [tick(t, f"{M}/1", []) for t in range(1, 6)]
          + [state(10, "outside"), enter(12), state(12, "inside"), state(14, "inside", reason="requested")],
          "AC6.", state=W, only='["completion", "ranged", "region.state", "region.enter", "failure"]', until=20)
    write("ac06-missing-text", "A request without its text does nothing", [i(1, "request.whenInUse"), i(2, "answer", choice="whileUsing")],
          [e(1, "diagnostic", code="usageTextMissing", key="whenInUse"), shows(3, "askNextTime")],
          "AC6. The diagnostic names the key.", manifest="", until=5)

    p = [i(1, "request.always"), i(2, "answer", choice="whileUsing"), monitor(3, "r1", f"{M}/1"), monitor(3, "r2", f"{M}/2"), i(20, "background")]
    pe = [P1(1), auth(2, ALW), shows(2.5, "whileUsing"), started(3, "r1"), started(3, "r2"),
          state(13, "outside", "r1"), state(13, "outside", "r2")]
    rooms = [beacon(100, 1, 1, every=5, until=600), beacon(200, 2, 1, every=5, until=600)]
    write("ac07-change", "Provisional Always: the newest event outlives the question",
          p + rooms + [i(250, "quiet"), i(260, "answer", choice="changeToAlways")],
          pe + [P2(250), enter(260, "r2"), state(260, "inside", "r2"), shows(261, "always")],
          "AC7. r1 is entered at 100 and displaced by r2 at 200. Change delivers the entry of r2 and no authorization.", until=300)
    write("ac07-keep", "Provisional Always: keeping it drops what was held",
          p + rooms + [i(250, "quiet"), i(260, "answer", choice="keepWhileUsing"), i(270, "foreground"), i(271, "request.always")],
          pe + [P2(250), auth(260, WIU), shows(261, "whileUsing")] + [state(270, "inside", r, reason="resumed") for r in ("r1", "r2")],
          "AC7. Always cannot be asked for again. On return the states are delivered, without an enter.", until=300)
    write("ac07-stale", "Provisional Always: an old event is dropped",
          p + rooms + [i(250, "quiet"), i(501, "answer", choice="changeToAlways")],
          pe + [P2(250), shows(502, "always")], "AC7. r2's entry of 200 is 301 s old when the answer comes.", until=520)
    write("ac07-within-grace", "Provisional Always: an event within the grace period is delivered at once",
          p + [beacon(23, 1, 1, every=5, until=60), i(40, "quiet")],
          pe + [enter(23, "r1"), state(23, "inside", "r1")], "AC7. The slot stays empty, so no question comes.", until=60)

    first = [i(0, "request.whenInUse"), i(1, "answer", choice="whileUsing"), i(10, "request.always")]
    f12 = [i(0, "request.whenInUse"), i(1, "answer", choice="allow"), i(10, "request.always")]
    p12 = prompt(0, "whenInUse", '["allow", "dontAllow"]')
    trans = lambda t: prompt(t, "transition", '["keepWhileUsing", "alwaysAllow"]')
    three = lambda t: prompt(t, "always", '["whileUsing", "alwaysAllow", "dontAllow"]')
    write("ac08-upgrade-12", "iOS 12 raises a grant by a prompt", f12, [p12, auth(1, WIU), trans(10)], "AC8.", profile="coreLocation12", until=12)
    write("ac08-upgrade-13.0", "iOS 13.0 raises a grant without asking", first, [P1(0), auth(1, WIU), auth(10, ALW), shows(11, "whileUsing")],
          "AC8. Provisionally: Settings still show While Using.", profile="coreLocation13.0", until=12)
    for profile in ("13.4", "14"):
        for choice, after in (("keepWhileUsing", []), ("changeToAlways", [auth(12, ALW)])):
            write(f"ac08-upgrade-{profile}-{'keep' if not after else 'change'}", f"iOS {profile} raises a grant by a prompt at once",
                  first + [i(12, "answer", choice=choice), i(14, "request.always")], [P1(0), auth(1, WIU), P2(10)] + after,
                  "AC8. Keep delivers nothing.", profile=f"coreLocation{profile}", until=16)
    write("ac08-three-options-12", "Only While Using spends iOS 12's upgrade",
          [i(0, "request.always"), i(1, "answer", choice="whileUsing"), i(10, "request.always")], [three(0), auth(1, WIU)], "AC8.",
          profile="coreLocation12", until=12)
    write("ac08-regions-12", "iOS 12 has no regions while in use", [monitor(0), rng(0), beacon(0.5)],
          [e(0, "failure", code=4, region="museum"), tick(1, M, [dict(minor=17)])], "AC8. Ranging works.",
          profile="coreLocation12", state=W, sets=NONE, only='["ranged", "failure", "completion"]', until=1)
    write("ac08-regions-13", "From iOS 13 on regions work while in use",
          [monitor(0), rng(0), beacon(0.5, every=0.5, until=6), i(2, "background"), beacon(41, every=0.5, until=42)],
          [started(0), state(0.5, "inside")] + [tick(t, M, [dict(minor=17)]) for t in range(1, 7)],
          "AC8. Grace ends at 7: neither ticks nor the exit at 36 nor the entry at 41 are delivered.", profile="coreLocation13.0",
          state=W, sets=NONE, only='["ranged", "failure", "completion", "region.enter", "region.exit", "region.state"]', until=45)

    once = [i(0, "request.whenInUse"), i(0, "answer", choice="once"), rng(0.5, f"{M}/1")]
    write("ac09-allow-once", "Allow Once ends with use",
          once + [beacon(0.75, every=0.5, until=30), i(3, "request.always"), i(10, "background"), i(14, "foreground"), i(20, "background"),
                  i(29, "foreground"), i(30, "request.whenInUse")],
          [P1(0), auth(0, WIU)] + [tick(t, f"{M}/1", [dict(minor=17)]) for t in range(1, 25)] + [auth(25, ND), P1(30)],
          "AC9. A dip of 4 s keeps it, one of 5 s ends it; Always is ignored meanwhile; it may be asked for again.",
          sets=NONE, only='["prompt", "authorization", "ranged", "failure"]', until=31)
    ns = f"{BOTH}, backgroundLocation: true"
    write("ac09-session", "A session keeps Allow Once for ten minutes",
          once + [i(1, "session.start"), i(20, "background"), beacon(0.75, every=0.5, until=610), i(600, "session.stop")],
          [P1(0), auth(0, WIU), e(20, "indicator", style="session")] + [tick(t, f"{M}/1", [dict(minor=17)]) for t in (20, 100, 300, 599, 604)]
          + [auth(605, ND)], "AC9. The session ends at 600 in the background, use at 605.", manifest=ns, sets=NONE,
          only=AUTH, until=610)
    write("ac09-session-ticks", "The last tick comes before use ends",
          once + [i(1, "session.start"), i(5, "background"), beacon(0.75, every=0.5, until=30), i(12, "session.stop")],
          [P1(0), auth(0, WIU)] + [tick(t, f"{M}/1", [dict(minor=17)]) for t in range(1, 17)] + [auth(17, ND)],
          "AC9, shorter: every tick is named.", manifest=ns, sets=NONE, only='["prompt", "authorization", "ranged", "failure"]', until=30)
    write("ac09-session-without-mode", "A session needs the background mode", once[:2] + [i(1, "session.start"), i(5, "background")],
          [e(1, "diagnostic", code="backgroundModeMissing"), auth(10, ND)], "AC9.", only='["diagnostic"]', until=12)

    temp = lambda at, key="ExhibitGuide": i(at, "request.temporaryFull", purpose=key)
    done = lambda at, error, key="ExhibitGuide": e(at, "completion", request="temporaryFull", purpose=key, error=error)
    PT = lambda at: prompt(at, "temporaryFull", '["allow", "dontAllow"]')
    ticks = lambda r: [tick(t, M, [dict(minor=17)]) for t in r]
    write("ac10-reduced", "Reduced accuracy is silence, temporary full accuracy a stay",
          [monitor(0), rng(0), beacon(0.25, every=0.5, until=70), i(10.5, "settings", precise=False), i(12, "requestState", region="museum"),
           temp(20, "Nope"), i(22, "background"), temp(23), i(24, "foreground"), temp(30), i(31, "answer", choice="dontAllow"),
           temp(40), i(41.5, "answer", choice="allow"), temp(45), i(50, "background")],
          [started(0), state(0.25, "inside")] + ticks(range(1, 11)) + [auth(10.5, WIU, "reduced"),
           e(10.5, "diagnostic", code="accuracyLimited"), state(12, "unknown", reason="accuracy"),
           done(20, 18, "Nope"), done(23, 18), PT(30), done(31, None), PT(40), auth(41.5, WIU), done(41.5, None),
           state(41.75, "inside")] + ticks(range(42, 45)) + [done(45, 18)] + ticks(range(45, 55)) + [auth(55, WIU, "reduced")],
          "AC10. Not even an empty tick, no failure, no crossing; the region stays registered, its state is unknown.\n"
          "With full accuracy it is determined again, without a crossing. Use ends at 55, and with it the temporary grant.",
          state=W, sets=NONE, only='["prompt", "authorization", "completion", "failure", "ranged", "region.state", "region.enter", "region.exit"]', until=80)
    write("ac11-radio", "A radio that is off is no exit",
          [monitor(0), rng(0, f"{M}/1"), beacon(0, every=1, until=49), i(50, "radio", state="off"), i(60, "requestState", region="museum"), i(100, "radio", state="listening")],
          [started(0), state(0, "inside"), e(50, "failure", code=16, constraint=f"{M}/1"), state(60, "unknown"), state(110, "outside", reason="nothingHeard")],
          "AC11. Nothing at 50 and 80; after 10 s of listening the region is found outside, not left.", state=W, until=120)
    write("deaf-is-no-exit", "A deaf radio is no exit",
          [monitor(0), beacon(0, every=1, until=49), i(51, "radio", state="deaf"), i(70, "radio", state="listening"), beacon(70, every=1, until=75)],
          [state(0, "inside"), e(51, "diagnostic", code="radioDeaf"), state(51, "unknown", reason="radioDeaf"), state(70, "inside", reason="heard")],
          "Two seconds of improbable silence, reported before any exit is due. The exit clock stops at the last report:\n"
          "the beacon that is received again has crossed nothing.", profile="default", state=A,
          only='["diagnostic", "region.enter", "region.exit", "region.state"]', until=80)
    write("deaf-after-exit", "A delivered exit is never withdrawn",
          [monitor(0), beacon(0, every=1, until=20), i(60, "radio", state="deaf"), i(70, "radio", state="listening"), beacon(72, every=1, until=75)],
          [state(0, "inside"), e(23, "region.exit", region="museum", reason="allSilent"), state(23, "outside", reason="allSilent"),
           e(60, "diagnostic", code="radioDeaf"), state(60, "unknown", reason="radioDeaf"),
           e(72, "region.enter", region="museum", reason="whileUnknown"), state(72, "inside", reason="heard")],
          "Deafness concerns the present: the exit stands. The beacon came back while nothing was received, which is an enter of\n"
          "its own (row G17).", profile="default", state=A, sets='"region.exit": 3',
          only='["diagnostic", "region.enter", "region.exit", "region.state"]', until=77)
    write("deaf-own-silence", "If only the region's own beacons were received, silence is an exit",
          [monitor(0), beacon(0, every=1, until=20)],
          [state(0, "inside"), e(23, "region.exit", region="museum", reason="allSilent"), state(23, "outside", reason="allSilent")],
          "Nothing else was received, so nothing shows that the radio is deaf: no source reports it, and the region is left.",
          profile="default", state=A, sets='"region.exit": 3', only='["diagnostic", "region.enter", "region.exit", "region.state"]', until=40)
    write("ac12-notification", "A notification is shown, and the client learns nothing until it is tapped",
          [i(0, "notify", region="museum", constraint=M, onEntry=True, onExit=False, repeats=False), i(1, "background"), beacon(20, every=1, until=40),
           i(30, "tapNotification", region="museum"), monitor(31), beacon(100, every=1, until=105)],
          [e(20, "notification", region="museum"), started(31), state(32, "inside"), leave(70), state(70, "outside"), enter(100), state(100, "inside")],
          "AC12. It was to be shown once: the second entry shows nothing.", state=W,
          only='["notification", "ranged", "completion", "failure", "region.enter", "region.exit", "region.state"]', until=110)
    ind = lambda at, s: e(at, "indicator", style=s)
    write("ac13-indicator", "The indicator is solid for three seconds after a delivery", [monitor(0), beacon(20, every=1, until=30)],
          [ind(0, "hollow"), ind(10, "solid"), ind(13, "hollow"), ind(20, "solid"), ind(23, "hollow")],
          "AC13. The first determination at 10 is a delivery like the entry at 20.", state=W, only='["indicator"]', until=40)
    write("ac13-indicator-reduced", "Under reduced accuracy the indicator is never solid", [monitor(0), beacon(5, every=1, until=30)],
          [ind(0, "hollow")], "AC13.", state=R, only='["indicator"]', until=60)


SMOOTH = 0.5


def rows12():
    """Rows E1 to E15, and deliveries in iOS 12."""
    p = dict(profile="coreLocation12", only=AUTH)
    when, always = i(1, "request.whenInUse"), i(1, "request.always")
    ans = lambda c, t=2: i(t, "answer", choice=c)
    p12 = prompt(1, "whenInUse", '["allow", "dontAllow"]')
    p3 = prompt(1, "always", '["whileUsing", "alwaysAllow", "dontAllow"]')
    trans = lambda t=1: prompt(t, "transition", '["keepWhileUsing", "alwaysAllow"]')
    again = [i(5, "request.whenInUse"), i(6, "request.always")]
    w = lambda n, name, tl, ex, **kw: write(f"auth12-row{n:02}", name, tl, ex, f"Row E{n}.", **(p | kw))
    w(1, "A request while in use asks with two choices", [when], [p12], until=3)
    w(2, "Allow grants while in use, and leaves Always open", [when, ans("allow"), i(6, "request.always")], [p12, auth(2, WIU), trans(6)], until=8)
    w(3, "Don't Allow is final", [when, ans("dontAllow")] + again, [p12, auth(2, DN)], until=8)
    w(4, "A request for Always asks with three choices", [always], [p3], until=3)
    w(5, "Always Allow grants Always", [always, ans("alwaysAllow")], [p3, auth(2, ALW), shows(3, "always")], until=3)
    w(6, "Only While Using spends the upgrade", [always, ans("whileUsing")] + again, [p3, auth(2, WIU), shows(3, "whileUsing")], until=8)
    w(7, "Don't Allow to three choices is final", [always, ans("dontAllow")] + again, [p3, auth(2, DN)], until=8)
    w(8, "Always over while in use shows the transition", [always], [trans()], state=W, until=3)
    w(9, "Always in the transition grants it", [always, ans("alwaysAllow")], [trans(), auth(2, ALW)], state=W, until=3)
    w(10, "Keep in the transition delivers nothing, and spends", [always, ans("keepWhileUsing")] + again, [trans()], state=W, until=8)
    for name in ("always", "denied", "restricted"):
        write(f"auth12-row11-{name}", f"Requests do nothing when {name}", again, [], "Row E11.",
              **(p | dict(state={"authorization": name}, until=8)))
    w(12, "Settings may set any value", [i(1, "settings", authorization="never"), i(2, "settings", authorization="whileUsing"),
      i(3, "settings", authorization="always"), i(4, "settings", authorization="always")],
      [auth(1, DN), auth(2, WIU), auth(3, ALW)], state=W, until=5)
    off, on = i(1, "services", on=False), i(2, "services", on=True)
    w(13, "Location services off read as denied", [off], [auth(1, DN)], state=A, until=3)
    w(14, "Location services on again restore the grants", [off, on], [auth(1, DN), auth(2, ALW)], state=A, until=3)
    w(15, "A restriction comes and goes", [i(1, "restriction", on=True), i(2, "restriction", on=False)], [auth(1, "restricted"), auth(2, WIU)], state=W, until=3)
    ranged = '["ranged", "failure"]'
    for name, st, expect in (
        ("in-use-always", A, [tick(t, M, [dict(minor=17)]) for t in (1, 2)]),
        ("in-use-when-in-use", W, [tick(t, M, [dict(minor=17)]) for t in (1, 2)]),
        ("in-use-denied", {"authorization": "denied"}, [e(0, "failure", code=1, constraint=M)]),
        ("in-use-not-determined", {}, []),
    ):
        write(f"auth12-delivery-ranging-{name}", f"iOS 12 ranging {name}", [rng(0), beacon(0.5, every=0.5, until=2)], expect,
              "Row E16.", **(p | dict(state=st, only=ranged, sets=NONE, until=2)))
    out = lambda st: dict(st, foreground=False)
    write("auth12-delivery-ranging-woken", "iOS 12 ranges out of use for ten seconds after a region woke it",
          [monitor(0), rng(0), beacon(20.5, every=0.5, until=40)], [tick(t, M, [dict(minor=17)]) for t in range(21, 31)],
          "Row E16: the first determination at 10 wakes nobody, the entry at 20.5 does.",
          **(p | dict(state=out(A), only=ranged, sets=NONE, until=40)))
    write("auth12-delivery-regions-denied", "iOS 12 monitoring denied", [monitor(0)], [e(0, "failure", code=4, region="museum")],
          "Row E17.", **(p | dict(state={"authorization": "denied"}, only='["failure", "completion"]', until=2)))
    write("auth12-delivery-regions-always", "iOS 12 delivers regions out of use with Always", [monitor(0), beacon(15)],
          [started(0), state(10, "outside"), enter(15), state(15, "inside")], "Row E17.", **(p | dict(state=out(A), only=ALL, until=20)))


def rows13(prefix, profile):
    """Rows A1 to A27, as far as all profiles from 13.0 on share them."""
    when, always = i(1, "request.whenInUse"), i(1, "request.always")
    ans = lambda c, t=2, **kw: i(t, "answer", choice=c, **kw)
    again = [i(5, "request.whenInUse"), i(6, "request.always")]

    def w(n, name, tl, ex, suffix="", why="", **kw):
        write(f"{prefix}-row{n:02}{suffix}", name, tl, ex, f"Row A{n}.{' ' + why if why else ''}", **(dict(profile=profile) | kw))

    w(1, "A request while in use asks with three choices", [when], [P1(1)], until=3)
    w(2, "A request for Always asks the same question", [always],
      [e(1, "prompt", kind="whenInUse", choices=Raw(CHOICES13), text="To tell you what you stand before.")], until=3)
    w(3, "Allow While Using grants while in use", [when, ans("whileUsing")], [P1(1), auth(2, WIU), shows(3, "whileUsing")], until=3)
    w(4, "Allow While Using to a request for Always is provisional", [always, ans("whileUsing")], [P1(1), auth(2, ALW), shows(3, "whileUsing")], until=3)
    for suffix, req in (("-whenInUse", when), ("-always", always)):
        w(5, "Allow Once grants for this use", [req, ans("once")], [P1(1), auth(2, WIU), shows(3, "askNextTime")], suffix, until=3)
        w(6, "Don't Allow is final", [req, ans("dontAllow")] + again, [P1(1), auth(2, DN), shows(3, "never")], suffix, until=8)
    w(7, "A temporary grant ignores a request for Always", [when, ans("once"), i(5, "request.always")], [P1(1), auth(2, WIU)], until=8)
    w(8, "A temporary grant ends with use and may be asked for again",
      [always, ans("once"), i(10, "background"), i(20, "foreground"), i(21, "request.always"), ans("whileUsing", 22)],
      [P1(1), auth(2, WIU), auth(15, ND), P1(21), auth(22, ALW)], why="Always is not spent by it.", until=25)
    for name in ("always", "denied", "restricted"):
        w(13, f"Requests do nothing when {name}", again, [], f"-{name}", state={"authorization": name}, until=8)
    r1, r2 = f"{M}/1", f"{M}/2"
    p = [always, ans("whileUsing"), monitor(3, "r1", r1), monitor(3, "r2", r2)]
    pe = [P1(1), auth(2, ALW), started(3, "r1"), started(3, "r2"), state(13, "outside", "r1"), state(13, "outside", "r2")]
    go = [i(15, "background")]
    h1, h2 = beacon(30, 1, 1, every=5, until=800), beacon(60, 2, 1, every=5, until=800)
    told = lambda t, r: [enter(t, r), state(t, "inside", r)]
    w(14, "A provisional grant delivers in use and leaves the slot alone",
      p + [beacon(20, 1, 1, every=5, until=60), i(30, "quiet")], pe + told(20, "r1"), why="Nothing is held, so no question comes.", until=60)
    w(15, "A provisional grant holds an event out of use", p + go + [h1, i(40, "quiet")], pe + [P2(40)],
      why="The question comes at a quiet time; without an event it does not.", until=50)
    w(16, "A newer event displaces the one that is held", p + go + [h1, h2, i(70, "quiet"), ans("changeToAlways", 71)],
      pe + [P2(70)] + told(71, "r2"), until=80)
    w(17, "An event that is too old is dropped, the question is not", p + go + [h1, i(331, "quiet"), ans("changeToAlways", 332)],
      pe + [P2(331), shows(333, "always")], why="It is of 30 s and stale after 330 s.", until=340)
    w(17, "An event is fresh up to and including its last time", p + go + [h1, i(40, "quiet"), ans("changeToAlways", 330)],
      pe + [P2(40)] + told(330, "r1"), "-fresh", until=340)
    w(18, "A quiet time brings the second question", p + go + [i(20, "quiet"), h1, i(40, "quiet")],
      pe + [e(40, "prompt", kind="always", choices=Raw(CHOICES2), text="To greet you when you come back.")], until=50)
    w(19, "Change delivers the held event and no authorization", p + go + [h1, i(40, "quiet"), ans("changeToAlways", 41)],
      pe + [P2(40)] + told(41, "r1") + [shows(42, "always")], until=50)
    w(20, "Keep delivers the authorization and no event", p + go + [h1, i(40, "quiet"), ans("keepWhileUsing", 41)],
      pe + [P2(40), auth(41, WIU), shows(42, "whileUsing")], until=50)
    w(21, "An event that comes while the question shows displaces", p + go + [h1, i(40, "quiet"), h2, ans("changeToAlways", 61)],
      pe + [P2(40)] + told(61, "r2"), until=70)
    w(22, "A provisional grant cannot be asked about again", [always, ans("whileUsing")] + again, [P1(1), auth(2, ALW)], until=8)
    for value_, after in (("whileUsing", [auth(40, WIU), state(41, "inside", "r1", reason="resumed")]), ("always", told(40, "r1")), ("never", [auth(40, DN)])):
        w(23, f"Settings to {value_} end a provisional grant", p + go + [h1, i(40, "settings", authorization=value_), i(41, "foreground"), i(42, "request.always")],
          pe + after + [shows(41, value_)], f"-{value_}", until=45, only='["prompt", "authorization", "region.enter", "region.exit", "completion", "region.state"]')
    for name, st in (("whenInUse", W), ("always", A), ("denied", {"authorization": "denied"})):
        start = {"whenInUse": WIU, "always": ALW, "denied": DN}[name]
        tl, ex, last = [], [], start
        for t, (s, r) in enumerate((("never", DN), ("whileUsing", WIU), ("always", ALW), ("askNextTime", ND)), 1):
            tl.append(i(t, "settings", authorization=s))
            if r != last:
                ex.append(auth(t, r))
            ex.append(shows(t, s))
            last = r
        w(24, f"Settings may set any value from {name}", tl, ex, f"-{name}", state=st, until=6)
    w(24, "Settings may set any value over Allow Once", [when, ans("once"), i(3, "settings", authorization="always")], [P1(1), auth(2, WIU), auth(3, ALW)], "-once", until=6)
    w(24, "Settings keep the request for Always spent",
      [always, ans("whileUsing"), i(3, "settings", authorization="whileUsing"), i(4, "request.always")],
      [P1(1), auth(2, ALW), auth(3, WIU)], "-spent", until=6)
    w(25, "Location services off read as denied and drop what was held",
      p + go + [h1, i(40, "services", on=False), i(41, "services", on=True), i(45, "settings", authorization="always"),
                i(46, "requestState", region="r1")],
      pe + [auth(40, DN), auth(41, ALW), state(46, "inside", "r1", reason="requested")],
      why="The entry of 30 s is gone. What was determined again out of use is not a crossing, and is answered.", until=47)
    c = dict(manifest=f"{WHEN}, {ALWAYS}, appClip: true")
    pc = lambda t: prompt(t, "whenInUse", '["untilTomorrow", "once", "dontAllow"]')
    w(26, "An App Clip is granted until tomorrow", [when, ans("untilTomorrow"), i(5, "request.always")], [pc(1), auth(2, WIU)], until=8, **c)
    w(27, "An App Clip's grant ends in the morning", [when, ans("untilTomorrow"), i(21600, "foreground")], [pc(1), auth(2, WIU), auth(21600, ND)],
      why="It is 22:00 at the start; 04:00 local is six hours later.", local="2026-11-21T22:00:00+01:00", only=AUTH, until=21601, **c)


def rows():
    ans = lambda c, t=2, **kw: i(t, "answer", choice=c, **kw)
    rows12()
    rows13("auth13", "coreLocation13.0")
    rows13("auth14", "coreLocation14")
    write("auth13-row09", "iOS 13.0 makes a grant provisional without asking", [i(1, "request.always")], [auth(1, ALW), shows(2, "whileUsing")],
          "Row A9.", profile="coreLocation13.0", state=W, until=3)
    for prefix, profile in (("auth134", "coreLocation13.4"), ("auth14", "coreLocation14")):
        write(f"{prefix}-row10", "A request for Always asks at once", [i(1, "request.always")], [P2(1)], "Row A10.", profile=profile, state=W, until=3)
        write(f"{prefix}-row11", "Keep delivers nothing, and spends", [i(1, "request.always"), ans("keepWhileUsing"), i(3, "request.always")], [P2(1), shows(3, "whileUsing")],
              "Row A11.", profile=profile, state=W, until=5)
        write(f"{prefix}-row12", "Change is delivered", [i(1, "request.always"), ans("changeToAlways")], [P2(1), auth(2, ALW), shows(3, "always")],
              "Row A12.", profile=profile, state=W, until=5)
    accuracy()
    use()
    delivery()


def accuracy():
    ans = lambda c, t=2, **kw: i(t, "answer", choice=c, **kw)
    temp = lambda at, key="ExhibitGuide": i(at, "request.temporaryFull", purpose=key)
    done = lambda at, error, key="ExhibitGuide": e(at, "completion", request="temporaryFull", purpose=key, error=error)
    PT = lambda at: prompt(at, "temporaryFull", '["allow", "dontAllow"]')
    w = lambda n, name, tl, ex, why="", **kw: write(f"accuracy-row-{n}", name, tl, ex, f"Row A{n[0]}.{' ' + why if why else ''}", **kw)
    for precise in (True, False):
        w(f"a-{'precise' if precise else 'reduced'}", "The first grant lands with its accuracy", [i(1, "request.whenInUse"), ans("whileUsing", precise=precise)],
          [e(1, "prompt", kind="whenInUse", precise="offered"), auth(2, WIU, "full" if precise else "reduced"), shows(3, "whileUsing", precise=precise)],
          "One callback for both changes.", until=3)
    w("a-default-reduced", "A program that asks for reduced accuracy shows no switch", [i(1, "request.whenInUse"), ans("whileUsing")],
      [e(1, "prompt", kind="whenInUse", precise="notOffered"), auth(2, WIU, "reduced")], manifest=f"{BOTH}, defaultAccuracyReduced: true", until=3)
    full = [monitor(0), rng(0), beacon(0.25, every=0.5, until=30)]
    ranged = '["authorization", "failure", "ranged", "region.state", "region.enter", "region.exit", "completion"]'
    w("b", "Precise off stops delivery at once", full + [i(3, "settings", precise=False)],
      [started(0), state(0.25, "inside"), tick(1, M, [dict(minor=17)]), tick(2, M, [dict(minor=17)]), auth(3, WIU, "reduced"), shows(4, "whileUsing", precise=False)],
      "The tick that is due at the same time is not delivered.", state=W, sets=NONE, only=ranged, until=70)
    w("c", "Precise on determines again, without an enter", full + [i(3, "settings", precise=True)],
      [auth(3, WIU), state(3.25, "inside"), tick(4, M, [dict(minor=17)]), tick(5, M, [dict(minor=17)])],
      "The tick due at that time would contain what was received before, so the next one is the first.", state=R, sets=NONE, only=ranged, until=5)
    w("c-temporary", "Precise on over a temporary grant changes nothing that is read", [temp(1), ans("allow"), i(3, "settings", precise=True), i(4, "background")],
      [PT(1), auth(2, WIU), done(2, None), shows(3, "whileUsing", precise=True)], "It outlasts the use.", state=R, until=20)
    w("d", "Temporary full accuracy is asked for with the purpose's text", [temp(1)],
      [e(1, "prompt", kind="temporaryFull", choices=Raw('["allow", "dontAllow"]'), text="To name the painting in front of you.", purpose="ExhibitGuide")], state=R, until=3)
    w("e", "Allow delivers the accuracy, then completes", [temp(1), ans("allow")], [PT(1), auth(2, WIU), done(2, None), shows(3, "whileUsing", precise=False)],
      "Settings do not change.", state=R, until=3)
    w("f", "Don't Allow completes without an error", [temp(1), ans("dontAllow")], [PT(1), done(2, None)], state=R, until=3)
    w("g", "A purpose without its key completes with 18", [temp(1, "Nope")], [done(1, 18, "Nope")], state=R, until=3)
    w("h", "Full accuracy completes with 18", [temp(1)], [done(1, 18)], state=W, until=3)
    w("h-temporary", "Temporary full accuracy asked for again completes with 18", [temp(1), ans("allow"), temp(3)], [PT(1), auth(2, WIU), done(2, None), done(3, 18)], state=R, until=4)
    w("i", "In the background it completes with 18", [i(1, "background"), temp(2), temp(10)], [done(2, 18), done(10, 18)], "Within the grace too.", state=R, until=11)
    w("j", "A temporary grant of accuracy ends with use", [temp(1), ans("allow"), i(10, "background")], [PT(1), auth(2, WIU), done(2, None), auth(15, WIU, "reduced")], state=R, until=20)
    w("k", "Both temporary grants end in one change",
      [i(1, "request.whenInUse"), ans("once", precise=False), temp(3), ans("allow", 4), i(10, "background")],
      [P1(1), auth(2, WIU, "reduced"), PT(3), auth(4, WIU), done(4, None), auth(15, ND, "reduced")], until=20)
    for name in ("notDetermined", "denied", "restricted"):
        w(f"l-{name}", f"Without a grant it completes with 18: {name}", [temp(1)], [done(1, 18)], state={"authorization": name, "accuracy": "reduced"}, until=3)


def use():
    once = [i(0, "request.whenInUse"), i(0, "answer", choice="once")]
    oe = [P1(0), auth(0, WIU)]
    ses = f"{BOTH}, backgroundLocation: true"
    ind = lambda at, s: e(at, "indicator", style=s)
    w = lambda n, name, tl, ex, **kw: write(f"inuse-{n}", name, tl, ex, kw.pop("why", "Rows S1 to S8."), **(dict(manifest=ses, only=AUTH) | kw))
    w("foreground", "The foreground is use", [i(5, "foreground"), i(6, "request.whenInUse")], [P1(6)], state={"foreground": False}, until=8)
    w("background", "Out of use a request does nothing", [i(6, "request.whenInUse")], [e(6, "diagnostic", code="insufficientlyInUse")],
      state={"foreground": False}, only='["prompt", "authorization", "diagnostic"]', until=8)
    w("grace", "Grace is use", once + [i(10, "background")], oe + [auth(15, ND)], until=20)
    w("grace-set", "The grace can be set", once + [i(10, "background")], oe + [auth(12.5, ND)], sets='"inUse.grace": 2.5', until=20)
    w("dip", "A brief dip is use", once + [i(10, "background"), i(15, "foreground")], oe, why="Row S4: back at the last time of the grace period.", until=30)
    w("session", "A session is use", once + [i(1, "session.start"), i(10, "background")], oe + [ind(10, "session")], only='["prompt", "authorization", "indicator"]', until=100)
    w("session-stop", "A session that ends in the background leaves the grace", once + [i(1, "session.start"), i(10, "background"), i(50, "session.stop")],
      oe + [ind(10, "session"), ind(50, "none"), auth(55, ND)], only='["prompt", "authorization", "indicator"]', until=60)
    w("session-foreground", "A session continues in the foreground and after it",
      once + [i(1, "session.start"), i(10, "background"), i(20, "foreground"), i(30, "background")],
      oe + [ind(10, "session"), ind(20, "none"), ind(30, "session")], only='["prompt", "authorization", "indicator"]', until=60)
    w("session-rejected", "Out of use no session starts while in use", [i(1, "background"), i(10, "session.start"), i(20, "requestState", region="museum")],
      [e(10, "diagnostic", code="insufficientlyInUse")], state=W, only='["diagnostic", "indicator"]', until=30)
    w("session-again", "A session that was refused starts when it is asked for again in use", [i(1, "background"), i(10, "session.start"), i(20, "foreground"), i(21, "session.start"), i(30, "background")],
      [e(10, "diagnostic", code="insufficientlyInUse"), ind(30, "session")], state=W, only='["diagnostic", "indicator"]', until=40)
    w("session-always", "Out of use a session starts with Always", [i(1, "background"), i(10, "session.start")], [ind(10, "session")], state=A, only='["diagnostic", "indicator"]', until=30)
    w("terminated", "A program that ends has no grace", once + [i(10, "terminate")], oe + [auth(10, ND)], until=20)


def delivery():
    """Rows D1 to D6, a file a cell where cells differ."""
    only = '["ranged", "failure", "region.enter", "region.exit", "region.state", "completion", "notification"]'
    tl = [monitor(0), rng(0, f"{M}/1"), i(0, "notify", region="poster", constraint=M), beacon(20.5, every=0.5, until=22), i(21.2, "requestState", region="museum")]
    empty = [tick(t, f"{M}/1", []) for t in range(1, 21)]
    full = [tick(t, f"{M}/1", [dict(minor=17)]) for t in (21, 22)]
    empty.insert(9, state(10, "outside"))
    told = [enter(20.5), state(20.5, "inside")]
    note = [e(20.5, "notification", region="poster")]
    answer = lambda s, r: [state(21.2, s, reason=r)]
    for name, st, expect in (
        ("denied", {"authorization": "denied"}, [e(0, "failure", code=4, region="museum"), e(0, "failure", code=1, constraint=f"{M}/1")] + answer("unknown", "notMonitored")),
        ("not-determined", {}, answer("unknown", "authorization")),
        ("restricted", {"authorization": "restricted"}, answer("unknown", "authorization")),
        ("when-in-use", W, [started(0)] + empty + told + note + full + answer("inside", "requested")),
        ("when-in-use-out", dict(W, foreground=False), [started(0)] + note + answer("unknown", "notInUse")),
        ("always", A, [started(0)] + empty + told + note + full + answer("inside", "requested")),
        ("always-out", dict(A, foreground=False), [started(0)] + empty + told + note + full + answer("inside", "requested")),
        ("reduced", R, answer("unknown", "accuracy")),
        ("always-reduced-out", dict(A, accuracy="reduced", foreground=False), answer("unknown", "accuracy")),
    ):
        write(f"delivery-{name}", f"What reaches a client: {name}", tl, expect, "Rows D1 to D6.", state=st, sets=NONE, only=only, until=22)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    acceptance()
    rows()
