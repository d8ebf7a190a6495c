# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A visit from the street to the shop, answered on the visitor's page; and every page in every state, size, style and language."""

import datetime
import json
import math
import os
import re
import select
import time

from browser import PATIENCE, Failure, Page
from parts import LANGUAGES, PLAN, ROOT, Server, check, contrast, nothing_outside, quiet, refused

UUID = "f7826da64fa24e988024bc5b71e0893e"
# The exhibits of the plan: major, minor and place.
EXHIBITS = [(int(room), int(minor), float(x), float(y)) for room, minor, x, y in re.findall(
    r"room: (\d+), minor: (\d+).*?at: \[([\d.]+), ([\d.]+)\]", PLAN.read_text(encoding="utf-8"), re.DOTALL)]
SUNDIAL, HOURGLASS, ASTROLABE, CAFETERIA = (2, 2.4), (7.5, 2.4), (12, 2.4), (15, 10.5)


def stamp(second):
    """The time of a capture's second."""
    return (datetime.datetime(2026, 5, 2, 10) + datetime.timedelta(seconds=second)).isoformat(timespec="milliseconds") + "000Z"


def line(kind, **fields):
    """A line of a capture."""
    return json.dumps({"v": 1, "type": kind, **fields}) + "\n"


def radio(second, state):
    return line("radio", t=stamp(second), receiver="hci0", state=state)


def received(begin, end, place, pause=0.5):
    """The reports that a device receives from one second to another at a place, None for the street."""
    def report(second, uuid, major, minor, level):
        data = f"0201061aff4c000215{uuid}{major:04x}{minor:04x}c5"
        return line("report", t=stamp(second), receiver="hci0", address="02:00:00:00:00:01",
                    address_type="random", event="ADV_NONCONN_IND", rssi=level, ad=data)

    now = begin
    while now < end:
        # A foreign beacon is received everywhere.
        yield report(now, "0" * 31 + "1", 9, 9, -70)
        for index, (major, minor, x, y) in enumerate(EXHIBITS if place else []):
            away = max(0.5, ((x - place[0]) ** 2 + (y - place[1]) ** 2) ** 0.5)
            wall = 0 if x // 10 == place[0] // 10 and y // 7 == place[1] // 7 else 6
            level = round(-63 - 24 * math.log10(away) - wall)
            if level > -92:
                yield report(now + 0.01 * (index + 1), UUID, major, minor, level)
        now = round(now + pause, 3)


HEAD = line("capture", tool="check", version="1", receivers=["hci0"], redacted=True) + radio(0, "listening")


def capture(path, phases, state="listening"):
    """Writes the reports that a device receives on its way: phases of seconds and a place."""
    lines = [HEAD] + ([radio(1, state)] if state != "listening" else [])
    now = 2.0
    for seconds, place in phases:
        lines += received(now, now + seconds, place)
        now = round(now + seconds, 3)
    path.write_text("".join(lines), encoding="utf-8")
    return path


class Walk:
    """A visitor's way, which the script writes into a pipe: the guide's time passes only then, on a busy machine too."""

    def __init__(self, path, zone=0):
        os.mkfifo(path)
        self.pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self.second = 2.0
        self.write(HEAD + line("zone", t=stamp(0), offset=zone))
        self.go(1, None)

    def write(self, text):
        data = text.encode()
        while data:
            if not select.select([], [self.pipe], [], 20 * PATIENCE)[1]:
                raise Failure("the guide does not read what its radio receives")
            data = data[os.write(self.pipe, data):]

    def go(self, seconds, place, pause=0.5):
        """Stands at a place."""
        end = round(self.second + seconds, 3)
        self.write("".join(received(self.second, end, place, pause)))
        self.second = end

    def until(self, page, condition, place, seconds=60):
        """Stands at a place until the page shows a condition; returns how many seconds that took at most."""
        began, real = self.second, time.monotonic()
        while not page.run(f"!!({condition})"):
            # Then the page has everything that it needs, and only the machine is slow.
            if self.second - began >= seconds and time.monotonic() - real > 20 * PATIENCE:
                shown = page.run("[document.getElementById('title')?.textContent, document.querySelector('#choices [role=status]')?.textContent,"
                                 " document.getElementById('lost')?.hidden, document.getElementById('buttons')?.textContent]")
                raise Failure(f"never true: {condition}; title, answer, connected, choices: {shown}")
            self.go(0.5, place)
            page.browser.listen(0.05 if self.second - began < seconds else 0.5)
        return self.second - began


