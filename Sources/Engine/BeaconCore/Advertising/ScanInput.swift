// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One input of a scan source.
public enum ScanInput: Sendable, Equatable {
  /// A packet was received.
  case report(AdvertisingReport)
  /// A beacon was received, by another program that sums its packets.
  case level(LevelReport)
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
    case .level(let level): level.time
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
    case .level(var level):
      level.time = time
      return .level(level)
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
      switch self {
      case .report(let report): report.receiver
      case .level(let level): level.receiver
      case .radio(let receiver, _, _): receiver
      case .mark, .notice, .place: nil
      }
    }
    set {
      guard let newValue else { return }
      switch self {
      case .report(var report):
        report.receiver = newValue
        self = .report(report)
      case .level(var level):
        level.receiver = newValue
        self = .level(level)
      case .radio(_, let state, let time):
        self = .radio(receiver: newValue, state, time)
      case .mark, .notice, .place: break
      }
    }
  }

  /// The RSSI of a report or a level in dBm; `nil` if it is not known, and for another input.
  package var rssi: Int8? {
    switch self {
    case .report(let report): report.rssi
    case .level(let level): level.rssi
    case .radio, .mark, .notice, .place: nil
    }
  }

  /// The address that a report came from; `nil` if it is not known, and for another input.
  package var address: DeviceAddress? {
    if case .report(let report) = self { report.address } else { nil }
  }

  /// The place of the bytes in the batch that the input points to; empty if it points to no bytes.
  package var pointsTo: Range<Int> {
    switch self {
    case .report(let report): report.payloadRange
    case .level(let level): Int(level.start)..<Int(level.start) + BeaconDecoder.frameCount
    case .place(let report): Int(report.start)..<Int(report.start) + Int(report.count)
    case .radio, .mark, .notice: 0..<0
    }
  }

  /// Returns the input as it is in a batch in which the bytes that it points to start elsewhere.
  package func pointing(to start: Int) -> ScanInput {
    let start = UInt32(truncatingIfNeeded: start)
    switch self {
    case .report(var report):
      report.payloadStart = start
      return .report(report)
    case .level(var level):
      level.start = start
      return .level(level)
    case .place(var report):
      report.start = start
      return .place(report)
    case .radio, .mark, .notice: return self
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
