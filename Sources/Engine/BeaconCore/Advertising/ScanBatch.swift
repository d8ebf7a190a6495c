// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A sequence of scan inputs, with the payloads of its reports.
public struct ScanBatch: Sendable {
  /// The bytes that the payloads of the reports lie in.
  ///
  /// They may contain other bytes too, such as the whole block of the capture that the reports were read from.
  public var bytes: [UInt8]
  /// The inputs, in the order they are to be admitted.
  public var inputs: [ScanInput]
  /// The time that the source has reached; `nil` when the inputs are complete by themselves, as in a capture.
  ///
  /// The source has no more inputs for the time before this, so whatever was due before it may be delivered.
  public var upTo: Timestamp?

  /// Creates a batch.
  public init(bytes: [UInt8] = [], inputs: [ScanInput] = [], upTo: Timestamp? = nil) {
    self.bytes = bytes
    self.inputs = inputs
    self.upTo = upTo
  }

  /// Appends a report whose payload is copied into the batch.
  @inlinable
  public mutating func append(_ report: AdvertisingReport, payload: some Collection<UInt8>) {
    var report = report
    report.payloadStart = UInt32(truncatingIfNeeded: bytes.count)
    report.payloadCount = UInt16(clamping: payload.count)
    bytes.append(contentsOf: payload.prefix(Int(report.payloadCount)))
    inputs.append(.report(report))
  }

  /// Returns a copy of a report's payload; empty when the report points outside the batch.
  public func payload(of report: AdvertisingReport) -> ArraySlice<UInt8> {
    let start = Int(report.payloadStart)
    let end = start + Int(report.payloadCount)
    guard end <= bytes.count else { return [] }
    return bytes[start..<end]
  }
}
