// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconGateway
internal import Glibc
package import SystemKit

/// Messages that wait on the disk for their broker, in the order in which they were written.
///
/// Records are appended to files of about a megabyte. A file goes when the broker has all of it, or when there are too
/// many. The messages of a killed process are there for the next one; sent ones may be sent again.
package final class Spool {
  /// The most bytes on the disk; a day of one receiver's seconds takes a fifth of it.
  package static let usualLimit = 64 << 20
  /// The most bytes of a file before the next one is begun: the loss at a time when there are too many.
  private static let segmentLimit = 1 << 20
  /// The head is written after so many acknowledged records; after a kill so many are sent again.
  private static let headInterval: UInt64 = 50

  private struct Segment {
    var start: UInt64
    /// Where each record starts.
    var offsets: [Int]
    var size: Int

    var end: UInt64 { start + UInt64(offsets.count) }
  }

  /// Which records were sent.
  package var outbox: Outbox
  /// How many records the broker never got for lack of room.
  package private(set) var lost: UInt64 = 0
  /// Why the disk did not take the last record; `nil` if it did.
  package private(set) var fault: SystemError?
  /// How many records that were not urgent the disk did not take; nothing keeps them.
  package private(set) var refused: UInt64 = 0
  private let folder: String
  private let limit: Int
  private let lock: FileLock
  private var segments: [Segment] = []
  private var writing: OutputSegment?
  private var savedHead: UInt64
  /// The newest records, which the disk did not take yet; it gets them with the next one.
  private var unwritten: [SpoolRecord] = []

  /// The most urgent records that wait in memory for the disk: the crossings of hours, in half a megabyte.
  static let unwrittenLimit = 1000
  /// No file has a higher number; a record a microsecond reaches it in a hundred thousand years.
  private static let numberLimit: UInt64 = 1 << 62

  /// The file that is appended to.
  private final class OutputSegment {
    let file: FileDescriptor
    /// Whether the file's name is on the disk as well.
    var isNameDurable = false
    init(_ file: consuming FileDescriptor) { self.file = file }
  }

  /// Opens a spool; the folder is made if it does not exist.
  ///
  /// - Parameters:
  ///   - folder: The folder of the files.
  ///   - limit: The most bytes on the disk.
  /// - Throws: ``BrokerClientError``, or `SystemError` if the folder cannot be used.
  package init(_ folder: String, limit: Int = usualLimit) throws {
    self.folder = folder
    self.limit = max(limit, 2 * Self.segmentLimit)
    if let link = ForeignLink(on: folder) { throw BrokerClientError.folder(link.reason) }
    try FileDescriptor.createFolders(for: folder + "/")
    if let reason = Folder.distrust(folder) { throw BrokerClientError.folder(reason) }
    guard let lock = try FileLock(folder + "/lock") else {
      throw BrokerClientError.inUse(folder, FileLock.holder(of: folder + "/lock"))
    }
    self.lock = lock
    for (name, isOwn) in Self.ownFiles { try WholeFile.check(own: folder + "/" + name, isOwn) }
    var found: [Segment] = []
    for name in try Folder.names(in: folder).sorted() {
      guard let start = Self.start(of: name), FileStatus(folder + "/" + name)?.isRegular ?? false
      else { continue }
      found.append(try Self.segment(folder + "/" + name, start))
    }
    let end = found.map(\.end).max() ?? 0
    let text = (try? WholeFile.read(folder + "/head", mayWait: false)).map {
      String(decoding: $0, as: UTF8.self)
    }
    let saved = text.flatMap { UInt64($0.prefix { $0 != "\n" }) } ?? 0
    let first = found.first?.start ?? max(saved, end)
    savedHead = max(saved, first)
    // A head beyond the end is of removed files; their numbers are not used again.
    outbox = Outbox(head: savedHead, end: max(end, savedHead))
    segments = found
    removeDone()
  }

  // MARK: Files

  /// The files that are replaced, besides those of records, each with whether bytes have its form.
  private static let ownFiles: [(String, @Sendable ([UInt8]) -> Bool)] = [
    (
      "head",
      { $0.isEmpty || UInt64(String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self)) != nil }
    ),
    ("topics", { $0.isEmpty || !RetainedStates.topics(in: $0).isEmpty }),
    ("last-seen", { $0.isEmpty || !LastSeen($0).entries.isEmpty }),
    ("components", { $0.isEmpty || !AnnouncedComponents($0).bytes.isEmpty }),
  ]

  /// The first number of a file, from its name: `spool-` and 20 digits.
  private static func start(of name: String) -> UInt64? {
    guard name.utf8.count == 26, name.hasPrefix("spool-") else { return nil }
    return UInt64(name.dropFirst(6)).flatMap { $0 < numberLimit ? $0 : nil }
  }

  private func path(_ start: UInt64) -> String {
    let digits = String(start)
    return folder + "/spool-" + String(repeating: "0", count: 20 - digits.utf8.count) + digits
  }

  private static func segment(_ path: String, _ start: UInt64) throws(SystemError) -> Segment {
    let bytes = try WholeFile.read(path, mayWait: false)
    var segment = Segment(start: start, offsets: [], size: bytes.count)
    var place = 0
    while let (_, end) = SpoolRecord.read(bytes, at: place) {
      segment.offsets.append(place)
      place = end
    }
    return segment
  }

  // MARK: Records

  /// Appends a message.
  ///
  /// An urgent one that the disk does not take waits in memory, and is written with the next one.
  ///
  /// - Parameters:
  ///   - record: The message.
  ///   - isUrgent: Whether to wait until it is on the disk.
  /// - Returns: Its number; `nil` for one that is too long, and for one that was not kept (``fault``).
  package func append(_ record: SpoolRecord, isUrgent: Bool) -> UInt64? {
    guard record.bytes != nil else { return nil }
    if write(record, isUrgent: isUrgent) { return outbox.append() }
    guard isUrgent else {
      refused += 1
      return nil
    }
    unwritten.append(record)
    defer { dropUnwritten(to: Self.unwrittenLimit) }
    return outbox.append()
  }

  /// Tries for the last time to write the messages in memory; the rest is lost.
  package func finish() {
    forgetDone()
    if !unwritten.isEmpty, !write(nil, isUrgent: true) { dropUnwritten(to: 0) }
    saveHead()
  }

  /// The number of the first record that is only in memory.
  private var firstUnwritten: UInt64 { outbox.end - UInt64(unwritten.count) }

  /// Forgets records in memory that the broker has.
  private func forgetDone() {
    if outbox.head > firstUnwritten { unwritten.removeFirst(Int(outbox.head - firstUnwritten)) }
  }

  /// Leaves out the oldest records that are only in memory.
  private func dropUnwritten(to count: Int) {
    while unwritten.count > count {
      // Its number is past the head, unless the broker has it.
      if !outbox.isDone(firstUnwritten) { lost += 1 }
      skip(firstUnwritten)
      unwritten.removeFirst()
    }
  }

  /// Writes the records in memory and a new one: all of it or nothing.
  private func write(_ record: SpoolRecord?, isUrgent: Bool) -> Bool {
    forgetDone()
    let first = firstUnwritten
    do throws(SystemError) {
      if writing == nil || segments.last?.end != first
        || (segments.last?.size ?? 0) >= Self.segmentLimit
      {
        try beginFile(first)
      }
      guard let writing, let last = segments.indices.last else { return false }
      let parts = (unwritten + (record.map { [$0] } ?? [])).compactMap(\.bytes)
      do throws(SystemError) {
        try writing.file.write(Array(parts.joined()))
        if isUrgent { try synchronize(writing) }
      } catch {
        // The file ends with a whole record again, or is not continued.
        let size = segments[last].size
        if unsafe truncate(path(segments[last].start), size) != 0 { self.writing = nil }
        throw error
      }
      for part in parts {
        segments[last].offsets.append(segments[last].size)
        segments[last].size += part.count
      }
      (fault, unwritten) = (nil, [])
      return true
    } catch {
      fault = error
      return false
    }
  }

  private func synchronize(_ output: OutputSegment) throws(SystemError) {
    try output.file.synchronize()
    if output.isNameDurable { return }
    try FileDescriptor.synchronizeFolder(of: output.file.name)
    output.isNameDurable = true
  }

  private func beginFile(_ first: UInt64) throws(SystemError) {
    writing = nil
    // A kill behind its creation, a power cut or a full disk leaves a file without a whole record. Its name is needed again.
    if segments.last?.offsets.isEmpty ?? false { segments.removeLast() }
    _ = unsafe unlink(path(first))
    let file = try FileDescriptor(creating: path(first), mode: 0o600, appending: true)
    segments.append(Segment(start: first, offsets: [], size: 0))
    writing = OutputSegment(file)
    makeRoom()
  }

  /// Reads a record; `nil` if it is damaged or gone.
  package func read(_ record: UInt64) -> SpoolRecord? {
    if record >= firstUnwritten, record < outbox.end {
      return unwritten[Int(record - firstUnwritten)]
    }
    guard let segment = segments.last(where: { $0.start <= record }), record < segment.end else {
      return nil
    }
    let index = Int(record - segment.start)
    let start = segment.offsets[index]
    let end = index + 1 < segment.offsets.count ? segment.offsets[index + 1] : segment.size
    guard let file = try? FileDescriptor(reading: path(segment.start)),
      let bytes = try? file.read(upTo: end - start, at: start)
    else { return nil }
    return SpoolRecord.read(bytes, at: 0)?.record
  }

  /// The broker has a message; returns whether it was one of the spool.
  package func acknowledged(_ message: Int32) {
    if outbox.acknowledged(message) { headMoved() }
  }

  /// Leaves out a record that cannot be read.
  package func skip(_ record: UInt64) {
    if outbox.skip(record) { headMoved() }
  }

  private func headMoved() {
    removeDone()
    if outbox.head - savedHead >= Self.headInterval { saveHead() }
  }

  /// Writes how far the broker has everything.
  package func saveHead() {
    guard outbox.head != savedHead else { return }
    if Self.replace(folder + "/head", with: Array("\(outbox.head)\n".utf8)) {
      savedHead = outbox.head
    }
  }

  /// Replaces a file, whole or not at all; a failure leaves the old one.
  package static func replace(_ path: String, with bytes: [UInt8]) -> Bool {
    (try? DurableFile().replace(path, with: bytes)) != nil
  }

  /// Removes the files of which the broker has everything, except the one that is written.
  private func removeDone() {
    while let first = segments.first, first.end <= outbox.head,
      segments.count > 1 || writing == nil
    {
      // The head is saved first: without it and without files, numbers would start again.
      saveHead()
      _ = unsafe unlink(path(first.start))
      segments.removeFirst()
    }
  }

  private func makeRoom() {
    while segments.count > 1, segments.reduce(0, { $0 + $1.size }) > limit - Self.segmentLimit {
      let first = segments.removeFirst()
      lost += outbox.drop(before: segments[0].start)
      _ = unsafe unlink(path(first.start))
    }
  }
}
