# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Checks the rules on how the code is divided, which the compiler does not hold, and prints lines and files of each module.

  house.py              checks the sources
  house.py --self-test  plants a fault for each rule in a small source tree, and checks that the rule finds it

Each rule is a function of a `Tree`; its docstring is the rule.
"""

import collections
import re
import sys
from pathlib import Path

from swift_files import ROOT, code_of, module_of, report, swift_files

COMMANDS = {"BeaconCommands", "DoctorCommands", "MuseumCommands", "SiteCommands", "beaconctl"}
# A file of at most so many lines belongs to the one file that uses it.
SATELLITE_LINES = 35
# A function stays below this length.
FUNCTION_LINES = 60
# BeaconCommands stays at or below this size.
COMMANDS_LINES = 9000
# The one form of each type that crosses a boundary: the start of the path of the files that may have these keys as strings.
CODECS = {
    "SavedAuthorization": ("BeaconFormats/UserActions/Client+Form.swift", ["always_spent", "confirmation_due"]),
    "Region": ("BeaconFormats/Settings/Region+Form.swift", ["rssiFloor", "enterWithin", "leaveBeyond"]),
    "ClientRequest": ("BeaconFormats/UserActions/ClientRequest+Form.swift", ["unmonitor", "unrange"]),
    "RequestLine": ("BeaconFormats/UserActions/RequestLine.swift", ["streamEnd"]),
    "SavedRegion": ("BeaconFormats/UserActions/SavedRegion+Form.swift", ["lastKnown", "savedAt"]),
    "SavedIntervals": ("BeaconFormats/UserActions/SavedRegion+Form.swift", ["refreshAt", "doubtUntil", "needsLongerCap"]),
    "ClientState": ("Beacons/Store/ClientState.swift", ["runRegions", "unhandled"]),
}
# A file of settings that Foundation reads, Apple's conditions, which a program keeps as it likes, and the forms for programs' own
# encoders; no other file may have a Codable type.
CODABLE_FORMS = (
    "CoreLocation/Process/SetupReader.swift", "CoreLocation/Monitor/CLCondition.swift", "BeaconFormats/Events/Forms+Codable.swift",
)

# Apple's archives: in CoreLocation, an object writes its values through an NSCoder, as a private form in the object's own
# file. The program that archives the object keeps the bytes and reads them back through the object; the library never
# opens them, so they are not state of ours that a later version has to read.
ARCHIVING_MODULE = "CoreLocation"
ARCHIVING = re.compile(r"\bfunc encode\(with \w+: NSCoder\)")
ARCHIVED_FORM = re.compile(r"^ +private struct\b")

COMMAND = re.compile(r"\bstatic let command = BeaconctlCommand\b")
WORD = re.compile(r"(?<![.\w`])[A-Za-z_]\w*")
MODIFIERS = r"(?:(?:@\w+(?:\([^)]*\))?|public|package|internal|fileprivate|private|final|indirect|open|nonisolated|static|class" \
    r"|mutating|borrowing|consuming|override|required|convenience|isolated|unsafe|safe)\s+)*"
# A declaration: its modifiers and its name.
DECLARATION = re.compile(
    rf"^( *)({MODIFIERS})(struct|class|enum|protocol|actor|typealias|func|let|var|case|associatedtype)\s+`?(\w+)"
)
GENERICS = re.compile(r"\b(?:struct|class|enum|actor|func|typealias|init)\b\s*\w*<([^<>]*)>")
GENERIC_CLAUSE = re.compile(r"<[^<>]*>")
TYPES = {"struct", "class", "enum", "protocol", "actor", "typealias", "associatedtype"}
FUNCTION = re.compile(rf"^( *){MODIFIERS}(?:func\b|init\b|deinit\b|subscript\b|var\s+\w+[^=]*\{{\s*$|get\b|set\b)")


class Source:
    """A Swift file: its path from its module on, and its code without comments and strings."""

    def __init__(self, path, text, top="Sources", file=None):
        self.path = path
        self.file = file or Path(top) / path
        self.text = text.rstrip("\n").split("\n")
        self.code = code_of(text)
        parts = Path(path).parts
        self.module = parts[0]
        self.folder = parts[1] if len(parts) > 2 else "."
        self.words = set(WORD.findall("\n".join(self.code)))
        self.declared, self.nested, self.members = set(), set(), set()
        for line in self.code:
            for names in GENERICS.findall(line):
                self.nested.update(part.split(":")[0].strip() for part in names.split(","))
            match = DECLARATION.match(line)
            if not match:
                continue
            indent, modifiers, kind, name = match.groups()
            if kind in TYPES:
                self.nested.add(name)
            if "private" in modifiers.split() or "fileprivate" in modifiers.split():
                continue
            if not indent and kind != "case":
                self.declared.add(name)
            elif len(indent) == 2:
                self.members.add(name)

    def lines(self, pattern):
        """Yields the numbers and the text of the lines whose code matches."""
        for number, line in enumerate(self.code, 1):
            if pattern.search(line):
                yield number, self.text[number - 1].strip()

    def uses(self, name):
        """Whether the file uses a name that another file declares."""
        return name in self.words and name not in self.declared and name not in self.nested


class Tree:
    """The Swift files of Sources, and those of Tests."""

    def __init__(self, sources, tests=()):
        self.sources = sources
        self.tests = tests

    def modules(self):
        """The files of each module."""
        found = collections.defaultdict(list)
        for source in self.sources:
            found[source.module].append(source)
        return found


def engine_is_internal(tree):
    """Only BeaconCore and its tests use Engine: it has no public or package member, and no other module names it."""
    head = re.compile(r"^(.*\s)?(?:struct|class|actor|extension) Engine\b")
    for source in tree.sources:
        if source.module != "BeaconCore":
            continue
        is_engine = False
        for number, line in enumerate(source.code, 1):
            if not line.startswith((" ", "}")) and line:
                is_engine = head.match(line) is not None
            if is_engine and re.match(r"(?:  )?(?:@\w+ )*(?:public|package|open)\b", line):
                yield source, number, f"Engine is internal: {source.text[number - 1].strip()}"
    for source in [*tree.sources, *tree.tests]:
        if source.module not in ("BeaconCore", "BeaconCoreTests") and source.uses("Engine"):
            yield source, 1, "uses Engine; EngineDriver is what runs one"


# What only the loop of a run asks of a driver.
STEPS = re.compile(r"\bdriver\b[?!]?\s*\.\s*(?:next|nextBeforeInput|collectDeliveries|advance|arrive)\(")


def run_loop_is_one(tree):
    """Only RunCore asks a driver for its next step: `next`, `nextBeforeInput`, `collectDeliveries`, `advance`, `arrive`."""
    for source in tree.sources:
        if source.path != "BeaconCore/Run/RunCore.swift":
            for number, text in source.lines(STEPS):
                yield source, number, f"a loop around a driver; RunCore is the one: {text}"


# The protocols that yield batches: of sources, and of pure readers.
BATCH_PROTOCOLS = {"ScanSource": "Beacons/ScanSource.swift", "ScanReader": "BeaconCore/Advertising/ScanReader.swift"}
# The sources that may hold others: pacing, the merging of live ones, and transforms.
WRAPPING_SOURCES = {"MergedSource", "PacedSource", "TransformedSource"}
# It turns a reader of any kind into a source.
READER_SOURCE = "ReaderSource"
# At most so many types are between a capture's bytes and a run: the reader of a format, the merging, the source.
READER_DEPTH = 3
YIELDS_BATCHES = re.compile(r"\bfunc next\(.*\)[^{]*->\s*ScanBatch\?")
NAMED_TYPE = re.compile(rf"^ *{MODIFIERS}(protocol|struct|class|actor|extension)\s+(\w+)([^{{]*)(?:\{{|$)")
STORED = re.compile(rf"^ *{MODIFIERS}(?:let|var|typealias)\s+\w+\s*[:=](?!.*\{{\s*(?:get\b|$))")


def batch_types(tree):
    """Yields each type of a file: (source, line, kind, name, its protocols, the words of its stored properties)."""
    for source in tree.sources:
        for number, line in enumerate(source.code, 1):
            match = NAMED_TYPE.match(line)
            if not match:
                continue
            kind, name, rest = match.groups()
            heading, opening = rest, number
            while "{" not in source.code[opening - 1] and opening < len(source.code):
                heading += " " + source.code[opening].split("{")[0]
                opening += 1
            indent = len(line) - len(line.lstrip())
            stored, generics = set(), set(WORD.findall(" ".join(GENERIC_CLAUSE.findall(heading))))
            for inner in source.code[opening:]:
                if inner.strip() and len(inner) - len(inner.lstrip()) <= indent:
                    break
                if STORED.match(inner):
                    stored |= set(WORD.findall(inner))
            yield source, number, kind, name, set(WORD.findall(GENERIC_CLAUSE.sub("", heading))), stored | generics


def sources_are_one_protocol(tree):
    """ScanSource is the one protocol of sources, ScanReader that of pure readers; only pacing, merging and transforms hold a source."""
    for source, number, kind, name, conforms, stored in batch_types(tree):
        text = source.text[number - 1].strip()
        if kind == "protocol" and name not in BATCH_PROTOCOLS:
            indent = len(source.code[number - 1]) - len(source.code[number - 1].lstrip())
            body = []
            for inner in source.code[number:]:
                if inner.strip() and len(inner) - len(inner.lstrip()) <= indent:
                    break
                body.append(inner)
            if "ScanSource" in conforms or YIELDS_BATCHES.search(" ".join(body)):
                yield source, number, f"a second protocol of sources: {text}"
        elif kind != "protocol" and "ScanSource" in conforms and "ScanSource" in stored and name not in WRAPPING_SOURCES:
            yield source, number, f"a source that holds another one; a BatchTransform changes its batches: {text}"


def readers_are_shallow(tree):
    """A reader of captures is wrapped at most 3 deep, and only ReaderSource holds a reader of unknown type."""
    types = list(batch_types(tree))
    protocols = {"ScanReader"}
    protocols |= {name for _, _, kind, name, conforms, _ in types if kind == "protocol" and "ScanReader" in conforms}
    readers = collections.defaultdict(set)
    places = {}
    for source, number, kind, name, conforms, stored in types:
        if kind != "protocol" and conforms & protocols:
            readers[name] |= conforms & protocols
            places.setdefault(name, (source, number))
        if kind not in ("protocol", "extension"):
            places[name] = (source, number) if name in readers or name not in places else places[name]
    held = collections.defaultdict(set)
    for source, number, kind, name, conforms, stored in types:
        if name not in readers or kind == "extension":
            continue
        if "ScanReader" in stored and name != READER_SOURCE:
            yield source, number, f"holds a reader of unknown type: {source.text[number - 1].strip()}"
        for word in stored - {"ScanReader", name}:
            if word in protocols:
                held[name] |= {other for other, conforms in readers.items() if word in conforms and other != name}
            elif word in readers:
                held[name].add(word)

    def depth(name, seen=()):
        if name in seen:
            return 0
        return 1 + max((depth(other, (*seen, name)) for other in held[name]), default=0)

    for name in sorted(readers):
        if depth(name) > READER_DEPTH:
            source, number = places[name]
            yield source, number, f"a reader wrapped {depth(name)} deep: {source.text[number - 1].strip()}"


def live_start_is_one(tree):
    """The commands open a live source in exactly one place."""
    calls = [
        (source, number, text)
        for source in tree.sources if source.module in COMMANDS
        for number, text in source.lines(re.compile(r"\bBlueZSource\s*\.\s*start\s*\("))
    ]
    if len(calls) != 1:
        for source, number, text in calls or [(None, 0, "no call of BlueZSource.start")]:
            yield source, number, f"{len(calls)} places open a live source, and there must be one: {text}"


HOOKS = [
    (re.compile(r"\bvar\s+\w+\s*:\s*\(.*->.*\)\s*\?"), "a stored optional closure"),
    (re.compile(r"\bvar\s+on[A-Z]\w*\s*:\s*.*->"), "a hook"),
    (re.compile(r"\bvar\s+\w+\s*:.*->.*\{\s*get\s+set\s*\}"), "a closure that others set"),
    (re.compile(r"\bunowned\s+self\b"), "unowned self"),
]


def commands_have_no_hooks(tree):
    """Commands have no closures that others set, and no unowned self: a participant of the run replaces a hook."""
    for source in tree.sources:
        if source.module in COMMANDS:
            for pattern, what in HOOKS:
                for number, text in source.lines(pattern):
                    yield source, number, f"{what}: {text}"


def semaphores_are_the_terminals(tree):
    """A semaphore blocks a thread: only the terminal's own may have one."""
    for source in tree.sources:
        if source.module != "BeaconTerminal":
            for number, text in source.lines(re.compile(r"\bDispatchSemaphore\b|\bDispatchGroup\b|\bsem_wait\b|\bsem_init\b")):
                yield source, number, f"a semaphore: {text}"


