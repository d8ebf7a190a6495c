// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Writes the reports and receivers' states of batches as a capture, appending to bytes.
///
/// A receiver that is off or gone is written as the end of its scan, or as a removed adapter. These formats cannot
/// contain marks, so those are left out. A report with rebuilt manufacturer data
/// is written with the advertising data that was rebuilt.
public protocol CaptureWriter {
  /// Appends the start of the file.
  ///
  /// - Parameters:
  ///   - receiverNames: The names of the receivers by number, cut to eight characters; may be empty.
  ///   - time: The start of the capture.
  ///   - bytes: The file's bytes.
  func begin(receiverNames: [String], at time: Timestamp, into bytes: inout [UInt8])

  /// Appends the reports and receivers' states of a batch.
  func write(_ batch: borrowing ScanBatch, into bytes: inout [UInt8])
}
