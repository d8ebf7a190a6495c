# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Counts phrases that a reader has to translate, and fails where there are more of one than words.json allows.

  words.py            compares the counts with words.json
  words.py --update   lowers the numbers of words.json to what is counted; it never raises one
  words.py --show TIC prints each place of a phrase, by its name in words.json

The rule (docs/CONTRIBUTING.md): name the thing, one verb for one relation, the subject first.
"""

import json
import re
import sys

from pathlib import Path

from swift_files import ROOT, swift_files

LIMITS = Path(__file__).with_name("words.json")
# The places in which phrases are counted; glossaries quote the words of others.
PLACES = ["docs", "Sources", "Tests", "tools"]

# Comments, strings and names in backticks; identifiers of code are not counted.
_SWIFT = re.compile(r'//[^\n]*|/\*.*?\*/|""".*?"""|"(?:\\.|[^"\\\n])*"|`[^`\n]+`', re.DOTALL)
_PYTHON = re.compile(r'#[^\n]*|""".*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_SHELL = re.compile(r'(?:^|(?<=\s))#[^\n]*|"(?:\\.|[^"\\])*"', re.MULTILINE)
TOKENS = {".swift": _SWIFT, ".c": _SWIFT, ".py": _PYTHON, ".sh": _SHELL}
INTERPRETERS = {"python": _PYTHON, "bash": _SHELL}

TICS = {
    "negated pronoun: is none, one that is not": r"\b(?:is|are|was|were|has|have) none\b|\bone that is (?:not|no)\b|\bthat (?:is|are) no(?:ne)?\b|\bof which no\b",
    "is no NOUN": r"\b(?:is|are|was) no (?!longer|more|less|such|one)[a-z]+\b",
    "what-clause for a noun": r"\bwhat (?:it|he|a|the|was|is|has|no|one|others?|they|users?|programs?|comes?|came|somebody|someone|nobody|waits|happens|changed|lasts)\b",
    "who-clause for a noun": r"(?:^|[.:;,] |/// )(?:who|whoever) (?:asks|is|was|has|cannot|can|sends|gives|reads|only|waited|runs|wants|takes|may|listens|comes)\b",
    "says for contains, reports, states": r"\b(?:says?|said)\b",
    "nobody, somebody": r"\b(?:nobody|somebody|anybody)\b",
    "beside": r"\bbeside\b",
    "behind for after": r"\bbehind (?:it|a|the|them|this|that|one)\b",
    "goes on for continues": r"\b(?:goes|go|going|went) on\b",
    "at once": r"\bat once\b",
    "meanwhile": r"\bmeanwhile\b",
    ", too": r", too\b",
    "of its own": r"\bof (?:its|their|his|our) own\b",
    "alone for only": r"\b[a-z]+ alone\b",
    "where for if": r"(?<![a-z])where (?:no|none|nothing|nobody|a|the|it|there|one|they|all|that|this)\b",
    "shall, hence, thus": r"\b(?:shall|hence|thus|thereby|therein|whereupon)\b",
    "gives way, holds": r"\bgives? way\b|\b(?:hold|holds) (?:for|where|back|here|too)\b",
    "and none": r"\b(?:and|that|has|had|with) none\b",
    "told": r"\btold\b",
    "hear, heard": r"\b(?:hear|hears|heard)\b",
    "lasts": r"\blasts\b|\bwhat lasts?\b",
    "of of of": r"\bof \w+(?: \w+)? of \w+(?: \w+)? of \b",
    "anew, mends, wont": r"\b(?:anew|mends?|mended|wont to|heeds?|heeded)\b",
}


def files(place):
    """Returns the files of a place: pages, Swift files, scripts."""
    if place == "docs":
        pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/decisions").glob("*.md"))]
        return [page for page in pages if not page.name.startswith(("glossary", "CHANGELOG"))]
    if place == "tools":
        ours = Path(__file__).name
        return [path for path in sorted((ROOT / "tools").rglob("*"))
                if path.is_file() and path.suffix in ("", ".py", ".sh", ".swift", ".c") and path.name not in (ours, "copyright") and "__pycache__" not in path.parts]
    return swift_files(place)


def prose(path):
    """Returns the text of a page, or the comments, the strings of several words and the test names of a source, at their lines."""
    text = path.read_text(encoding="utf-8")
    first = text.split("\n", 1)[0]
    token = TOKENS.get(path.suffix) or next((token for name, token in INTERPRETERS.items() if name in first), None)
    if not token:
        return text
    kept, end = [], 0
    for match in token.finditer(text):
        kept.append(re.sub(r"[^\n]", " ", text[end:match.start()]))
        is_name = match[0][0] in "\"'`" and " " not in match[0]
        kept.append(re.sub(r"[^\n]", " ", match[0]) if is_name else match[0])
        end = match.end()
    return "".join(kept)


def occurrences(pattern, place):
    """Yields each place of a phrase as (path, line number, line)."""
    for path in files(place):
        for number, line in enumerate(prose(path).split("\n"), 1):
            for _ in pattern.finditer(line):
                yield path.relative_to(ROOT), number, line.strip()


def counted():
    """Returns how often each phrase occurs in each place."""
    texts = {place: [prose(path) for path in files(place)] for place in PLACES}
    compiled = {tic: re.compile(pattern, re.IGNORECASE | re.MULTILINE) for tic, pattern in TICS.items()}
    return {
        tic: {place: sum(len(pattern.findall(text)) for text in texts[place]) for place in PLACES}
        for tic, pattern in compiled.items()
    }


def main():
    if sys.argv[1:2] == ["--show"]:
        pattern = re.compile(TICS[sys.argv[2]], re.IGNORECASE)
        for place in PLACES:
            for path, number, line in occurrences(pattern, place):
                print(f"{path}:{number}: {line}")
        return
    limits = json.loads(LIMITS.read_text(encoding="utf-8")) if LIMITS.exists() else {}
    counts = counted()
    if sys.argv[1:] == ["--update"]:
        lower = {
            tic: {place: min(count, limits.get(tic, {}).get(place, count)) for place, count in places.items()}
            for tic, places in counts.items()
        }
        LIMITS.write_text(json.dumps(lower, indent=2) + "\n", encoding="utf-8")
        return
    more = [
        f"{place}: {count} times '{tic}', and words.json allows {limits.get(tic, {}).get(place, 0)}"
        for tic, places in counts.items() for place, count in places.items() if count > limits.get(tic, {}).get(place, 0)
    ]
    total = {place: sum(places[place] for places in counts.values()) for place in PLACES}
    print(", ".join(f"{place} {count}" for place, count in total.items()))
    if more:
        sys.exit("\n".join(more) + "\nwrite these sentences in other words; 'words.py --show TIC' lists the places")


main()
