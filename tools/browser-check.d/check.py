# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Checks of the pages in a browser; see tools/browser-check."""

import base64
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile

from browser import PATIENCE, Browser, Failure, Page
from editor import click, editor
from parts import (ANSWERS, LANGUAGES, PICTURES, PLAN, ROOT, SEED, Server, check, contrast, focusable, nothing_outside, quiet, refused,
                   results)
from street import faultless, on_paper, states, street
from survey import survey


def visitor(browser, server):
    page = Page(browser, server.visitor, width=900, height=640)
    page.wait("!document.getElementById('confidence').hidden && document.getElementById('title').textContent.length > 2", 30)
    check("visitor: in English for a reader who prefers it", page.run("document.documentElement.lang") == "en")
    check("visitor: shows the room", page.run("document.getElementById('place').textContent.length > 1"))
    check("visitor: shows the exhibit's text", page.run("document.getElementById('text').textContent.length > 20"))
    names = page.names
    for role, name in [("meter", "How sure the guide is"), ("region", "In front of you"), ("navigation", "Language"), ("link", "Deutsch")]:
        check(f"visitor: a {role} named '{name}'", (role, name) in names, [n for n in names if n[0] == role])
    check("visitor: a screen reader announces the exhibit politely", page.run("document.getElementById('exhibit').ariaLive") == "polite")
    check("visitor: a main, a heading", any(r == "main" for r, _ in names) and any(r == "heading" for r, _ in names))
    check(
        "visitor: the bar fits the word",
        page.run("document.getElementById('bar').ariaValueText === document.getElementById('sure').textContent"),
    )
    contrast(page, "visitor, light")
    reached = focusable(page, 2)
    check("visitor: the Tab key reaches the languages", reached == ["English", "Deutsch"], reached)
    page.run("window.before = document.getElementById('title').textContent")
    page.wait("document.getElementById('title').textContent !== window.before", 30)
    check("visitor: a live update arrives", True)
    other = Page(browser, server.visitor, language="de-CH, en;q=0.5", dark=True)
    other.wait("document.getElementById('title').textContent.length > 2")
    check("visitor: in German for a reader who prefers it", other.run("document.documentElement.lang") == "de")
    contrast(other, "visitor, dark")
    quiet(other, "visitor in German")
    other.close()
    return page


def reduced(browser, server, page):
    """Waits until the visitor switches to approximate location."""
    page.wait("document.getElementById('title').textContent === 'Your location is approximate'", 60)
    # Below is the list of all exhibits, which does not describe the place.
    shown = page.run("document.getElementById('following').innerText")
    plan = PLAN.read_text(encoding="utf-8")
    titles = [line.split('en: "')[1].split('"')[0] for line in plan.splitlines() if "title:" in line]
    left = [t for t in titles if t in shown]
    check("reduced: neither exhibit, room nor bar is shown", not left and page.run(
        "document.getElementById('where').hidden && document.getElementById('confidence').hidden"), left)
    operator = Page(browser, server.operator)
    operator.wait("document.querySelectorAll('#facts dd').length > 3")
    check("reduced: the operator sees no place either", operator.run(
        "document.querySelector('.guide').hasAttribute('hidden') && !document.querySelector('.spot.received, .spot.shown, .room.now')"))
    operator.close()
    page.wait("document.getElementById('confidence').hidden === false", 60)
    check("reduced: continues by itself with precise location", True)


