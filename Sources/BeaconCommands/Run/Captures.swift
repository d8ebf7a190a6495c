// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// The captures that a command reads, as one reader on one timeline.
package final class Captures: ScanReader {
  /// The captures, in the order they were given.
  package let files: [CaptureFile]
  private var merged: ReorderingReader?

  /// Opens captures; several are merged by time, each with receivers of its own.
  ///
  /// - Parameters:
  ///   - paths: The captures.
  ///   - beforeWaiting: Called before a read that has to wait for whoever writes to a pipe.
  /// - Throws: ``CommandFailure`` for the first that cannot be opened.
  package init(_ paths: [String], beforeWaiting: @escaping () throws -> Void = {}) throws {
    files = try paths.map { try CaptureFile($0, beforeWaiting: beforeWaiting) }
    merged = files.count > 1 ? ReorderingReader(files, receivers: .distinct) : nil
  }

  package func next() throws -> ScanBatch? {
    guard merged != nil else { return try files.first?.next() }
    return try merged?.next()
  }

  /// The names of the receivers met so far, by their number; of several captures, with the capture's name before it.
  package var receiverNames: [String] {
    guard let merged else { return files.first?.capture.receiverNames ?? [] }
    return merged.receiverOrigins.map { origin in
      let names = files[origin.reader].capture.receiverNames
      let receiver = Int(origin.receiver)
      let file = files[origin.reader].path
      return receiver < names.count ? "\(file):\(names[receiver])" : file
    }
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
  package var remarks: [String] { files.flatMap(\.remarks) }

  /// How much was read, from 0 to 1; `nil` if a size is not known.
  package var progress: Double? {
    let parts = files.compactMap(\.progress)
    return parts.count == files.count ? parts.reduce(0, +) / Double(max(1, parts.count)) : nil
  }
}
