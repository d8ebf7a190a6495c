// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The last reports of a region, so that an exit can be seen in detail however long a picture is.
struct RecentReports: Sendable {
  private static let (mostReports, mostDistances) = (400, 200)
  /// The shortest time before the last report that a detail shows.
  fileprivate static let least = TimeSpan.seconds(60)

  fileprivate private(set) var reports: [(time: Timestamp, rssi: Int8, signal: Int)] = []
  fileprivate private(set) var distances: [(time: Timestamp, distance: DistanceEstimate)] = []

  mutating func add(_ rssi: Int8, of signal: Int, at time: Timestamp) {
    reports.append((time, rssi, signal))
    if reports.count >= 2 * Self.mostReports { reports.removeFirst(Self.mostReports) }
  }

  mutating func add(_ distance: DistanceEstimate, at time: Timestamp) {
    distances.append((time, distance))
    if distances.count >= 2 * Self.mostDistances { distances.removeFirst(Self.mostDistances) }
  }
}

extension SignalPlot.Lane {
  /// The last reports before an exit; `nil` without reports.
  func detail(at exit: Timestamp, _ why: Explanation?, since resumed: Timestamp) -> SignalPlot
    .Detail?
  {
    guard let last = lastReceived, last <= exit else { return nil }
    let silence = exit - last
    // As much before the last report as after it and more, so that the silence before can be compared; of this stay.
    let entry = states.last { $0.state == .inside }?.time ?? .earliest
    let start = max(entry, last - max(RecentReports.least, silence + silence))
    let reports = recent.reports.filter { $0.time >= start }
    guard let first = reports.first?.time, first < exit else { return nil }
    var lane = SignalPlot.Lane(region: region)
    lane.signals = signals.map {
      SignalPlot.Signal(receiver: $0.receiver, beacon: $0.beacon, label: $0.label)
    }
    var before = first
    for report in reports {
      lane.signals[report.signal].rssi.add(Double(report.rssi), at: report.time)
      if before < report.time { lane.silence.add(from: before, to: report.time) }
      before = report.time
    }
    if before < exit { lane.silence.add(from: before, to: exit) }
    for (time, distance) in recent.distances.filter({ $0.time >= first }) {
      lane.distance.add(distance.meters, low: distance.low, high: distance.high, at: time)
    }
    lane.states = [(first, .inside)] + states.filter { $0.time > first }
    if let why, case .silence(let span) = why.threshold {
      let isAssumed = why.rule == .unlearnedExit || why.rule == .silentAfterUnknown
      let start = why.rule == .silentAfterUnknown ? max(first, resumed) : first
      for time in [start, exit] { lane.add((span.seconds, isAssumed), at: time) }
    }
    lane.states.append((exit, .outside))
    lane.notes = [SignalPlot.Note(time: exit, kind: .left, text: "")]
    let margin = TimeSpan(seconds: (exit - first).seconds / 12)
    return SignalPlot.Detail(lane: lane, span: first...exit + margin)
  }
}