def operator(browser, server):
    page = Page(browser, server.operator, width=1120, height=640)
    page.wait("document.querySelector('.spot.shown') && !document.querySelector('.guide').hasAttribute('hidden')", 40)
    check("operator: the guide is on the plan, in front of an exhibit", True)
    check("operator: a room is marked", page.run("document.querySelectorAll('.room.now').length") == 1)
    check("operator: radios and counts", page.run(
        "document.getElementById('radios').rows[0].cells[1].textContent === 'listening' && Number(document.getElementById('counts').rows[0].cells[1].textContent) > 10"))
    names = page.names
    check("operator: the drawing has a name", ("image", "Floor plan: Ground floor") in names, [n for n in names if "im" in n[0]])
    check("operator: tables have names", all(any(n == (r, t) for n in names for r in ["table"]) for t in ["Exhibits", "Radios", "Counts"]))
    contrast(page, "operator, light")
    reached = focusable(page, 1)
    check("operator: the Tab key reaches the visitor's page", reached == ["The visitor’s page"], reached)
    page.run("window.before = document.getElementById('time').textContent")
    page.run("window.rows = [...document.querySelectorAll('[data-row]')].map((row) => row.getBoundingClientRect().top)")
    page.wait("document.getElementById('time').textContent !== window.before")
    check("operator: a live update arrives", True)
    browser.listen(4)
    check("operator: no row moves", page.run(
        "[...document.querySelectorAll('[data-row]')].every((row, i) => Math.abs(row.getBoundingClientRect().top - window.rows[i]) < 1)"))
    check("operator: no number is below the guide", page.run(
        "!!(document.querySelector('.guide').compareDocumentPosition(document.querySelector('.spot')) & 4)"))
    nothing_outside(page, "operator", f"http://127.0.0.1:{server.port}/")
    quiet(page, "operator")
    page.close()
    dark = Page(browser, server.operator, dark=True)
    dark.wait("document.querySelectorAll('#facts dd').length > 3")
    contrast(dark, "operator, dark")
    dark.close()
    phone = Page(browser, server.operator, width=360, height=740)
    phone.wait("document.querySelectorAll('#facts dd').length > 3")
    check("operator, phone: nothing is cut off at the right", phone.run(
        "[...document.querySelectorAll('main *')].every((e) => e.scrollWidth <= e.clientWidth + 1 || getComputedStyle(e).overflowX === 'visible')"
        " && document.documentElement.scrollWidth <= 360"))
    check("operator, phone: the live facts come before the plan", phone.run(
        "document.getElementById('facts').getBoundingClientRect().top < document.getElementById('plan').getBoundingClientRect().top"))
    size = phone.run("document.querySelector('.spot text').getBoundingClientRect().height")
    check(f"operator, phone: a number on the plan is 9 px high or more ({size:.0f})", size >= 9)
    phone.close()
    german = Page(browser, server.operator + "?language=de")
    german.wait("document.querySelectorAll('#facts dd').length > 3")
    check("operator: in German on request", german.run("document.documentElement.lang") == "de")
    contrast(german, "operator, German")
    german.close()


def opened(browser, server):
    """A visitor opens another exhibit of the room, from the list and by its number."""
    page = Page(browser, server.visitor)
    page.wait("document.getElementById('where').hidden === false && [...document.querySelectorAll('#list li')].some((li) => li.hidden)", 40)
    check("visitor: the list has the exhibits of the room", page.run("[...document.querySelectorAll('#list li:not([hidden])')].length") in range(3, 7))
    page.run("document.querySelector('#list li:not([hidden]) button').click()")
    check("visitor: an exhibit of the list opens, instead of the guide's", page.run(
        "!document.getElementById('opened').hidden && document.getElementById('following').hidden"
        " && document.getElementById('opened-text').textContent.length > 20"))
    contrast(page, "visitor, opened")
    page.run("document.getElementById('follow').click()")
    check("visitor: and goes back to the guide", page.run(
        "document.getElementById('opened').hidden && !document.getElementById('following').hidden"))
    way_back(page)
    page.run("document.getElementById('number').value = '203'; document.getElementById('numbers').requestSubmit()")
    check("visitor: an exhibit opens by its number", page.run("document.getElementById('opened-title').textContent") == "Armillary sphere")
    page.run("document.getElementById('number').value = '99'; document.getElementById('numbers').requestSubmit()")
    check("visitor: a number that no exhibit has is said", page.run("!document.getElementById('no-number').hidden"))
    quiet(page, "visitor, opened")
    page.close()


def way_back(page):
    """The device's way back after an exhibit was opened, and after another language."""
    shown = "document.readyState === 'complete' && %sdocument.getElementById('opened').hidden && document.documentElement.lang === '%s'"
    click(page, "#list li:not([hidden]) button")
    page.run("history.back()")
    page.wait(shown % ("", "en"))
    check("visitor: the way back leads from an exhibit to the guide", page.run("!document.getElementById('following').hidden"))
    click(page, "#list li:not([hidden]) button")
    number = page.run("sessionStorage.getItem('opened')")
    click(page, "header nav a[hreflang=de]")
    page.wait(shown % ("!", "de"))
    check("visitor: another language shows the same exhibit", page.run("sessionStorage.getItem('opened')") == number)
    page.run("history.back()")
    page.wait(shown % ("", "de"))
    check("visitor: and the way back leads to the guide in that language", page.run("!document.getElementById('following').hidden"))
    click(page, "header nav a[hreflang=en]")
    page.wait(shown % ("", "en"))


