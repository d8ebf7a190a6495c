# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Computes the screen of a terminal of 80 by 24, for the sequences that our view sends; any other sequence is an error."""

import re
import unicodedata

COLUMNS, ROWS = 80, 24
SEQUENCE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")


class Terminal:
    def __init__(self):
        self.clear()
        self.x = self.y = 0
        self.modes: dict[str, bool] = {}

    def clear(self):
        self.cells = [[" "] * COLUMNS for _ in range(ROWS)]

    @property
    def lines(self) -> list[str]:
        return ["".join(row).rstrip() for row in self.cells]

    def feed(self, text: str):
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                self.put(text[at])
                at += 1
                continue
            found = SEQUENCE.match(text, at)
            if not found:
                raise ValueError(f"an unknown sequence: {text[at : at + 8]!r}")
            self.obey(*found.groups())
            at = found.end()

    def obey(self, private: str, numbers: str, final: str):
        if private and final in "hl":
            self.modes[numbers] = final == "h"
        elif final == "H":
            row, column = (int(number or 1) for number in (numbers or "1;1").split(";"))
            self.y, self.x = row - 1, column - 1
        elif final == "J" and numbers == "2":
            self.clear()
        elif final != "m":
            raise ValueError(f"an unknown sequence: ESC [ {private}{numbers}{final}")

    def put(self, character: str):
        if character in "\r\n":
            self.x, self.y = (0, self.y) if character == "\r" else (self.x, min(self.y + 1, ROWS - 1))
            return
        width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if unicodedata.category(character).startswith("C") or self.x + width > COLUMNS or self.y >= ROWS:
            raise ValueError(f"{character!r} at column {self.x + 1} of row {self.y + 1}")
        self.cells[self.y][self.x] = character
        self.x += width


def shown(lines: list[dict]) -> list[tuple[str, list[str]]]:
    """The screen at each pressed key, and the last one before the terminal was restored, under the key `""`."""
    # Text after the view has ended does not belong to the view.
    data = bytearray()
    terminal, screens = Terminal(), []
    for line in lines:
        if "key" in line:
            terminal.feed(data.decode(errors="replace"))
            data.clear()
            screens.append((line["key"], terminal.lines))
        else:
            data += bytes.fromhex(line["data"])
    terminal.feed(data.decode(errors="replace").split("\x1b[?1049l")[0])
    return [*screens, ("", terminal.lines)]


def restored(lines: list[dict]) -> bool:
    """Whether the sequences that switched the terminal to full screen were undone."""
    text = b"".join(bytes.fromhex(line["data"]) for line in lines if "data" in line).decode(errors="replace")
    last: dict[str, str] = {mode: final for _, mode, final in SEQUENCE.findall(text) if mode in ("1049", "25", "7")}
    return last == {"1049": "l", "25": "h", "7": "h"}
