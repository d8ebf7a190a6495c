# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Changes bytes as damage and malice do: flipped bits, wrong lengths, lost and repeated parts, extreme numbers, hostile text."""

import re
import struct

LENGTHS = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, 257, 511, 512, 1023, 1024, 4095, 4096, 32767,
           32768, 65535, 65536, 0x3FFFF, 0x40000, 0x40001, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFF0]
# The last two but one are 1970 in btsnoop's time, and one microsecond before it.
TIMES = [0, 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 0x00E03AB44A676000, 0x00E03AB44A675FFF, 0x7FFFFFFFFFFFF000]
HOSTILE = ["\x1b[2J", "\x1b]0;title\x07", "\u009b31m", "\u202e", "\u2066", "\r\nbeaconctl: ", "\x00", "\x7f"]
VALUES = [b"NaN", b"1e999", b"-1e999", b"Infinity", b"null", b"true", b"{}", b"[]", b'""', b'"\\ud800"',
          b'"\\udc00\\ud800"', b"\xef\xbb\xbf", b"\r\n", b"\0", b"9223372036854775807", b"9223372036854775808",
          b"-9223372036854775808", b"-9223372036854775809", b"99999999999999999999999999", b"0.1e-999",
          b'"2038-01-19T03:14:08Z"', b'"9999-12-31T23:59:59.999999Z"', b'"10000-01-01T00:00:00Z"',
          b'"0000-00-00T00:00:00Z"', b'"1969-12-31T23:59:59Z"', b'"2016-12-31T23:59:60Z"', b"\xff\xfe", b"\xed\xa0\x80",
          b"[" * 300, b'{"a":' * 300, b"-1", b"0", b"1", b"255", b"256", b"-128", b"-129", b"128", b"4C000215",
          b'"v":2', b"> 04 3E", b"> 04 FF", b"1e308", b"1e-308", b"0x7fffffffffffffff", b"/*", b"//"]
VALUES += [f'"{text}"'.encode() for text in HOSTILE] + [text.encode() for text in HOSTILE]
VALUES += [b'"\\u001b[2J\\u202e\\r\\n"', b'"\\u0000"', b'"' + b"A" * 5000 + b'"']
LONGEST = 3000
CHANGES = (1, 1, 1, 2, 2, 3, 4, 8, 20)
NUMBER, QUOTED = re.compile(rb"-?\d+(?:\.\d+)?"), re.compile(rb'"[^"\n]*"')
ESCAPED = [b"", b"a", b"\\u001b[2J", b"\\u202e", b"\\u009b31m", b"\\r\\n", b"\\u0000", b"../../etc/passwd", b"%s%n", b"<b>&amp;", b"=1+1",
           b"A" * 5000, "\u00e4\u0300\U0001f3db".encode()]


def is_text(data):
    head = data[:200]
    return sum(1 for byte in head if 9 <= byte < 127) > 0.95 * len(head)


class Mutator:
    """Mutates seeds, spliced with one another; the same random numbers give the same bytes."""

    def __init__(self, random):
        self.random = random

    def shortened(self, data):
        """A long seed is cut, since the commands read the rest many times faster."""
        if len(data) <= LONGEST:
            return bytearray(data)
        if self.random.random() < 0.8:
            return bytearray(data[: self.random.randrange(60, LONGEST)])
        return bytearray(data[: self.random.randrange(60, min(len(data), 40000))])

    def mutate(self, data, others, whole=False):
        """Mutates a seed, which is cut first unless it is of use only as a whole."""
        random, result = self.random, bytearray(data) if whole else self.shortened(data)
        text = is_text(result)
        if text and random.random() < 0.5:
            for _ in range(random.choice((1, 1, 2, 3, 5))):
                result = self.well_formed(bytes(result))
            return bytes(result)
        for _ in range(random.choice(CHANGES)):
            if not result:
                result = bytearray(b"\0")
            # A fault in a header has more consequences than one after it.
            at = random.randrange(min(len(result), 200)) if random.random() < 0.4 else random.randrange(len(result))
            if text and random.random() < 0.5:
                self.replace_value(result, at)
            else:
                self.change(result, at, others)
        return bytes(result)

    def well_formed(self, text):
        """Changes a value or a line and leaves the kind of text, so that more than its parser sees the change."""
        random, kind = self.random, self.random.randrange(5)
        if kind < 3:
            found = list((NUMBER, QUOTED, NUMBER)[kind].finditer(text))
            if not found:
                return text
            chosen = random.choice(found)
            value = self.number(chosen.group()) if kind != 1 else b'"' + random.choice(ESCAPED) + b'"'
            if kind == 1 and random.random() < 0.5:
                value = random.choice(found).group()
            return text[:chosen.start()] + value + text[chosen.end():]
        lines = text.split(b"\n")
        at, to = random.randrange(len(lines)), random.randrange(len(lines))
        if kind == 3:
            lines[at], lines[to] = lines[to], lines[at]
        elif random.random() < 0.5:
            lines.insert(to, lines[at])
        else:
            del lines[at]
        return b"\n".join(lines)

    def number(self, text):
        """A number near another one, or at the end of a usual range."""
        random, value = self.random, float(text[:15])
        near = (value + 1, value - 1, value * 2, value / 10, -value, value + 0.5, value * 1000)
        chosen = random.choice(near) if random.random() < 0.7 else random.choice((0, 1, 255, 65535, 65536, -128, 127, 2**31, 2**53, 1e18))
        return f"{chosen:.6f}".rstrip("0").rstrip(".").encode()

    def replace_value(self, result, at):
        """Puts another value in place of a number or a text."""
        begin = at
        while begin < len(result) and result[begin] not in b'0123456789"-':
            begin += 1
        end = begin + 1
        while end < len(result) and result[end] not in b',}]": \n':
            end += 1
        if end < len(result) and result[begin:begin + 1] == b'"' and result[end] == 0x22:
            end += 1
        result[begin:end] = self.random.choice(VALUES)

    def change(self, result, at, others):
        random = self.random
        kind, size = random.randrange(13), random.choice((1, 2, 4, 16, 64))
        if kind == 0:
            result[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            result[at] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))
        elif kind == 2:
            result[at:at + 4] = struct.pack(random.choice("<>") + "I", random.choice(LENGTHS))
        elif kind == 3:
            result[at:at + 2] = struct.pack(random.choice("<>") + "H", random.choice(LENGTHS) & 0xFFFF)
        elif kind == 4:
            result[at:at + 8] = struct.pack(random.choice("<>") + "Q", random.choice(TIMES))
        elif kind == 5:
            del result[at:]
        elif kind == 6:
            del result[at:at + random.choice((1, 1, 2, 4, 16, 100, 1000))]
        elif kind == 7:
            result[at:at] = result[random.randrange(len(result)):][: random.choice((1, 4, 16, 64, 1000))]
        elif kind == 8:
            result[at:at] = random.randbytes(size)
        elif kind == 9:
            other = random.choice(others)
            begin = random.randrange(len(other)) if other else 0
            result[at:] = other[begin:begin + LONGEST]
        elif kind == 10:
            to = random.randrange(len(result))
            here, there = bytes(result[at:at + size]), bytes(result[to:to + size])
            if len(here) == len(there):
                result[at:at + size], result[to:to + size] = there, here
        elif kind == 11:
            result[at:at] = result[at:at + random.choice((1, 16, 100))] * random.choice((2, 10, 30))
        else:
            result[at:at + 16] = bytes([random.choice((0, 255, 0x41))]) * 16