def next_visitor(browser, server):
    """The operator gives the device to the next visitor, while the last one's page is open."""
    visitor = Page(browser, server.visitor)
    visitor.wait("document.getElementById('where').hidden === false", 40)
    visitor.run("document.querySelector('#list button').click()")
    visitor.run("window.last = true")
    page = Page(browser, server.operator, width=360, height=740)
    page.wait("!document.getElementById('lent').hidden")
    contrast(page, "next visitor, phone")

    def send(code):
        page.run(f"document.getElementById('code').value = '{code}'; document.getElementById('next').requestSubmit()")

    send("12345")
    page.wait("document.getElementById('answer').textContent.startsWith('This is not the code')")
    check("next visitor: a wrong code changes nothing", visitor.run("window.last === true"))
    send(server.code)
    page.wait("document.getElementById('answer').textContent === 'The guide starts again.'")
    visitor.wait("window.last === undefined && document.readyState === 'complete'", 10)
    visitor.wait("document.getElementById('title').textContent.includes('permission')", 10)
    check("next visitor: the visitor's page starts again, and nothing of the last visitor is on it", visitor.run(
        "document.getElementById('opened').hidden && document.getElementById('where').hidden"))
    others = [c for c in page.complaints if not refused(c)]
    check("next visitor: no other error on the console", not others and not visitor.complaints, others)
    page.close()
    visitor.close()


