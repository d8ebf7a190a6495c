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
  /// The source noticed that it lost inputs, or that their times were wrong.
  case notice(SourceNotice, Timestamp)
  /// Where a beacon is was found out from several receivers.
  case place(PlaceReport)

  /// The input's own stamp.
  @inlinable
  public var time: Timestamp {
    switch self {
    case .report(let report): report.time
    case .radio(_, _, let time): time
    case .mark(let time): time
    case .notice(_, let time): time
    case .place(let report): report.time
    }
  }

  /// Returns the input with another time.
  package func at(_ time: Timestamp) -> ScanInput {
    switch self {
    case .report(var report):
      report.time = time
      return .report(report)
    case .radio(let receiver, let state, _): return .radio(receiver: receiver, state, time)
    case .mark: return .mark(time)
    case .notice(let notice, _): return .notice(notice, time)
    case .place(var report):
      report.time = time
      return .place(report)
    }
  }
}

/// What a source notices about its own inputs.
public enum SourceNotice: Sendable, Hashable {
  /// From here on inputs have other times than their stamps, because the source's clock was set or a stamp is wrong: the
  /// first one by so much.
  case late(by: TimeSpan)
  /// So many inputs were left out for a reason.
  case dropped(DropReason, count: Int)
}
