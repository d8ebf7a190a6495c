# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Finds the project's Swift files and reads them without comments and strings."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# Comments, and strings with their escapes; raw and multi-line strings first, since they begin like the plain ones.
# Interpolated code inside a string is blanked with it: a rule can miss a trap there, and cannot cry wolf.
_NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|(#+)".*?"\1|""".*?"""|"(?:\\.|[^"\\\n])*"',
    re.DOTALL,
)


def swift_files(*folders):
    """Yields the tracked and the new Swift files under some folders, sorted."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders],
        cwd=ROOT, capture_output=True, check=True, text=True,
    ).stdout
    names = sorted({name for name in listed.split("\0") if name.endswith(".swift")})
    return [ROOT / name for name in names if (ROOT / name).exists()]


def module_of(path):
    """Returns the module of a file below Sources or Tests, and its path from the module on: rooms hold modules, but for the program."""
    parts = path.relative_to(ROOT).parts[1:]
    inside = parts if len(parts) < 3 or parts[0] in ("beaconctl", "EndToEndTests") else parts[1:]
    return inside[0], "/".join(inside)


def code_of(text):
    """Returns the lines of a source with comments and strings blanked, so that line numbers stay."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group(0))
    return _NO_CODE.sub(blank, text).split("\n")


def code_lines(path):
    """Returns the lines of a file with comments and strings blanked, so that line numbers stay."""
    return code_of(path.read_text(encoding="utf-8"))


def report(findings, rule):
    """Prints findings as `path:line: text` and ends the program with their verdict."""
    for path, line, text in findings:
        print(f"{path.relative_to(ROOT) if path.is_absolute() else path}:{line}: {text}")
    if findings:
        sys.exit(f"{rule}: {len(findings)} found")
