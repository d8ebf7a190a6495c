# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""The page of `museum plan edit`: a curator draws, writes, undoes, removes and saves."""

import json
import subprocess

from browser import Page
from parts import PLAN, Server, check, contrast, nothing_outside, quiet, refused
from street import FAULTS, SUNDIAL, UUID, capture, faultless


class Editor:
    """A `museum plan edit` process for the checks."""

    def __init__(self, beaconctl, plan, *options):
        self.process = subprocess.Popen(
            [beaconctl, "museum", "plan", "edit", str(plan), "--port", "0", *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True,
        )
        self.address = self.process.stdout.readline().split()[1]

    stop = Server.stop


def mouse(page, *places, keys=0):
    """Drags the pointer over places, which are in meters of the drawing; `keys` are held (8 is Shift)."""
    for index, (x, y) in enumerate(places):
        at = page.run(
            f"(() => {{ const p = new DOMPoint({x}, {y}).matrixTransform(document.getElementById('plan').getScreenCTM());"
            " return [p.x, p.y]; })()")
        kinds = (["mousePressed"] if index == 0 else ["mouseMoved"]) + (["mouseReleased"] if index == len(places) - 1 else [])
        for kind in kinds:
            page.ask("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", buttons=1, clickCount=1, modifiers=keys)


def editor(browser, beaconctl, folder, servers):
    """Draws rooms and places beacons, in a plan that is there and in a new one."""
    plan = folder / "edited.json5"
    text = PLAN.read_text(encoding="utf-8")
    plan.write_text(text, encoding="utf-8")
    servers.append(Editor(beaconctl, plan))
    page = Page(browser, servers[-1].address, width=1280, height=1000)
    page.wait("document.querySelectorAll('#plan .spot').length > 20")
    check("editor: the rooms and beacons are drawn", page.run("document.querySelectorAll('#plan .room').length") == 6)
    contrast(page, "editor, light", drawn=False)
    mouse(page, (2, 1.5), (2.5, 2), (3, 2))
    check("editor: a beacon is dragged", page.run("document.getElementById('field-right').value") == "3")
    page.run("document.getElementById('save').click()")
    page.wait("document.getElementById('message').textContent === 'Saved.'")
    saved = plan.read_text(encoding="utf-8")
    check("editor: only its place changed in the file", saved == text.replace("at: [2, 1.5]", "at: [3, 2]", 1))
    page.run("document.querySelector('#tools [value=room]').click()")
    mouse(page, (20, 14), (25, 15), (30, 18))
    page.run("document.querySelector('#tools [value=beacon]').click()")
    mouse(page, (22, 15), (22, 15))
    check("editor: a room is drawn, and a beacon placed in it", page.run(
        "document.querySelectorAll('#plan .room').length === 7 && document.querySelectorAll('#plan .spot').length === 25"))
    page.run("document.getElementById('undo').click()")
    check("editor: undo takes back the last step", page.run("document.querySelectorAll('#plan .spot').length") == 24)
    page.run("document.querySelector('#tools [value=select]').click()")
    mouse(page, (5, 1.5), (29, 13))
    page.run("document.getElementById('save').click()")
    page.wait("document.getElementById('message').textContent.includes('outside the outline')")
    check("editor: the fault names its exhibit, which is selected", page.run(
        "document.querySelector('#message button').textContent.startsWith("
        "document.querySelector('#exhibits [aria-pressed=true]').textContent.replace(/^[0-9]+ /, '') + ': this is ')"))
    check("editor: a plan with a fault is not saved, and the fault is shown", plan.read_text(encoding="utf-8") == saved)
    page.run("document.getElementById('undo').click()")
    page.run("document.getElementById('save').click()")
    page.wait("document.getElementById('message').textContent === 'Saved.'")
    result = subprocess.run([beaconctl, "museum", "plan", "check", str(plan)], capture_output=True, text=True)
    check("editor: the saved plan is valid, with the new room", result.returncode == 0 and "6 rooms" in result.stdout, result.stdout)
    plan.write_text(plan.read_text(encoding="utf-8") + "// mine\n", encoding="utf-8")
    mouse(page, (3, 2), (4, 2))
    page.run("document.getElementById('save').click()")
    page.wait("document.getElementById('message').textContent.includes('changed meanwhile')")
    check("editor: a file that was changed meanwhile stays", plan.read_text(encoding="utf-8").endswith("// mine\n"))
    check("editor: and the page offers to keep the work", page.run(
        "[...document.querySelectorAll('#message button')].map((b) => b.textContent)") == [
            "Download my plan", "Overwrite the file", "Load the file, without my changes"])
    page.run("window.confirm = () => true; document.querySelectorAll('#message button')[1].click()")
    page.wait("document.getElementById('message').textContent === 'Saved.'")
    check("editor: which replaces the file if the curator asks for it", not plan.read_text(encoding="utf-8").endswith("// mine\n"))
    page.run("document.querySelector('#tools [value=door]').click()")
    mouse(page, (5, 3), (5, 3))
    page.run("document.getElementById('save').click()")
    page.wait("!document.getElementById('warnings').hidden && document.getElementById('warnings').textContent.includes('on no wall')")
    page.run("document.querySelector('#exhibits button').click()")
    page.run("[...document.querySelectorAll('#warnings button')].find((b) => b.textContent.includes('on no wall')).click()")
    check("editor: a warning selects its part", page.run("document.querySelector('#plan .door.chosen') !== null"))
    page.run("document.activeElement.blur()")
    page.press("Delete", 46)
    check("editor: the Delete key removes it", page.run("document.querySelector('#plan .door.chosen') === null"))
    page.run("document.querySelector('#exhibits button').click()")
    for field, wrong, words in [("field-minor", "2.5", "Minor: write a whole number from 0 to 65535."),
                                ("field-right", "1e9", "Right, m: write a number from -10000 to 10000."), ("field-title-en", "", "Title is needed in English.")]:
        fill(page, field, wrong)
        wrong = page.run(f"document.getElementById('{field}-wrong')?.textContent")
        check(f"editor: a wrong value of {field} is named at its field", wrong == words, wrong)
    page.run("document.getElementById('save').click()")
    page.wait("document.getElementById('message').textContent === 'Saved.'")
    page.run("document.getElementById('save').click()")
    check("editor: and stays there when the plan is saved", page.run(
        "document.getElementById('message').textContent === 'Nothing has changed.' && document.querySelectorAll('.wrong').length === 3"))
    fill(page, "field-minor", "104")
    check("editor: until the field has a right one", page.run("document.querySelectorAll('.wrong').length") == 2)
    fill(page, "field-minor", "101")
    nothing_outside(page, "editor", servers[-1].address)
    others = [c for c in page.complaints if not refused(c)]
    check("editor: no other error on the console", not others, others)
    page.run("window.onbeforeunload = null")
    page.close()
    curator(browser, beaconctl, folder, servers)
    table(browser, beaconctl, folder, servers)
    corrections(browser, beaconctl, folder, servers)
    hand(browser, beaconctl, folder, servers)
    values(browser, beaconctl, folder, servers)
    for language in ["de", "fr", "es", "it"]:
        translated(browser, beaconctl, folder, servers, language)
    widths(browser, beaconctl, folder, servers)


# The English phrases of several words that the page shows.
ENGLISH = """(async () => {
  const page = new DOMParser().parseFromString(await (await fetch('?language=en')).text(), 'text/html');
  const words = Object.values(JSON.parse(page.body.dataset.words)).flatMap((text) => text.split(/“?{[0-9]}”?/));
  const shown = document.body.innerText + [...document.querySelectorAll('[aria-label]')].map((e) => e.ariaLabel).join('\\n');
  return words.filter((text) => /[a-z] [a-z]/.test(text) && shown.includes(text.trim()));
})()"""


def translated(browser, beaconctl, folder, servers, language):
    """On a phone in another language: every form, a fault, warnings and messages, no English phrase, and the way to the English page."""
    plan = folder / f"{language}.json5"
    plan.write_text(PLAN.read_text(encoding="utf-8"), encoding="utf-8")
    servers.append(Editor(beaconctl, plan))
    page = Page(browser, servers[-1].address, width=360, height=740, language=f"{language}-CH, en;q=0.5")
    page.wait("document.querySelectorAll('#plan .spot').length > 20")
    what, message, faults = f"editor in {language}, phone", "document.getElementById('message').textContent", []

    def look(state):
        found = page.run(FAULTS) + page.run(ENGLISH)
        faults.extend(f"{state}: {fault}" for fault in found)

    look("loaded")
    for part in ["museum-0", "room-0", "exhibit-0"]:
        click(page, f"#{part}")
        look(part)
    contrast(page, what, drawn=False)
    before = page.run(message)
    for press in ["#whichBeacon", "#undo"]:
        click(page, press)
        page.wait(f"{message} !== {json.dumps(before)} && {message}.length > 20")
        look(press)
        before = page.run(message)
    fill(page, "field-minor", "102")
    click(page, "#save")
    page.wait("document.querySelector('#message button') !== null")
    look("a fault")
    check(f"{what}: the fault names its exhibit, which is selected", page.run(
        "document.querySelector('#message button').textContent.startsWith("
        "document.querySelector('#exhibits [aria-pressed=true]').textContent.replace(/^[0-9]+ /, ''))"), page.run(message))
    click(page, "#undo")
    tool(page, "door")
    page.run("document.getElementById('plan').scrollIntoView()")
    mouse(page, (5, 3), (5, 3))
    click(page, "#save")
    page.wait("!document.getElementById('warnings').hidden")
    look("a warning")
    plan.write_text(plan.read_text(encoding="utf-8") + "// mine\n", encoding="utf-8")
    click(page, "#room-0")
    click(page, "#addCorner")
    click(page, "#save")
    page.wait("document.querySelectorAll('#message button').length === 3")
    look("a changed file")
    click(page, "#undo")
    page.wait("document.getElementById('save').getAttribute('aria-disabled') === 'true'")
    check(f"{what}: no English phrase, no fault of names, order or size, and nothing wider than the screen", not faults, faults)
    check(f"{what}: in its language", page.run("document.documentElement.lang") == language)
    click(page, "nav a[hreflang=en]")
    page.wait("document.documentElement?.lang === 'en' && document.querySelectorAll('#plan .spot').length > 20")
    check(f"{what}: a link opens it in English", page.run("document.getElementById('save').textContent") == "Save")
    page.wait("document.getElementById('warnings').textContent.startsWith('Weaknesses')")
    others = [c for c in page.complaints if not refused(c)]
    check(f"{what}: no error on the console", not others, others)
    page.run("window.onbeforeunload = null")
    page.close()


def fill(page, field, text):
    """Types into a field, as a curator does, and leaves it."""
    page.run(f"(() => {{ const e = document.getElementById({json.dumps(field)}); e.value = {json.dumps(text)};"
             " e.dispatchEvent(new Event('change', { bubbles: true })); })()")


# Asks which beacon is here, until several are received.
FOUND = """(() => {
  if (document.querySelectorAll('.found button').length > 3) return true;
  if (document.getElementById('message').textContent !== 'Receiving …') document.getElementById('whichBeacon').click();
  return false;
})()"""


def curator(browser, beaconctl, folder, servers):
    """A plan from nothing on a phone: languages, texts, rooms from a list, and the beacon that is in front of the curator."""
    fresh, walk = folder / "fresh.json5", capture(folder / "curator.jsonl", [(900, SUNDIAL)])
    servers.append(Editor(beaconctl, fresh, "--from", str(walk)))
    page = Page(browser, servers[-1].address, width=360, height=740, dark=True)
    page.wait("document.querySelector('#grid path') !== null")
    contrast(page, "editor, dark, phone", drawn=False)
    press = "[...document.querySelectorAll('%s button')].find((b) => b.textContent.includes('%s')).click()"
    page.run(press % ("#museum", "My museum"))
    fill(page, "field-museum-en", "Museum of Measure")
    fill(page, "field-addLanguage", "de")
    fill(page, "field-museum-de", "Museum des Messens")
    page.run("document.getElementById('name-floor').click()")
    fill(page, "field-name-de", "Erdgeschoss")
    page.run("document.querySelector('#tools [value=room]').click()")
    page.run("document.getElementById('plan').scrollIntoView()")
    mouse(page, (1, 1), (5, 5), (9, 7))
    fill(page, "field-name-en", "Time")
    fill(page, "field-name-de", "Zeit")
    page.run("document.querySelector('#tools [value=beacon]').click()")
    page.run("document.getElementById('plan').scrollIntoView()")
    mouse(page, (3, 2), (3, 2))
    fill(page, "field-title-en", "Sundial")
    fill(page, "field-title-de", "Sonnenuhr")
    fill(page, "field-text-en", "The shadow wanders with the sun.")
    faults = page.run(FAULTS)
    check("editor, phone: no fault of names, order or size, and nothing wider than the screen", not faults, faults)
    place = "document.getElementById('field-text-de').getBoundingClientRect().top"
    top = page.run(place)
    page.run("document.getElementById('save').click()")
    page.wait("document.getElementById('message').textContent === 'Saved.'")
    check("editor, phone: the page does not jump when a message and weaknesses appear", page.run(place) == top, (page.run(place), top))
    check("editor: work is saved before it is translated, and the missing texts are listed", page.run(
        "document.getElementById('warnings').textContent.includes('Deutsch: 1 text is missing; visitors see it in English')"))
    page.run("[...document.querySelectorAll('#warnings button')].find((b) => b.textContent.startsWith('Deutsch')).click()")
    check("editor: a weakness leads to its field", page.run(ACTIVE) == "field-text-de", page.run(ACTIVE))
    fill(page, "field-text-de", "Der Schatten wandert mit der Sonne.")
    page.wait(FOUND)
    nearest = page.run("document.querySelector('.found button').textContent")
    check("editor: the beacon in front of the curator is the first", nearest.startswith("Nearest: 1/101, -"), nearest)
    page.run("document.querySelector('.found button').click()")
    check("editor: it is the exhibit's beacon then", page.run("document.getElementById('field-minor').value") == "101")
    page.run("document.getElementById('undo').click()")
    page.run(press % ("#exhibits", "Sundial"))
    check("editor: undo takes it back", page.run("document.getElementById('field-minor').value") == "1")
    page.wait(FOUND)
    page.run("document.querySelector('.found button').click()")
    contrast(page, "editor, dark, phone, exhibit", drawn=False)
    page.run("document.getElementById('save').click()")
    page.wait("document.getElementById('message').textContent === 'Saved.'")
    text = fresh.read_text(encoding="utf-8")
    page.run("document.querySelector('.found').replaceChildren()")
    page.wait(FOUND)
    nearest = page.run("document.querySelector('.found button').textContent")
    check("editor: a beacon of the plan has its exhibit's title", nearest.startswith("Nearest: Sundial, 1/101, -"), nearest)
    check("editor, phone: Save and the message stay on the screen", page.run(
        "['save', 'undo', 'message'].every((id) => { scrollTo(0, 0); const b = document.getElementById(id).getBoundingClientRect();"
        " return b.top >= 0 && b.bottom <= innerHeight; })"))
    check("editor: a plan from nothing has languages, texts, room and beacon", all(part in text for part in [
        "Museum des Messens", "Erdgeschoss", "Zeit", "Sonnenuhr", "Der Schatten wandert", "minor: 101", UUID.upper()[:8]]), text)
    check("editor: the comments of the plan stay", "// A museum plan." in text)
    result = subprocess.run([beaconctl, "museum", "plan", "check", str(fresh)], capture_output=True, text=True)
    check("editor: and is valid", result.returncode == 0, result.stdout + result.stderr)
    others = [c for c in page.complaints if not refused(c)]
    check("editor from nothing: no other error on the console", not others, others)
    page.close()


def click(page, selector):
    """Presses an element with the mouse, so that the text of another field is finished first."""
    at = page.run(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{ block: 'center' }});"
                  " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()")
    for kind in ["mousePressed", "mouseReleased"]:
        page.ask("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", buttons=1, clickCount=1)


