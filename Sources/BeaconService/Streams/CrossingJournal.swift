// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import SystemKit
internal import BeaconFormats
package import Beacons

/// The crossings that were delivered to a client, numbered, in a file beside the client's grants.
///
/// Numbers grow and are never given twice, also when the service is killed: a line is in the file before it is passed
/// on. A line that a power cut left unfinished is not read.
package final class CrossingJournal {
  /// How many crossings are kept at least; a file has at most twice as many lines.
  package static let limit = 1024
  /// By how much numbers jump after a power cut, which may have taken the last lines: they were delivered.
  static let jump: UInt64 = 1024

  private let path: String
  private let boot: String
  private var file: FileDescriptor?
  /// The number of the last crossing; 0 before the first.
  package private(set) var last: UInt64 = 0
  /// The number of the last crossing when the journal was opened.
  package private(set) var base: UInt64 = 0
  private var lines: [(number: UInt64, bytes: [UInt8])] = []
  private var lineCount = 0

  /// Opens a client's journal.
  ///
  /// - Parameters:
  ///   - path: The file, which need not exist.
  ///   - boot: Identifies a run of the machine: what a killed process wrote is complete within one run.
  package init(path: String, boot: String) {
    self.path = path
    self.boot = boot
    defer { base = last }
    guard let bytes = try? WholeFile.read(path) else { return }
    var lastBoot = ""
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
      guard let value = try? JSON5.parse(Array(line)) else { continue }
      lineCount += 1
      if case .string(let name)? = value["boot"]?.content { lastBoot = name }
      guard case .number(let number)? = value["sequence"]?.content, let sequence = number.integer,
        sequence > 0
      else { continue }
      last = max(last, UInt64(sequence))
      if value["type"] != nil { lines.append((UInt64(sequence), Array(line) + [0x0A])) }
    }
    lines = Array(lines.suffix(Self.limit))
    if lastBoot != boot, last > 0 { last += Self.jump }
  }

  /// Opens the journal of a client in a store.
  package convenience init(of client: String, in store: ClientStore, boot: String) {
    self.init(path: store.folder(of: client) + "/crossings.jsonl", boot: boot)
  }

  /// A region's last crossing.
  package struct Crossing: Sendable, Equatable {
    /// When it was.
    package var time: Timestamp
    /// Where the client is since then.
    package var state: RegionState
  }

  /// The last crossing of each region, as it was passed on.
  ///
  /// A line is written before the region's state is kept, so after a kill the journal may know of a later crossing.
  package var lastCrossings: [RegionIdentifier: Crossing] {
    var found: [RegionIdentifier: Crossing] = [:]
    for line in lines {
      guard let value = try? JSON5.parse(line.bytes),
        case .string(let type)? = value["type"]?.content,
        case .string(let region)? = value["region"]?.content,
        case .string(let text)? = value["t"]?.content, let time = RFC3339.parse(text)
      else { continue }
      let state: RegionState
      switch type {
      case "region.enter": state = .inside
      case "region.exit": state = .outside
      default: continue
      }
      found[RegionIdentifier(region)] = Crossing(time: time, state: state)
    }
    return found
  }

  /// Gives the next crossing its number.
  package var next: UInt64 { last + 1 }

  /// Adds the line of the next crossing, which has the number ``next``.
  ///
  /// - Throws: `SystemError` if it cannot be written; the number counts as given all the same.
  package func append(_ bytes: [UInt8]) throws(SystemError) {
    last += 1
    lines.append((last, bytes))
    if lines.count > Self.limit { lines.removeFirst(lines.count - Self.limit) }
    if lineCount > 2 * Self.limit { try rewrite() }
    var text: [UInt8] = []
    if file == nil {
      try FileDescriptor.createFolders(for: path)
      if lineCount == 0, FileStatus(path) == nil {
        file = try FileDescriptor(creating: path, mode: 0o600, appending: true)
      } else {
        file = try FileDescriptor(writingInto: path, appending: true)
        // What a power cut left unfinished must not join this line.
        text = [0x0A]
      }
      text += Array("{\"boot\":\"\(boot)\",\"sequence\":\(last - 1)}\n".utf8)
      lineCount += 1
    }
    try file?.write(text + bytes)
    lineCount += 1
  }

  private func rewrite() throws(SystemError) {
    file = nil
    var bytes = Array("{\"boot\":\"\(boot)\",\"sequence\":\(last - 1)}\n".utf8)
    // The newest line is appended after this.
    for line in lines.dropLast() { bytes += line.bytes }
    try DurableFile().replace(path, with: bytes)
    lineCount = lines.count
  }

  /// The lines of the crossings after a number that were there when the journal was opened, oldest first.
  package func earlierLines(after number: UInt64) -> [[UInt8]] {
    lines.filter { $0.number > number && $0.number <= base }.map(\.bytes)
  }

  /// The lines of the crossings after a number, oldest first.
  package func lines(after number: UInt64) -> [[UInt8]] {
    lines.filter { $0.number > number }.map(\.bytes)
  }

  /// Waits until what was written is on the disk.
  package func synchronize() throws(SystemError) { try file?.synchronize() }
}