def choose(page, name):
    """Presses a choice of the visitor's page, as soon as it is offered."""
    selector = f"[data-choice=\"{name}\"]"
    page.wait(f"!!document.querySelector('{selector}')")
    page.run(f"document.querySelector('{selector}').click()")


def titled(text):
    return f"document.getElementById('title').textContent.includes({json.dumps(text)})"


PLACE = "document.getElementById('place').textContent === '%s'"
# No place is shown.
NOWHERE = "document.getElementById('where').hidden && document.querySelectorAll('.room.now').length === 0"


def street(browser, beaconctl, folder, servers):
    """One visitor with the page, from the street to the shop, and the operator who looks."""
    walk = Walk(folder / "street.jsonl")
    servers.append(Server(beaconctl, folder / "street-state", "--from", str(folder / "street.jsonl"), "--speed", "max"))
    server = servers[-1]
    page = Page(browser, server.visitor, width=360, height=740)
    operator = Page(browser, server.operator)
    fact = "document.querySelectorAll('#facts dd')[%d].textContent"
    walk.until(page, "document.querySelector('[data-choice=\"answer.whileUsing\"]')", None)
    check("street: the page asks, with the museum's reason", page.run(
        "document.getElementById('reason').textContent").startswith("To show you "))
    check("street: three answers and the switch", page.run(
        "[...document.querySelectorAll('#buttons button')].map((b) => b.dataset.choice).join()"
        ) == "answer.whileUsing,answer.once,answer.dontAllow" and page.run("!document.getElementById('precise-place').hidden"))
    # A page without the secret of the address cannot answer; nor can another origin.
    other = Page(browser, server.visitor.split("#")[0], width=360, height=740)
    other.wait("!document.getElementById('code-form').hidden && !!document.querySelector('[data-choice]')")
    choose(other, "answer.whileUsing")
    other.wait("document.querySelector('#choices [role=status]').textContent.startsWith('This is not the code')")
    walk.go(5, None)
    check("street: without the secret or the code a page changes nothing", page.run("!document.getElementById('ask').hidden"))
    other.close()
    choose(page, "answer.whileUsing")
    walk.until(page, titled("The guide pauses"), None)
    walk.until(operator, fact % 2 + ".includes('pauses')", None)
    check("street: outside nothing is ranged", True)
    choose(page, "close")
    walk.until(page, titled("The guide is in the background."), None)
    walk.until(page, "document.querySelector('[data-choice=tap]')?.textContent === 'Welcome to Museum of Measure'", SUNDIAL)
    check("street: on arrival a closed guide greets, and shows no place", page.run(NOWHERE))
    page.run("document.querySelector('#choices [role=status]').textContent = ''")
    choose(page, "tap")
    page.wait("document.querySelector('#choices [role=status]').textContent.trim() !== ''")
    # The pages are published when something is received, and not too often.
    for _ in range(6):
        walk.go(0.5, SUNDIAL)
        browser.listen(0.3 * PATIENCE)
    page.wait(PLACE % "Time")
    check("street: tapped, the guide shows the visitor's room within 3 s", True)
    walk.until(page, titled("Sundial"), SUNDIAL)
    check("street: the nearest exhibit leads", page.run("document.querySelector('.spot.shown title').textContent").endswith("Sundial"))
    check("street: the visitor is on the plan, in a disc", page.run(
        "!document.querySelector('.guide').hasAttribute('hidden') && parseFloat(document.querySelector('.guide-halo').style.r) >= 20"))
    walk.until(page, titled("Hourglass"), HOURGLASS)
    check("street: the next exhibit replaces it", True)
    choose(page, "approximate")
    walk.until(page, titled("Your location is approximate"), HOURGLASS)
    walk.go(10, HOURGLASS)
    browser.listen(0.5)
    check("street: with an approximate location the page names the parts that are off, and no question is asked", page.run(
        "document.getElementById('question').hidden && document.getElementById('text').textContent.includes('your place on the plan')"
        " && document.getElementById('where').hidden"))
    choose(page, "place")
    walk.until(page, "!document.getElementById('question').hidden", HOURGLASS)
    check("street: only the wish to see the place brings the question, with its purpose", page.run(
        "document.getElementById('reason').textContent").startswith("The exhibit in front of you can be found"))
    choose(page, "answer.allow")
    walk.until(page, PLACE % "Time", HOURGLASS)
    walk.until(page, PLACE % "Sky", ASTROLABE)
    check("street: the next room", True)
    walk.until(page, PLACE % "Cafeteria", CAFETERIA)
    walk.go(20, CAFETERIA)
    page.wait("!document.querySelector('.spot.shown')")
    check("street: the cafeteria shows no exhibit of another room", page.run(PLACE % "Cafeteria"))
    walk.until(page, titled("The guide pauses"), None, 120)
    check("street: at the shop the guide pauses", page.run("document.getElementById('where').hidden"))
    nothing_outside(page, "street", f"http://127.0.0.1:{server.port}/")
    quiet(page, "street")
    page.close()
    operator.close()
    morning(browser, beaconctl, folder, servers)