# The functions of the standard library in the module of regular expressions: functions that take a collection or an expression.
REGULAR = re.compile(r"\.(?:replacing|trimmingPrefix|trimPrefix|firstRange|ranges|wholeMatch|prefixMatch)\((?!by:)|^\s*(?:\w+ )*import RegexBuilder\b")


def nothing_is_a_regular_expression(tree):
    """One call brings the module of regular expressions into the packaged command, two megabytes of its twenty."""
    for source in tree.sources:
        for number, text in source.lines(REGULAR):
            yield source, number, f"a function of regular expressions: {text}"


def types_have_one_codec(tree):
    """Each type that crosses a boundary has one codec, its form: only it knows the keys, and nothing is Codable.

    The private forms in which CoreLocation's objects write themselves into an NSCoder are Apple's archives.
    """
    for kind, (path, keys) in CODECS.items():
        for source in tree.sources:
            if source.path.startswith(path):
                continue
            for number, line in enumerate(source.text, 1):
                for key in keys:
                    if f'"{key}"' in line:
                        yield source, number, f"a second codec of {kind}; {path} is the first: {line.strip()}"
    conformance = re.compile(r"[:,&]\s*(?:Codable|Encodable|Decodable)\b")
    for source in tree.sources:
        if source.path.startswith(CODABLE_FORMS):
            continue
        archives = source.module == ARCHIVING_MODULE and any(source.lines(ARCHIVING))
        for number, line in enumerate(source.code, 1):
            # The constraint of a generic function does not make a type Codable.
            if conformance.search(GENERIC_CLAUSE.sub("", line)) and not (archives and ARCHIVED_FORM.match(line)):
                yield source, number, f"a codec that is not a form: {source.text[number - 1].strip()}"