def tool(page, name):
    page.run(f"document.querySelector('#tools [value={name}]').click()")


def save(page):
    page.run("document.getElementById('message').textContent = ''")
    click(page, "#save")
    page.wait("document.getElementById('message').textContent === 'Saved.'")


ACTIVE = "document.activeElement.id"


def hand(browser, beaconctl, folder, servers):
    """A curator with a mouse and a keyboard: no typed text and no focus is lost, numbers differ, and undo outlives a save."""
    plan = folder / "hand.json5"
    servers.append(Editor(beaconctl, plan))
    page = Page(browser, servers[-1].address, width=1280, height=1000)
    page.wait("document.querySelector('#grid path') !== null")
    tool(page, "room")
    mouse(page, (0, 0), (4, 4), (8, 6))
    check("editor: a room that was drawn is named next", page.run(ACTIVE) == "field-name-en", page.run(ACTIVE))
    page.ask("Input.insertText", text="Time")
    page.press("Tab", 9)
    check("editor: after a text the Tab key leads to the next field", page.run(ACTIVE) == "field-major", page.run(ACTIVE))
    mouse(page, (8, 0), (9, 4), (16, 6))
    page.ask("Input.insertText", text="Sky")
    tool(page, "beacon")
    for index, (x, title) in enumerate([(1, "Sundial"), (6, "Hourglass"), (10, "Astrolabe")]):
        mouse(page, (x, 1), (x, 1))
        check(f"editor: beacon {index + 1} has the next number, and its title is next", page.run(
            f"document.getElementById('field-number').value === '{index + 1}' && {ACTIVE} === 'field-title-en'"))
        page.ask("Input.insertText", text=title)
    # The last title is being typed when the hand chooses another part: from the list with one click, then on the plan.
    click(page, "#exhibit-0")
    check("editor: a typed text stays, and one click selects from the list", page.run(
        "document.querySelector('#exhibit-0').getAttribute('aria-pressed') === 'true' && document.querySelector('#exhibit-2').textContent")
        == "3 Astrolabe")
    tool(page, "select")
    click(page, "#field-title-en")
    page.run("document.getElementById('field-title-en').select()")
    page.ask("Input.insertText", text="Old sundial")
    mouse(page, (6, 1), (6, 1))
    check("editor: a typed text stays, when the next part is chosen on the plan", page.run(
        "document.querySelector('#exhibit-0').textContent") == "1 Old sundial")
    check("editor: and that part is chosen", page.run("document.getElementById('field-title-en').value") == "Hourglass")
    removals(page, plan)
    page.run("document.getElementById('add-room').focus()")
    page.press(" ", 32)
    page.ask("Input.insertText", text="Sea")
    page.run("document.getElementById('add-exhibit').focus()")
    page.press(" ", 32)
    check("editor: a room and an exhibit are added with the keyboard", page.run(ACTIVE) == "field-title-en" and page.run(
        "document.querySelectorAll('#rooms li').length === 3 && document.getElementById('field-number').value === '4'"))
    save(page)
    check("editor: the focus stays on the button", page.run(ACTIVE) == "save", page.run(ACTIVE))
    result = subprocess.run([beaconctl, "museum", "plan", "check", str(plan)], capture_output=True, text=True)
    check("editor: the plan is valid, each number once", result.returncode == 0 and "number" not in result.stderr, result.stderr)
    quiet(page, "editor, by hand")
    page.close()


