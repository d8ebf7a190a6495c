# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Checks each Swift file: its license header, no XCTest, and nothing that traps or races without a reason.

A trap that has a reason stands in `allowed-traps.txt`, one a line: `path | the code line, trimmed | the reason`.
"""

import re
import subprocess

from swift_files import ROOT, code_lines, module_of, report, swift_files

HEADER = [
    "// SPDX-License-Identifier: Apache-2.0",
    "// Part of Beacons; see LICENSE and docs/architecture.md.",
    "",
]

# What ends the process on outside input, or takes a check of the compiler away.
TRAPS = [
    (re.compile(r"\btry!"), "try! traps on an error"),
    (re.compile(r"\bas!"), "as! traps on another type"),
    (re.compile(r"[\w)\]>](?<!\btry)(?<!\bas)!(?![=\w])"), "! traps on nil"),
    (re.compile(r"\bfatalError\("), "fatalError ends the process"),
    (re.compile(r"\bunsafelyUnwrapped\b"), "unsafelyUnwrapped is undefined on nil"),
    (re.compile(r"@unchecked\s+Sendable"), "@unchecked Sendable needs the lock that makes it true"),
    (re.compile(r"nonisolated\(unsafe\)"), "nonisolated(unsafe) needs the reason that makes it true"),
    (re.compile(r"\bunsafeBitCast\b"), "unsafeBitCast"),
]
XCTEST = re.compile(r"^\s*(?:@testable\s+)?import\s+XCTest\b")


def headers(path):
    """A file begins with the license header."""
    found = path.read_text(encoding="utf-8").split("\n")[:3]
    if found != HEADER:
        yield path, 1, "does not begin with the license header and a blank line"


def traps(path, allowed):
    """Nothing in Sources traps or races without a written reason."""
    source = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(code_lines(path), 1):
        for pattern, what in TRAPS:
            if not pattern.search(line):
                continue
            key = (str(path.relative_to(ROOT)), source[number - 1].strip())
            if key in allowed:
                allowed[key] = True
            else:
                yield path, number, f"{what}: {key[1]}"


def read_allowed():
    """Returns the allowed traps as {(path, line): whether it was met}."""
    allowed = {}
    for line in (ROOT / "tools/check.d/allowed-traps.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            path, code, reason = (part.strip() for part in line.split(" | ", 2))
            assert reason, f"no reason: {line}"
            allowed[path, code] = False
    return allowed


def waiting_tests():
    """Returns the pattern of the tests that run one at a time, from common.sh."""
    script = 'source tools/common.sh; printf %s "$waiting_tests"'
    return re.compile(subprocess.check_output(["bash", "-c", script], cwd=ROOT, text=True))


def limits(path, waiting):
    """A test with a short time limit runs one at a time: among hundreds of others it passes while the test waits for a thread."""
    module, _ = module_of(path)
    suite = ""
    for number, line in enumerate(code_lines(path), 1):
        if found := re.search(r"^(?:@Suite.*)?\b(?:struct|class|extension) (\w+)", line):
            suite = found[1]
        if not re.search(r"\.timeLimit\(\.minutes\([1-9]\)\)", line):
            continue
        if not waiting.search(f"{module}.{suite or path.stem}"):
            yield path, number, f"has a time limit, but waiting_tests of common.sh does not name {module}.{suite}"


def main():
    findings = []
    allowed = read_allowed()
    for path in swift_files("Sources", "Tests", "Plugins"):
        findings += headers(path)
        for number, line in enumerate(code_lines(path), 1):
            if XCTEST.match(line):
                findings.append((path, number, "tests are written with Swift Testing, not XCTest"))
    waiting = waiting_tests()
    for path in swift_files("Tests"):
        findings += limits(path, waiting)
    for path in swift_files("Sources", "Plugins"):
        findings += traps(path, allowed)
    for (path, code), met in allowed.items():
        if not met:
            findings.append((ROOT / "tools/check.d/allowed-traps.txt", 0, f"stale: {path} | {code}"))
    report(findings, "sources")


main()
