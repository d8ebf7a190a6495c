// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Compares the clocks of a capture's interfaces, so that other records than reports of one do not move the time of another.
///
/// The records of a file follow each other in the order in which they were written. A report that has an earlier time than the
/// record of another interface in front of it shows by how much the clock of that interface is ahead; a record with about the
/// time of that report shows that it is not.
struct InterfaceClocks: Sendable {
  /// A receiver, or a monitor channel.
  enum Source: Hashable, Sendable {
    case receiver(UInt8)
    case channel(UInt16)
  }

  private struct Clock: Sendable {
    /// By how much it is ahead of the others, at least; `nil` while it is not known.
    var ahead: TimeSpan?
    /// The time of its last report.
    var reported: Timestamp?
    /// The time of its last record, if no report of another interface followed it.
    var pending: Timestamp?
  }

  private var clocks: [Source: Clock] = [:]
  /// The times of records of interfaces whose clocks are not known yet.
  private var held: [(source: Source, time: Timestamp)] = []

  /// The most such times, and how far apart they are: together several hours, and no gap between them.
  private static let mostHeld = 512
  private static let heldInterval = TimeSpan.seconds(20)

  /// The latest report of another interface; `nil` without one.
  private func lastReport(besides source: Source) -> Timestamp? {
    clocks.lazy.filter { $0.key != source }.compactMap(\.value.reported).max()
  }

  /// Returns the time of a record on the clock of the other interfaces; `nil` if that is not known, or if its own clock is
  /// behind.
  func place(_ source: Source, at time: Timestamp) -> Timestamp? {
    guard let other = lastReport(besides: source) else { return time }
    guard let ahead = clocks[source]?.ahead else { return nil }
    return time - ahead < other - TimingConfiguration().disorder ? nil : time - ahead
  }

  /// Processes a record without a report.
  ///
  /// - Returns: The time up to which it shows that time passed; `nil` if that is not known yet.
  mutating func passed(_ source: Source, at time: Timestamp) -> Timestamp? {
    compare(source, at: time)
    let placed = place(source, at: time)
    if clocks[source]?.ahead == nil, placed == nil, held.count < Self.mostHeld,
      time - (held.last?.time ?? .earliest) >= Self.heldInterval
    {
      held.append((source, time))
    }
    return placed
  }

  /// Notes a record, whose clock is not ahead if it has about the time of the last report of another interface.
  private mutating func compare(_ source: Source, at time: Timestamp) {
    clocks[source, default: Clock()].pending = time
    guard clocks[source]?.ahead == nil, let other = lastReport(besides: source) else { return }
    let (step, disorder) = (time - other, TimingConfiguration().disorder)
    if step <= disorder, step >= TimeSpan.zero - disorder { clocks[source]?.ahead = .zero }
  }

  /// Processes a record with reports.
  ///
  /// - Returns: The held times of other interfaces whose clocks agree, in the order of the file.
  mutating func reported(_ source: Source, at time: Timestamp) -> [Timestamp] {
    compare(source, at: time)
    clocks[source]?.reported = time
    var agreeing: Set<Source> = []
    // The order does not matter: each clock is changed apart.
    for other in clocks.keys where other != source {
      guard let pending = clocks[other]?.pending else { continue }
      let step = pending - time
      let ahead = step > TimingConfiguration().disorder ? step : .zero
      if clocks[other]?.ahead == nil, ahead == .zero { agreeing.insert(other) }
      let known = clocks[other]?.ahead ?? .zero
      clocks[other]?.ahead = max(known, ahead)
      clocks[other]?.pending = nil
    }
    defer { held.removeAll { clocks[$0.source]?.ahead != nil } }
    return held.filter { agreeing.contains($0.source) && $0.time < time }.map(\.time)
  }

  /// Returns the times that no report followed, at the end.
  mutating func finish() -> [Timestamp] {
    defer { held = [] }
    let last = held.last.flatMap { clocks[$0.source]?.pending }
    return held.map(\.time) + (last.map { [$0] } ?? [])
  }
}
