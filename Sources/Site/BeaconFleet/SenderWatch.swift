// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Watches whether one device sends an identity, or two.
///
/// A device sends an event at most once in its advertising interval. A gap that is shorter is a second device, unless the
/// event before it came late. A device that was set to a shorter interval has gaps that are all multiples of that one.
/// If the source's times are rough, such gaps are usual, and are evidence only when there are many more of them.
struct SenderWatch: Sendable {
  /// Early gaps of the current minute, in seconds.
  private var early: [Double] = []
  /// All gaps of the minute, and those of the hour with the early ones among them.
  private var gaps = 0
  private var interval = 0.0
  private var hour = (gaps: 0, early: 0)
  /// The usual part of early gaps; `nil` before the first hour.
  private var usualPart: Double?
  /// The minutes, counted from now back, in which early events or addresses were seen, as bits.
  private var earlyMinutes: UInt16 = 0
  private var returns = 0
  private var returnMinutes: [(minute: Int64, count: Int)] = []
  /// When each kind of evidence was seen last, in minutes; by the order of the cases.
  private var seen: [Int64] = Array(repeating: .min, count: FleetFinding.Evidence.allCases.count)
  private(set) var since: Timestamp?

  /// Reports closer than this are one event, received on two channels or delivered together.
  static let oneEvent = 0.015
  /// An event is early below nine tenths of the interval.
  private static let earlyBelow = 0.9
  /// How far from a multiple of the interval a gap may be, as a part of it, and in seconds for the advertising delay.
  private static let tolerance = (part: 0.06, seconds: 0.015)
  /// Gaps up to a fifth longer than the shortest are single intervals; four intervals are the most that are lost often.
  private static let singles = 1.2
  private static let mostMultiple = 4.0
  /// The advertising delay, in seconds.
  private static let delay = 0.01
  /// Four fifths of a device's gaps are regular.
  private static let regular = 0.8
  /// A fifth of the interval is much shorter; then two fifths of all gaps are early even where most packets are lost.
  private static let muchShorter = 0.2
  private static let most = 0.4
  /// Three early events in a minute, in two minutes of ten.
  private static let earlyInMinute = 3
  private static let earlyMinutesWanted = 2
  /// So many times the usual part of early gaps is unusual.
  private static let unusual = 5.0
  /// The weight of an hour, and the gaps that it needs.
  private static let hourWeight = 0.2
  private static let hourGaps = 30
  /// A minute needs no more of them.
  private static let earlyKept = 32
  /// How often an address must come back in ten minutes: one that rotates does not.
  private static let returnsWanted = 6
  private static let span: Int64 = 10
  /// A contest is over a day after its last evidence.
  private static let patience = FleetTime.minutesPerDay

  /// Adds the gap between two reports at one receiver.
  ///
  /// - Parameters:
  ///   - gap: The gap, in seconds.
  ///   - previous: The gap before it at the same receiver; `nil` if that is not known.
  ///   - interval: The beacon's interval in seconds.
  mutating func add(_ gap: Double, after previous: Double?, interval: Double) {
    guard gap > Self.oneEvent else { return }
    gaps += 1
    self.interval = interval
    guard gap < Self.earlyBelow * interval, let previous, early.count < Self.earlyKept else {
      return
    }
    // The event before may have been late; reports together with an event are no evidence.
    guard previous > Self.oneEvent, !Self.isLate(previous, interval) else { return }
    early.append(gap)
  }

  /// Adds that a receiver received the address before the last one again.
  mutating func addReturn() { returns += 1 }

  mutating func add(_ evidence: FleetFinding.Evidence, in minute: Int64) {
    note(evidence, minute)
  }

  private static func isLate(_ gap: Double, _ interval: Double) -> Bool {
    guard gap >= interval else { return false }
    // Each interval has a delay of up to 10 ms, of which the interval that was learned has the mean.
    let multiple = (gap / interval).rounded()
    let difference = gap - multiple * interval
    return difference.magnitude > tolerance.part * interval + tolerance.seconds
  }

  private mutating func note(_ evidence: FleetFinding.Evidence, _ minute: Int64) {
    guard let index = FleetFinding.Evidence.allCases.firstIndex(of: evidence) else { return }
    if isContested(in: minute) == false {
      since = Timestamp(microseconds: minute * FleetTime.microsecondsPerMinute)
    }
    seen[index] = minute
  }

  /// Ends a minute.
  mutating func endMinute(_ minute: Int64) {
    earlyMinutes <<= 1
    if let usualPart, early.count >= Self.earlyInMinute,
      Double(early.count) >= Self.unusual * usualPart * Double(gaps), !isOneDevice
    {
      earlyMinutes |= 1
    }
    (hour.gaps, hour.early) = (hour.gaps + gaps, hour.early + early.count)
    gaps = 0
    early.removeAll(keepingCapacity: true)
    if (earlyMinutes & 0x3FF).nonzeroBitCount >= Self.earlyMinutesWanted, earlyMinutes & 1 == 1 {
      note(.earlyEvents, minute)
    }
    if returns > 0 { returnMinutes.append((minute, returns)) }
    returns = 0
    guard !returnMinutes.isEmpty else { return }
    returnMinutes.removeAll { minute - $0.minute >= Self.span }
    if returnMinutes.reduce(0, { $0 + $1.count }) >= Self.returnsWanted {
      note(.twoAddresses, minute)
    }
  }

  /// Ends an hour, in whose last minute the identity may be contested.
  mutating func endHour(_ minute: Int64) {
    defer { hour = (0, 0) }
    guard hour.gaps >= Self.hourGaps, !isContested(in: minute) else { return }
    let part = Double(hour.early) / Double(hour.gaps)
    usualPart = usualPart.map { $0 + (part - $0) * Self.hourWeight } ?? part
  }

  /// Whether one device with a shorter interval explains the early gaps of the minute.
  private var isOneDevice: Bool {
    // With a much shorter interval, most gaps would be early.
    let isShort = (early.min() ?? 0) < Self.muchShorter * interval
    if isShort, Double(early.count) < Self.most * Double(gaps) { return false }
    return Self.areMultiples(early)
  }

  /// Whether most gaps are small multiples of the shortest, so that one device explains them.
  private static func areMultiples(_ gaps: [Double]) -> Bool {
    guard let shortest = gaps.min() else { return true }
    let single = gaps.filter { $0 <= singles * shortest + oneEvent }
    let base = single.reduce(0, +) / Double(single.count)
    let multiples = gaps.count { gap in
      let multiple = (gap / base).rounded()
      let allowed = min(delay * (multiple + 1), 0.25 * base)
      return multiple <= mostMultiple && (gap - multiple * base).magnitude <= allowed
    }
    return Double(multiples) >= regular * Double(gaps.count)
  }

  func isContested(in minute: Int64) -> Bool {
    seen.contains { $0 != .min && minute - $0 < Self.patience }
  }

  /// The evidence of the last day, in the order of the cases.
  func evidence(in minute: Int64) -> [FleetFinding.Evidence] {
    zip(FleetFinding.Evidence.allCases, seen)
      .filter { $0.1 != .min && minute - $0.1 < Self.patience }.map(\.0)
  }
}
