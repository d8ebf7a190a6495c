// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One input of a scan source.
public enum ScanInput: Sendable, Equatable {
  /// A packet was received.
  case report(AdvertisingReport)
  /// A receiver's state changed at a time.
  case radio(receiver: UInt8, RadioState, Timestamp)
  /// The source was listening at this time: without reports up to here, nothing was transmitted.
  case mark(Timestamp)

  /// The input's own stamp.
  @inlinable
  public var time: Timestamp {
    switch self {
    case .report(let report): report.time
    case .radio(_, _, let time): time
    case .mark(let time): time
    }
  }
}
