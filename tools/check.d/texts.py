# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Checks that the styles and pages in Sources are well formed: a browser repairs errors in silence.

Scripts are checked by node, and phrase tables by the build (Plugins/EmbedTextTool).
"""

import re
import subprocess
from html.parser import HTMLParser

from swift_files import ROOT, report

# Elements of HTML without contents and end.
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
COMMENT_OR_STRING = re.compile(r"/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)
DECLARATION = re.compile(r"\s*[-\w]+\s*:\s*[^:]*\S\s*", re.DOTALL)


class Page(HTMLParser):
    """Finds elements that are not closed, ends without a start, and ids or attributes that occur twice."""

    def __init__(self, path):
        super().__init__()
        self.path, self.open, self.ids, self.findings = path, [], set(), []

    def fault(self, text):
        self.findings.append((self.path, self.getpos()[0], text))

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        names = [name for name, _ in attrs]
        for name in {name for name in names if names.count(name) > 1}:
            self.fault(f"<{tag}> has the attribute {name} twice")
        for name, value in attrs:
            if name == "id" and value in self.ids:
                self.fault(f"the id {value} occurs twice")
            if name == "id":
                self.ids.add(value)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.fault(f"</{tag}> ends no element that is open")

    def close(self):
        super().close()
        if self.open:
            self.fault(f"not closed: {', '.join(self.open)}")
        return self.findings


def page(path, text):
    """Returns the errors of a page."""
    parser = Page(path)
    parser.feed(text)
    return parser.close()


def style(path, text):
    """Yields the errors of a style sheet: braces, and declarations without a name or a value."""
    text = COMMENT_OR_STRING.sub(lambda match: re.sub(r"[^\n]", "_", match[0]), text)
    depth, start, line = 0, 0, 1
    for index, sign in enumerate(text):
        line += sign == "\n"
        if sign not in "{};":
            continue
        words = text[start:index]
        start = index + 1
        if sign == "{":
            depth += 1
            if not words.strip():
                yield path, line, "a block without a selector"
            continue
        if words.strip() and (depth == 0 or not DECLARATION.fullmatch(words)):
            yield path, line, f"not a declaration: {words.strip()}"
        if sign == "}":
            depth -= 1
            if depth < 0:
                yield path, line, "a } that closes no block"
                return
    if depth or text[start:].strip():
        yield path, line, "a block is not closed"


def self_test():
    """Each of these faults is found."""
    for check, text in [
        (page, "<p><b></p>"), (page, "<p>"), (page, "</p>"), (page, '<p id="a"></p><p id="a"></p>'), (page, '<p a="" a=""></p>'),
        (style, "a{b:c"), (style, "a{b:c}}"), (style, "a{b}"), (style, "{b:c}"), (style, "a{b:c d:e}"), (style, "a{b:c}d;"),
    ]:
        assert list(check(ROOT, text)), text
    for check, text in [(page, "<!doctype html><p>a<br>{0}<svg><g/></svg></p>"), (style, "@media (a){b:c{d:e;f:\"}\"}}g{h:i}")]:
        assert not list(check(ROOT, text)), text


self_test()
listed = subprocess.run(
    ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "Sources"],
    cwd=ROOT, capture_output=True, check=True, text=True,
).stdout
findings = []
for name in sorted(filter(None, listed.split("\0"))):
    check = page if name.endswith(".html") else style if name.endswith(".css") else None
    if check and (ROOT / name).exists():
        findings += check(ROOT / name, (ROOT / name).read_text(encoding="utf-8"))
report(findings, "texts")
