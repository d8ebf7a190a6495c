// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import SystemKit
package import BeaconCore
package import BeaconFormats

/// The file of a recording, and its older files if it rotates.
///
/// Every batch is written immediately. So if the program is killed, the recording is readable up to its last complete
/// record. A separate thread waits for the disk, so that a power cut costs only the last seconds.
package struct RecordingFile {
  /// When a recording continues in a new file.
  package enum Rotation: Sendable, Equatable {
    /// When the file has this many bytes.
    case size(Int)
    /// When the file is this old on the run's timeline.
    case age(TimeSpan)
  }

  /// Which file a recording is written to, and how.
  package struct Place: Sendable {
    /// The file; older ones are `path.1`, `path.2` and so on.
    package var path: String
    /// The format; JSON Lines keep everything, the other formats only reports.
    package var format: RecordingWriter.Format
    /// When the recording continues in a new file; `nil` for never.
    package var rotation: Rotation?
    /// How many older files are kept.
    package var kept = 4
    /// Whether an existing recording is continued, as a live run does; a replay does not.
    package var continues: Bool
    /// Whether the run waits for the disk, as a replay does; a run that anything else waits for does not.
    package var waits: Bool
    /// The permissions of a new file: only its owner may read who was where.
    package var mode: UInt32 = 0o600
    /// How long written data may wait for the disk.
    package var synchronizeInterval = RecordingConfiguration().synchronizeInterval

    package init(path: String, format: RecordingWriter.Format, continues: Bool) {
      self.path = path
      self.format = format
      self.continues = continues
      waits = !continues
    }

    /// The treatment of an existing file that is not continued.
    fileprivate var existing: OutputFiles.Existing { waits ? .whole : .setAside }

    /// The place as it can be used: a stream of the process has no name that could be continued or rotated.
    fileprivate var usable: Place {
      guard OutputFiles.isStream(path) else { return self }
      var place = self
      (place.continues, place.rotation) = (false, nil)
      return place
    }
  }

  private let place: Place
  private let files: OutputFiles
  private var header: CaptureHeader
  private let includesAddresses: Bool
  private var writer: RecordingWriter
  private var output: OutputFile?
  /// Keeps other recorders from the file.
  private var lock: FileLock?
  private var disk: DiskSynchronizer?
  private var older = OlderFiles()
  /// The size that the file has, without another writer.
  private var size = 0
  private var begunAt = Timestamp.earliest
  /// What happened to the file, for the user.
  private var notices: [RecordingNotice] = []
  /// The last state of each receiver, which every further piece repeats.
  private var states: [UInt8: RadioState] = [:]
  /// The receivers that listened when inputs began to be lost.
  private var held: [UInt8: RadioState] = [:]
  /// The clients' grants as they are now, which every further piece repeats.
  package var clients: [ClientStateLine] = []
  /// How far local time is ahead of UTC now, which every piece states; `nil` if it is not known.
  package var zone: TimeSpan?

  var path: String { place.path }
  var waits: Bool { place.waits }

  /// Creates the description of a recording file.
  ///
  /// Nothing is written yet.
  ///
  /// - Parameters:
  ///   - place: The file and how it is written.
  ///   - files: Opens the files.
  ///   - header: The recording's header.
  ///   - includesAddresses: Whether device addresses are recorded unchanged.
  package init(
    _ place: Place,
    opening files: OutputFiles,
    header: CaptureHeader,
    includesAddresses: Bool
  ) {
    let place = place.usable
    self.place = place
    self.files = files
    self.header = header
    self.includesAddresses = includesAddresses
    writer = RecordingWriter(
      place.format,
      header: header,
      includesAddresses: includesAddresses,
      startingAt: .earliest
    )
  }

  /// Checks whether the recording could be written, without touching a file.
  ///
  /// - Throws: `OutputRefusal` or `SystemError` if it could not.
  package static func check(_ place: Place, opening files: OutputFiles) throws {
    let place = place.usable
    try examine(place, opening: files)
    try files.announce(place.path, place.continues ? .continued : place.existing)
  }

  private static func examine(_ place: Place, opening files: OutputFiles) throws {
    let existing = place.continues ? try ExistingRecording(place.path, place.format) : .none
    // An input is refused as such, whatever it contains.
    try files.check(place.path, keepingContent: place.continues)
    if case .foreign = existing, !files.replaces {
      throw OutputRefusal.isNoRecording(path: place.path)
    }
    guard place.rotation != nil else { return }
    var older = OlderFiles()
    _ = try older.check(place, opening: files)
  }

  // MARK: Beginning

  /// Opens the file and writes the recording's first lines.
  package mutating func begin(at time: Timestamp) throws {
    if place.rotation != nil { _ = try older.check(place, opening: files) }
    switch place.continues ? try ExistingRecording(path, place.format) : .none {
    case .none: try open(place.existing, at: time)
    case .foreign:
      try Self.examine(place, opening: files)
      try open(place.existing, at: time)
    case .recording(let last, let isWhole)
    where place.format == .lines && last ?? .earliest <= time && !isLarge:
      try open(.continued, at: time)
      // A broken last line of a crash must not swallow the next one.
      if !isWhole { try write([UInt8(ascii: "\n")]) }
      notices.append(.continued(path: path))
    case .recording, .damaged:
      try files.check(path, keepingContent: true)
      if FileLock.isHeld(of: path) { throw OutputRefusal.isRecorded(path: path) }
      try shift(keeping: place.rotation == nil ? .max : max(1, place.kept))
      notices.append(.setAside(path: path, as: "\(path).1"))
      try open(place.existing, at: time)
    }
    try flush()
  }

  private mutating func open(_ existing: OutputFiles.Existing, at time: Timestamp) throws {
    let output = try files.open(path, existing, mode: place.mode, appending: true)
    let status = output.descriptor.status
    if let status, status.isRegular {
      if !output.isBeside {
        lock = try FileLock(of: path)
        guard lock != nil else {
          files.release(path)
          throw OutputRefusal.isRecorded(path: path)
        }
      }
      // The name must survive a power cut too.
      try FileDescriptor.synchronizeFolder(of: path)
      disk = DiskSynchronizer(
        try output.descriptor.duplicate(),
        every: place.synchronizeInterval
      )
    }
    self.output = output
    size = status?.size ?? 0
    start(at: time)
  }

  /// Starts the file's content; its first lines are written with the next bytes.
  private mutating func start(at time: Timestamp) {
    begunAt = time
    header.begun = header.begun ?? time
    header.piece = (header.piece ?? 0) + 1
    writer = RecordingWriter(
      place.format,
      header: header,
      includesAddresses: includesAddresses,
      startingAt: time,
      pseudonymsAfter: Self.pseudonyms(in: size)
    )
    if let zone { writer.append(zone: zone, at: time) }
  }

  /// The number of pseudonyms that a file of this size can contain, so that a continued file never has one for two
  /// devices.
  private static func pseudonyms(in size: Int) -> UInt64 {
    let shortestReport = 100
    return UInt64(max(0, size) / shortestReport)
  }

  // MARK: Writing

  /// Writes a batch, in a new file if one is due.
  package mutating func write(_ batch: ScanBatch) throws {
    if let time = batch.inputs.first?.time {
      try follow(at: time)
      if isDue(at: time) { try rotate(at: time) }
    }
    for case .radio(let receiver, let state, _) in batch.inputs {
      states[receiver] = state
    }
    writer.append(batch)
    try flush()
  }

  /// Writes a user action.
  package mutating func write(_ action: RecordedUserAction) throws {
    if case .zone(let offset) = action.input { zone = offset }
    writer.append(action)
    try flush()
  }

  /// Writes a service's records of its clients' requests.
  package mutating func write(_ line: RequestLine) throws {
    writer.append(line)
    try flush()
  }

  /// Writes a client's grants at a time.
  package mutating func write(_ state: ClientStateLine, at time: Timestamp) throws {
    writer.append(state, at: time)
    try flush()
  }

  /// Writes that nothing is known from a time on: the receivers that listened are deaf.
  mutating func lose(at time: Timestamp) throws {
    let receivers = Set(states.keys).union((0..<UInt8(clamping: max(1, header.receivers.count))))
    let listening = receivers.sorted().filter { states[$0, default: .listening] == .listening }
    held = Dictionary(uniqueKeysWithValues: listening.map { ($0, .listening) })
    try write(ScanBatch(inputs: listening.map { .radio(receiver: $0, .deaf, time) }))
  }

  /// Writes the receivers' states at a time from which on inputs are recorded again.
  mutating func find(at time: Timestamp, _ states: [UInt8: RadioState]) throws {
    let now = held.merging(states) { $1 }.sorted { $0.key < $1.key }
    held = [:]
    try write(ScanBatch(inputs: now.map { .radio(receiver: $0.key, $0.value, time) }))
  }

  /// Adds the names of receivers that were plugged in since the recording started.
  package mutating func name(receivers: [String]) {
    guard receivers.count > header.receivers.count else { return }
    header.receivers = receivers
    writer.name(receivers: receivers)
  }

  /// Writes the end of the recording and waits until everything is on the disk.
  package mutating func end(at time: Timestamp) throws {
    writer.end(at: time)
    try flush()
    try close()
  }

  /// Closes the file as it is; one that is written whole is not there then.
  mutating func abandon() {
    disk?.cancel()
    (disk, output, lock) = (nil, nil, nil)
    files.release(path)
  }

  /// Returns what happened to the file since the last call.
  package mutating func drainNotices() -> [RecordingNotice] {
    defer { notices = [] }
    return notices
  }

  private mutating func flush() throws {
    let bytes = writer.drainBytes()
    if !bytes.isEmpty { try write(bytes) }
  }

  private mutating func write(_ bytes: [UInt8]) throws {
    try disk?.check()
    try output?.write(bytes)
    size += bytes.count
    disk?.note()
  }

  private mutating func close() throws {
    disk?.cancel()
    disk = nil
    try output?.commit()
    (output, lock) = (nil, nil)
    files.release(path)
  }

  // MARK: Rotation

  private func isDue(at time: Timestamp) -> Bool {
    switch place.rotation {
    case .size(let limit): size >= limit
    case .age(let limit): time - begunAt >= limit
    case nil: false
    }
  }

  /// Whether the existing file is rotated rather than continued.
  private var isLarge: Bool {
    guard case .size(let limit) = place.rotation else { return false }
    return FileStatus(path)?.size ?? 0 >= limit
  }

  private mutating func rotate(at time: Timestamp) throws {
    guard let descriptor = output?.descriptor.status, descriptor.isRegular else { return }
    if place.kept > 0 {
      try close()
      try shift(keeping: place.kept)
      try open(place.existing, at: time)
    } else {
      try output?.descriptor.empty()
      size = 0
      start(at: time)
    }
    repeatStates(at: time)
  }

  /// Repeats the statements of the pieces before, so that a piece can be replayed by itself.
  private mutating func repeatStates(at time: Timestamp) {
    for client in clients { writer.append(client, at: time) }
    let receivers = states.sorted { $0.key < $1.key }
    writer.append(
      ScanBatch(inputs: receivers.map { .radio(receiver: $0.key, $0.value, time) })
    )
  }

  /// Renames the file to `path.1`, that to `path.2` and so on; the last of those that are kept goes.
  private mutating func shift(keeping count: Int) throws {
    let existing = try older.check(place, opening: files)
    for number in stride(from: min(existing + 1, count), to: 1, by: -1) {
      try FileDescriptor.rename("\(path).\(number - 1)", to: "\(path).\(number)")
    }
    try FileDescriptor.rename(path, to: "\(path).1")
    try FileDescriptor.synchronizeFolder(of: path)
  }

  // MARK: The file as others leave it

  /// Notices that the file was emptied, removed or moved, and continues at the place where readers look for it.
  private mutating func follow(at time: Timestamp) throws {
    guard place.continues, let status = output?.descriptor.status, status.isRegular else { return }
    if status.links == 0 || FileStatus(path)?.identity != status.identity {
      notices.append(.moved(path: path))
      try close()
      try begin(at: time)
      repeatStates(at: time)
    } else if status.size < size {
      notices.append(.emptied(path: path))
      try close()
      try begin(at: time)
      repeatStates(at: time)
    }
  }
}