def types_have_names_of_their_own(tree):
    """A name at the top level is one type, whichever module it is in."""
    types = collections.defaultdict(list)
    for source in tree.sources:
        for number, line in enumerate(source.code, 1):
            match = DECLARATION.match(line)
            if match and not match.group(1) and match.group(3) in TYPES and not {"private", "fileprivate"} & set(match.group(2).split()):
                types[match.group(4)].append((source, number))
    for name, places in types.items():
        for source, number in places[1:]:
            yield source, number, f"{name} is also a type of {places[0][0].module}"


def folder_edges(sources):
    """Returns which folder of a module uses names of which other: {folder: {folder: [(file, name)]}}."""
    declaring = collections.defaultdict(set)
    for source in sources:
        for name in source.declared:
            declaring[name].add(source.folder)
    edges = collections.defaultdict(lambda: collections.defaultdict(list))
    for source in sources:
        for name in sorted(source.words & declaring.keys()):
            folders = declaring[name]
            # A name that two folders declare does not identify either.
            if len(folders) == 1 and source.folder not in folders and source.uses(name):
                edges[source.folder][next(iter(folders))].append((source, name))
    return edges


def reachable(edges, start):
    """Returns the folders that a folder needs, directly or not."""
    found, rest = set(), [start]
    while rest:
        for folder in edges[rest.pop()]:
            if folder not in found:
                found.add(folder)
                rest.append(folder)
    return found


