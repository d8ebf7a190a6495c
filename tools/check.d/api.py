# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Compares the public symbols of the libraries with those of the last release, of which Fixtures/api has a list for each product.

  api.py FOLDER            compares the symbol graphs in FOLDER with the lists
  api.py FOLDER --update   writes the lists, as tools/release does
  api.py --self-test       checks that a symbol that is gone, or has another declaration, is found

A symbol of a stable product that is gone or changed is an error, unless the change log has a section Changed or Removed for it. The table
of docs/api-stability.md lists the stable products. Before the first release nothing is promised: differences are counted.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LISTS = ROOT / "Fixtures/api"
# Those that another product exports again are listed there only.
BELOW = {"Beacons": ["BeaconCore"], "BeaconBlueZ": ["BeaconCore", "Beacons"], "BeaconService": ["BeaconCore", "Beacons"]}


def graph(folder, product):
    """Returns the public symbols of a product: the precise name, and a line with kind, path and declaration."""
    found = {}
    for path in [folder / f"{product}.symbols.json", *sorted(folder.glob(f"{product}@*.symbols.json"))]:
        for symbol in json.loads(path.read_text())["symbols"]:
            precise = symbol["identifier"]["precise"]
            if "::SYNTHESIZED::" not in precise:
                text = " ".join("".join(part["spelling"] for part in symbol.get("declarationFragments", [])).split())
                found[precise] = f"{'.'.join(symbol['pathComponents'])}: {text}"
    return found


def symbols(folder, product):
    """Returns the lines of a product, without those that it only exports again."""
    others = {precise for other in BELOW.get(product, []) for precise in graph(folder, other)}
    return sorted({line for precise, line in graph(folder, product).items() if precise not in others})


def products():
    """Yields each product of the page's table, and whether it is stable."""
    page = (ROOT / "docs/api-stability.md").read_text()
    for name, promise in re.findall(r"^\| `(\w+)` \| [^|]* \| ([^|]*) \|$", page, re.MULTILINE):
        yield name, promise.startswith(("stable", "as stable"))


def broken(before, now):
    """Returns the lines of before that are gone."""
    return [line for line in before if line not in set(now)]


def self_test():
    before = ["A: struct A", "A.b: var b: Int", "A.c: var c: Int"]
    if broken(before, ["A: struct A", "A.b: var b: Int?", "A.e: var e: Int"]) != before[1:3]:
        sys.exit("api: symbols that are gone or changed are not found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    folder, faults, changes = Path(sys.argv[1]), [], 0
    log = (ROOT / "docs/CHANGELOG.md").read_text()
    is_released = re.search(r"^## \d", log, re.MULTILINE)
    is_named = re.search(r"^### (Changed|Removed)$", re.split(r"^## \d", log, flags=re.MULTILINE)[0], re.MULTILINE)
    for name, is_stable in products():
        now, kept = symbols(folder, name), LISTS / f"{name}.txt"
        if sys.argv[2:] == ["--update"]:
            LISTS.mkdir(parents=True, exist_ok=True)
            kept.write_text("\n".join(now) + "\n")
            continue
        gone = broken(kept.read_text().splitlines(), now)
        changes += len(gone)
        faults += [f"{name}: {line}" for line in gone] if is_stable else []
    print(*faults[:40], f"api: {changes} public symbols differ from those of the last release, {len(faults)} of them in stable products", sep="\n")
    if faults and is_released and not is_named:
        sys.exit("a stable name may go only with a section Changed or Removed in docs/CHANGELOG.md (docs/api-stability.md)")


main()