def removals(page, plan):
    """Each part and each value that may be missing is removed, saved, and comes back by undo."""
    def text():
        return "".join(line for line in plan.read_text(encoding="utf-8").splitlines(True) if not line.lstrip().startswith("//"))

    tool(page, "entrance")
    mouse(page, (0, 3), (0, 3))
    tool(page, "select")
    save(page)
    first = text()
    check("editor: an entrance is placed", "entrance: [0, 3]" in first)
    mouse(page, (0, 3), (0, 3))
    click(page, "#remove")
    check("editor: an entrance is removed, and the focus is on Undo", page.run(
        f"!document.querySelector('#plan .entrance') && {ACTIVE} === 'undo'"), page.run(ACTIVE))
    click(page, "#exhibit-0")
    click(page, "#removePlace")
    click(page, "#exhibit-1")
    click(page, "#remove")
    click(page, "#room-1")
    fill(page, "field-major", "")
    check("editor: a room keeps its major while exhibits are in it", page.run(
        "document.getElementById('field-major').value === '2' && document.getElementById('field-major-wrong').textContent.includes('Astrolabe')"))
    click(page, "#exhibit-1")
    click(page, "#remove")
    click(page, "#room-1")
    fill(page, "field-major", "")
    click(page, "#removeOutline")
    save(page)
    second = text()
    check("editor: places, outlines, majors and exhibits are gone from the file", '{ name: { "en": "Sky" } }' in second
          and "at:" not in second and "entrance" not in second and "Hourglass" not in second, second)
    click(page, "#museum-0")
    fill(page, "field-addLanguage", "de")
    check("editor: the usual texts are translated, each question is on the page", page.run(
        "document.getElementById('field-purpose-de').value").startswith("Das Exponat vor Ihnen"))
    fill(page, "field-alwaysAndWhenInUse-en", "To greet you.")
    fill(page, "field-alwaysAndWhenInUse-de", "Zum Gruß.")
    save(page)
    check("editor: floors too", '"de": "Erdgeschoss"' in text() and '"Zum Gruß."' in text(), text())
    check("editor: and nothing that the curator wrote is copied", text().count("Time") == 1 and "Deutsch: 3 texts are missing" in page.run(
        "document.getElementById('warnings').textContent"), text())
    fill(page, "field-removeLanguage", "en")
    check("editor: the first language stays while texts are missing in the next", page.run(
        "document.getElementById('field-removeLanguage-wrong').textContent.includes('Deutsch')"))
    for language in ["en", "de"]:
        fill(page, f"field-alwaysAndWhenInUse-{language}", "")
    for part in ["room-0", "room-1"]:
        click(page, f"#{part}")
        fill(page, "field-name-de", "Zeit")
    click(page, "#exhibit-0")
    fill(page, "field-title-de", "Sonnenuhr")
    click(page, "#museum-0")
    fill(page, "field-removeLanguage", "en")
    save(page)
    check("editor: a language is removed", 'languages: ["de"]' in text() and '"en"' not in text(), text())
    for _ in range(20):
        if page.run("document.getElementById('undo').getAttribute('aria-disabled') === 'true' || "
                    "document.querySelector('#plan .entrance') !== null"):
            break
        click(page, "#undo")
    save(page)
    check("editor: undo goes back over saves, and the file is as it was", text() == first, text())
    click(page, "#add-floor")
    click(page, "#name-floor")
    check("editor: a floor is named next", page.run(ACTIVE) == "field-name-en", page.run(ACTIVE))
    click(page, "#remove")
    check("editor: a floor is removed", page.run("document.querySelectorAll('#floor option').length") == 1)
    click(page, "#name-floor")
    click(page, "#remove")
    check("editor: a floor with rooms stays", page.run("document.getElementById('message').textContent").startswith("Rooms are on this floor"))


