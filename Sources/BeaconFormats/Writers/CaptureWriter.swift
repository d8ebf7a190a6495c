// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Writes the reports of batches as a capture, appending to bytes.
///
/// Radio states and marks have no place in these formats and are left out. A report whose manufacturer data was rebuilt
/// is written as the advertising data it was rebuilt to.
public protocol CaptureWriter {
  /// Appends what stands at the beginning of the file.
  ///
  /// - Parameters:
  ///   - receiverNames: The names of the receivers by number, of which eight characters are kept; may be empty.
  ///   - time: When the capture begins.
  ///   - bytes: The file's bytes.
  func begin(receiverNames: [String], at time: Timestamp, into bytes: inout [UInt8])

  /// Appends the reports of a batch.
  func write(_ batch: borrowing ScanBatch, into bytes: inout [UInt8])
}
