# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Checks citations: each cited row of behaviour is in docs/behaviour.md and each row is named by a test; no text cites a
document that is not here.

A citation is `row R18`, `rows A3 to A6, A26`, `law L1`, `rule T3`, `scenario AC5`, a bare `AC5`, or a link to
`behaviour.md#R18`. A row is a line of a table in docs/behaviour.md whose first cell is `<a id="R18"></a>R18`.

Tests are those of Tests, the scenarios and the scenarios of the virtual radio. A row of the sections Scope and Open points
is held by a row that it names; what lies outside the scope, and a row that is *not tested*, needs none.
"""

import re
import subprocess

from swift_files import ROOT, report

PAGE = ROOT / "docs/behaviour.md"
PLACES = ["Sources", "Tests", "tools", "docs", "Fixtures/scenarios", "Fixtures/*.md", "README.md", "Package.swift"]
# This file, and the words of licenses.
EXEMPT = ("tools/check.d/rows.py", "tools/package.d/debian/copyright")

ROW = re.compile(r'^\| <a id="(\w+)"></a>(\w+) \|')
ID = r"(?:AC\d+|[A-Z]\d+|A[a-z])\b"
CITATION = re.compile(
    rf"\b(?:[Rr]ow|[Ll]aw|[Rr]ule|[Ss]cenario)s? ({ID}(?:(?:, and|, or|,| and| or| to) {ID})*)"
)
SCENARIO = re.compile(r"\bAC\d{1,3}\b(?! [0-9A-F]{2}\b)")
LINK = re.compile(r"behaviour\.md#(\w+)")
RANGE = re.compile(r"\b([A-Z]+)(\d+) to \1(\d+)\b|\bA([a-l]) to A([a-l])\b")

# Where tests name the rows that they hold.
TESTS = ["Tests", "Fixtures/scenarios", "tools/virtual-radio.d/scenarios"]
NOT_TESTED = re.compile(r"\*not tested\*: \w", re.IGNORECASE)
OUTSIDE = re.compile(r"\| (?:outside|useful only if) ")
LISTS = re.compile(r"[CH]\d+$")
BARE = re.compile(rf"(?<![\w#\"]){ID}")

# What names a row or a document without saying one of this repository.
UNNAMED = [
    (re.compile(r"(?://|#|\()[^\"]*\b(?:rows?|laws?|rules?) \d"), "a row is cited with its letter, as in `row A2`"),
    (re.compile(r"\brows? [a-l](?=[,;:)])"), "a row is cited with its letter, as in `row Aa`"),
    (re.compile(r"\b[Ss]ections? \d|§"), "sections have no numbers here: cite a row of docs/behaviour.md"),
    (re.compile(r"\bDESIGN\b"), "DESIGN is not in the repository"),
]
DOCUMENT = re.compile(r"(?<![\w/.*-])((?:[\w.-]+/)*[\w-]+\.md)\b")


def tracked(*places):
    """Returns the tracked and the new files under some places."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *places],
        cwd=ROOT, capture_output=True, check=True, text=True,
    ).stdout
    return sorted({name for name in listed.split("\0") if name and (ROOT / name).is_file()})


def read_rows():
    """Returns the page's rows, and their faults."""
    rows, findings = [], []
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").split("\n"), 1):
        match = ROW.match(line)
        if match:
            if match[1] != match[2]:
                findings.append((PAGE, number, f"the anchor {match[1]} stands at row {match[2]}"))
            if match[2] in rows:
                findings.append((PAGE, number, f"row {match[2]} is there twice"))
            rows.append(match[2])
        elif re.match(rf"\| {ID} \|", line):
            findings.append((PAGE, number, "a row without an anchor"))
    if not rows:
        findings.append((PAGE, 1, "has no rows"))
    return set(rows), findings


def cited(line):
    """Yields each row that a line cites, those within a range too."""
    for text in [match[1] for match in CITATION.finditer(line)]:
        yield from re.findall(ID, text)
        for prefix, first, last, low, high in RANGE.findall(text):
            if prefix:
                yield from (f"{prefix}{number}" for number in range(int(first), int(last) + 1))
            else:
                yield from (f"A{chr(letter)}" for letter in range(ord(low), ord(high) + 1))
    yield from SCENARIO.findall(line)
    yield from (name for name in LINK.findall(line) if re.fullmatch(ID, name))


def citations(path, rows, documents):
    """Yields the missing citations of a file."""
    try:
        lines = (ROOT / path).read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError:
        return
    for number, line in enumerate(lines, 1):
        for row in sorted(set(cited(line)) - rows):
            yield ROOT / path, number, f"row {row} is not in docs/behaviour.md"
        for pattern, what in UNNAMED:
            if pattern.search(line):
                yield ROOT / path, number, f"{what}: {line.strip()[:100]}"
        for name in DOCUMENT.findall(line):
            if name.rsplit("/", 1)[-1] not in documents:
                yield ROOT / path, number, f"{name} is not in the repository"


def named_in_tests():
    """Returns the rows that tests name."""
    named = set()
    for path in tracked(*TESTS):
        try:
            lines = (ROOT / path).read_text(encoding="utf-8").split("\n")
        except UnicodeDecodeError:
            continue
        for line in lines:
            named.update(cited(line))
    return named


def listed_in(line):
    """Returns the rows that a row of a list names, those within a range too."""
    listed = set(BARE.findall(line))
    for prefix, first, last, low, high in RANGE.findall(line):
        if prefix:
            listed.update(f"{prefix}{number}" for number in range(int(first), int(last) + 1))
        else:
            listed.update(f"A{chr(letter)}" for letter in range(ord(low), ord(high) + 1))
    return listed


def untested():
    """Each row that no test names, though one should."""
    named = named_in_tests()
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").split("\n"), 1):
        match = ROW.match(line)
        if not match or match[1] in named or NOT_TESTED.search(line):
            continue
        if LISTS.match(match[1]):
            if OUTSIDE.search(line) or (listed_in(line) - {match[1]}) & named:
                continue
        yield PAGE, number, f"no test names row {match[1]}; name it in one, or write why it is *not tested*"


def main():
    rows, findings = read_rows()
    findings += untested()
    documents = {name.rsplit("/", 1)[-1] for name in tracked("*.md")}
    for path in tracked(*PLACES):
        if path not in EXEMPT:
            findings += citations(path, rows, documents)
    report(findings, "rows")


main()
