# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A visit from the street to the shop, answered on the visitor's page; and every page in every state, size, style and language."""

import json
import math
import os
import re
import time

from browser import PATIENCE, Page
from parts import LANGUAGES, PLAN, Server, check, contrast, nothing_outside, quiet, refused

UUID = "f7826da64fa24e988024bc5b71e0893e"
# The exhibits of the plan: major, minor and place.
EXHIBITS = [(int(room), int(minor), float(x), float(y)) for room, minor, x, y in re.findall(
    r"room: (\d+), minor: (\d+).*?at: \[([\d.]+), ([\d.]+)\]", PLAN.read_text(encoding="utf-8"), re.DOTALL)]
SUNDIAL, HOURGLASS, ASTROLABE, CAFETERIA = (2, 2.4), (7.5, 2.4), (12, 2.4), (15, 10.5)


def capture(path, phases, state="listening"):
    """Writes the reports that a device receives on its way: phases of seconds and a place, None for the street."""
    lines = [{"v": 1, "type": "capture", "tool": "check", "version": "1", "receivers": ["hci0"], "redacted": True}]

    def stamp(second):
        return f"2026-05-02T{10 + int(second) // 3600:02}:{int(second) // 60 % 60:02}:{second % 60:06.3f}000Z"

    def report(second, uuid, major, minor, level):
        data = f"0201061aff4c000215{uuid}{major:04x}{minor:04x}c5"
        lines.append({"v": 1, "type": "report", "t": stamp(second), "receiver": "hci0", "address": "02:00:00:00:00:01",
                      "address_type": "random", "event": "ADV_NONCONN_IND", "rssi": level, "ad": data})

    lines.append({"v": 1, "type": "radio", "t": stamp(0), "receiver": "hci0", "state": "listening"})
    if state != "listening":
        lines.append({"v": 1, "type": "radio", "t": stamp(1), "receiver": "hci0", "state": state})
    now = 2.0
    for seconds, place in phases:
        end = now + seconds
        while now < end:
            # A foreign beacon is received everywhere.
            report(now, "0" * 31 + "1", 9, 9, -70)
            for index, (major, minor, x, y) in enumerate(EXHIBITS if place else []):
                away = max(0.5, ((x - place[0]) ** 2 + (y - place[1]) ** 2) ** 0.5)
                wall = 0 if x // 10 == place[0] // 10 and y // 7 == place[1] // 7 else 6
                level = round(-63 - 24 * math.log10(away) - wall)
                if level > -92:
                    report(now + 0.01 * (index + 1), UUID, major, minor, level)
            now = round(now + 0.5, 3)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def choose(page, name):
    """Presses a choice of the visitor's page, as soon as it is offered."""
    selector = f"[data-choice=\"{name}\"]"
    page.wait(f"!!document.querySelector('{selector}')")
    page.run(f"document.querySelector('{selector}').click()")


def title(page, text, seconds=20):
    page.wait(f"document.getElementById('title').textContent.includes({json.dumps(text)})", seconds)


def street(browser, beaconctl, folder, servers):
    """One visitor with the page, from the street to the shop, and the operator who looks."""
    path = capture(folder / "street.jsonl", [
        (90, None), (60, SUNDIAL), (90, HOURGLASS), (45, ASTROLABE), (50, CAFETERIA), (80, None)])
    # A machine with little time plays it slower.
    speed = f"{7 / PATIENCE}x"
    servers.append(Server(beaconctl, folder / "street-state", "--from", str(path), "--speed", speed))
    server = servers[-1]
    page = Page(browser, server.visitor, width=360, height=740)
    operator = Page(browser, server.operator)
    fact = "document.querySelectorAll('#facts dd')[%d].textContent"
    page.wait("!!document.querySelector('[data-choice=\"answer.whileUsing\"]')")
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
    check("street: without the secret or the code a page changes nothing", page.run("!document.getElementById('ask').hidden"))
    other.close()
    choose(page, "answer.whileUsing")
    title(page, "The guide pauses")
    operator.wait(fact % 2 + ".includes('pauses')")
    check("street: outside nothing is ranged", True)
    choose(page, "close")
    title(page, "The guide is in the background.")
    page.wait("document.querySelector('[data-choice=tap]')?.textContent === 'Welcome to Museum of Measure'", 30)
    check("street: on arrival a closed guide greets, and shows no place", page.run(
        "document.getElementById('where').hidden && document.querySelectorAll('.room.now').length === 0"))
    began = time.monotonic()
    choose(page, "tap")
    page.wait("document.getElementById('place').textContent === 'Time'")
    took = time.monotonic() - began
    # Three seconds of the visit, and the time of the page and a busy machine.
    check(f"street: tapped, the guide shows the visitor's room within 3 s ({took:.1f} s)", took < 3 * PATIENCE)
    title(page, "Sundial")
    check("street: the nearest exhibit leads", page.run("document.querySelector('.spot.shown title').textContent").endswith("Sundial"))
    check("street: the visitor is on the plan, in a disc", page.run(
        "!document.querySelector('.guide').hasAttribute('hidden') && parseFloat(document.querySelector('.guide-halo').style.r) >= 20"))
    title(page, "Hourglass", 30)
    check("street: the next exhibit replaces it", True)
    choose(page, "approximate")
    title(page, "Your location is approximate")
    browser.listen(1)
    check("street: with an approximate location the page names the parts that are off, and no question is asked", page.run(
        "document.getElementById('question').hidden && document.getElementById('text').textContent.includes('your place on the plan')"
        " && document.getElementById('where').hidden"))
    choose(page, "place")
    page.wait("!document.getElementById('question').hidden")
    check("street: only the wish to see the place brings the question, with its purpose", page.run(
        "document.getElementById('reason').textContent").startswith("The exhibit in front of you can be found"))
    choose(page, "answer.allow")
    page.wait("document.getElementById('place').textContent === 'Time'")
    page.wait("document.getElementById('place').textContent === 'Sky'", 40)
    check("street: the next room", True)
    page.wait("document.getElementById('place').textContent === 'Cafeteria'", 40)
    check("street: the cafeteria shows no exhibit of another room", page.run("!document.querySelector('.spot.shown')"))
    title(page, "The guide pauses", 40)
    check("street: at the shop the guide pauses", page.run("document.getElementById('where').hidden"))
    nothing_outside(page, "street", f"http://127.0.0.1:{server.port}/")
    quiet(page, "street")
    page.close()
    operator.close()


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

