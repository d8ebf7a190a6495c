// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import SystemKit
internal import BeaconFormats
package import Beacons

/// The crossings that were delivered to a client, numbered, in a file next to the client's grants.
///
/// Numbers grow and are never given twice, also when the service is killed: a line is in the file before it is passed
/// on. A line that a power cut left unfinished is not read. Requests to start or stop monitoring a region stand between
/// the crossings: a service that is killed before the region is in the client's state finds it here.
package final class CrossingJournal {
  /// How many crossings are kept at least; a file has at most twice as many lines.
  package static let limit = 1024
  /// By how much numbers jump after a power cut, which may have taken the last lines: they were delivered.
  static let jump: UInt64 = 1024

  private let path: String
  /// The store in which it lies; `nil` for a file elsewhere.
  private let store: ClientStore?
  private let boot: String
  /// Whether this object has written its header.
  private var isBegun = false
  /// Whether the last line was written as a whole.
  private var isWhole = true
  /// The number of the last crossing; 0 before the first.
  package private(set) var last: UInt64 = 0
  /// The number of the last crossing when the journal was opened.
  package private(set) var base: UInt64 = 0
  /// The last entry of each region when the journal was opened.
  package private(set) var regions: [RegionIdentifier: LastOfRegion] = [:]
  private var lines: [(number: UInt64, bytes: [UInt8])] = []
  private var lineCount = 0

  /// Opens a client's journal.
  ///
  /// - Parameters:
  ///   - path: The file, which need not exist.
  ///   - boot: Identifies a run of the machine: the entries of a killed process are complete within one run.
  ///   - store: The store in which it lies; `nil` for a file elsewhere.
  /// - Throws: `SystemError` if descriptors or memory are missing, or the disk fails: the last number is not known then, and would be
  ///   given again.
  package init(path: String, boot: String, in store: ClientStore? = nil) throws(SystemError) {
    self.path = path
    self.store = store
    self.boot = boot
    defer { base = last }
    // Another account could have written it.
    guard store?.distrust(of: path) == nil else { return }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try WholeFile.read(path, mayWait: false)
    } catch {
      if error.isShortage || error.isOfInput, !FileStatus.isMissing(path) { throw error }
      return
    }
    var lastBoot = ""
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
      guard let value = try? JSON5.parse(Array(line)) else { continue }
      lineCount += 1
      if case .string(let name)? = value["boot"]?.content { lastBoot = name }
      note(value)
      guard case .number(let number)? = value["sequence"]?.content, let sequence = number.integer,
        sequence > 0
      else { continue }
      last = max(last, UInt64(sequence))
      if value["type"] != nil { lines.append((UInt64(sequence), Array(line) + [0x0A])) }
    }
    lines = Array(lines.suffix(Self.limit))
    if lastBoot != boot, last > 0 { last += Self.jump }
  }

  /// The journal of a client in a store.
  static func path(of client: String, in store: ClientStore) -> String {
    store.folder(of: client) + "/crossings.jsonl"
  }

  /// A region's last crossing.
  package struct Crossing: Sendable, Equatable {
    /// When it was.
    package var time: Timestamp
    /// The client's place since then.
    package var state: RegionState
  }

  /// What became of a region last.
  package struct LastOfRegion: Sendable, Equatable {
    /// The region as it was to be monitored; `nil` when that was written too long ago.
    package var registered: SavedRegion?
    /// Whether it is no longer to be monitored.
    package var isStopped = false
    /// Its last crossing since then.
    package var crossing: Crossing?
  }

  /// Notes a line of the file.
  ///
  /// It is written before the client's state is, so after a kill the journal may know more.
  private func note(_ value: JSON5Value) {
    guard case .string(let type)? = value["type"]?.content,
      case .string(let region)? = value["region"]?.content,
      case .string(let text)? = value["t"]?.content, let time = RFC3339.parse(text)
    else { return }
    let identifier = RegionIdentifier(region)
    switch type {
    case "region.enter":
      regions[identifier, default: LastOfRegion()].crossing = Crossing(time: time, state: .inside)
    case "region.exit":
      regions[identifier, default: LastOfRegion()].crossing = Crossing(time: time, state: .outside)
    case "request":
      switch RequestLine(value, at: time, client: nil)?.content {
      case .request(.monitor(let region, let assumed)):
        let saved = SavedRegion(region, state: assumed ?? .unknown, savedAt: time)
        regions[identifier] = LastOfRegion(registered: saved)
      case .request(.stopMonitoring): regions[identifier] = LastOfRegion(isStopped: true)
      default: break
      }
    default: break
    }
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
    if lineCount > 2 * Self.limit { try rewrite(Array(lines.dropLast()), after: last - 1) }
    try write(bytes, after: last - 1)
  }

  /// Adds a request to start or stop monitoring a region, before the engine gets it.
  ///
  /// - Throws: `SystemError` if it cannot be written.
  package func append(
    _ request: ClientRequest,
    of client: String,
    at time: Timestamp
  ) throws(SystemError) {
    if lineCount > 2 * Self.limit { try rewrite(lines, after: last) }
    var writer = JSONLineWriter()
    writer.beginLine("request")
    writer.timestamp("t", time)
    writer.string("client", client)
    writer.fields(request.fields())
    writer.endLine()
    try write(writer.bytes, after: last)
  }

  /// The file is open only for the time of writing: a client for which nothing happens costs no descriptor.
  private func write(_ bytes: [UInt8], after number: UInt64) throws(SystemError) {
    // The rest of an unfinished line must not join this line.
    var text: [UInt8] = isWhole ? [] : [0x0A]
    let file: FileDescriptor
    // Each time: the folder may have been removed or replaced.
    if let store {
      try store.makeFolders(for: path)
    } else {
      try FileDescriptor.createFolders(for: path)
    }
    if isBegun, !FileStatus.isMissing(path) {
      file = try FileDescriptor(writingInto: path, mode: 0o600, appending: true)
    } else {
      if lineCount == 0, FileStatus(path) == nil {
        file = try FileDescriptor(creating: path, mode: 0o600, appending: true)
      } else {
        file = try FileDescriptor(writingInto: path, mode: 0o600, appending: true)
        text = [0x0A]
      }
      text += header(number)
      lineCount += 1
    }
    isWhole = false
    try file.write(text + bytes)
    (isBegun, isWhole) = (true, true)
    lineCount += 1
  }

  /// States up to which number crossings were delivered, also if their lines are gone.
  private func header(_ number: UInt64) -> [UInt8] {
    Array("{\"boot\":\"\(boot)\",\"sequence\":\(number)}\n".utf8)
  }

  /// Leaves out entries that the client's state has long had: old crossings and all requests.
  private func rewrite(
    _ kept: [(number: UInt64, bytes: [UInt8])],
    after number: UInt64
  ) throws(SystemError) {
    isBegun = false
    try store?.makeFolders(for: path)
    try DurableFile().replace(path, with: header(number) + kept.flatMap(\.bytes))
    lineCount = kept.count
  }

  /// The lines of the crossings after a number that were there when the journal was opened, oldest first.
  package func earlierLines(after number: UInt64) -> [[UInt8]] {
    lines.filter { $0.number > number && $0.number <= base }.map(\.bytes)
  }

  /// The lines of the crossings after a number, oldest first.
  package func lines(after number: UInt64) -> [[UInt8]] {
    lines.filter { $0.number > number }.map(\.bytes)
  }
}