def values(browser, beaconctl, folder, servers):
    """On a phone: all values of the format, the order, warnings and undo, and a command that ends before the plan is saved."""
    plan = folder / "values.json5"
    text = PLAN.read_text(encoding="utf-8").replace('["en", "de"]', '["de", "en"]')
    plan.write_text(text, encoding="utf-8")
    servers.append(Editor(beaconctl, plan))
    page = Page(browser, servers[-1].address, width=360, height=740)
    page.wait("document.querySelectorAll('#plan .spot').length > 20")
    message = "document.getElementById('message').textContent"
    click(page, "#exhibit-5")
    top = page.run("document.getElementById('chosen').getBoundingClientRect().top")
    check("editor, phone: the form of the chosen part comes into view", -1 <= top < 200, top)
    page.run("document.getElementById('plan').scrollIntoView()")
    mouse(page, (12, 1.5), (12, 1.5))
    top = page.run("document.getElementById('chosen').getBoundingClientRect().top")
    check("editor, phone: also of a part that is chosen on the plan", -1 <= top < 200, top)
    for field, value in [("field-viewing", "33"), ("field-power", "-70.5"), ("field-audio-de", "a.mp3")]:
        fill(page, field, value)
    click(page, "#moveUp")
    check("editor: an exhibit moves up, and the focus stays", page.run(f"{ACTIVE} === 'moveUp'")
          and page.run("document.querySelector('#exhibit-4').getAttribute('aria-pressed')") == "true", page.run(ACTIVE))
    click(page, "#whichBeacon")
    page.wait(f"{message}.includes('plan edit --live values.json5')")
    check("editor: without beacons the page has the command that receives them", True)
    click(page, "#room-0")
    click(page, "#field-desk")
    save(page)
    saved = plan.read_text(encoding="utf-8")
    check("editor: the new values are in the file", all(part in saved for part in ["viewing: 33", "power: -70.5", "a.mp3", "desk: true"]), saved)
    moved = saved.index("minor: 201") < saved.index("minor: 105")
    result = subprocess.run([beaconctl, "museum", "plan", "check", str(plan)], capture_output=True, text=True)
    check("editor: the file has the new order", moved and "24 exhibits" in result.stdout, result.stdout + result.stderr)
    faults = page.run(FAULTS)
    check("editor, phone, all values: no fault of names, order or size, and nothing wider than the screen", not faults, faults)
    warned = "document.getElementById('warnings').textContent"
    before = page.run(warned)
    tool(page, "door")
    page.run("document.getElementById('plan').scrollIntoView()")
    mouse(page, (5, 3), (5, 3))
    save(page)
    page.wait(f"{warned}.includes('on no wall')")
    click(page, "#undo")
    check("editor: undo takes back the warnings of the undone change", page.run(warned) == before, page.run(warned))
    click(page, "#add-room")
    check("editor: a new room has a proposed name only in the first language", page.run(
        "document.getElementById('field-name-de').value.startsWith('Raum ') && document.getElementById('field-name-en').value === ''"))
    page.run("(() => { const make = URL.createObjectURL.bind(URL); URL.createObjectURL = (blob) => {"
             " blob.text().then((text) => { window.kept = text; }); return make(blob); }; })()")
    servers[-1].stop()
    page.wait(f"{message}.includes('are not saved')")
    check("editor: the page notices that the command has ended", True)
    click(page, "#message button")
    page.wait("window.kept !== undefined")
    kept = folder / "kept.json5"
    kept.write_text(page.run("window.kept"), encoding="utf-8")
    result = subprocess.run([beaconctl, "museum", "plan", "check", str(kept)], capture_output=True, text=True)
    check("editor: and offers the plan as a file, which is valid", "24 exhibits" in result.stdout and "6 rooms" in result.stdout, result.stdout + result.stderr)
    page.run("window.onbeforeunload = null")
    page.close()


