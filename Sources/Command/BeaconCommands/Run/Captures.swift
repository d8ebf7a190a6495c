// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import SystemKit
package import BeaconCore
package import BeaconFormats
package import Beacons

/// The captures that a command reads, as one reader on one timeline.
package final class Captures: ScanReader {
  /// The captures, in the order in which they start.
  package let files: [CaptureFile]
  private var merged: MergingReader?
  /// The captures that were named twice.
  private let repeated: [String]
  private var latest = Timestamp.earliest
  private var hasEnded = false

  /// Opens captures; several are merged by time, whatever their order here.
  ///
  /// - Parameters:
  ///   - paths: The captures.
  ///   - timing: How faults of a recorder's clock, and the parts of a recording, are recognized.
  ///   - beforeWaiting: Called before a read that has to wait for whoever writes to a pipe.
  /// - Throws: ``CommandFailure`` for the first that cannot be opened or read.
  package init(
    _ paths: [String],
    timing: TimingConfiguration = TimingConfiguration(),
    beforeWaiting: @escaping () throws -> Void = {}
  ) throws {
    let (paths, repeated) = Self.distinct(paths)
    self.repeated = repeated
    // Merged captures are kept on the clocks of their recorders, which may have written several of them.
    let reading = paths.count > 1 ? CaptureFile.Reading.recorded : .steady
    FileDescriptor.allow(paths.count)
    let opened = try paths.map { path in
      try CaptureFile(path, reading, timing: timing, beforeWaiting: beforeWaiting)
    }
    let merged = opened.count > 1 ? try MergingReader(opened, timing: timing) : nil
    files = merged?.captures.compactMap { $0 as? CaptureFile } ?? opened
    self.merged = merged
  }

  /// Returns each file once, whatever its names, with a sentence about each that is named again.
  ///
  /// A capture that is merged with itself would be two receivers, each of which receives everything. Standard input may
  /// be one of the files, too.
  package static func distinct(_ paths: [String]) -> (paths: [String], remarks: [String]) {
    var known: [(path: String, identity: FileIdentity?)] = []
    var remarks: [String] = []
    for path in paths {
      let status = path == "-" ? FileDescriptor.standardInput.status : FileStatus(path)
      let identity = status?.identity
      let first = known.first { $0.path == path || identity != nil && $0.identity == identity }
      guard let first else {
        known.append((path, identity))
        continue
      }
      let name = WholeFile.name(path)
      remarks.append(
        first.path == path
          ? "\(name) is named twice; it is read once"
          : "\(name) is the same file as \(WholeFile.name(first.path)); it is read once"
      )
    }
    return (known.map(\.path), remarks)
  }

  package func next() throws -> ScanBatch? {
    let batch = merged == nil ? try files.first?.next() : try merged?.next()
    if let batch {
      latest = max(latest, batch.inputs.last?.time ?? latest)
      return batch
    }
    // At the end stands what all captures left out, however they are divided into files.
    let losses = hasEnded ? [] : drops.occurred.filter { $0.reason.isLoss }
    hasEnded = true
    guard latest > .earliest, !losses.isEmpty else { return nil }
    return ScanBatch(
      inputs: losses.map { .notice(.dropped($0.reason, count: $0.count), latest) }
    )
  }

  /// How far local time is ahead of UTC at the start; `nil` where no recording says so.
  package var utcOffset: TimeSpan? { files.lazy.compactMap(\.capture.zone).first }

  /// How many inputs got another time than their stamp.
  package var moved: Int {
    files.reduce(0) { $0 + $1.moved } + (merged?.clocks ?? []).reduce(0) { $0 + $1.clock.moved }
  }

  /// The names of the receivers met so far, by their number; of several with the same name, all but the first one have
  /// their capture's name before it.
  package var receiverNames: [String] {
    merged?.receiverNames ?? files.first?.capture.receiverNames ?? []
  }

  /// What users did according to recordings, as far as they were read; forgotten with the call.
  package func drainUserActionLines() -> [UserActionLine] {
    files.flatMap { $0.drainUserActionLines() }
  }

  /// What was left out of all captures, with reasons.
  package var drops: Tally<DropReason> {
    files.reduce(into: Tally()) { $0.add($1.capture.drops) }
  }

  /// What a user should know of the captures.
  package var remarks: [String] {
    repeated + files.flatMap(\.remarks)
      + (merged?.clocks ?? []).flatMap { CaptureFile.remarks(on: $0.clock, of: $0.label) }
  }

  /// How much was read, from 0 to 1; `nil` if a size is not known.
  package var progress: Double? {
    let parts = files.compactMap(\.progress)
    return parts.count == files.count ? parts.reduce(0, +) / Double(max(1, parts.count)) : nil
  }
}

extension ParsedArguments {
  /// The files that each `--from` names; several where one is a pattern.
  ///
  /// - Throws: ``CommandFailure`` where no file matches a pattern.
  package func captureGroups() throws(CommandFailure) -> [[String]] {
    var groups: [[String]] = []
    for name in all(Options.from) {
      let paths = FilePattern.expanded(name)
      if paths.isEmpty { throw CommandFailure(.noInput, "no file matches '\(name)'") }
      groups.append(paths)
    }
    return groups
  }

  /// The files that all `--from` name together.
  package func captures() throws(CommandFailure) -> [String] {
    try captureGroups().flatMap { $0 }
  }
}

extension ReaderSource {
  /// The inputs of captures.
  ///
  /// - Parameters:
  ///   - captures: The captures.
  ///   - isPaced: Whether they are played at a speed, and so in small pieces.
  package convenience init(_ captures: Captures, isPaced: Bool = false) {
    self.init(
      isPaced ? PiecewiseReader(captures) : captures,
      receiverNames: captures.receiverNames,
      utcOffset: captures.utcOffset
    )
  }
}
