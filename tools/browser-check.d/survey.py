# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A survey on a phone's page: places are named while the beacon is in them, written, replaced on confirmation, and brought back."""

import json
import os
import subprocess

from browser import PATIENCE, Page
from parts import Server, check, contrast, nothing_outside, quiet, refused
from street import FAULTS, reached

UUID = "f7826da64fa24e988024bc5b71e0893e"
# The levels of the beacon at two receivers, in one room after the other, and how long it is in each, in seconds.
ROOMS, SECONDS = [(-50, -80), (-80, -50), (-50, -80)], 260


def walk(path):
    """Writes the reports of a beacon that is carried through the rooms."""
    lines = [{"v": 1, "type": "capture", "tool": "check", "version": "1", "receivers": ["door", "attic"], "redacted": True}]

    def stamp(second):
        return f"2026-05-02T{10 + int(second) // 3600:02}:{int(second) // 60 % 60:02}:{second % 60:06.3f}000Z"

    lines += [{"v": 1, "type": "radio", "t": stamp(0), "receiver": name, "state": "listening"} for name in ("door", "attic")]
    for second in range(SECONDS * len(ROOMS)):
        for name, level in zip(("door", "attic"), ROOMS[second // SECONDS], strict=True):
            lines.append({"v": 1, "type": "report", "t": stamp(second + 0.5), "receiver": name, "address": "02:00:00:00:00:01",
                          "address_type": "random", "event": "ADV_NONCONN_IND", "rssi": level - second % 3,
                          "ad": f"0201061aff4c000215{UUID}00010001c5"})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


class SurveySite:
    """A `web` process that plays the walk twenty times as fast."""

    def __init__(self, beaconctl, folder):
        self.process = subprocess.Popen(
            [beaconctl, "web", "--from", walk(folder / "carried.jsonl"), "--speed", f"{20 / PATIENCE}x", "--port", "0", "--beacon",
             f"{UUID}/1/1", "--survey", folder / "house.json"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
            env=dict(os.environ, XDG_STATE_HOME=str(folder / "survey-state")), text=True)
        self.address, _, self.survey, self.code = (self.process.stdout.readline().split()[1] for _ in range(4))

    stop = Server.stop


def survey(browser, beaconctl, folder, servers):
    model = folder / "house.json"
    # A former model of the user.
    model.write_text('{"version":1,"power":null,"receivers":["x"],"places":[{"name":"old","seconds":9}]}', encoding="utf-8")
    servers.append(SurveySite(beaconctl, folder))
    site = servers[-1]
    page = Page(browser, site.survey, width=360, height=740)
    text = "document.getElementById('view').textContent"
    page.wait(f"{text}.includes('The beacon now: door -5')", 30)
    check("survey: the page shows at which receivers the beacon is received", True)
    check("survey: it is one of the pages", page.run(
        "document.querySelector('.tabs [aria-current]').textContent === 'Survey' && document.querySelectorAll('.tabs a').length === 3"))
    names = page.names
    for role, name in [("button", "I am here"), ("textbox", "Place"), ("textbox", "Code, which the command has printed")]:
        check(f"survey: a {role} named '{name}'", (role, name) in names, names)

    def name(place, code=site.code):
        page.run(f"document.getElementById('survey-place').value = {json.dumps(place)};"
                 f" document.getElementById('survey-code').value = '{code}';"
                 " document.getElementById('survey').requestSubmit()")

    name("kitchen", "1")
    page.wait("document.getElementById('survey-answer').textContent === 'This is not the code.'")
    check("survey: without the code nothing changes", page.run("!document.querySelector('progress')"))
    name("kitchen <b>&")
    page.wait("!!document.querySelector('progress[value]')")
    check("survey: the stay is shown, and the place's name is text", page.run("document.querySelector('strong').textContent") == "kitchen <b>&")
    contrast(page, "survey, a stay")
    page.wait("document.querySelector('#view [role=status]').textContent.startsWith(\"Learned 'kitchen\")", 30)
    check("survey: after a minute it is learned", page.run("document.querySelector('.places').textContent") == "kitchen <b>& · 60 s")
    page.wait(f"{text}.includes('attic -5')", 60)
    name("hall")
    page.wait("document.querySelectorAll('.places li').length === 2", 30)
    check("survey: places that differ are not alike", page.run("!document.querySelector('.alike')"))
    page.wait(f"{text}.includes('door -5')", 60)
    name("pantry")
    page.wait("!!document.querySelector('.alike')", 30)
    said = page.run("document.querySelector('.alike').textContent")
    check("survey: places that are alike are shown, with a remedy", "'kitchen <b>&' and 'pantry' are alike" in said
          and "put a receiver into one" in said, said)
    faults = page.run(FAULTS)
    check("survey: no fault for a reader with a keyboard or a screen reader", not faults, faults)
    contrast(page, "survey, alike")
    wanted, met, dim = reached(page)
    check(f"survey: the Tab key reaches everything, with a visible focus ({met} of {wanted})", wanted == met and dim == 0, (wanted, met, dim))
    page.run("document.getElementById('survey-undo').click()")
    page.wait("document.querySelectorAll('.places li').length === 2")
    check("survey: the last place is taken back", "pantry" not in page.run("document.querySelector('.places').textContent"))

    def places(path):
        return sorted(place["name"] for place in json.loads(path.read_text(encoding="utf-8"))["places"])

    page.run("document.getElementById('survey-write').focus(); document.getElementById('survey-write').click()")
    page.wait("document.getElementById('asking').open")
    said = page.run("document.getElementById('asking-text').textContent")
    check("survey: it asks before a model is replaced", "has 1 place" in said and places(model) == ["old"], said)
    contrast(page, "survey, the question")
    page.run("document.getElementById('asking-no').click()")
    browser.listen(1)
    check("survey: no leaves the model", places(model) == ["old"])
    page.run("document.getElementById('survey-write').click(); document.getElementById('asking-yes').click()")
    page.wait(f"{text}.includes('Undo the replacement')")
    former = folder / "house.json.1"
    check("survey: yes replaces it, and the former one stays", places(model) == ["hall", "kitchen <b>&"] and places(former) == ["old"])
    page.run("document.getElementById('survey-restore').click(); document.getElementById('asking-yes').click()")
    page.wait(f"{text}.includes('is the former model again')")
    check("survey: one step brings it back, and the new one stays", places(model) == ["old"]
          and places(folder / "house.json.2") == ["hall", "kitchen <b>&"])
    nothing_outside(page, "survey", site.address)
    others = [c for c in page.complaints if not refused(c)]
    check("survey: no error on the console", not others, others)
    page.close()
    for width, dark in [(360, True), (1280, False)]:
        other = Page(browser, site.survey, width=width, height=800, dark=dark)
        other.wait("!!document.querySelector('.places')")
        what = f"survey, {width} px, {'dark' if dark else 'light'}"
        faults = other.run(FAULTS)
        check(f"{what}: no fault", not faults, faults)
        contrast(other, what)
        quiet(other, what)
        other.close()
