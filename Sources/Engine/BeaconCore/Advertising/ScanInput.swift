// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One input of a scan source.
public enum ScanInput: Sendable, Equatable {
  /// A packet was received.
  case report(AdvertisingReport)
  /// A beacon was received by a gateway or a service, which sums its packets. The report has the beacon's frame in place
  /// of a packet; a sum of a second becomes as many levels as there were reports.
  case level(AdvertisingReport)
  /// A receiver's state changed at a time.
  case radio(receiver: UInt8, RadioState, Timestamp)
  /// The source was listening at this time: without reports up to here, nothing was transmitted.
  case mark(Timestamp)
  /// The source noticed that it lost inputs, or that their times were wrong.
  case notice(SourceNotice, Timestamp)
  /// The place of a beacon was determined from several receivers.
  case place(PlaceReport)

  /// The input's own stamp.
  @inlinable
  public var time: Timestamp {
    switch self {
    case .report(let report), .level(let report): report.time
    case .radio(_, _, let time): time
    case .mark(let time): time
    case .notice(_, let time): time
    case .place(let report): report.time
    }
  }

  /// The report of a packet or a level; `nil` for another input.
  package var report: AdvertisingReport? {
    switch self {
    case .report(let report), .level(let report): report
    case .radio, .mark, .notice, .place: nil
    }
  }

  /// Changes the report of a packet or a level.
  private mutating func update(_ change: (inout AdvertisingReport) -> Void) {
    guard var report else { return }
    change(&report)
    if case .level = self { self = .level(report) } else { self = .report(report) }
  }

  /// Returns the input with another time.
  package func at(_ time: Timestamp) -> ScanInput {
    switch self {
    case .report, .level:
      var input = self
      input.update { $0.time = time }
      return input
    case .radio(let receiver, let state, _): return .radio(receiver: receiver, state, time)
    case .mark: return .mark(time)
    case .notice(let notice, _): return .notice(notice, time)
    case .place(var report):
      report.time = time
      return .place(report)
    }
  }

  /// The receiver whose input it is; `nil` if it is an input of the source.
  package var receiver: UInt8? {
    get {
      if case .radio(let receiver, _, _) = self { receiver } else { report?.receiver }
    }
    set {
      guard let newValue else { return }
      if case .radio(_, let state, let time) = self {
        self = .radio(receiver: newValue, state, time)
      } else {
        update { $0.receiver = newValue }
      }
    }
  }

  /// The place of the bytes in the batch that the input points to; empty if it points to no bytes.
  package var pointsTo: Range<Int> {
    if case .place(let report) = self {
      Int(report.start)..<Int(report.start) + Int(report.count)
    } else {
      report?.payloadRange ?? 0..<0
    }
  }

  /// Returns the input as it is in a batch in which the bytes that it points to start elsewhere.
  package func pointing(to start: Int) -> ScanInput {
    let start = UInt32(truncatingIfNeeded: start)
    var input = self
    if case .place(var report) = self {
      report.start = start
      input = .place(report)
    }
    input.update { $0.payloadStart = start }
    return input
  }
}

/// A source's notice about its own inputs.
public enum SourceNotice: Sendable, Hashable {
  /// From here on inputs have other times than their stamps, because the source's clock was set or a stamp is wrong: the
  /// first one by so much.
  case late(by: TimeSpan)
  /// So many inputs were left out for a reason.
  case dropped(DropReason, count: Int)
}
