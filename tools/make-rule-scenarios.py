# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Writes Fixtures/scenarios/rule-NNN-….json5 and their list, rules.md: what three talks of Apple's, and its present
pages, state of beacons, regions and authorization, one file a rule.

    tools/make-rule-scenarios.py     writes the files

The files are what counts: read those. A rule that has no file has its reason in the list.
"""

import pathlib
import re
import runpy

shared = runpy.run_path(str(pathlib.Path(__file__).with_name("make-scenarios.py")))
globals().update({name: value for name, value in shared.items() if not name.startswith("__")})

TALKS = {17: "WWDC17", 19: "WWDC19", 20: "WWDC20", 26: "Apple's pages of 2026", None: "Ours"}
LIST = []
EXPLICIT = f"{BOTH}, explicitServiceSession: true"
SES = f"{BOTH}, backgroundLocation: true"
CLIP = f"{BOTH}, appClip: true"
CROSS = '["region.enter", "region.exit", "region.state"]'
SEEN = '["prompt", "authorization", "region.enter", "region.exit", "region.state"]'
R1M, R2M = f"{M}/1", f"{M}/2"
BG = lambda at=10: i(at, "background")
FG = lambda at: i(at, "foreground")
ask = lambda at: i(at, "request.whenInUse")
askAlways = lambda at: i(at, "request.always")
ans = lambda at, choice, **more: i(at, "answer", choice=choice, **more)
sets_ = lambda at, value=None, **more: i(at, "settings", **(dict(authorization=value) if value else {}), **more)
quiet = lambda at: i(at, "quiet")
temp = lambda at, key="ExhibitGuide": i(at, "request.temporaryFull", purpose=key)
done = lambda at, error, key="ExhibitGuide": e(at, "completion", request="temporaryFull", purpose=key, error=error)
PT = lambda at: prompt(at, "temporaryFull", '["allow", "dontAllow"]')
diag = lambda at, code, **more: e(at, "diagnostic", code=code, **more)
rng = lambda at, c=R1M, **more: i(at, "range", constraint=c, **more)
unmon = lambda at, region="museum": i(at, "unmonitor", region=region)
request = lambda at, region="museum": i(at, "requestState", region=region)
notify = lambda at, region="museum", **more: i(at, "notify", region=region, constraint=M, **more)
tap = lambda at, region="museum": i(at, "tapNotification", region=region)
near = lambda at, until, major=1, every=1, **more: beacon(at, major, every=every, until=until, **more)
goal = lambda at, what, number=1, **more: i(at, "service.begin", number=number, goal=what, **more)
found = lambda at, *what: e(at, "diagnostic", code="serviceSession", diagnostics=Raw(str(list(what)).replace("'", '"')))
ind = lambda at, style: e(at, "indicator", style=style)
one = [dict(minor=17)]
ticks = lambda r, c=R1M, b=one: [tick(t, c, b) for t in r]
both = lambda at, how, s, region="museum": [how(at, region), state(at, s, region)]
other = lambda lines: [line.replace('client: "guide"', 'client: "shop"') for line in lines]
two = lambda a=None, b=None, m=BOTH: {"guide": (m, a or {}), "shop": (m, b or {})}
# Provisional Always from undecided; both rooms monitored, out of use from 25 on.
PROV = [askAlways(1), ans(2, "whileUsing"), monitor(3, "r1", R1M), monitor(3, "r2", R2M), BG(20)]
HAS = [P1(1), auth(2, ALW), state(13, "outside", "r1"), state(13, "outside", "r2")]
# A room in which a beacon is received from 100 on.
ROOM1 = near(100, 600, 1, every=5)
ROOM2 = near(200, 600, 2, every=5)


def rule(number, talk, rows, name, timeline, expect, **more):
    slug = "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split()[:6])
    file = f"rule-{number:03}-{slug}"
    for old in FOLDER.glob(f"rule-{number:03}-*"):
        old.unlink()
    # A rule of today names its page.
    source = f"Apple: {re.search(r'[*].+[*]', rows)[0]}" if talk == 26 else TALKS[talk]
    LIST.append((number, source, name, f"`{file}.json5`"))
    write(file, name, timeline, expect, f"{TALKS[talk]}. {rows}.", **more)


def without(number, talk, name, reason):
    LIST.append((number, TALKS[talk], name, reason))


def prompts():
    rule(1, 19, "Rows A1, A2", "Both requests show the same first prompt", [ask(1), i(1, "request.always", client="shop")],
         [P1(1)] + other([P1(1)]), clients=two(), only=AUTH, until=5)
    rule(2, 19, "Rows A6, U4", "Who answers Don't Allow is never asked again", [ask(1), ans(2, "dontAllow"), ask(10), askAlways(11)],
         [P1(1), auth(2, DN)], only=AUTH, until=15)
    rule(3, 19, "Rows A4, V3", "Always asked for and answered While Using is provisional", [askAlways(1), ans(2, "whileUsing")],
         [P1(1), auth(2, ALW), shows(3, "whileUsing")], only=AUTH, until=5)
    rule(4, 19, "Rows A14, A15", "Under provisional Always events are held out of use, and delivered in use and in the grace period",
         PROV + [near(12, 12), near(23, 200, 1, every=5), ROOM2],
         [P1(1), auth(2, ALW), state(12, "inside", "r1"), state(13, "outside", "r2")], only=SEEN, until=250)
    rule(5, 19, "Rows A15, A18", "The second prompt comes at a quiet time after an event",
         PROV + [quiet(60), ROOM1, quiet(150)], HAS + [P2(150)], only=SEEN, until=200)
    rule(6, 19, "Row A19", "Change to Always delivers the event that started the prompt",
         PROV + [ROOM1, quiet(150), ans(160, "changeToAlways")], HAS + [P2(150)] + both(160, enter, "inside", "r1") + [shows(161, "always")],
         only=SEEN, until=200)
    rule(7, 19, "Row A20", "Keep ends provisional Always with a callback, and drops the event",
         PROV + [ROOM1, quiet(150), ans(160, "keepWhileUsing")], HAS + [P2(150), auth(160, WIU)], only=SEEN, until=200)
    rule(8, 19, "Rows A20, A23", "A user who sets While Using in Settings drops the event",
         PROV + [ROOM1, sets_(150, "whileUsing"), sets_(160, "always")], HAS + [auth(150, WIU), auth(160, ALW)], only=SEEN, until=200)
    rule(9, 19, "Row U14", "Nothing is delivered while the user has not been asked", PROV + [ROOM1], HAS, only=SEEN, until=600)
    rule(10, 19, "Rows A16, A21", "A newer event takes the place of the held one, also while the prompt is open",
         PROV + [ROOM1, quiet(150), ROOM2, ans(210, "changeToAlways")], HAS + [P2(150)] + both(210, enter, "inside", "r2"), only=SEEN, until=250)
    rule(11, 19, "Row A17", "A stale event is dropped, and the prompt may still come",
         PROV + [ROOM1, quiet(450), ans(460, "changeToAlways")], HAS + [P2(450)], only=SEEN, until=500)
    rule(12, 19, "Rows U16, A22", "Always is asked for once",
         PROV + [ROOM1, quiet(150), ans(160, "keepWhileUsing"), FG(170), askAlways(171)],
         HAS + [P2(150), auth(160, WIU), state(170, "inside", "r1", reason="resumed")], only=SEEN, until=200)
    rule(13, 19, "Rows A2, A10", "Always is asked for directly or as an upgrade",
         [askAlways(1), i(1, "request.whenInUse", client="shop"), i(2, "answer", client="shop", choice="whileUsing"), i(3, "request.always", client="shop")],
         [P1(1)] + other([P1(1), auth(2, WIU), P2(3)]), clients=two(), only=AUTH, until=5)
    rule(14, 19, "Row A23", "Always set in Settings delivers the held event", PROV + [ROOM1, sets_(150, "always")],
         HAS + both(150, enter, "inside", "r1") + [shows(151, "always")], only=SEEN, until=200)
    rule(15, 19, "Rows U7, D2", "From iOS 13 on When In Use gives regions and ranging in use", [monitor(0), rng(0), near(12.5, 15)],
         [tick(t, R1M, []) for t in range(1, 10)] + [state(10, "outside")] + [tick(t, R1M, []) for t in (10, 11, 12)] + both(12.5, enter, "inside") + ticks((13, 14, 15)),
         profile="coreLocation13.0", state=W, sets=NONE, only='["ranged", "failure", "region.enter", "region.state"]', until=15)
    rule(16, 19, "Rows D2, D7, D8", "Under When In Use an event out of use is not delivered, and never later",
         [monitor(0), BG(), near(50, 300), FG(100)], [state(10, "outside"), state(100, "inside", reason="resumed")], state=W, only=CROSS, until=150)
    rule(17, 19, "Rows E16, E17", "In iOS 12 When In Use ranges and monitors nothing", [monitor(0), rng(0), near(0.5, 3)],
         [e(0, "failure", code=4, region="museum")] + ticks((1, 2, 3)), profile="coreLocation12", state=W, sets=NONE,
         only='["ranged", "failure", "region.state"]', until=3)


def use():
    r = '["ranged", "failure"]'
    rule(18, 19, "Row S1", "The foreground is in use", [rng(0), near(0.5, 20), FG(10)], ticks(range(11, 21)),
         state=dict(W, foreground=False), sets=NONE, only=r, until=20)
    rule(19, 19, "Rows S2, S5", "A few seconds after it are in use", [rng(0), near(0.5, 30), BG()], ticks(range(1, 15)), state=W, sets=NONE, only=r, until=30)
    rule(20, 19, "Rows U9, S3, S8", "A session with the indicator is in use; it needs the mode and a start in front",
         [rng(0), near(0.5, 30, every=0.5), i(1, "session.start"), BG(), i(2, "background", client="shop"), i(20, "session.start", client="shop")],
         ticks(range(1, 10)) + [ind(10, "session")] + ticks(range(10, 20)) + other([diag(20, "insufficientlyInUse")]) + ticks(range(20, 31)), clients=two(W, W, SES), sets=NONE,
         only='["ranged", "failure", "diagnostic"]', until=30)
    rule(21, 19, "Row S6", "A session that ends in front ends use with the next time out of front",
         [rng(0), near(0.5, 30), i(1, "session.start"), i(5, "session.stop"), BG()], ticks(range(1, 15)), state=W, manifest=SES, sets=NONE, only=r, until=30)
    rule(22, 19, "Row S6", "A session that ends in the background leaves the grace period",
         [rng(0), near(0.5, 60), i(1, "session.start"), BG(), i(30, "session.stop")], ticks(range(1, 35)), state=W, manifest=SES, sets=NONE, only=r, until=60)
    rule(23, 19, "Rows S8, E18", "Updates start in the background only with Always",
         [BG(1), i(1, "background", client="shop"), i(20, "session.start"), i(20, "session.start", client="shop")],
         [diag(20, "insufficientlyInUse")] + other([ind(20, "session")]), clients=two(W, A, SES), only='["diagnostic", "indicator"]', until=30)
    p = '["prompt", "diagnostic"]'
    rule(24, 19, "Rows Q1, U10", "The grace period and a session are not in use enough for a prompt",
         [BG(), ask(12), i(1, "session.start", client="shop"), i(10, "background", client="shop"), i(60, "request.always", client="shop"),
          FG(70), ask(71), i(70, "foreground", client="shop"), i(71, "request.always", client="shop")],
         [diag(12, "insufficientlyInUse")] + other([diag(60, "insufficientlyInUse")]) + [P1(71)] + other([P2(71)]),
         clients=two(None, W, SES), only=p, until=75)
    rule(25, 19, "Row Q1", "Out of use no prompt comes", [BG(), ask(30)], [diag(30, "insufficientlyInUse")], only=p, until=40)
    rule(26, 19, "Rows D4, G22", "With Always an event out of use is delivered, also to a program that ended",
         [monitor(0), i(5, "terminate"), near(50, 60)], [state(10, "outside")] + both(50, enter, "inside"), state=A, only=CROSS, until=60)
    rule(27, 19, "Row D2", "With When In Use a program that ended gets nothing", [monitor(0), i(12, "terminate"), near(50, 60)], [state(10, "outside")],
         state=W, only=CROSS, until=100)


def arrival():
    n = '["notification", "ranged", "region.enter", "region.exit", "region.state"]'
    note = lambda at: e(at, "notification", region="museum")
    rule(28, 19, "Rows G23, C25", "A notification of a region is shown out of use, and the program learns nothing",
         [monitor(0, "hall"), notify(0), BG(11), near(50, 60)], [state(10, "outside", "hall"), note(50)], state=W, only=n, until=70)
    rule(29, 19, "Row G23", "A notification is shown on entry or exit, once or each time",
         [notify(0, onEntry=True, onExit=False, repeats=False), i(0, "notify", client="shop", region="museum", constraint=M, onEntry=False, onExit=True, repeats=True),
          near(12, 15), near(60, 65), near(120, 125)],
         [note(12)] + other([note(45), note(95), note(155)]), clients=two(W, W), only=n, until=160)
    rule(30, 19, "Row C26", "A tap opens the program, which is then in use", [notify(0), rng(0), BG(1), near(50, 70), tap(60)],
         [note(50)] + ticks(range(61, 66)), state=W, sets=NONE, never='["region.enter"]', only='["notification"]', until=65)
    rule(31, 19, "Row C26", "A notification that is not shown cannot be tapped", [notify(0), rng(0), BG(1), tap(20), tap(21, "elsewhere")],
         [tick(t, R1M, []) for t in range(1, 6)] + [diag(20, "notificationNotShown"), diag(21, "notificationNotShown")], state=W, sets=NONE,
         only='["ranged", "notification", "diagnostic"]', until=30)
    rule(32, 19, "Rows D8, G23, C26", "On arrival a museum's guide is notified of, opened by the tap, and knows the museum",
         [ask(0), ans(1, "whileUsing"), monitor(1), notify(1, "greeting", onExit=False, repeats=True), rng(1, R1M, whileInside="museum"), BG(12), near(50.5, 90), tap(60, "greeting")],
         [P1(0), auth(1, WIU), state(11, "outside"), e(50.5, "notification", region="greeting"), state(60, "inside", reason="resumed")] + ticks(range(61, 66)),
         sets=NONE, only='["prompt", "authorization", "notification", "ranged", "region.enter", "region.state"]', until=65)
    rule(33, 19, "Row D8", "A guide that left the museum in the background knows it on return",
         [monitor(0), rng(0, R1M, whileInside="museum"), near(0.5, 20), BG(), FG(100)],
         [state(0.5, "inside")] + ticks(range(1, 15)) + [state(100, "outside", reason="resumed")], state=W, sets=NONE,
         only='["ranged", "region.enter", "region.exit", "region.state"]', until=110)
    without(34, 19, "A circle of two kilometers greets on arrival", "no position source; the region's beacons greet instead (28 to 32)")


def once():
    first = [ask(0), ans(0, "once")]
    given = [P1(0), auth(0, WIU)]
    rule(35, 19, "Rows A5, A8, V1", "Allow Once reads When In Use, shows Ask Next Time, and ends with use", first + [BG(), FG(20), ask(21)],
         given + [shows(5, "askNextTime"), auth(15, ND), P1(21)], only=AUTH, until=25)
    rule(36, 19, "Rows S4, U11", "Allow Once survives a brief dip", first + [BG(), FG(14)], given, only=AUTH, until=60)
    rule(37, 19, "Row U11", "Allow Once survives a run with the indicator, and ends after it", first + [i(1, "session.start"), BG(), i(300, "session.stop")],
         given + [auth(305, ND)], manifest=SES, only=AUTH, until=320)
    rule(38, 19, "Row D2", "Allow Once gives regions and ranging", first + [monitor(0), rng(0), near(12.5, 14)],
         given + [state(10, "outside")] + both(12.5, enter, "inside") + ticks((13, 14)), sets=NONE, only=SEEN, until=14)
    rule(39, 19, "Rows A5, A7", "Allow Once for Always is When In Use, and Always is then ignored", [askAlways(0), ans(0, "once"), askAlways(5)], given,
         only=AUTH, until=8)
    rule(40, 19, "Row A5", "Allow Once answered after use ended grants nothing", [ask(0), BG(1), ans(20, "once")], [P1(0), shows(21, "askNextTime")],
         only=AUTH, until=30)


def decisions():
    f = '["prompt", "authorization", "ranged", "failure", "completion", "region.enter", "region.state"]'
    rule(41, 19, "Rows D1, D9", "Undecided gives neither access nor a failure", [monitor(0), rng(0), near(0.5, 5)], [], only=f, until=10)
    rule(42, 19, "Row D1", "Denied gives failures: ranging fails with 1, monitoring with 4", [monitor(0), rng(0), near(0.5, 5)],
         [e(0, "failure", code=4, region="museum"), e(0, "failure", code=1, constraint=R1M)], state={"authorization": "denied"}, only=f, until=10)
    rule(43, 19, "Row A24", "A later grant in Settings works", [ask(0), ans(1, "dontAllow"), sets_(5, "whileUsing"), monitor(6), near(20, 22)],
         [P1(0), auth(1, DN), auth(5, WIU), started(6), state(16, "outside")] + both(20, enter, "inside"), only=f, until=22)
    rule(44, 19, "Row Q3", "While a prompt is shown, more requests do nothing", [ask(0), ask(1), askAlways(2), ans(3, "whileUsing")], [P1(0), auth(3, WIU)],
         only=AUTH, until=5)
    rule(45, 19, "Row D9", "A region that was registered before the answer works with the grant",
         [monitor(0), ask(1), ans(5, "whileUsing"), near(20, 22)], [P1(1), auth(5, WIU), state(15, "outside")] + both(20, enter, "inside"), only=f, until=22)


def beacons():
    every = [monitor(0, "all"), monitor(0, "room", R1M), monitor(0, "zero", f"{M}/1/0"), monitor(0, "elsewhere", N)]
    rule(46, 19, "Rows I1, I3", "A missing major or minor is a wildcard, and 0 is a value", every + [near(12, 13, 2), beacon(14, 1, 5), beacon(15, 1, 0)],
         [state(10, "outside", r) for r in ("all", "elsewhere", "room", "zero")] + both(12, enter, "inside", "all") + both(14, enter, "inside", "room")
         + both(15, enter, "inside", "zero"), state=W, only=CROSS, until=20)
    without(47, 19, "A minor without a major cannot be written", "row I2: no file can express it; `BeaconCoreTests` holds the three shapes")
    rule(48, 19, "Row I6", "Several beacons of the same numbers are one larger beacon",
         [monitor(0), near(12, 20, address="C0:00:00:00:00:01"), near(15, 40, address="C0:00:00:00:00:02")],
         [state(10, "outside")] + both(12, enter, "inside") + both(70, leave, "outside"), state=W, only=CROSS, until=80)
    rule(49, 19, "Rows R15, G20", "A program monitors first and ranges only inside", [monitor(0), rng(0, R1M, whileInside="museum"), near(12.5, 14)],
         [state(10, "outside")] + both(12.5, enter, "inside") + ticks((13, 14)) + [tick(t, R1M, [dict(rssi=None)]) for t in range(15, 24)]
         + [tick(t, R1M, []) for t in range(24, 44)] + both(43.5, leave, "outside"), state=W, sets=NONE,
         only='["ranged", "region.enter", "region.exit", "region.state"]', until=50)
    rule(50, 19, "Rows G8, G9", "Who is inside at the start learns it, without an enter", [monitor(0), near(3, 5)], [state(3, "inside")], state=W, only=CROSS, until=6)
    rule(51, 19, "Row G21", "Who receives nothing at the start is outside", [monitor(0)], [state(10, "outside")], state=W, only=CROSS, until=20)
    rule(52, 19, "Row G11", "Walking between rooms of one UUID crosses nothing", [monitor(0), near(1, 20, 1), near(21, 40, 2), near(41, 60, 3)], [state(1, "inside")],
         state=W, only=CROSS, until=65)
    rule(53, 19, "Rows R1, R4", "Ranging calls once a second, also with an empty list", [rng(0), beacon(0.5)],
         ticks((1,)) + [tick(t, R1M, [dict(rssi=None)]) for t in range(2, 11)] + [tick(t, R1M, []) for t in range(11, 16)], state=W, sets=NONE, only='["ranged"]', until=15)
    rule(54, 19, "Rows R2, R3, R9, R10", "Beacons are immediate, near or far, the nearest first",
         [rng(0, M), beacon(0.4, 1, 1, rssi=-80), beacon(0.5, 1, 2, rssi=-45), beacon(0.6, 1, 3, rssi=-65)],
         [tick(1, M, [dict(minor=2, proximity="immediate"), dict(minor=3, proximity="near"), dict(minor=1, proximity="far")])], state=W, sets=NONE, only='["ranged"]', until=1)
    rule(55, 19, "Row D4", "With Always a region automates in the background", [monitor(0), near(2, 20), BG()], [state(2, "inside")] + both(50, leave, "outside"),
         state=A, only=CROSS, until=60)
    without(56, 19, "What tvOS, watchOS and macOS have", "rows C39, C40: no such device")
    rule(57, 19, "Row C45", "A program asks at the action, not when it comes to the front",
         [BG(1), FG(20), monitor(20), rng(30), ask(30)], [P1(30)], only=AUTH, until=35)


def accuracy():
    s = '["prompt", "authorization", "completion", "failure", "ranged", "notification", "region.enter", "region.exit", "region.state"]'
    rule(58, 20, "Row Aa", "The prompt has the switch Precise; off is reduced, with one callback", [ask(1), ans(2, "whileUsing", precise=False)],
         [e(1, "prompt", kind="whenInUse", precise="offered"), auth(2, WIU, "reduced")], only=AUTH, until=5)
    rule(59, 20, "Rows U18, Ab, Ac", "In Settings status and accuracy change independently",
         [sets_(1, precise=True), sets_(2, "always"), sets_(3, precise=False), sets_(4, "whileUsing")],
         [auth(1, WIU), auth(2, ALW), auth(3, ALW, "reduced"), auth(4, WIU, "reduced")], state=R, only=AUTH, until=5)
    rule(60, 20, "Row U18", "No program can opt out of reduced accuracy", [monitor(0), sets_(5, precise=False), near(6, 9)], [started(0), auth(5, ALW, "reduced")],
         state=A, only=s, until=20)
    rule(61, 20, "Row U18", "iOS 13 has no reduced accuracy", [sets_(1, precise=False), rng(1), near(1.5, 3)], ticks((2, 3)) + [diag(1, "settingNotOffered")],
         profile="coreLocation13.4", state=W, sets=NONE, only='["authorization", "ranged"]', until=3)
    rule(62, 20, "Row U19", "A change of either axis is one callback", [sets_(1, precise=False), sets_(2, "always"), sets_(3, "whileUsing", precise=True)],
         [auth(1, WIU, "reduced"), auth(2, ALW, "reduced"), auth(3, WIU)], state=W, only=AUTH, until=5)
    rule(63, 20, "Rows D5, U20", "Under reduced accuracy no region is entered or left", [monitor(0), near(5, 10)], [], state=dict(A, accuracy="reduced"), only=s, until=60)
    rule(64, 20, "Row D5", "Under reduced accuracy nothing is ranged, not even an empty list", [rng(0, M), near(0.5, 10)], [], state=R, only=s, until=20)
    rule(65, 20, "Rows C35, D5", "Under reduced accuracy a reminder of a region does not fire", [notify(0), near(12, 20)], [], state=R, only=s, until=30)
    rule(66, 20, "Row C35", "A reminder saved under reduced accuracy fires with full accuracy", [notify(0), sets_(5, precise=True), near(20, 25)],
         [auth(5, WIU), e(20, "notification", region="museum")], state=R, only=s, until=30)
    rule(67, 20, "Row D5", "Under reduced accuracy a region's state is unknown", [monitor(0), near(1, 10), request(5)], [state(5, "unknown", reason="accuracy")], state=R,
         only=CROSS, until=12)
    rule(68, 20, "Rows Ad, Ae, U27", "Temporary full accuracy is asked for with its purpose, and leaves the status", [temp(1), ans(2, "allow")],
         [e(1, "prompt", kind="temporaryFull", text="To name the painting in front of you."), auth(2, WIU), done(2, None), shows(3, "whileUsing", precise=False)],
         state=R, only=s, until=5)
    rule(69, 20, "Row U23", "A purpose is looked up in the dictionary and nowhere else", [temp(1, "whenInUse"), temp(2, "Shop"), ans(3, "allow")],
         [done(1, 18, "whenInUse"), e(2, "prompt", kind="temporaryFull", text="To find the shop."), auth(3, WIU), done(3, None, "Shop")],
         manifest=f'{WHEN}, purposes: {{ ExhibitGuide: "To name the painting.", Shop: "To find the shop." }}', state=R, only=s, until=5)
    rule(70, 20, "Row Ah", "With full accuracy nothing is asked", [temp(1)], [done(1, 18)], state=W, only=s, until=5)
    rule(71, 20, "Rows Af, U25", "A refusal calls the completion, and accuracy stays reduced", [temp(1), ans(2, "dontAllow")], [PT(1), done(2, None)], state=R, only=s, until=5)
    rule(72, 20, "Row U26", "Temporary full accuracy continues for as long as the program is used",
         [temp(1), ans(2, "allow"), i(3, "session.start"), BG(3600), i(10800, "session.stop")], [PT(1), auth(2, WIU), done(2, None), auth(10805, WIU, "reduced")],
         manifest=SES, state=R, only=s, until=10810)
    rule(73, 20, "Row Aj", "Temporary full accuracy ends with use, and is asked for again", [temp(1), ans(2, "allow"), BG(), FG(20), temp(21)],
         [PT(1), auth(2, WIU), done(2, None), auth(15, WIU, "reduced"), PT(21)], state=R, only=s, until=25)
    rule(74, 20, "Row Ak", "Temporary full accuracy and Allow Once end together, with one callback",
         [ask(0), ans(0, "once", precise=False), temp(1), ans(2, "allow"), BG()],
         [P1(0), auth(0, WIU, "reduced"), PT(1), auth(2, WIU), done(2, None), auth(15, ND, "reduced")], only=s, until=20)
    rule(75, 20, "Row Ai", "Temporary full accuracy is asked for only in front", [BG(), temp(12), temp(30)], [done(12, 18), done(30, 18)], state=R, only=s, until=35)
    rule(76, 20, "Row U28", "A program of reduced accuracy shows no switch Precise; Settings have it", [ask(1), ans(2, "whileUsing"), sets_(3, precise=True)],
         [e(1, "prompt", kind="whenInUse", precise="notOffered"), auth(2, WIU, "reduced"), auth(3, WIU)], manifest=f"{BOTH}, defaultAccuracyReduced: true",
         state={"accuracy": "reduced"}, only=AUTH, until=5)
    rule(77, 20, "Row U22", "Precise off and on again inside determines the state, and crosses nothing",
         [monitor(0), near(1, 60), sets_(10.5, precise=False), sets_(20.5, precise=True)], [state(1, "inside"), state(21, "inside")], state=W, only=CROSS, until=60)
    rule(78, 20, "Rows A12, U18", "An upgrade to Always leaves the accuracy", [askAlways(1), ans(2, "changeToAlways")], [P2(1), auth(2, ALW, "reduced")], state=R, only=AUTH, until=5)
    rule(79, 20, "Rows D5, U14", "Under reduced accuracy provisional Always holds nothing",
         [askAlways(1), ans(2, "whileUsing", precise=False), monitor(3), BG(20), near(100, 200), quiet(150)], [P1(1), auth(2, ALW, "reduced")], only=SEEN, until=200)


def upgrades():
    have = [ask(0), ans(1, "whileUsing"), askAlways(10)]
    got = [P1(0), auth(1, WIU)]
    rule(80, 20, "Rows A10 to A12", "From iOS 13.4 on an upgrade to Always prompts immediately", have + [ans(11, "changeToAlways")], got + [P2(10), auth(11, ALW)],
         profile="coreLocation13.4", only=AUTH, until=15)
    rule(81, 20, "Row U17", "From undecided Always is still provisional in iOS 13.4", [askAlways(0), ans(1, "whileUsing")], [P1(0), auth(1, ALW), shows(2, "whileUsing")],
         profile="coreLocation13.4", only=AUTH, until=5)
    rule(82, 20, "Row A9", "Before iOS 13.4 an upgrade is provisional without a prompt", have, got + [auth(10, ALW), shows(11, "whileUsing")],
         profile="coreLocation13.0", only=AUTH, until=15)
    rule(83, 20, "Row A11", "Who keeps While Using is not asked again; Settings still offer Always",
         have + [ans(11, "keepWhileUsing"), askAlways(12), sets_(13, "always")], got + [P2(10), auth(13, ALW)], only=AUTH, until=15)
    clip = prompt(1, "whenInUse", '["untilTomorrow", "once", "dontAllow"]')
    rule(84, 20, "Rows A26, U30", "An App Clip is granted While Using Until Tomorrow, and never Always",
         [askAlways(0), ask(1), ans(2, "untilTomorrow"), askAlways(3), sets_(4, "always")], [clip, auth(2, WIU)], manifest=CLIP, only=AUTH, until=10,
         local="2026-11-21T12:00:00+01:00")
    rule(85, 20, "Row A27", "An App Clip's grant ends in the following morning, and survives the end of use",
         [ask(1), ans(2, "untilTomorrow"), BG(10), FG(21700), ask(21701)], [clip, auth(2, WIU), auth(21600, ND), prompt(21701, "whenInUse", '["untilTomorrow", "once", "dontAllow"]')],
         manifest=CLIP, only=AUTH, until=21710, local="2026-11-21T22:00:00+01:00")
    rule(86, 20, "Row U30", "An App Clip granted at night ends in the morning of the next day", [ask(1), ans(2, "untilTomorrow")], [clip, auth(2, WIU), auth(93600, ND)],
         manifest=CLIP, only=AUTH, until=93700, local="2026-11-21T02:00:00+01:00")
    rule(87, 20, "Rows C37, V5", "Settings and the program show reduced accuracy", [sets_(1, precise=False), temp(2), ans(3, "allow")],
         [auth(1, WIU, "reduced"), shows(1.5, "whileUsing", precise=False), PT(2), auth(3, WIU), shows(4, "whileUsing", precise=False)], state=W, only=AUTH, until=5)
    rule(88, 20, "Rows U23, C36", "A feature that needs it asks for temporary accuracy, and Settings stay as they are",
         [rng(0), near(0.5, 6), temp(1), ans(2.2, "allow")], [PT(1), auth(2.2, WIU)] + ticks((3, 4, 5)) + [shows(5, "whileUsing", precise=False)], state=R, sets=NONE,
         only='["prompt", "authorization", "ranged"]', until=5)
    without(89, 20, "Reduced locations", "row C30: the engine reports no position")
    without(90, 20, "Visits under reduced accuracy", "row C34: a visit follows from beacons, which reduced accuracy forbids")
    without(91, 20, "Significant changes", "row C33: no such source")
    without(92, 20, "desiredAccuracy", "rows U29, C31: it does nothing to beacons")
    without(93, 20, "What phone and watch share", "rows U31, C38: no watch")
    without(94, 20, "Widgets", "row C41: no widgets")
    without(95, 20, "Activity types", "row C42: it concerns satellites")


def older():
    k = dict(profile="coreLocation12", only=AUTH)
    p1 = prompt(0, "whenInUse", '["allow", "dontAllow"]')
    change = lambda at: prompt(at, "transition", '["keepWhileUsing", "alwaysAllow"]')
    three = lambda at: prompt(at, "always", '["whileUsing", "alwaysAllow", "dontAllow"]')
    rule(96, 17, "Rows E1 to E3, E8 to E10", "When In Use has a prompt of two, and Always after it the transition prompt",
         [ask(0), ans(1, "allow"), askAlways(5), ans(6, "alwaysAllow")], [p1, auth(1, WIU), change(5), auth(6, ALW)], until=10, **k)
    rule(97, 17, "Rows E4 to E7", "Always first has a prompt of three; While Using loses the transition prompt",
         [askAlways(0), ans(1, "whileUsing"), askAlways(5)], [three(0), auth(1, WIU)], until=10, **k)
    rule(98, 17, "Row E11", "Once Always was asked for there are no more prompts", [askAlways(0), ans(1, "dontAllow"), ask(5), askAlways(6)], [three(0), auth(1, DN)], until=10, **k)
    rule(99, 17, "Row U3", "Always needs the text for When In Use", [askAlways(1)], [diag(1, "usageTextMissing", key="whenInUse")], manifest=ALWAYS, profile="coreLocation12",
         only='["prompt", "diagnostic"]', until=5)
    rule(100, 17, "Rows U3, C22", "Always needs the text for Always and When In Use", [askAlways(1)], [diag(1, "usageTextMissing", key="alwaysAndWhenInUse")], manifest=WHEN,
         profile="coreLocation12", only='["prompt", "diagnostic"]', until=5)
    rule(101, 17, "Rows A18, E8", "Each prompt shows its own text", [ask(0), ans(1, "allow"), askAlways(5)],
         [e(0, "prompt", text="To tell you what you stand before."), e(5, "prompt", text="To greet you when you come back.")], profile="coreLocation12", only='["prompt"]', until=8)
    rule(102, 17, "Rows U5, E12", "Settings change at any time, and a downgrade ends delivery", [monitor(0), rng(0), near(0.5, 20), sets_(5.2, "whileUsing"), sets_(8.2, "never")],
         [state(0.5, "inside")] + ticks(range(1, 9)) + [e(8.2, "failure", code=1, constraint=R1M)], profile="coreLocation12", state=A, sets=NONE,
         only='["ranged", "region.enter", "region.exit", "region.state", "failure"]', until=20)
    rule(103, 19, "Rows A24, A25, U6", "Ask Next Time, a restriction and location services off end a grant, and the last two give it back",
         [i(1, "restriction", on=True), i(2, "restriction", on=False), i(3, "services", on=False), i(4, "services", on=True), sets_(5, "askNextTime")],
         [auth(1, "restricted"), auth(2, WIU), auth(3, DN), auth(4, WIU), auth(5, ND)], state=W, only=AUTH, until=8)
    a = '["indicator"]'
    rule(104, 17, "Rows C23, AC13", "The arrow is hollow when something is asked for, and solid for some seconds at a delivery", [monitor(0), near(20, 22)],
         [ind(0, "hollow"), ind(10, "solid"), ind(13, "hollow"), ind(20, "solid"), ind(23, "hollow")], state=W, only=a, until=30)
    rule(105, 17, "Row C23", "Without a request or without a grant no arrow is shown", [FG(1), i(2, "monitor", client="shop", region="museum", constraint=M)], [],
         clients=two(W, {}), only=a, until=20)
    rule(106, 17, "Row C23", "The bar shows a continued session, also with Always", [i(1, "session.start"), BG()], [ind(10, "session")], state=A, manifest=SES, only=a, until=20)
    rule(107, 17, "Rows C23, S7", "The bar is for the background, the arrow for the front", [monitor(0), i(1, "session.start"), BG(15), FG(25)],
         [ind(0, "hollow"), ind(10, "solid"), ind(13, "hollow"), ind(15, "session"), ind(25, "hollow")], state=W, manifest=SES, only=a, until=30)
    rule(108, 20, "Row AC13", "Under reduced accuracy the arrow is never solid, and falls at the switch", [monitor(0), near(1, 20), sets_(2, precise=False)],
         [ind(0, "hollow"), ind(1, "solid"), ind(2, "hollow")], state=W, only=a, until=20)
    rule(109, 17, "Row U9", "A background session needs the mode and a start in front", [i(1, "session.start"), BG(2)], [diag(1, "backgroundModeMissing")], state=W,
         only='["diagnostic", "indicator"]', until=20)
    without(110, 17, "Geocoding, heading, indoor positioning, health", "row C44: other systems")


def today():
    rule(111, 26, "Row Q1, *requestWhenInUseAuthorization()*", "A prompt comes only while the program is in the foreground",
         [i(1, "session.start"), BG(), ask(11), ans(12, "whileUsing"), FG(20), ask(21)], [diag(11, "insufficientlyInUse"), P1(21)],
         manifest=SES, only='["prompt", "authorization"]', until=25)
    rule(112, 26, "Row N3, *CLMonitor*", "An assumed state makes the first determination an event", [monitor(0, assuming="outside"), near(5, 8)],
         [state(0, "outside", reason="assumed")] + both(5, enter, "inside"), state=W, only=CROSS, until=10)
    rule(113, 26, "Rows G5, N7, *CLError.Code.regionMonitoringFailure*", "The 21st region fails with 5", [monitor(0, f"r{n}", f"{M}/{n}") for n in range(1, 22)],
         [e(0, "failure", code=5, region="r21"), diag(0, "regionLimitExceeded")], state=W, only='["failure", "diagnostic"]', until=2)
    rule(114, 26, "Row N2, *CLMonitor.Event.State*", "A region's state is unknown without a grant and under reduced accuracy",
         [monitor(0), near(1, 20), request(5), sets_(6, "never"), request(7), sets_(8, "always", precise=False), request(9)],
         [state(1, "inside"), state(5, "inside"), state(7, "unknown", reason="authorization"), state(9, "unknown", reason="accuracy")], state=W, only=CROSS, until=12)
    rule(115, 26, "Row N15, *Handling location updates in the background*", "A manifest that demands an explicit session delivers nothing before it",
         [monitor(0), rng(0), near(0.5, 20), goal(2, "whenInUse", implicit=True), goal(5, "none", 2), i(10, "service.end", number=2)],
         [diag(0, "serviceSessionRequired"), found(2, "serviceSessionRequired"), found(5), state(5.5, "inside")] + ticks(range(6, 10))
         + [diag(10, "serviceSessionRequired"), found(10, "serviceSessionRequired")], manifest=EXPLICIT, state=W, sets=NONE,
         only='["ranged", "failure", "prompt", "region.enter", "region.exit", "region.state"]', until=20)
    rule(116, 26, "Rows N8, N11, *CLBackgroundActivitySession*", "The implicit session of a background session reports its obstacles",
         [BG(1), goal(20, "whenInUse", implicit=True), FG(30), sets_(40, "never")],
         [found(20, "insufficientlyInUse"), found(30), found(40, "authorizationDenied")], state=W, manifest=SES,
         only='["diagnostic", "prompt"]', until=50)
    rule(117, 26, "Row N11, *CLServiceSession*", "A service session asks when it can: in the foreground",
         [BG(), goal(20, "whenInUse"), FG(30), ans(31, "once"), BG(40), FG(50)],
         [found(20, "insufficientlyInUse"), P1(30), auth(31, WIU), auth(45, ND), P1(50)], only=AUTH, until=55)
    rule(118, 26, "Row N10, *CLLocationUpdate*", "The flags of an update follow the authorization",
         [goal(1, "whenInUse", implicit=True), ans(2, "whileUsing"), sets_(3, precise=False), i(4, "services", on=False), i(5, "services", on=True),
          i(6, "restriction", on=True)],
         [found(1, "authorizationRequestInProgress"), found(2), found(3, "accuracyLimited"), found(4, "authorizationDenied", "authorizationDeniedGlobally"),
          found(5, "accuracyLimited"), found(6, "authorizationRestricted")], only='["diagnostic"]', until=8)
    rule(119, None, "Law L3", "Nothing that follows from a received beacon reaches a limited client",
         [monitor(0), rng(0, M), notify(0, "note"), near(1, 20), i(30, "gap", until=200), near(200.5, 210), i(220, "screenOn"), request(221)],
         [diag(0, "accuracyLimited"), state(221, "unknown", reason="accuracy")], state=dict(A, accuracy="reduced"),
         only='["diagnostic", "ranged", "failure", "notification", "region.enter", "region.exit", "region.state"]', until=230)


def listing():
    lines = ["# Rules of the talks", "", "What Apple's talks and present pages state, one rule a file. `tools/make-rule-scenarios.py` writes both.", "",
             "| # | source | rule | file, or the reason against one |", "|---|---|---|---|"]
    lines += [f"| {n} | {talk} | {name} | {where} |" for n, talk, name, where in sorted(LIST)]
    (FOLDER / "rules.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    for part in (prompts, use, arrival, once, decisions, beacons, accuracy, upgrades, older, today):
        part()
    listing()
    assert sorted(n for n, *_ in LIST) == list(range(1, 120))