def folders_have_no_circles(tree):
    """Folders of a module have no circles: of two folders at most one uses names that the other declares."""
    for module, sources in sorted(tree.modules().items()):
        edges = folder_edges(sources)
        folders = {source.folder for source in sources}
        needs = {folder: reachable(edges, folder) for folder in folders}
        for folder in sorted(folders):
            for other in sorted(edges[folder]):
                if folder not in needs[other]:
                    continue
                names = sorted({name for _, name in edges[folder][other]})
                source = edges[folder][other][0][0]
                yield source, 1, f"circle in {module}: {folder} needs {other} ({', '.join(names)}), and {other} needs {folder}"


def no_satellites(tree):
    """A short file whose names only one other file of its module uses is a part of that file.

    A file that other modules use stays, and so does a command: it is one file.
    """
    for source in tree.sources:
        names = source.declared or source.members
        if len(source.text) > SATELLITE_LINES or any(source.lines(COMMAND)):
            continue
        users = [other for other in tree.sources if other is not source and not names.isdisjoint(other.words)]
        if len(users) == 1 and users[0].module == source.module:
            yield source, 1, f"{len(source.text)} lines that only {users[0].path} uses: make it a part of that file"


def functions_are_short(tree):
    """A function, initializer or computed property stays below 60 lines."""
    for source in tree.sources:
        for number, length in functions(source):
            if length >= FUNCTION_LINES:
                yield source, number, f"a function of {length} lines: {source.text[number - 1].strip()}"


