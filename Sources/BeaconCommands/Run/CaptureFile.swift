// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import SystemKit
package import BeaconCore
package import BeaconFormats
package import Beacons

/// A capture in a file, open for reading.
package final class CaptureFile: ScanReader {
  /// The path as it was given.
  package let path: String
  /// The capture; what it tells of itself is complete when it was read to its end.
  package private(set) var capture: CaptureReader<FileByteSource>
  private let bytes: FileByteSource
  private var hasInputs = false

  /// Opens a capture; `-` is standard input.
  ///
  /// - Parameters:
  ///   - path: The capture.
  ///   - beforeWaiting: Called before a read that has to wait for whoever writes to a pipe.
  /// - Throws: ``CommandFailure`` that names the file, and says what it is if it is no capture.
  package init(_ path: String, beforeWaiting: @escaping () throws -> Void = {}) throws {
    self.path = path
    do {
      bytes = try FileByteSource(
        path: path,
        isCancelled: { Interruption.exitCode != nil },
        beforeWaiting: beforeWaiting
      )
      capture = try CaptureReader(bytes)
    } catch let error as SystemError {
      throw CommandFailure(error)
    } catch let error as CaptureFormatError {
      throw CommandFailure(.badData, "\(Self.name(path)): \(error)")
    }
  }

  package func next() throws -> ScanBatch? {
    do {
      let batch = try capture.next()
      hasInputs = hasInputs || batch != nil
      if batch == nil, !hasInputs { try checkLines() }
      return batch
    } catch let error as SystemError where error.kind != .write {
      throw CommandFailure(error)
    }
  }

  /// Refuses a file of JSON that has no line of a recording: any text that begins with a brace looks like one at first.
  private func checkLines() throws(CommandFailure) {
    guard capture.format == .jsonLines, capture.records > 0,
      capture.drops[.malformedRecord] >= capture.records
    else { return }
    throw CommandFailure(
      .badData,
      "\(Self.name(path)): not a capture: no line of it is one of a recording"
    )
  }

  /// A path as a person reads it.
  package static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

  /// What persons did according to a recording, as far as it was read; forgotten with the call.
  package func drainUserActionLines() -> [UserActionLine] { capture.drainUserActionLines() }

  /// How much of the capture was read, from 0 to 1; `nil` where its size is not known.
  package var progress: Double? {
    bytes.size.map { $0 > 0 ? Double(bytes.bytesRead) / Double($0) : 1 }
  }

  /// What the capture is, in a line.
  package var summary: String {
    let types = capture.linkTypes.map { String($0) }.joined(separator: ", ")
    let format = capture.format?.name ?? "empty"
    return "\(Self.name(path)): \(format)" + (types.isEmpty ? "" : ", link type \(types)")
      + ", \(capture.records) records, \(capture.bytesRead) bytes"
  }

  /// What a person should know of the capture: where it breaks, what is odd, what was left out.
  package var remarks: [String] {
    var remarks: [String] = []
    let name = Self.name(path)
    if let offset = capture.damagedAt {
      let records = capture.records == 1 ? "1 record" : "\(capture.records) records"
      remarks.append(
        "\(name): read \(records) up to byte \(offset): \(capture.damage ?? "damaged")"
      )
    }
    remarks += capture.notes.map { "\(name): \($0)" }
    return remarks
  }
}
