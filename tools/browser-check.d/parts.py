# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""The shared parts of the checks of pages: results, servers, and rules of every page."""

import os
import pathlib
import signal
import subprocess
import time
from urllib.parse import urlsplit

from browser import PATIENCE, Failure

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLAN = ROOT / "Fixtures/museum/plan.json5"
PICTURES = ROOT / "docs/pictures"
# The visit: the prompt is at 24 s, the location approximate from 150 s to 200 s.
SEED = "7"
ANSWERS = ROOT / "Fixtures/museum/demo-answers.json5"

results = []


def check(what, holds, detail=""):
    """Notes a result."""
    results.append(bool(holds))
    print(("ok    " if holds else "FAILED") + " " + what + (f": {detail}" if detail and not holds else ""), flush=True)


class Server:
    """A `museum serve` process for the checks."""

    def __init__(self, beaconctl, folder, *options, port=0, plan=PLAN):
        environment = dict(os.environ, XDG_STATE_HOME=str(folder))
        self.process = subprocess.Popen(
            [beaconctl, "museum", "serve", "--plan", str(plan), "--port", str(port), *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=environment, text=True,
        )
        lines = [self.process.stdout.readline().split() for _ in range(3)]
        if [line[0] for line in lines if line] != ["visitor", "operator", "code"]:
            raise Failure("museum serve does not print the addresses of its pages")
        self.visitor, self.operator, self.code = (line[1] for line in lines)
        self.port = urlsplit(self.visitor).port

    def stop(self):
        """Ends it like Ctrl-C, and returns its exit code and how long that took."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        try:
            code = self.process.wait(10 * PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        return code, time.monotonic() - began


# The relative luminance and contrast ratio of WCAG 2.2, of each visible text on the nearest background.
CONTRAST = """((DRAWN) => {
  const parse = (color) => {
    // `none` and a pattern have no separate color.
    const parts = color.startsWith('rgb') ? color.match(/[\\d.]+/g).map(Number) : [0, 0, 0, 0];
    return { rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1 };
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color.alpha === 1) return color.rgb;
    }
    return [255, 255, 255];
  };
  // A text of the class `on` stands with its middle on a shape that is drawn before it, the last of several.
  const under = (text) => {
    const point = new DOMPoint(Number(text.getAttribute('x')), Number(text.getAttribute('y')) - 4);
    const shapes = [...text.ownerSVGElement.querySelectorAll('rect, circle, path')];
    return shapes.filter((shape) => shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)
      .filter((shape) => parse(getComputedStyle(shape).fill).alpha === 1 && shape.isPointInFill(point)).pop();
  };
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || element.closest('noscript') || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const isDrawn = element instanceof SVGElement;
    if (isDrawn && !DRAWN) continue;
    let back = ground(element);
    // A number with a halo stands next to its disc.
    const [isOn, isBeside] = ['on', 'halo'].map((name) => element.classList.contains(name));
    const shape = isDrawn && !isBeside
      && (isOn ? under(element) : element.parentElement.querySelector(':scope > circle'));
    const fill = shape && parse(getComputedStyle(shape).fill);
    if (fill && fill.alpha === 1) back = fill.rgb;
    const [a, b] = [light(parse(isDrawn ? style.fill : style.color).rgb), light(back)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    found.push([Math.round(ratio * 100) / 100, element.tagName + ' ' + element.textContent.trim().slice(0, 30)]);
  }
  return found.sort((a, b) => a[0] - b[0]);
})"""


def contrast(page, what, drawn=True):
    """Checks the contrast of texts; in a drawing of texts on the page, on a disc or on a bar."""
    found = page.run(f"{CONTRAST}({str(drawn).lower()})")
    check(f"{what}: {len(found)} texts, the least contrast is 4.5 or more (here {found[0][0]})", found[0][0] >= 4.5, found[0])


def nothing_outside(page, what, origin):
    outside = [u for u in page.requests if not (u.startswith(origin) or u.startswith("data:") or u == "about:blank")]
    check(f"{what}: requests nothing from outside ({len(page.requests)} requests)", page.requests and not outside, outside)


def quiet(page, what):
    check(f"{what}: no error on the console", not page.complaints, page.complaints)


def focusable(page, count):
    """The texts that the Tab key reaches."""
    seen = []
    for _ in range(count):
        page.press("Tab", 9)
        seen.append(page.run("document.activeElement.textContent.trim()"))
    return seen


def refused(complaint):
    """Whether a complaint is only the browser's note that the server refused a request."""
    return complaint[0] == "network" and "status of 4" in complaint[1]


# Plans in the languages of the pages: the sample's texts stay, in a separate language.
LANGUAGES = ["en", "de", "fr", "es", "it"]
