// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Writes the reports of batches as a capture, appending to bytes.
///
/// These formats cannot contain radio states and marks, so those are left out. A report with rebuilt manufacturer data
/// is written with the advertising data that was rebuilt.
public protocol CaptureWriter {
  /// Appends the start of the file.
  ///
  /// - Parameters:
  ///   - receiverNames: The names of the receivers by number, cut to eight characters; may be empty.
  ///   - time: The start of the capture.
  ///   - bytes: The file's bytes.
  func begin(receiverNames: [String], at time: Timestamp, into bytes: inout [UInt8])

  /// Appends the reports of a batch.
  func write(_ batch: borrowing ScanBatch, into bytes: inout [UInt8])
}
