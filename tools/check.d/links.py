# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Checks the pages: each relative link leads to a file and to a heading in it, and each index lists all of its pages.

docs/README.md lists every page of docs/, and docs/decisions/README.md every decision. A page shows each picture of docs/pictures, and
each table has a header. Types and files that the pages for developers name in backticks exist. The version that a page tells a reader to
download is that of the sources, and each address of the project names its owner; tools/release sets them.

  links.py              checks the pages
  links.py --self-test  checks that a name without a type or file is found
"""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

from swift_files import ROOT, code_of, report, swift_files

# `[text](target)` and `![text](target "title")`; the target has no spaces.
LINK = re.compile(r"\]\(\s*<?([^\s()<>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
OTHER = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
FENCE = re.compile(r"^\s*(```+|~~~+)")
CODE = re.compile(r"(`+)(?:(?!\1).)*\1")
# The line between the header of a table and its rows.
RULE = re.compile(r"^\|[\s:|-]+\|$")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
ANCHOR = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")

# Pages whose names in backticks are types or files of the project: `RunCore`, `Gate.deliver`, `Event.swift`, `tools/check.d/house.py`.
NAMING = [Path("docs/architecture.md"), Path("docs/CONTRIBUTING.md"), Path("docs/api-stability.md")]
NAME = re.compile(r"(?<!`)`([A-Z]\w*[a-z]\w*)(?!\.(?:swift|md)`)(?:\.\w+(?:\([\w:]*\))?)?`")
FILE = re.compile(r"(?<!`)`((?:[\w.+-]+/)*[\w+-]+\.(?:swift|py|sh|c|md|ini|js|css|html|txt)|(?:tools|Sources|Tests|Fixtures|docs)/[\w./+-]+)`")

# A type in a drawing.
DRAWN = re.compile(r"\b[A-Z][a-z]+[A-Z]\w+\b")

# Versions that a reader types: in the name of a package's file, and in a program's `Package.swift`.
RELEASE = re.compile(r"beaconctl_(\d+\.\d+\.\d+)-\d|from: \"(\d+\.\d+\.\d+)\"")
VERSION = re.search(r'static let version = "(.*)"', (ROOT / "Sources/Library/Beacons/Library.swift").read_text())[1]

# The account in an address of the project, which tools/release --owner sets in all of them.
ADDRESS = re.compile(r"(?:github\.com|ghcr\.io)/([\w-]+)/(?:swift-beacons|beaconctl)|https://([\w-]+)\.github\.io/swift-beacons")
ADDRESSING = ["*.md", "*.yml", "*.yaml", "*/Dockerfile"]
OWNER = re.search(r"^owner=(.*)$", (ROOT / "tools/common.sh").read_text(), re.MULTILINE)[1]

# A folder's index, and the pages that it need not list.
INDEXES = {
    Path("docs/README.md"): {"README.md"},
    Path("docs/decisions/README.md"): {"README.md", "0000-template.md"},
}


def pages(*kinds):
    """Returns the tracked and the new pages, or files of other kinds."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *(kinds or ["*.md"])],
        cwd=ROOT, capture_output=True, check=True, text=True,
    ).stdout
    return sorted({Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()})


def prose(page):
    """Yields the number and the text of each line that is not in a block of code."""
    fence = None
    for number, line in enumerate((ROOT / page).read_text(encoding="utf-8").split("\n"), 1):
        match = FENCE.match(line)
        if match and (fence is None or match[1].startswith(fence)):
            fence = match[1] if fence is None else None
        elif fence is None:
            yield number, line