def morning(browser, beaconctl, folder, servers):
    """A visitor who opened the guide by its printed code, as an App Clip, closes it, and comes back in the evening and next morning."""
    plan = folder / "clip.json5"
    plan.write_text(PLAN.read_text(encoding="utf-8").replace("manifest: {", "manifest: {\n    appClip: true,", 1), encoding="utf-8")
    # Noon in the museum's time, two hours ahead.
    walk = Walk(folder / "clip.jsonl", zone=7200)
    servers.append(Server(beaconctl, folder / "clip-state", "--from", str(folder / "clip.jsonl"), "--speed", "max", plan=plan))
    page = Page(browser, servers[-1].visitor, width=360, height=740)
    answers = "[...document.querySelectorAll('#buttons button')].map((b) => b.dataset.choice + ': ' + b.textContent).join()"
    walk.until(page, "document.querySelector('[data-choice=\"answer.untilTomorrow\"]')", None)
    first = page.run(answers)
    check("morning: the page asks until tomorrow, once, or not", first.startswith("answer.untilTomorrow: ")
          and "until tomorrow" in first and "answer.once" in first and "answer.dontAllow" in first and "whileUsing" not in first, first)
    choose(page, "answer.untilTomorrow")
    walk.until(page, titled("Sundial"), SUNDIAL)
    choose(page, "close")
    walk.until(page, titled("The guide is in the background."), SUNDIAL)
    # The street, until 20:00 of that day; then the visitor walks past.
    walk.go(8 * 3600, None, 50)
    greets = "!!document.querySelector('[data-choice=tap]')"
    walk.until(page, greets, SUNDIAL)
    check("morning: in the evening a closed guide still greets", page.run(NOWHERE))
    choose(page, "tap")
    walk.until(page, PLACE % "Time", SUNDIAL)
    check("morning: and shows the room without a question", page.run("document.getElementById('question').hidden"))
    choose(page, "close")
    walk.until(page, titled("The guide is in the background."), SUNDIAL)
    # Until 06:00 of the next day: at 04:00 the grant has ended.
    walk.go(10 * 3600, None, 50)
    walk.go(60, SUNDIAL)
    browser.listen(0.5)
    check("morning: the next morning nothing greets, since nothing is allowed", page.run(f"!({greets}) && {NOWHERE}"))
    choose(page, "open")
    walk.until(page, titled("asks for your permission"), SUNDIAL)
    check("morning: opened again, the guide asks the same, and shows nothing of yesterday", page.run(answers) == first and page.run(
        f"{NOWHERE} && document.getElementById('opened').hidden"), page.run(answers))
    choose(page, "answer.untilTomorrow")
    walk.until(page, titled("Sundial"), SUNDIAL)
    check("morning: allowed again, it guides", True)
    quiet(page, "morning")
    page.close()


# Faults that a reader with a keyboard or a screen reader meets, after the rules of axe.
FAULTS = """(() => {
  const found = [];
  const shown = (e) => e.getClientRects().length && !e.closest('[hidden]');
  const name = (e) => (e.getAttribute('aria-label') || [...(e.labels || [])].map((l) => l.textContent).join('')
    || (e.getAttribute('aria-labelledby') || '').split(' ').map((id) => document.getElementById(id)?.textContent || '').join('')
    || e.textContent || e.title || '').trim();
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  for (const id of ids.filter((id, i) => ids.indexOf(id) !== i)) found.push('the id ' + id + ' twice');
  for (const e of document.querySelectorAll('button, a[href], input, select, textarea, summary, [role=img], [role=meter], dialog, nav')) {
    if (shown(e) && !name(e)) found.push('no name: ' + e.outerHTML.slice(0, 60));
  }
  for (const key of ['aria-labelledby', 'aria-describedby', 'for']) {
    for (const e of document.querySelectorAll(`[${key}]`)) {
      for (const id of e.getAttribute(key).split(' ')) if (!document.getElementById(id)) found.push(key + ' names nothing: ' + id);
    }
  }
  for (const e of document.querySelectorAll('img')) if (!e.hasAttribute('alt')) found.push('an image without alt');
  const levels = [...document.querySelectorAll('h1, h2, h3, h4')].filter(shown).map((e) => Number(e.tagName[1]));
  if (levels.filter((l) => l === 1).length !== 1 || levels[0] !== 1) found.push('headings begin with ' + levels);
  levels.forEach((l, i) => { if (i && l > levels[i - 1] + 1) found.push('headings leave out a level: ' + levels); });
  if (document.querySelectorAll('main').length !== 1) found.push('not one main');
  if (document.querySelector('[tabindex]:not([tabindex="0"]):not([tabindex="-1"])')) found.push('a positive tabindex');
  for (const e of document.querySelectorAll('button, summary, input, select, .tabs a')) {
    const box = (e.type === 'radio' ? e.closest('label') : e).getBoundingClientRect();
    if (shown(e) && (box.height < 24 || box.width < 24)) found.push('too small to touch: ' + e.outerHTML.slice(0, 60));
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push(`wider than the screen: ${document.documentElement.scrollWidth}`);
  return found;
})()"""