def functions(source):
    """Yields the first line and the length of each function with a body."""
    for number, line in enumerate(source.code, 1):
        match = FUNCTION.match(line)
        if not match:
            continue
        # The formatter closes a signature and a body at the indent of its first line.
        indent = match.group(1)
        own = re.compile(rf"{indent}\S")
        opening = next(
            (index for index in range(number - 1, len(source.code)) if source.code[index].endswith("{")
             or index >= number and own.match(source.code[index])),
            number - 1,
        )
        if not source.code[opening].endswith("{"):
            continue
        closing = next((index for index in range(opening + 1, len(source.code)) if own.match(source.code[index])), None)
        if closing is not None:
            yield number, closing - number + 2


def commands_are_small(tree):
    """BeaconCommands has at most 9,000 lines."""
    lines = sum(len(source.text) for source in tree.sources if source.module == "BeaconCommands")
    if lines > COMMANDS_LINES:
        yield None, 0, f"BeaconCommands has {lines} lines, more than {COMMANDS_LINES}"


RULES = [
    engine_is_internal, run_loop_is_one, sources_are_one_protocol, readers_are_shallow, live_start_is_one, commands_have_no_hooks, semaphores_are_the_terminals, nothing_is_a_regular_expression,
    types_have_one_codec, types_have_names_of_their_own, folders_have_no_circles, no_satellites, functions_are_short, commands_are_small,
]


def findings(tree):
    """Yields what breaks a rule, as (path, line, text)."""
    for rule in RULES:
        for source, line, text in rule(tree):
            yield source.file if source else Path("Sources"), line, text


def print_sizes(tree):
    """Prints lines and files of each module, and the longest function."""
    total = [0, 0]
    for module, sources in sorted(tree.modules().items()):
        lines = sum(len(source.text) for source in sources)
        total = [total[0] + lines, total[1] + len(sources)]
        print(f"{module:18} {lines:6} lines {len(sources):4} files")
    print(f"{'all':18} {total[0]:6} lines {total[1]:4} files")
    longest = max(((length, source.path, number) for source in tree.sources for number, length in functions(source)), default=None)
    if longest:
        print(f"longest function: {longest[0]} lines, {longest[1]}:{longest[2]}")


