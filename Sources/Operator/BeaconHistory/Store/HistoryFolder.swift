// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Glibc
internal import SystemKit

/// The files of a history: one a month, in one folder.
struct HistoryFolder: Sendable {
  let path: String

  /// A month's file.
  struct Month: Sendable, Hashable, Comparable {
    /// The month, as in `2026-05`.
    let name: String

    init(of time: Timestamp) { name = String(RFC3339.string(time).prefix(7)) }

    /// Reads the name of a file; `nil` if it is not the file of a month.
    init?(fileName: String) {
      guard fileName.utf8.count == 18, fileName.hasPrefix(HistoryFolder.prefix),
        fileName.hasSuffix(".db")
      else { return nil }
      let name = String(fileName.dropFirst(8).dropLast(3))
      guard RFC3339.parse(name + "-01T00:00:00Z") != nil else { return nil }
      self.name = name
    }

    /// The file's name.
    var fileName: String { HistoryFolder.prefix + name + ".db" }

    /// The month's first instant.
    var start: Timestamp { RFC3339.parse(name + "-01T00:00:00Z") ?? .earliest }

    /// The next month's first instant.
    var end: Timestamp {
      // No text has a month after the year 9999.
      let next = Month(of: start + .seconds(32 * 86_400)).start
      return next > start ? next : .latest
    }

    /// Whether a file can be named after it: a history from outside may hold any time.
    var isOfAFile: Bool { Month(fileName: fileName) != nil }

    static func < (first: Month, second: Month) -> Bool { first.name < second.name }
  }

  /// The months of which there are files, in their order.
  func months() throws(HistoryError) -> [Month] {
    try names().compactMap(Month.init(fileName:)).sorted()
  }

  /// The damaged files that were set aside.
  func filesAside() -> [String] {
    let names = (try? names()) ?? []
    return names.filter { $0.hasPrefix(Self.prefix) && $0.includes(".db.damaged") }.sorted()
  }

  private func names() throws(HistoryError) -> [String] {
    do throws(SystemError) {
      return try Folder.names(in: path)
    } catch {
      if error.isNotPermitted { throw .notPermitted(path: path) }
      throw .folder(path: path, unsafe String(cString: strerror(error.number)))
    }
  }

  func file(_ month: Month) -> String { path + "/" + month.fileName }

  /// The file that names the writer.
  var lockFile: String { path + "/" + Self.lockName }

  /// Takes the lock of the writer.
  func lock() throws(HistoryError) -> FileLock {
    try checkLinks()
    do throws(OutputRefusal) {
      if let lock = try FileLock(lockFile) { return lock }
    } catch {
      throw .notOwn(error)
    }
    throw .inUse(path: path, holder: FileLock.holder(of: lockFile))
  }

  static let lockName = "lock"
  /// The start of the name of every file, but the lock's.
  static let prefix = "history-"

  /// How many bytes a month has on the disk, with the bytes that wait to be moved into its file.
  func size(_ month: Month) -> Int {
    Self.endings.reduce(0) { $0 + (FileStatus(file(month) + $1)?.size ?? 0) }
  }

  // MARK: The number of the next crossing

  /// The file of the number of the next crossing, kept when crossings are removed, so that it is not given again.
  private var sequenceFile: String { path + "/" + Self.prefix + "sequence" }

  /// The number of the next crossing, as it was when crossings were last removed.
  var keptSequence: Int? {
    guard let bytes = try? WholeFile.read(sequenceFile, mayWait: false) else { return nil }
    let number = Int(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    return number.flatMap { (1...Self.mostSequence).contains($0) ? $0 : nil }
  }

  /// No history has more crossings; a file from outside may hold any number.
  private static let mostSequence = 1 << 53

  /// Keeps the number of the next crossing, before crossings are removed.
  func keep(sequence: Int) throws(HistoryError) {
    guard sequence > keptSequence ?? 1 else { return }
    do throws(OutputRefusal) {
      try WholeFile.check(own: sequenceFile) { bytes in
        bytes.allSatisfy {
          $0 == UInt8(ascii: "\n") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
      }
    } catch {
      throw .notOwn(error)
    }
    do throws(SystemError) {
      try DurableFile().replace(sequenceFile, with: Array("\(sequence)\n".utf8))
    } catch {
      if error.isNotPermitted { throw .notPermitted(path: sequenceFile) }
      throw .failed(path: sequenceFile, "\(error)")
    }
  }

  // MARK: Files

  /// Throws if a link of another account leads to the folder.
  private func checkLinks() throws(HistoryError) {
    if let link = ForeignLink(on: path) { throw .folder(path: path, link.reason) }
  }

  /// Makes the folder, only for its owner, if it is missing.
  func make() throws(HistoryError) {
    try checkLinks()
    if let status = FileStatus(path), status.isFolder {
      guard let reason = status.distrust else { return }
      throw .folder(path: path, reason)
    }
    guard unsafe mkdir(path, 0o700) == 0 else {
      throw .folder(path: path, unsafe String(cString: strerror(errno)))
    }
  }

  /// Removes a month.
  func remove(_ month: Month) throws(HistoryError) {
    // The file goes last: without its log it would be a state that never was.
    for ending in Self.endings.reversed() {
      let file = file(month) + ending
      guard unsafe unlink(file) == 0 || errno == ENOENT else {
        throw .failed(path: file, unsafe String(cString: strerror(errno)))
      }
    }
  }

  /// Sets a damaged month aside, under a name that nothing reads; it is not lost.
  ///
  /// - Returns: The new path.
  func setAside(_ month: Month) throws(HistoryError) -> String {
    let base = file(month) + ".damaged"
    // A thousand damaged files of a month are not expected.
    let names = [base] + (2...1000).map { "\(base)-\($0)" }
    guard let name = names.first(where: { FileStatus($0) == nil }) else {
      throw .failed(path: base, "it exists a thousand times")
    }
    for ending in Self.endings where FileStatus(file(month) + ending) != nil {
      guard unsafe rename(file(month) + ending, name + ending) == 0 else {
        throw .failed(path: file(month) + ending, unsafe String(cString: strerror(errno)))
      }
    }
    return name
  }

  /// The file itself, and the other files that SQLite keeps for it.
  private static let endings = ["", "-wal", "-shm"]
}