# Everything that the Tab key must reach; of the radio buttons of a group one.
REACHABLE = """[...document.querySelectorAll('button, a[href], input, select, textarea, summary, [tabindex="0"]')]
  .filter((e) => e.getClientRects().length && !e.disabled && !e.closest('[hidden]')
    && !e.closest('details:not([open]) > :not(summary)') && (e.type !== 'radio' || e.checked)).length"""

# The elements that scroll, of which paper shows only a part.
CUT_OFF = """(() => {
  const found = document.documentElement.scrollWidth > innerWidth + 1 ? [`wider: ${document.documentElement.scrollWidth}`] : [];
  for (const e of document.querySelectorAll('body *')) {
    // An element for screen readers has a size of a pixel.
    if (e.clientWidth < 2 || e.clientHeight < 2) continue;
    const { overflowX, overflowY } = getComputedStyle(e);
    if ((overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1) || (overflowY !== 'visible' && e.scrollHeight > e.clientHeight + 2)) {
      found.push(`cut: ${e.tagName} ${e.id} ${e.className} ${e.textContent.trim().slice(0, 30)}`);
    }
  }
  return found;
})()"""
# The width of a sheet of A4 with margins of 12 mm, in pixels.
PAPER = 703

# The rows of exhibits that get another height from the most that can stand in them.
MOVING_ROWS = """((words) => {
  const rows = [...document.querySelectorAll('[data-row]')];
  const heights = (how, share, isShown) => rows.map((row) => {
    row.querySelector('.how').textContent = how;
    row.querySelector('.share').textContent = share;
    row.classList.toggle('shown', isShown);
    return row.getBoundingClientRect().height;
  });
  const before = heights('', '', false);
  return words.map((word) => [word, heights(word + '~ 12.3 m', '100 %', true).filter((height, i) => height !== before[i]).length])
    .filter(([, count]) => count);
})"""


def proximities(language):
    """The words for proximities in a language."""
    text = (ROOT / f"Sources/Museum/BeaconMuseum/Phrases/{language}.ini").read_text(encoding="utf-8")
    return sorted(set(re.findall(r"^(?:immediate|near|far|unknown) = (.*)$", text, re.MULTILINE)))


def faultless(page, what):
    """Checks a page for readers with a keyboard or a screen reader."""
    faults = page.run(FAULTS)
    check(f"{what}: no fault of names, order or size, and nothing wider than the screen", not faults, faults)
    wanted, met, dim = reached(page)
    check(f"{what}: the Tab key reaches everything, with a visible focus ({met} of {wanted})", wanted == met and dim == 0, (wanted, met, dim))


def on_paper(page, what):
    """Checks a page as it is printed."""
    page.ask("Emulation.setEmulatedMedia", media="print")
    page.ask("Emulation.setDeviceMetricsOverride", width=PAPER, height=1000, deviceScaleFactor=1, mobile=False)
    cut = page.run(CUT_OFF)
    check(f"{what}, printed: nothing is cut off", not cut, cut)
    contrast(page, f"{what}, printed")


def reached(page):
    """The number of elements that the Tab key reaches from the top, each with a visible focus."""
    wanted = page.run(REACHABLE)
    page.run("""window.met = new Set(); window.dim = 0;
      (() => { const top = document.createElement('a'); top.href = '#'; document.body.prepend(top); top.focus(); top.remove(); })()""")
    # A field for a date has several stops.
    for _ in range(wanted + 10):
        page.press("Tab", 9)
        if page.run("""(() => { const e = document.activeElement;
          if (e !== document.body && !met.has(e)) { met.add(e); dim += getComputedStyle(e).outlineStyle === 'none'; }
          return met.size; })()""") >= wanted:
            break
    return wanted, page.run("met.size"), page.run("dim")