# An object of CoreLocation with its archive.
ARCHIVED = """open class Place: NSObject {
  private struct Archive: Codable {}
  open func encode(with coder: NSCoder) { write(Archive(), coder) }
  func write<Form: Encodable>(_ form: Form, _ coder: NSCoder) {}
}
""" + "// more\n" * 40
# A small source tree in which every rule holds.
SOUND = {
    "BeaconCore/Engine/Engine.swift": "struct Engine {\n  mutating func process() {}\n}\n" + "// more\n" * 40,
    "BeaconCommands/Run/Live.swift": "func live() { BlueZSource.start(scan) }\nvar wants: () -> Bool { { true } }\n",
    "BeaconCommands/Commands/Scan.swift": "struct Scan {\n  func run() { live() }\n}\n" + "// more\n" * 40,
    "BeaconCommands/Commands/Range.swift": "struct Range {\n  func run() { live() }\n}\n" + "// more\n" * 40,
    "BeaconFormats/UserActions/Client+Form.swift": 'func form() { form("always_spent") }\n' + "// more\n" * 40,
    "CoreLocation/Process/SetupReader.swift": "private struct File: Decodable {}\n" + "// more\n" * 40,
    "BeaconFormats/Reading/CaptureReader.swift": "struct CaptureReader<Bytes: ByteSource>: ScanReader {\n  var bytes: Bytes\n}\n" + "// more\n" * 40,
    "BeaconFormats/Reading/MergingReader.swift": "protocol Merged: ScanReader {}\nextension CaptureReader: Merged {}\n"
        "struct MergingReader<Capture: Merged>: ScanReader {\n  var captures: [Capture]\n}\n" + "// more\n" * 40,
    "Beacons/Sources/CaptureSource.swift": "final class CaptureSource: ScanSource, ScanReader {\n  var reader: MergingReader<CaptureReader>\n}\n" + "// more\n" * 40,
    "Beacons/Sources/PacedSource.swift": "actor PacedSource: ScanSource {\n  let source: any ScanSource\n}\n" + "// more\n" * 40,
    "Beacons/Sources/ReaderSource.swift": "final class ReaderSource: ScanSource {\n  var reader: any ScanReader\n}\n" + "// more\n" * 40,
    "CoreLocation/Values/Place.swift": ARCHIVED,
}
# For each rule, sources that break it.
FAULTS = {
    engine_is_internal: [
        {"BeaconCore/Engine/Engine+Inputs.swift": "extension Engine {\n  public mutating func process(_ batch: Int) {}\n}\n" + "// more\n" * 40},
        {"BeaconCore/Engine/Engine.swift": "package struct Engine {\n}\n" + "// more\n" * 40},
        {"Beacons/Session/Session.swift": "struct Session {\n  var engine: Engine\n}\n"},
        {"Tests/BeaconsTests/SessionTests.swift": "let engine = Engine()\n"},
    ],
    run_loop_is_one: [
        {"BeaconMuseum/Visits/Replay.swift": "func play() {\n  switch run.driver.next() {}\n}\n" + "// more\n" * 40},
        {"BeaconTesting/Row.swift": "let row = driver.collectDeliveries()\n" + "// more\n" * 40},
        {"BeaconCommands/Run/Step.swift": "func step() { driver?.arrive(at: time) }\n" + "// more\n" * 40},
    ],
    sources_are_one_protocol: [
        {"BeaconCommands/Run/RunSource.swift": "protocol RunSource: AnyObject {\n  func next(until time: Timestamp?) async throws -> ScanBatch?\n}\n"},
        {"Beacons/Sources/Live.swift": "package protocol LiveScanSource: ScanSource {\n  func stop()\n}\n" + "// more\n" * 40},
        {"Beacons/Sources/Fused.swift": "final class FusedSource: ScanSource {\n  private let source: any ScanSource\n}\n" + "// more\n" * 40},
    ],
    readers_are_shallow: [
        {"Beacons/Sources/CaptureSource.swift": "final class CaptureSource: ScanSource, ScanReader {\n  private var reader: Cut\n}\n"
            "struct Cut: ScanReader {\n  let merged: MergingReader<CaptureReader>\n}\n" + "// more\n" * 40},
        {"BeaconCommands/Run/Piecewise.swift": "struct PiecewiseReader: ScanReader {\n  private var reader: any ScanReader\n}\n"},
    ],
    live_start_is_one: [
        {"MuseumCommands/Walk.swift": "func walk() { BlueZSource.start(scan) }\n"},
        {"BeaconCommands/Run/Live.swift": "func live() {}\n"},
    ],
    commands_have_no_hooks: [
        {"BeaconCommands/Run/Hook.swift": "class Hook {\n  var afterTelling: (() -> Void)?\n}\n"},
        {"MuseumCommands/Hook.swift": "class Hook {\n  var onKey: (Int) -> Void = { _ in }\n}\n"},
        {"MuseumCommands/Hook.swift": "protocol Hook {\n  var heard: (Int) -> Void { get set }\n}\n"},
        {"BeaconCommands/Run/Hook.swift": "func hook() { then { [unowned self] in go() } }\n"},
    ],
    semaphores_are_the_terminals: [
        {"BeaconCommands/Run/Wait.swift": "let ended = DispatchSemaphore(value: 0)\n"},
    ],
    nothing_is_a_regular_expression: [
        {"BeaconCommands/Run/Day.swift": 'let day = text.replacing("T", with: " ")\n'},
        {"BeaconCommands/Run/Day.swift": "internal import RegexBuilder\n"},
    ],
    types_have_names_of_their_own: [
        {"BeaconMuseum/Visits/Engine.swift": "enum Engine {}\n" + "// more\n" * 40},
    ],
    types_have_one_codec: [
        {"BeaconCommands/Run/Grants.swift": 'func write() { writer.key("always_spent") }\n'},
        {"BeaconService/Interface/Served.swift": 'let options = [("enterWithin", zone.enterWithin)]\n'},
        {"Beacons/Store/Regions.swift": 'let time = object.required("savedAt")?.integer()\n'},
        {"Beacons/Session/State.swift": "struct State: Sendable, Codable {}\n"},
        # An archive in another module; a form that others can see; a private form in a file without an NSCoder.
        {"Beacons/Session/Place.swift": ARCHIVED.replace("Place", "Site")},
        {"CoreLocation/Values/Place.swift": ARCHIVED.replace("private struct", "struct")},
        {"CoreLocation/Values/Place.swift": ARCHIVED.replace("with coder: NSCoder", "to file: String")},
    ],
    folders_have_no_circles: [
        {
            "Beacons/Session/A.swift": "struct A {\n  var b: B\n}\n" + "// more\n" * 40,
            "Beacons/Files/B.swift": "struct B {\n  var a: A\n}\n" + "// more\n" * 40,
        },
        {
            "Beacons/A.swift": "struct A {\n  var b: B\n}\n" + "// more\n" * 40,
            "Beacons/Files/B.swift": "struct B {\n  var c: C\n}\n" + "// more\n" * 40,
            "Beacons/Session/C.swift": "struct C {\n  var a: A\n}\n" + "// more\n" * 40,
        },
    ],
    no_satellites: [
        {
            "Beacons/Session/A.swift": "struct A {\n  var b: B\n}\n" + "// more\n" * 40,
            "Beacons/Session/B.swift": "struct B {}\n",
        },
        {
            "Beacons/Session/A.swift": "struct A {\n  func run() { draw() }\n}\n" + "// more\n" * 40,
            "Beacons/Session/A+B.swift": "extension A {\n  func draw() {}\n}\n",
        },
    ],
    functions_are_short: [
        {"Beacons/Session/Long.swift": "struct Long {\n  func run() {\n" + "    go()\n" * 58 + "  }\n}\n"},
        {"Beacons/Session/Long.swift": "struct Long {\n  init(\n    a: Int\n  ) {\n" + "    go()\n" * 56 + "  }\n}\n"},
    ],
    commands_are_small: [
        {"BeaconCommands/Run/Large.swift": "// more\n" * 10000},
    ],
}


