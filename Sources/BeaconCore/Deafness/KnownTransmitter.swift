// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What was heard of one transmitter lately.
struct KnownTransmitter: Sendable, Equatable {
  /// The UUID of the beacon it is; `nil` for any other device.
  var uuid: UInt128?
  /// The reports in this half of the memory, and in the half before.
  var reports = 0
  var earlierReports = 0
  var lastReceived: Timestamp

  /// Reports a second over a span, on the cautious side: what was heard once was perhaps never heard again.
  func rate(over span: Double) -> Double {
    Double(max(0, reports + earlierReports - 1)) / span
  }
}