def tone():
    """A second of a tone, as a WAV file."""
    samples = b"".join(struct.pack("<h", 3000 if index // 10 % 2 else -3000) for index in range(8000))
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(samples), b"WAVE", b"fmt ", 16, 1, 1, 8000, 16000, 2, 16,
                       b"data", len(samples))
    return head + samples


def media(browser, folder, start):
    """An exhibit with an image and a sound of the plan's folder."""
    plan = folder / "media" / "plan.json5"
    plan.parent.mkdir()
    text = PLAN.read_text(encoding="utf-8").replace("minor: 101,", 'minor: 101, audio: "tone.wav", image: "dot.png",', 1)
    plan.write_text(text, encoding="utf-8")
    (plan.parent / "tone.wav").write_bytes(tone())
    (plan.parent / "dot.png").write_bytes(base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="))
    server = start(0, plan)
    page = Page(browser, server.visitor)
    page.wait("document.querySelectorAll('#list button').length > 20")
    page.run("document.querySelector('#list button[data-audio]').click()")
    page.run("(() => { const sound = document.querySelector('#opened-media audio'); sound.preload = 'auto'; sound.load(); })()")
    page.wait("document.querySelector('#opened-media audio').readyState >= 1", 10)
    check("media: the sound of an exhibit can be played", page.run("document.querySelector('#opened-media audio').duration") == 1)
    page.wait("document.querySelector('#opened-media img').complete", 10)
    check("media: its image is shown", page.run("document.querySelector('#opened-media img').naturalWidth") == 1)
    quiet(page, "media")
    page.close()
    server.stop()


def picture_of_plan(browser, beaconctl, folder):
    """The plan as a separate SVG file."""
    drawn = folder / "plan.svg"
    subprocess.run([beaconctl, "museum", "plan", "show", str(PLAN), "--svg", str(drawn)], check=True)
    page = Page(browser, drawn.as_uri())
    check("plan show: the picture has its rooms and beacons", page.run(
        "document.querySelectorAll('.room').length === 6 && document.querySelectorAll('.spot').length === 24"))
    check("plan show: nothing is cut off", page.run(
        "(() => { const b = document.documentElement.viewBox.baseVal; return [...document.querySelectorAll('text, path, circle')]"
        ".every((e) => { const r = e.getBBox(), m = e.getCTM().inverse(), top = e.ownerSVGElement.getCTM();"
        " const p = new DOMPoint(r.x + r.width, r.y + r.height).matrixTransform(e.getCTM()).matrixTransform(top.inverse());"
        " return p.x <= b.width + 1 && p.y <= b.height + 1; }); })()"))
    quiet(page, "plan show")
    page.close()


def labels(browser, beaconctl, folder):
    """The labels to print and cut out."""
    sheet = folder / "labels.html"
    subprocess.run([beaconctl, "museum", "plan", "show", str(PLAN), "--labels", str(sheet)], check=True)
    for width in [1400, 768, 360]:
        for dark in [False, True]:
            what = f"labels, {width} px, {'dark' if dark else 'light'}"
            page = Page(browser, sheet.as_uri(), width=width, height=800, dark=dark)
            faultless(page, what)
            contrast(page, what)
            quiet(page, what)
            on_paper(page, what)
            page.close()


def reconnect(browser, page, server, start):
    """Ends the server and starts another on the same port."""
    nothing_outside(page, "visitor", f"http://127.0.0.1:{server.port}/")
    quiet(page, "visitor")
    code, took = server.stop()
    check(f"Ctrl-C ends it within 2 s, code 0 ({took:.1f} s, code {code})", took < 2 and code == 0)
    page.wait("!document.getElementById('lost').hidden")
    check("reconnect: the page shows that the connection is lost", True)
    page.browser.listen(3)
    again = start(server.port)
    page.wait("document.getElementById('lost').hidden", 20)
    page.run("window.before = document.getElementById('title').textContent")
    page.wait("document.getElementById('title').textContent !== window.before", 40)
    check("reconnect: continues by itself with another server on the port", True)
    # While no server listened on the port the browser logged that; the log may contain nothing else.
    others = [c for c in page.complaints if c[0] != "network" or "ERR_" not in c[1]]
    check("reconnect: no other error on the console", not others, others)
    page.close()
    return again


def new_code(browser, folder, servers):
    """Ends a guide that asks on its page, and starts another one on the same port."""
    def start(port):
        state = folder / f"state{len(servers)}"
        servers.append(Server(servers[0].process.args[0], state, "--simulate", SEED, "--speed", "5x", port=port))
        return servers[-1]

    first = start(0)
    page = Page(browser, first.visitor)
    page.wait("document.querySelectorAll('#buttons button').length > 1", 40)
    check("new code: the printed address needs none", page.run("document.getElementById('code-form').hidden"))
    first.stop()
    page.browser.listen(2)
    start(first.port)
    page.wait("!document.getElementById('code-form').hidden", 40)
    check("new code: after a restart the page asks for it, with the reason", page.run(
        "document.getElementById('said').textContent").startswith("The guide has started again"),
        page.run("document.getElementById('said').textContent"))
    page.close()


def another_plan(browser, server, folder, start):
    """Restarts the guide with a plan in which a room has another name, while the operator's page is open."""
    page = Page(browser, server.operator)
    page.wait("document.querySelectorAll('#facts dd').length > 3")
    check("another plan: the page draws the first", page.run("document.body.innerText.includes('Weather')"))
    changed = folder / "changed.json5"
    changed.write_text(PLAN.read_text(encoding="utf-8").replace('"Weather"', '"Storms"'), encoding="utf-8")
    server.stop()
    browser.listen(1)
    again = start(server.port, changed)
    page.wait("document.body && document.body.innerText.includes('Storms') && !document.body.innerText.includes('Weather')", 20)
    page.wait("document.body && document.querySelectorAll('#facts dd').length > 3")
    check("another plan: the page reloads itself and draws the second", True)
    page.run("window.kept = true")
    again.stop()
    browser.listen(1)
    last = start(server.port, changed)
    page.wait("document.getElementById('lost').hidden", 20)
    browser.listen(2)
    check("another plan: with the same plan the page does not reload", page.run("window.kept === true"))
    page.close()
    return last


def printed(page, what):
    """Checks the page as printed: complete, light, and with nothing cut off."""
    page.ask("Emulation.setEmulatedMedia", media="print")
    white = page.run("getComputedStyle(document.body).backgroundColor")
    check(f"{what}: the paper is white", white in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"), white)
    cut = page.run(
        "[...document.querySelectorAll('main *')].filter((e) => e.scrollHeight > e.clientHeight + 2"
        " && getComputedStyle(e).overflowY !== 'visible' && e.clientHeight > 0).map((e) => e.className || e.tagName)")
    check(f"{what}: nothing scrolls, so nothing is cut off", not cut, cut)
    sheets = page.sheets()
    check(f"{what}: prints on some sheets ({sheets})", 2 <= sheets <= 20, sheets)


def report_of_visit(beaconctl, folder):
    """Writes the report of a simulated visit, and returns its file."""
    visit, html = folder / "visit.jsonl", folder / "report.html"
    environment = dict(os.environ, XDG_STATE_HOME=str(folder / "report-state"))
    for words in [["simulate", "--seed", SEED, str(visit)], ["report", "--html", str(html), str(visit)]]:
        subprocess.run([beaconctl, "museum", *words, "--plan", str(PLAN), "--force"], check=True, env=environment)
    return html


def report(browser, beaconctl, folder):
    html = report_of_visit(beaconctl, folder)
    for dark in [False, True]:
        what = "report, dark" if dark else "report, light"
        page = Page(browser, html.as_uri(), width=1120, height=800, dark=dark)
        check(f"{what}: has its plan and tables", page.run("document.querySelectorAll('svg').length > 3 && document.querySelectorAll('table').length > 3"))
        outside = [u for u in page.requests if u != html.as_uri()]
        check(f"{what}: requests nothing but itself", page.requests and not outside, outside)
        quiet(page, what)
        contrast(page, what, drawn=False)
        printed(page, f"{what}, printed")
        page.close()


def reports(browser, beaconctl, folder):
    """Looks at the report of one, three, twenty visits (and of 400 with BEACON_CHECK_FULL) in every form and language."""
    environment = dict(os.environ, XDG_STATE_HOME=str(folder / "report-state"))
    counts = [1, 3, 20] + ([400] if os.environ.get("BEACON_CHECK_FULL") else [])
    for count in counts:
        visits = folder / f"visits{count}"
        visits.mkdir()
        subprocess.run([beaconctl, "museum", "simulate", "--plan", str(PLAN), "--seed", SEED, "--visitors", str(count),
                        str(visits / "visit.btsnoop")], check=True, env=environment)
        for language in LANGUAGES if count == 20 else ["en"]:
            plan = folder / f"plan-{language}.json5"
            text = PLAN.read_text(encoding="utf-8").replace(" de: ", f" {language}: ") if language != "en" else PLAN.read_text(encoding="utf-8")
            plan.write_text(text.replace('["en", "de"]', f'["en", "{language}"]') if language != "en" else text, encoding="utf-8")
            html = folder / f"report-{count}-{language}.html"
            files = sorted(str(file) for file in visits.iterdir())
            subprocess.run([beaconctl, "museum", "report", "--plan", str(plan), "--language", language, "--html", str(html), *files],
                           check=True, env=environment)
            for width in [1400, 768, 360]:
                for dark in [False, True]:
                    what = f"report of {count}, {language}, {width} px, {'dark' if dark else 'light'}"
                    page = Page(browser, html.as_uri(), width=width, height=800, dark=dark)
                    check(f"{what}: in its language", page.run("document.documentElement.lang") == language)
                    contrast(page, what)
                    faultless(page, what)
                    quiet(page, what)
                    on_paper(page, what)
                    page.close()


def port_in_use(beaconctl, folder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        run = subprocess.run(
            [beaconctl, "museum", "serve", "--plan", str(PLAN), "--simulate", SEED, "--port", str(taken.getsockname()[1])],
            capture_output=True, text=True, timeout=20 * PATIENCE,
            env=dict(os.environ, XDG_STATE_HOME=str(folder)),
        )
        check("a port in use is one sentence, code 69", run.returncode == 69 and run.stderr.count("\n") == 1, run.stderr)


WEB_UUID = "f7826da64fa24e988024bc5b71e0893e"
ANNA = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/7/1"


def site_capture(path, receiver, seconds, listened, fixed=()):
    """A capture of one receiver: a carried beacon in some seconds, and beacons that hang all the time with their levels."""
    def stamp(second, tenth):
        return f"2026-05-02T10:{second // 60:02}:{second % 60:02}.{tenth}00000Z"

    def report(second, tenth, major, minor, level):
        data = f"0201061aff4c000215{WEB_UUID}{major:04x}{minor:04x}c5"
        return {"v": 1, "type": "report", "t": stamp(second, tenth), "receiver": receiver, "address": "02:00:00:00:00:01",
                "address_type": "random", "event": "ADV_NONCONN_IND", "rssi": level, "ad": data}

    lines = [{"v": 1, "type": "capture", "tool": "check", "version": "1", "receivers": [receiver], "redacted": True},
             {"v": 1, "type": "radio", "t": stamp(0, 0), "receiver": receiver, "state": "listening"}]
    for second in range(seconds):
        for tenth in (1, 4, 7):
            lines += [report(second, tenth, *beacon) for beacon in fixed]
            if listened(second):
                lines.append(report(second, tenth, 7, 1, -60 - second % 4))
        lines.append({"v": 1, "type": "mark", "t": stamp(second, 9)})
    lines.append({"v": 1, "type": "end", "t": stamp(seconds, 0)})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


class WebSite:
    """A `web` process for the checks: two receivers, a carried beacon that moves from a room to another, and a history."""

    seconds, moved = 600, 120

    def __init__(self, beaconctl, folder):
        captures = [folder / "time.jsonl", folder / "sky.jsonl"]
        site_capture(captures[0], "time", self.seconds, lambda second: second < self.moved, [(1, 101, -50), (1, 102, -88)])
        site_capture(captures[1], "sky", self.seconds, lambda second: second >= self.moved)
        truth, model, days, names = (folder / name for name in ("truth.csv", "model.json", "days", "names.json5"))
        truth.write_text(f"start,end,name\n0,{self.moved},Time\n{self.moved},{self.seconds},Himmel\n", encoding="utf-8")
        # The name of a beacon is text from outside as well.
        names.write_text('{ beacons: { "%s": "anna <b>&" } }' % ANNA, encoding="utf-8")
        source = [word for capture in captures for word in ("--from", str(capture))]
        subprocess.run([beaconctl, "site", "survey", *source, "--truth", str(truth), "--satisfying", ANNA, "--write", str(model)],
                       check=True, stderr=subprocess.DEVNULL)
        common = [beaconctl, "web", *source, "--port", "0", "--plan", str(PLAN), "--model", str(model), "--config", str(names)]
        environment = dict(os.environ, XDG_STATE_HOME=str(folder / "web-state"))
        # The first run keeps the history that the second one shows.
        subprocess.run([*common, "--speed", "max", "--once", "--history", str(days), "--region", f"anna={ANNA}", "--place", "Time",
                        "--place", "Himmel"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        other = folder / "other.json5"
        other.write_text(PLAN.read_text(encoding="utf-8").replace("Museum of Measure", "Annex <i>").replace('"Time"', '"Hours"')
                         .replace('"Zeit"', '"Stunden"').replace('"Sky"', '"Stars"').replace('"Himmel"', '"Sterne"'),
                         encoding="utf-8")
        self.process = subprocess.Popen(
            [*common, "--speed", "3x", "--plan", str(other), "--past", str(days)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=environment, text=True)
        self.address = self.process.stdout.readline().split()[1]

    stop = Server.stop


def slide(page, minute):
    """Moves the slider as a hand does."""
    page.run(f"(() => {{ const s = document.getElementById('minute'); s.value = {minute};"
             " s.dispatchEvent(new Event('input', { bubbles: true })); })()")


class NearbySite:
    """A `web` process that plays a walk past three beacons in real time, with a region and a file for names."""

    def __init__(self, beaconctl, folder):
        self.names = folder / "given.json5"
        environment = dict(os.environ, XDG_STATE_HOME=str(folder / "nearby-state"))
        self.process = subprocess.Popen(
            [beaconctl, "web", "--from", str(ROOT / "Fixtures/captures/walk.btsnoop"), "--port", "0", "--config", str(self.names),
             "--region", f"third={ANNA[:36]}/1/3"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=environment, text=True)
        self.address, _, self.code = (self.process.stdout.readline().split()[1] for _ in range(3))

    stop = Server.stop


# Words that do not fit their line, so that they are broken or cut.
CUT = """[...document.querySelectorAll('.nearby h3, .nearby p, th, td')].filter((e) => {
  const range = document.createRange();
  return [...e.childNodes].filter((n) => n.nodeType === 3).some((n) => [...n.textContent.matchAll(/\\S+/g)].some((word) => {
    range.setStart(n, word.index); range.setEnd(n, word.index + word[0].length);
    return range.getClientRects().length > 1;
  })) || (e.tagName === 'P' && e.scrollWidth > e.clientWidth + 1);
}).map((e) => e.textContent)"""


def nearby(browser, beaconctl, folder, servers):
    """The live page of `web`: each size and style, a name by mouse and keyboard, rows that stay, the picture of a signal."""
    (folder / "given.json5").write_text("{ // mine\n}\n", encoding="utf-8")
    servers.append(NearbySite(beaconctl, folder))
    site = servers[-1]
    page = Page(browser, site.address, width=1280, height=900)
    page.wait("document.querySelectorAll('.nearby li').length === 3")
    rows = "[...document.querySelectorAll('.nearby li')].map((e) => e.id + ' ' + Math.round(e.getBoundingClientRect().top)).join()"
    before = page.run(rows)
    page.run("document.querySelectorAll('.nearby button')[1].focus()")
    values = page.run("document.querySelector('.nearby').textContent")
    page.wait(f"document.querySelector('.nearby').textContent !== {json.dumps(values)}")
    check("nearby: the values change, and no row moves", page.run(rows) == before, (before, page.run(rows)))
    check("nearby: the focus stays on its button", page.run("document.activeElement === document.querySelectorAll('.nearby button')[1]"))
    names = page.names
    for role, name in [("button", "Name 1/2, 1/2 · F7826DA6"), ("heading", "1/2"), ("navigation", "Pages"), ("link", "Signals")]:
        check(f"nearby: a {role} named '{name}'", (role, name) in names, [n for n in names if n[0] == role])
    check("nearby: a screen reader finds each signal", any(r in ("image", "img") and n.startswith("Signal of the last two minutes: -") for r, n in names))
    nothing_outside(page, "nearby", site.address)
    quiet(page, "nearby")
    page.press("Enter", 13)
    page.press(" ", 32)
    page.wait("document.getElementById('naming').open || (document.activeElement.click(), false)")
    check("nearby: the form has the focus", page.run("document.activeElement.id") == "naming-name")
    send = "document.getElementById('naming-code').value = '%s'; document.getElementById('naming-form').requestSubmit()"
    page.run("document.getElementById('naming-name').value = 'Globe <b>&'")
    page.run(send % "1")
    page.wait("document.getElementById('naming-answer').textContent.trim() !== ''")
    said = page.run("document.getElementById('naming-answer').textContent")
    check("nearby: a wrong code is refused", said == "This is not the code.", said)
    contrast(page, "nearby, form")
    page.run(send % site.code)
    page.wait("!document.getElementById('naming').open && document.querySelector('.nearby').textContent.includes('Globe <b>&')")
    text = site.names.read_text(encoding="utf-8")
    check("nearby: the name is shown, and in the file, whose comment stays", "Globe <b>&" in text and "// mine" in text, text)
    page.run("document.querySelectorAll('.nearby button')[1].click()")
    page.run(f"document.getElementById('naming-code').value = '{site.code}'; document.getElementById('naming-remove').click()")
    page.wait("!document.getElementById('naming').open && !document.querySelector('.nearby').textContent.includes('Globe')")
    check("nearby: the name is removed, also from the file", "Globe" not in site.names.read_text(encoding="utf-8"))
    page.run("const f = document.getElementById('find'); f.value = '1/2'; f.dispatchEvent(new Event('input', { bubbles: true }))")
    shown = "[...document.querySelectorAll('.nearby li')].filter((e) => e.offsetParent).length"
    said = page.run("document.getElementById('found').textContent")
    check("nearby: a word finds its row", page.run(shown) == 1 and said == "1 of 3 shown", (page.run(shown), said))
    page.run("location.hash = '#radios'")
    check("nearby: a link leads to the radios", page.run("!!document.querySelector('a[href=\"#radios\"]') && document.querySelector('#radios').tagName === 'H2'"))
    page.close()
    for width in [1400, 768, 360]:
        for dark in [False, True]:
            what = f"nearby, {width} px, {'dark' if dark else 'light'}"
            page = Page(browser, site.address, width=width, height=800, dark=dark)
            page.wait("document.querySelectorAll('.nearby li').length === 3")
            faultless(page, what)
            cut = page.run(CUT)
            check(f"{what}: no word is broken or cut", not cut, cut)
            contrast(page, what)
            quiet(page, what)
            on_paper(page, what)
            page.close()
            page = Page(browser, site.address + "signals?of=third", width=width, height=800, dark=dark)
            page.wait("document.querySelector('svg.plot') !== null")
            what = what.replace("nearby", "signals")
            faultless(page, what)
            if width < 640:
                page.wait("document.querySelector('svg.plot.narrow') !== null")
                check(f"{what}: the picture fits", page.run("(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('.scroller'))"))
            quiet(page, what)
            page.close()
    page = Page(browser, site.address, width=900, height=640)
    page.wait("document.body.textContent.includes('The source has ended')", 60)
    check("nearby: after the end all beacons are silent", page.run(
        "[...document.querySelectorAll('.nearby b')].every((e) => e.textContent === 'silent') && !document.querySelector('.here')"))
    page.close()


def web(browser, beaconctl, folder, servers):
    """The page of `web` with two plans, a beacon that moves, and a history under a slider."""
    servers.append(WebSite(beaconctl, folder))
    site = servers[-1]
    page = Page(browser, site.address, width=1400, height=1000)
    check("web: both plans are drawn", page.run("document.querySelectorAll('.plan svg[role=img]').length") == 2)
    page.wait("document.querySelector('.spot.shown') !== null && document.querySelector('.spot.received') !== null", 30)
    check("web: a near and a far beacon are drawn as such, by themselves", True)
    page.wait("document.querySelectorAll('.room.now').length === 1 && document.querySelector('.guest') !== null", 30)
    guest = page.run("document.querySelector('.guest').dataset.room + ' ' + document.querySelector('.guest').textContent")
    check("web: the carried beacon is in its room, and its name is text", guest == "Time ● anna <b>&", guest)
    contrast(page, "web, light")
    check("web: the controls are there", page.run("!document.getElementById('time').hidden && document.getElementById('live').disabled"))
    names = page.names
    for role, name in [("slider", "Time of day in UTC"), ("image", "Floor plan: Ground floor"), ("button", "Live")]:
        check(f"web: a {role} named '{name}'", (role, name) in names, [n for n in names if n[0] == role])
    page.wait("document.querySelector('.guest[data-room=Sky]') !== null", 60)
    check("web: the beacon moves to the next room without a click, whatever the language of the place", True)
    slide(page, 605)
    page.wait("document.getElementById('view').hasAttribute('data-past')")
    check("web: the slider shows a minute of the history, with who was where", page.run(
        "document.getElementById('shown').textContent === '10:05 UTC, from the history'"
        " && document.querySelector('.guest').dataset.room === 'Sky'"
        " && document.querySelector('.spot.shown') !== null"))
    page.wait("location.search === '?at=29628605'")
    page.run("document.getElementById('minute').focus()")
    page.press("ArrowRight", 39)
    page.wait("document.getElementById('shown').textContent.startsWith('10:06')")
    check("web: an arrow key moves the slider by a minute", page.run(
        "document.getElementById('minute').getAttribute('aria-valuetext')") == "10:06 UTC")
    contrast(page, "web, history")
    slide(page, 700)
    page.wait("document.body.textContent.includes('No radio listens') && !document.querySelector('.spot.shown')")
    check("web: where nobody listened nothing is known", page.run("document.querySelector('.guest') === null"))
    page.run("document.getElementById('live').click()")
    page.wait("!document.getElementById('view').hasAttribute('data-past')")
    check("web: back to live", page.run("document.getElementById('shown').textContent === 'live' && location.search === ''"))
    nothing_outside(page, "web", site.address)
    quiet(page, "web")
    page.close()
    for width, dark in [(1400, False), (1400, True), (768, False), (768, True)]:
        what = f"web, {width} px, {'dark' if dark else 'light'}"
        page = Page(browser, site.address + "?at=29628605", width=width, height=800, dark=dark)
        page.wait("!document.getElementById('time').hidden")
        faultless(page, what)
        contrast(page, what)
        on_paper(page, what)
        page.close()
    for dark in [False, True]:
        what = f"web, phone, {'dark' if dark else 'light'}"
        phone = Page(browser, site.address + "?at=29628605", width=360, height=740, dark=dark)
        phone.wait("!document.getElementById('time').hidden")
        faultless(phone, what)
        size = phone.run("document.querySelector('.spot text').getBoundingClientRect().height")
        check(f"{what}: a number on the plan is 9 px high or more ({size:.0f})", size >= 9)
        size = phone.run("document.getElementById('minute').getBoundingClientRect().height")
        check(f"{what}: the slider can be touched ({size:.0f} px)", size >= 24)
        contrast(phone, what)
        quiet(phone, what)
        phone.close()
    reached = Page(browser, site.address, width=900, height=640)
    reached.wait("!document.getElementById('time').hidden")
    seen = []
    for _ in range(8):
        reached.press("Tab", 9)
        seen.append(reached.run("document.activeElement.id"))
    check("web: the Tab key reaches the day and the slider", "day" in seen and "minute" in seen, seen)
    reached.close()


def pictures(browser, beaconctl, folder, server):
    """Writes the pictures of docs/pictures again: a visitor in front of the second exhibit, and the report of that visit."""
    guide = Page(browser, server.visitor, width=900, height=640)
    plan = Page(browser, server.operator, width=1120, height=1070)
    guide.wait("document.getElementById('title').textContent === 'Astrolabe'"
               " && document.getElementById('bar').ariaValueNow === '4'", 60)
    html = report_of_visit(beaconctl, folder)
    for name, page in [
        ("guide-visitor", guide), ("guide-operator", plan),
        ("visit-report", Page(browser, html.as_uri(), width=1120, height=800)),
    ]:
        page.picture(PICTURES / f"{name}.png")
        quiet(page, name)
        page.close()
        subprocess.run([sys.executable, ROOT / "tools/check.d/pictures.py", "--made", f"{name}.png"], check=True)


def attempt(part, wanted, run):
    """Runs a part; what ends it is a result, and the next part follows."""
    if wanted and part not in wanted:
        return
    try:
        run()
    except (Failure, OSError, subprocess.SubprocessError) as failure:
        check(f"{part}: {failure}", False)


def main():
    beaconctl, wanted = sys.argv[1], sys.argv[2:]
    browser = Browser()
    servers = []
    try:
        with tempfile.TemporaryDirectory(prefix="beacons-check.") as name:
            folder = pathlib.Path(name)

            def start(port=0, plan=PLAN):
                state = folder / f"state{len(servers)}"
                options = ["--simulate", SEED, "--speed", "5x", "--answers", str(ANSWERS)]
                servers.append(Server(beaconctl, state, *options, port=port, plan=plan))
                return servers[-1]

            def guide():
                server = start()
                page = visitor(browser, server)
                operator(browser, server)
                opened(browser, server)
                reduced(browser, server, page)
                media(browser, folder, start)
                server = reconnect(browser, page, server, start)
                new_code(browser, folder, servers)
                server = another_plan(browser, server, folder, start)
                next_visitor(browser, server)

            attempt("port", wanted, lambda: port_in_use(beaconctl, folder / "taken"))
            attempt("guide", wanted, guide)
            attempt("street", wanted, lambda: street(browser, beaconctl, folder, servers))
            attempt("states", wanted, lambda: states(browser, beaconctl, folder, servers))
            attempt("editor", wanted, lambda: editor(browser, beaconctl, folder, servers))
            attempt("plan", wanted, lambda: picture_of_plan(browser, beaconctl, folder))
            attempt("plan", wanted, lambda: labels(browser, beaconctl, folder))
            attempt("nearby", wanted, lambda: nearby(browser, beaconctl, folder, servers))
            attempt("web", wanted, lambda: web(browser, beaconctl, folder, servers))
            attempt("survey", wanted, lambda: survey(browser, beaconctl, folder, servers))
            attempt("report", wanted, lambda: report(browser, beaconctl, folder))
            attempt("reports", wanted, lambda: reports(browser, beaconctl, folder))
            if "pictures" in wanted:
                attempt("pictures", wanted, lambda: pictures(browser, beaconctl, folder, start()))
    finally:
        for server in servers:
            if server.process.poll() is None:
                server.stop()
        browser.close()
    print(f"{sum(results)} of {len(results)} hold")
    return 0 if results and all(results) else 1


sys.exit(main())