MESSAGE = "document.getElementById('message').textContent"
EXHIBITS = "document.querySelectorAll('#exhibits li').length"
# As a spreadsheet copies it: a cell with a line break is in quotes.
TABLE = """Number\tRoom\ttitle\tTitel (Deutsch)\ttext\tartist\ttitle fr
101\t\tAntique sundial\t\t\tAnna\tCadran
901\tSky\tMoon globe\tMondglobus\t"It shows ""craters"".\nAnd seas."\tBo\t
902\tsky\tOrrery\t\t\t\t
ten\tSky\tOther\t\t\t\t
902\tSky\tTwin\t\t\t\t
903\tLoft\tKite\t\t\t\t
"""
NOTES = ["Exhibits in the table: 3; 2 new, 1 changed.", "The column “artist” is not used.",
         "The column “title fr” is not used: add the language Français to the museum first.",
         "Row 5 is not used. “ten” is not a number from 0 to 99999.", "Row 6 is not used. The number 902 is in an earlier row.",
         "Row 7 is not used. No room is named “Loft”."]


def paste(page, text):
    """Pastes into the page, as from a spreadsheet."""
    page.run(f"(() => {{ const data = new DataTransfer(); data.setData('text/plain', {json.dumps(text)});"
             " document.getElementById('exhibits').dispatchEvent(new ClipboardEvent('paste', { bubbles: true, clipboardData: data })); })()")