# Everything that the Tab key must reach.
REACHABLE = """[...document.querySelectorAll('button, a[href], input, select, textarea, summary')]
  .filter((e) => e.getClientRects().length && !e.disabled && !e.closest('[hidden]')
    && !e.closest('details:not([open]) > :not(summary)')).length"""


def reached(page):
    """The number of elements that the Tab key reaches, each with a visible focus."""
    wanted = page.run(REACHABLE)
    page.run("window.met = new Set(); window.dim = 0")
    for _ in range(wanted):
        page.press("Tab", 9)
        page.run("met.add(document.activeElement); dim += getComputedStyle(document.activeElement).outlineStyle === 'none'")
    return wanted, page.run("met.has(document.body) ? 0 : met.size"), page.run("dim")


def plan_of_all(folder):
    """The plan with its texts in five languages; those that it does not have are its German ones."""
    text = PLAN.read_text(encoding="utf-8").replace('["en", "de"]', json.dumps(LANGUAGES))
    more = "".join(f', {language}: "\\1"' for language in LANGUAGES[2:])
    path = folder / "all.json5"
    path.write_text(re.sub(r'de: "([^"]*)"', r'de: "\1"' + more, text), encoding="utf-8")
    return path


# Each state: the reports, the answers, and the title of the visitor's page in English.
STATES = {
    "asking": ([(600, SUNDIAL)], "listening", [], "asks for your permission"),
    "denied": ([(600, SUNDIAL)], "listening", ["answer.dontAllow"], "may not know where you are"),
    "approximate": ([(600, SUNDIAL)], "listening", ["answer.whileUsing", "approximate"], "is approximate"),
    "no radio": ([(600, None)], "off", ["answer.whileUsing"], "receives nothing"),
    "inside": ([(600, SUNDIAL)], "listening", ["answer.whileUsing"], "Sundial"),
    "between rooms": ([(600, (10, 3.5))], "listening", ["answer.whileUsing"], ""),
    "closed": ([(600, SUNDIAL)], "listening", ["answer.whileUsing", "close"], "in the background"),
    "end": ([(3, None)], "listening", ["answer.whileUsing"], ""),
}


def states(browser, beaconctl, folder, servers):
    """The visitor's page and the operator's three, in each state, with each size, style and language."""
    plan = plan_of_all(folder)
    for name, (phases, radio, answers, text) in STATES.items():
        path = capture(folder / f"{name.replace(' ', '-')}.jsonl", phases, radio)
        server = Server(beaconctl, folder / f"state-{name}", "--from", str(path), "--speed", "3x", plan=plan)
        servers.append(server)
        page = Page(browser, server.visitor)
        for answer in answers:
            choose(page, answer)
        title(page, text, 40)
        page.close()
        every = os.environ.get("BEACON_CHECK_FULL")
        looks = [(width, dark, language) for width in [360, 768, 1400] for dark in [False, True] for language in LANGUAGES
                 if every or (width == 360 and not dark) or (language == "en" and dark == (width != 360))]
        for width, dark, language in looks:
            for kind, address in [("visitor", server.visitor.replace("/#", f"/?language={language}#")),
                                  ("operator", server.operator + f"?language={language}"),
                                  ("nearby", server.operator.replace("operator", "nearby") + f"?language={language}"),
                                  ("signals", server.operator.replace("operator", "signals") + f"?language={language}")]:
                look(browser, f"{name}: {kind}, {width} px, {'dark' if dark else 'light'}, {language}", address, width, dark, language)
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
    if width == 360 and language == "en":
        wanted, met, dim = reached(page)
        check(f"{what}: the Tab key reaches everything, with a visible focus ({met} of {wanted})", wanted == met and dim == 0, (wanted, met, dim))
    page.ask("Emulation.setEmulatedMedia", media="print")
    contrast(page, f"{what}, printed")
    others = [c for c in page.complaints if not refused(c)]
    check(f"{what}: no error on the console", not others, others)
    page.close()