def slug(heading):
    """Returns the anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(page):
    """Returns the names that a link can have after `#`."""
    found, seen = set(), {}
    for _, line in prose(page):
        found.update(ANCHOR.findall(line))
        match = HEADING.match(line)
        if match:
            name = slug(match[1])
            times = seen.get(name, 0)
            seen[name] = times + 1
            found.add(f"{name}-{times}" if times else name)
    return found


def links(page):
    """Yields each relative link of a page with its line: the path as written, and the anchor."""
    for number, line in prose(page):
        for target in LINK.findall(CODE.sub(lambda code: "`" * len(code[0]), line)):
            if not OTHER.match(target):
                path, _, anchor = target.partition("#")
                yield number, unquote(path), unquote(anchor)


def broken(page, known):
    """Yields the broken links of a page; `known` keeps the anchors of pages that were read."""
    for number, path, anchor in links(page):
        if path.startswith("/"):
            yield ROOT / page, number, f"{path} is absolute: a link is relative to its page"
            continue
        target = (ROOT / page.parent / path).resolve() if path else (ROOT / page).resolve()
        if not target.is_relative_to(ROOT) or not target.exists():
            yield ROOT / page, number, f"{path} is not there"
        elif anchor and target.suffix == ".md":
            if target not in known:
                known[target] = anchors(target.relative_to(ROOT))
            if anchor not in known[target]:
                yield ROOT / page, number, f"{path or page.name} has no heading or anchor #{anchor}"


def unlisted(index, spared, every):
    """The pages of an index's folder that the index does not link to."""
    listed = {(ROOT / index.parent / path).resolve() for _, path, _ in links(index) if path}
    for page in every:
        if page.parent == index.parent and page.name not in spared and (ROOT / page).resolve() not in listed:
            yield ROOT / index, 1, f"does not list {page.name}"


def headless(page):
    """Rows of a table without a header, as a blank line in the middle of a table makes them."""
    lines = list(prose(page)) + [(0, "")]
    is_row = False
    for (number, line), (_, after) in zip(lines, lines[1:]):
        if line.startswith("|") and not is_row and not RULE.match(after):
            yield ROOT / page, number, "a table begins without a header"
        is_row = line.startswith("|")


def outdated(page):
    """The versions to download that are not the one of the sources."""
    for number, line in enumerate((ROOT / page).read_text(encoding="utf-8").split("\n"), 1):
        for found in RELEASE.finditer(line):
            if VERSION not in found.groups():
                yield ROOT / page, number, f"{found[0]}: the version is {VERSION}"


def others_addresses(names):
    """Yields the addresses of the project that name another owner."""
    for name in names:
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").split("\n"), 1):
            for found in ADDRESS.finditer(line):
                if OWNER not in found.groups():
                    yield ROOT / name, number, f"{found[0]}: the owner is {OWNER} (tools/common.sh)"


def unused(every):
    """The pictures that no page shows."""
    shown = {(ROOT / page.parent / path).resolve() for page in every for _, path, _ in links(page) if path}
    for picture in sorted((ROOT / "docs/pictures").iterdir()):
        if picture not in shown:
            yield picture, 1, "no page shows it"


def unnamed(lines, words, paths):
    """Yields each name in backticks that is neither a word of the code nor a file or folder, with its line."""
    for number, line in lines:
        for name in NAME.findall(line) or DRAWN.findall(line) * ("`" not in line and "─" in line):
            if name not in words and not any(name in path.split("/") for path in paths):
                yield number, f"`{name}` is not a name of the code"
        for name in FILE.findall(line):
            if not any(f"/{path}".endswith("/" + name.rstrip("/")) for path in paths):
                yield number, f"`{name}` does not exist"


def tree():
    """Returns the words of the code, and the paths of all files and folders."""
    words = {word for path in swift_files("Sources", "Tests", "Plugins", "Package.swift")
             for word in re.findall(r"\w+", "\n".join(code_of(path.read_text(encoding="utf-8"))))}
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
    return words, {str(part) for name in listed if name for part in (Path(name), *Path(name).parents)}


def self_test():
    """Plants names that do not exist among names that do."""
    lines = [(1, "`RunCore`, `Gate.deliver` in `Gate.swift`"), (2, "`NoSuchType`"), (3, "`NoSuch.swift`"), (4, "`tools/no-such`"), (5, "─▶ NoReader")]
    found = [number for number, _ in unnamed(lines, {"RunCore", "Gate"}, {"Sources/Gate.swift", "tools"})]
    if found != [2, 3, 4, 5]:
        sys.exit(f"links: names that do not exist were found in the lines {found} instead of 2 to 5")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    every, findings, known = pages(), [], {}
    words, paths = tree()
    for page in NAMING:
        lines = enumerate((ROOT / page).read_text(encoding="utf-8").split("\n"), 1)
        findings += [(ROOT / page, number, text) for number, text in unnamed(lines, words, paths)]
    for page in every:
        findings += [*broken(page, known), *headless(page), *outdated(page)]
    for index, spared in INDEXES.items():
        if index in every:
            findings += unlisted(index, spared, every)
        else:
            findings.append((ROOT / index, 1, "is not there"))
    findings += unused(every)
    findings += others_addresses(pages(*ADDRESSING))
    report(findings, "links")


main()
