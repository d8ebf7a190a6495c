// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One thing a source says about the air.
public enum ScanInput: Sendable, Equatable {
  /// A packet was heard.
  case report(AdvertisingReport)
  /// A receiver's state changed at a time.
  case radio(receiver: UInt8, RadioState, Timestamp)
  /// The source was listening at this time; silence up to here is silence on the air.
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