def plan_of_all(folder):
    """The plan with its texts in five languages; those that it does not have are its German ones."""
    text = PLAN.read_text(encoding="utf-8").replace('["en", "de"]', json.dumps(LANGUAGES))
    more = "".join(f', {language}: "\\1"' for language in LANGUAGES[2:])
    path = folder / "all.json5"
    path.write_text(re.sub(r'de: "([^"]*)"', r'de: "\1"' + more, text), encoding="utf-8")
    return path


# Each state: the reports, the answers, and the title or the note of the visitor's page in English.
STATES = {
    "asking": ([(600, SUNDIAL)], "listening", [], "asks for your permission"),
    "denied": ([(600, SUNDIAL)], "listening", ["answer.dontAllow"], "may not know where you are"),
    "approximate": ([(600, SUNDIAL)], "listening", ["answer.whileUsing", "approximate"], "is approximate"),
    "no radio": ([(600, None)], "off", ["answer.whileUsing"], "receives nothing"),
    "inside": ([(600, SUNDIAL)], "listening", ["answer.whileUsing"], "Sundial"),
    "between rooms": ([(600, (10, 3.5))], "listening", ["answer.whileUsing"], "Come nearer"),
    "closed": ([(600, SUNDIAL)], "listening", ["answer.whileUsing", "close"], "in the background"),
    "end": ([(3, None)], "listening", ["answer.whileUsing"], "The visit has ended."),
}


def states(browser, beaconctl, folder, servers):
    """The visitor's page and the operator's three, in each state, with each size, style and language."""
    plan = plan_of_all(folder)
    every = os.environ.get("BEACON_CHECK_FULL")
    for name, (phases, radio, answers, text) in STATES.items():
        # All looks at a state take longer than those of every day.
        phases = [(seconds * 10 if every and seconds > 60 else seconds, place) for seconds, place in phases]
        path = capture(folder / f"{name.replace(' ', '-')}.jsonl", phases, radio)
        server = Server(beaconctl, folder / f"state-{name}", "--from", str(path), "--speed", "3x", plan=plan)
        servers.append(server)
        page = Page(browser, server.visitor)
        for answer in answers:
            choose(page, answer)
        there = f"{titled(text)} || document.getElementById('note').textContent.includes({json.dumps(text)})"
        page.wait(there, 40)
        page.close()
        looks = [(width, dark, language) for width in [360, 768, 1400] for dark in [False, True] for language in LANGUAGES
                 if every or (width == 360 and not dark) or (language == "en" and dark == (width != 360))]
        for width, dark, language in looks:
            for kind, address in [("visitor", server.visitor.replace("/#", f"/?language={language}#")),
                                  ("operator", server.operator + f"?language={language}"),
                                  ("nearby", server.operator.replace("operator", "nearby") + f"?language={language}"),
                                  ("signals", server.operator.replace("operator", "signals") + f"?language={language}")]:
                look(browser, f"{name}: {kind}, {width} px, {'dark' if dark else 'light'}, {language}", address, width, dark, language)
        page = Page(browser, server.visitor)
        page.wait("document.getElementById('title').textContent.length > 2")
        browser.listen(0.5)
        check(f"{name}: still so after all looks", page.run(there))
        page.close()
        server.stop()


def look(browser, what, address, width, dark, language):
    """Looks at one page in one form."""
    page = Page(browser, address, width=width, height=800, dark=dark)
    page.wait("!document.body.dataset.events || (document.getElementById('title')?.textContent.length > 2"
              " && !!document.getElementById('question')) || document.querySelectorAll('#facts dd').length > 3")
    browser.listen(0.15)
    faults = page.run(FAULTS)
    if page.run("document.documentElement.lang") != language:
        faults.append("in another language")
    check(f"{what}: no fault", not faults, faults)
    contrast(page, what)
    if language == "en" or width == 360:
        wanted, met, dim = reached(page)
        check(f"{what}: the Tab key reaches everything, with a visible focus ({met} of {wanted})", wanted == met and dim == 0, (wanted, met, dim))
    if page.run("!!document.querySelector('[data-row] .how')"):
        moved = page.run(f"{MOVING_ROWS}({json.dumps(proximities(language))})")
        check(f"{what}: no row moves", not moved, moved)
    on_paper(page, what)
    others = [c for c in page.complaints if not refused(c)]
    check(f"{what}: no error on the console", not others, others)
    page.close()