/// What happened to the file of a recording.
package enum RecordingNotice: Sendable, Equatable, CustomStringConvertible {
  /// An existing recording is continued.
  case continued(path: String)
  /// An existing recording could not be continued and has another name now.
  case setAside(path: String, as: String)
  /// Another program removed or renamed the file.
  case moved(path: String)
  /// Another program removed content of the file.
  case emptied(path: String)
  /// The disk takes less than is received, so inputs are lost.
  case behind(path: String)
  /// Inputs are recorded again.
  case resumed(path: String, lost: Int, since: Timestamp, until: Timestamp)

  package var description: String {
    switch self {
    case .continued(let path): "continuing the recording \(path)"
    case .setAside(let path, let name): "\(path) existed and is now \(name); a new file was begun"
    case .moved(let path):
      "\(path) was removed or renamed while recording; the recording continues in a new file of that name"
    case .emptied(let path):
      "content of \(path) was removed while recording; the recording continues behind what is left"
    case .behind(let path):
      "\(path) takes less than is received: until it does again, nothing is recorded"
    case .resumed(let path, let count, let start, let end):
      "\(path) is recorded again: \(count) reports from \(RFC3339.string(start)) to "
        + "\(RFC3339.string(end)) are not in it, and a replay knows nothing of that time"
    }
  }
}