def keys(page, key, modifiers):
    """Presses a key with others held (2 is Ctrl, 8 is Shift)."""
    page.ask("Input.dispatchKeyEvent", type="rawKeyDown", key=key, windowsVirtualKeyCode=ord(key.upper()), modifiers=modifiers)
    page.ask("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=ord(key.upper()), modifiers=modifiers)


def table(browser, beaconctl, folder, servers):
    """A table of exhibits is pasted, undone and redone, its beacons are placed, and the page gets another language with all of it."""
    plan = folder / "table.json5"
    plan.write_text(PLAN.read_text(encoding="utf-8"), encoding="utf-8")
    servers.append(Editor(beaconctl, plan))
    page = Page(browser, servers[-1].address, width=1280, height=1000)
    page.wait("document.querySelectorAll('#plan .spot').length > 20")
    notes = "[...document.querySelectorAll('#table-notes li')].map((e) => e.textContent)"
    idle = "document.getElementById('save').getAttribute('aria-disabled') === 'true'"
    paste(page, TABLE)
    check("editor: a table is summed up, with what of it is not used", page.run(notes) == NOTES, page.run(notes))
    check("editor: and changes nothing yet", page.run(f"{EXHIBITS} === 24 && {idle}"))
    faultless(page, "editor, a table")
    click(page, "#cancel-table")
    check("editor: a table is dropped", page.run(f"document.getElementById('table').hidden && {EXHIBITS} === 24 && {idle}"))
    click(page, "#paste-table")
    page.ask("Input.insertText", text="a;b\n1;2")
    check("editor: a table needs a column of numbers", page.run(notes) == [
        "The first row must name the columns, with “Number” among them."], page.run(notes))
    fill(page, "rows", TABLE)
    page.run("document.getElementById('rows').dispatchEvent(new Event('input'))")
    click(page, "#use-table")
    last = "[...document.querySelectorAll('#exhibits li')].slice(24).map((e) => e.textContent)"
    check("editor: its exhibits have no place yet", page.run(last) == ["901 Moon globe (no place)", "902 Orrery (no place)"], page.run(last))
    check("editor: and one that was there is changed", page.run("document.querySelector('#exhibit-0').textContent") == "101 Antique sundial")
    click(page, "#undo")
    check("editor: one undo takes the table back", page.run(f"{EXHIBITS} === 24 && {idle}"))
    keys(page, "y", 2)
    check("editor: Ctrl-Y brings it again", page.run(EXHIBITS) == 26)
    keys(page, "z", 2)
    check("editor: Ctrl-Z takes it back", page.run(EXHIBITS) == 24)
    keys(page, "z", 10)
    check("editor: Ctrl-Shift-Z too brings it again", page.run(EXHIBITS) == 26)
    click(page, "nav a[hreflang=de]")
    page.wait("document.documentElement.lang === 'de' && document.getElementById('save').textContent === 'Speichern'")
    check("editor: in another language of the page nothing is lost", page.run(EXHIBITS) == 26)
    click(page, "#undo")
    click(page, "#redo")
    check("editor: also no step of undo and redo", page.run(EXHIBITS) == 26)
    click(page, "nav a[hreflang=en]")
    page.wait("document.getElementById('save').textContent === 'Save'")
    tool(page, "beacon")
    page.run("scrollTo(0, 0)")
    mouse(page, (12, 6), (12, 6))
    check("editor: a click in the room places the first exhibit of the table, and the next is named", page.run(MESSAGE) == (
        "“Moon globe” hangs here, in “Sky”. The next click here places “Orrery”; “Add an exhibit” makes another one."), page.run(MESSAGE))
    mouse(page, (18, 6), (18, 6))
    mouse(page, (18.1, 6), (18.1, 6))
    check("editor: a click on a beacon selects it, and hangs no second one", page.run(
        f"{EXHIBITS} === 26 && document.getElementById('field-number').value === '902'"))
    save(page)
    click(page, "#undo")
    check("editor: undo reports when it passes the last save", page.run(MESSAGE).startswith("This was saved already"), page.run(MESSAGE))
    click(page, "#redo")
    text = plan.read_text(encoding="utf-8")
    check("editor: a text of several lines and quotes is in the file, and no invented translation", all(part in text for part in [
        "craters", "And seas.", "Mondglobus", 'title: { "en": "Orrery" }', "Antique sundial"]) and "Twin" not in text, text[-400:])
    comments = [line for line in PLAN.read_text(encoding="utf-8").splitlines() if line.lstrip().startswith("//")]
    check("editor: the comments of the file stay", all(line in text for line in comments))
    result = subprocess.run([beaconctl, "museum", "plan", "check", str(plan)], capture_output=True, text=True)
    check("editor: the plan is valid, and its gaps are named", "26 exhibits" in result.stdout and "de: 2 texts are missing" in result.stderr
          and "no text is given for 'Orrery'" in result.stderr, result.stdout + result.stderr)
    paste(page, "Nr.,Room,title,viewing\n904,Sea,\"Kite, red\",40\n")
    click(page, "#use-table")
    check("editor: cells between commas are a table too", page.run("[...document.querySelectorAll('#exhibits li')].at(-1).textContent") == "904 Kite, red (no place)")
    check("editor: and the next step is named", page.run(MESSAGE).startswith("“Kite, red” has no place yet: choose “Place a beacon”"), page.run(MESSAGE))
    page.run("document.querySelector('#exhibits li:last-child button').click()")
    check("editor: a table has short names of columns, and viewing times", page.run("document.getElementById('field-viewing').value") == "40")
    paste(page, "number,room,major,minor\n904,Sea,77,5\n801,Sky,78,\n802,Sky,79,\n803,Weight,77,\n804,Weather,70000,\n")
    check("editor: majors of a table that contradict others are named", page.run(notes)[1:] == [
        "Row 4 is not used. “Sky” has the major 78 already.", "Row 5 is not used. “Sea” has the major 77 already.",
        "Row 6 is not used. “70000” is not a number from 0 to 65535."], page.run(notes))
    click(page, "#use-table")
    save(page)
    text = plan.read_text(encoding="utf-8")
    result = subprocess.run([beaconctl, "museum", "plan", "check", str(plan)], capture_output=True, text=True)
    check("editor: a room gets the major of the table with all of its exhibits, an exhibit the minor", "28 exhibits" in result.stdout
          and "major: 77" in text and "major: 78" in text and "room: 77, minor: 5" in text, result.stdout + result.stderr + text[-400:])
    quiet(page, "editor, a table")
    page.run("window.onbeforeunload = null")
    page.close()


def corrections(browser, beaconctl, folder, servers):
    """Faults lead to their fields and leave the list when they are corrected; rooms and doors snap; fields and numbers have room."""
    plan = folder / "corrections.json5"
    plan.write_text(PLAN.read_text(encoding="utf-8"), encoding="utf-8")
    servers.append(Editor(beaconctl, plan))
    page = Page(browser, servers[-1].address, width=1280, height=1000)
    page.wait("document.querySelectorAll('#plan .spot').length > 20")
    click(page, "#museum-0")
    uuid = page.run("document.getElementById('field-uuid').value")
    check("editor: a UUID fits its field", page.run(
        "(() => { const e = document.getElementById('field-uuid'); return e.value.length === 36 && e.scrollWidth <= e.clientWidth; })()"))
    fill(page, "field-uuid", "F78")
    click(page, "#exhibit-3")
    fill(page, "field-text-en", "")
    click(page, "#room-0")
    click(page, "#save")
    page.wait("document.querySelectorAll('#message .fault').length === 2")
    check("editor: the first fault's field is selected", page.run(ACTIVE) == "field-uuid", page.run(ACTIVE))
    fill(page, "field-uuid", uuid)
    page.wait("document.querySelectorAll('#message .fault').length === 1")
    click(page, "#message .fault")
    check("editor: a corrected fault leaves the list, and the other leads to the text in its language", page.run(ACTIVE) == "field-text-en", page.run(ACTIVE))
    fill(page, "field-text-en", "A clock.")
    page.wait(f"{MESSAGE}.trim() === ''")
    fill(page, "field-number", "99999")
    widest = page.run("Math.max(...[...document.querySelectorAll('#plan circle + text')].map((e) => e.getBBox().width))")
    check("editor: a number of five digits fits its circle", 0 < widest < 0.9, widest)
    page.run("scrollTo(0, 0)")
    tool(page, "room")
    mouse(page, (10.3, 14.2), (15, 17), (19.8, 18.2))
    corners = [page.run(f"document.getElementById('field-corner{side}').value") for side in ["Right-A", "Down-A", "Right-C", "Down-C"]]
    check("editor: a room snaps to its neighbors and to half meters", corners == ["10", "14", "20", "18"], corners)
    check("editor: a room has a sentence on its major", page.run("document.getElementById('field-major-help').textContent").startswith("The number that"))
    page.run("document.getElementById('field-major').value = ''")
    fill(page, "field-major", "")
    page.run("scrollTo(0, 0)")
    tool(page, "beacon")
    mouse(page, (15, 16), (15, 16))
    check("editor: a room without a major is named, with the field", page.run(MESSAGE) == (
        "“Room 6” has no number for its beacons; give it one under “Major”."), page.run(MESSAGE))
    check("editor: and the focus stays", page.run(ACTIVE) == "", page.run(ACTIVE))
    tool(page, "room")
    page.run("scrollTo(0, 0)")
    mouse(page, (0.3, 14.3), (5, 17), (4.8, 17.2), keys=8)
    corners = [page.run(f"Number(document.getElementById('field-corner{side}').value) % 0.5 !== 0") for side in ["Right-A", "Down-A"]]
    check("editor: with Shift a room is drawn freely", corners == [True, True], corners)
    tool(page, "door")
    page.run("scrollTo(0, 0)")
    mouse(page, (15.2, 14.3), (15.2, 14.3))
    place = "[document.getElementById('field-right').value, document.getElementById('field-down').value]"
    check("editor: a door snaps to the nearest wall", page.run(place) == ["15.2", "14"], page.run(place))
    mouse(page, (15.2, 15), (15.2, 15))
    check("editor: but not from afar", page.run(place) == ["15.2", "15"], page.run(place))
    tool(page, "select")
    mouse(page, (15.2, 15), (15.6, 17.8))
    check("editor: also one that is dragged", page.run(place) == ["15.6", "18"], page.run(place))
    fill(page, "floor-width", "60")
    fill(page, "floor-depth", "50")
    check("editor: the size of the drawing is set in meters", page.run("document.getElementById('plan').getAttribute('viewBox')") == "-1 -1 62 52")
    others = [c for c in page.complaints if not refused(c)]
    check("editor, corrections: no other error on the console", not others, others)
    page.run("window.onbeforeunload = null")
    page.close()


def widths(browser, beaconctl, folder, servers):
    """The page with an exhibit and with a room chosen, in each width and style, with the keyboard."""
    plan = folder / "widths.json5"
    plan.write_text(PLAN.read_text(encoding="utf-8"), encoding="utf-8")
    servers.append(Editor(beaconctl, plan))
    for width in [1400, 768, 360]:
        for dark in [False, True]:
            page = Page(browser, servers[-1].address, width=width, height=800, dark=dark)
            page.wait("document.querySelectorAll('#plan .spot').length > 20")
            for chosen in ["exhibit-5", "room-0"]:
                page.run(f"document.getElementById('{chosen}').click()")
                page.run("document.activeElement.blur()")
                what = f"editor, {width} px, {'dark' if dark else 'light'}, {chosen}"
                faultless(page, what)
                contrast(page, what, drawn=False)
            quiet(page, f"editor, {width} px")
            page.close()