def self_test():
    """Checks that a sound tree has no finding, and that each rule finds each of its faults, and no other rule does."""
    def tree(files):
        tests = {path: text for path, text in files.items() if path.startswith("Tests/")}
        return Tree(
            [Source(path, text) for path, text in sorted(files.items()) if path not in tests],
            [Source(path[6:], text, "Tests") for path, text in tests.items()],
        )

    wrong = [f"a sound tree: {text}" for _, _, text in findings(tree(SOUND))]
    wrong += [f"{rule.__name__} has no planted fault" for rule in RULES if rule not in FAULTS]
    count = 0
    for rule, faults in FAULTS.items():
        for fault in faults:
            count += 1
            planted = tree({**SOUND, **fault})
            found = {other.__name__ for other in RULES if list(other(planted))}
            if found != {rule.__name__}:
                wrong.append(f"{rule.__name__}: {fault} was found by {sorted(found) or 'no rule'}")
    # The longest that is allowed is allowed.
    allowed = {"Beacons/Session/Long.swift": "struct Long {\n  func run() {\n" + "    go()\n" * 57 + "  }\n}\n"}
    wrong += [f"a function of 59 lines: {text}" for _, _, text in findings(tree({**SOUND, **allowed}))]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"house: each of {count} planted faults was found by its rule alone")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return
    sources, tests = (
        [Source(module_of(path)[1], path.read_text(encoding="utf-8"), top, path) for path in swift_files(top)]
        for top in ("Sources", "Tests")
    )
    tree = Tree(sources, tests)
    print_sizes(tree)
    report(list(findings(tree)), "house")


main()
