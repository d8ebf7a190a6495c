// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The outputs that a run will write, no two of which may be the same file or need the same name.
struct AnnouncedOutputs {
  /// Each file by its place, as the user named it.
  private var files: [String: String] = [:]
  /// Those whose names another output may need for a time, by that output's place.
  private var beside: [String: String] = [:]
  /// Those that exist, as the user named them.
  private var existing: [(status: FileStatus, name: String)] = []
  /// The streams of the process, as the user named them.
  private var streams: [Int32: String] = [:]
  /// Each folder, and which names in it the run uses.
  private var folders: [(path: String, place: String, owns: @Sendable (String) -> Bool)] = []

  /// The output that goes to an existing file, as the user named it.
  func name(of status: FileStatus) -> String? {
    existing.first { $0.status.isSame(as: status) }?.name
  }

  /// Adds a file that a descriptor leads to.
  mutating func add(_ path: String, _ status: FileStatus) throws(OutputRefusal) {
    if let other = name(of: status) { throw .isOutput(path: path, other: other) }
    existing.append((status, path))
  }

  /// Adds a file at a place, which may not exist yet.
  mutating func add(_ path: String, at place: String, _ status: FileStatus?) throws(OutputRefusal) {
    let other = files[place] ?? status.flatMap { name(of: $0) }
    if let other { throw .isOutput(path: path, other: other) }
    let output = Self.output(beside: place)
    if let name = output.flatMap({ files[$0] }) { throw .isBeside(path: path, other: name) }
    if let name = beside[place] { throw .isBeside(path: name, other: path) }
    try check(path, at: place)
    files[place] = path
    if let output { beside[output] = path }
    if let status { existing.append((status, path)) }
  }

  /// Adds one of the streams of the process.
  mutating func add(stream: Int32, as path: String) throws(OutputRefusal) {
    if let other = streams[stream] { throw .isStream(path: path, other: other) }
    streams[stream] = path
  }

  /// Adds a folder in which the run uses some names.
  mutating func addFolder(
    _ path: String,
    at place: String,
    owning owns: @escaping @Sendable (String) -> Bool
  ) throws(OutputRefusal) {
    folders.append((path, place, owns))
    for (file, name) in files { try check(name, at: file) }
  }

  /// Throws if a file is, or lies in, a folder that the run writes.
  private func check(_ path: String, at place: String) throws(OutputRefusal) {
    for folder in folders {
      if place == folder.place { throw .isOutput(path: path, other: folder.path) }
      guard place.hasPrefix(folder.place + "/") else { continue }
      let name = place.dropFirst(folder.place.utf8.count + 1)
      if folder.owns(String(name)) { throw .isInFolder(path: path, folder: folder.path) }
    }
  }

  /// Returns the output that may need a name until it is complete, or for its former content: `FILE` for `FILE.new` and
  /// `FILE.old`, also with a number; `nil` for any other name.
  private static func output(beside place: String) -> String? {
    var name = place.utf8[...]
    let digits = name.reversed().prefix { (0x30...0x39).contains($0) }
    if !digits.isEmpty, name.dropLast(digits.count).last == 0x2D {
      name = name.dropLast(digits.count + 1)
    }
    guard [".new", ".old"].contains(where: { name.suffix(4).elementsEqual($0.utf8) }) else {
      return nil
    }
    return String(Substring(name.dropLast(4)))
  }
}
