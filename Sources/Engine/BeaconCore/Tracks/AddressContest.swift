// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The levels of two senders of one identity that cannot stand in one place.
public struct ContestedLevels: Sendable, Equatable {
  /// The mean RSSI in dBm of the sender that is received more strongly.
  public let stronger: Double
  /// The mean RSSI in dBm of the other.
  public let weaker: Double

  /// Creates the levels of two senders.
  package init(stronger: Double, weaker: Double) {
    self.stronger = stronger
    self.weaker = weaker
  }
}

/// Compares the levels of an identity's addresses, to notice that another device sends the same identity.
///
/// A sample is taken only when the address changes, so that a beacon with one address costs nothing. Two devices
/// alternate; a beacon whose address rotates does not go back to an earlier one, so it is never compared with itself.
/// One place explains a difference of some decibels between the means of reports that alternate, because both take part
/// in every movement; it does not explain more.
package struct AddressContest: Sendable {
  /// The change by a report.
  package enum Change: Sendable, Equatable {
    case none, begins, ends
  }

  /// The mean and the scatter of one side's latest samples.
  private struct Side: Sendable {
    var last = Timestamp.earliest
    var count = 0
    var mean = 0.0
    /// The mean of the decibels added to the samples, because they were sent with another power.
    var raised = 0.0
    /// The mean square of the difference from the mean.
    var scatter = 0.0

    /// The mean RSSI as received.
    var received: Double { mean - raised }

    mutating func add(_ rssi: Int8, raisedBy decibels: Int, at time: Timestamp) {
      count = min(count + 1, AddressContest.memory)
      raised += (Double(decibels) - raised) / Double(count)
      let difference = Double(rssi) - mean
      mean += difference / Double(count)
      scatter += (difference * (Double(rssi) - mean) - scatter) / Double(count)
    }
  }

  /// The number of the beacon; no beacon has the largest.
  private(set) var beacon = UInt64.max
  /// Whether the identity is contested.
  package private(set) var isContested = false
  /// Only one receiver's samples can be compared.
  private var receiver: UInt8 = 0
  /// The address that came back, and all others together.
  private var first: DeviceAddress?
  private var sides = (first: Side(), others: Side())
  private var lastSwitch = Timestamp.earliest

  /// 30 s, the longest exit time: a side that is silent for longer is over.
  package static let patience = TimeSpan.seconds(30)
  /// Six samples of each side: fewer scatter too much.
  private static let fewest = 6
  /// The samples that count: old ones are forgotten, so that a beacon that was moved is seen in its place.
  private static let memory = 32
  /// The least scatter of a beacon's reports, as a variance in dB².
  private static let leastScatter = 9.0

  /// Starts without any address.
  package init() {}

  /// Starts with a report of a beacon.
  init(
    of beacon: UInt64,
    _ report: borrowing AdvertisingReport,
    raisedBy decibels: Int = 0,
    at time: Timestamp
  ) {
    self.beacon = beacon
    begin(report, raisedBy: decibels, at: time)
  }

  /// The mean levels of both sides, as received.
  package var levels: ContestedLevels {
    ContestedLevels(
      stronger: max(sides.first.received, sides.others.received),
      weaker: min(sides.first.received, sides.others.received)
    )
  }

  /// Adds a report from another address than the one before it.
  ///
  /// - Parameters:
  ///   - report: The report, with the level that it would have at the power of the others.
  ///   - decibels: By how much that level exceeds the received one.
  ///   - time: When it was admitted.
  ///   - limit: The difference in dB that one place explains.
  /// - Returns: Whether the identity is contested from now on, or is no longer.
  package mutating func add(
    _ report: borrowing AdvertisingReport,
    raisedBy decibels: Int = 0,
    at time: Timestamp,
    explaining limit: Double
  ) -> Change {
    guard first != nil, time - sides.first.last <= Self.patience else {
      let wasContested = isContested
      begin(report, raisedBy: decibels, at: time)
      return wasContested ? .ends : .none
    }
    lastSwitch = time
    let isFirst = report.address == first
    if time - sides.others.last > Self.patience, !isFirst { sides.others = Side() }
    if isFirst { sides.first.last = time } else { sides.others.last = time }
    guard let rssi = report.rssi, report.receiver == receiver else { return .none }
    if isFirst {
      sides.first.add(rssi, raisedBy: decibels, at: time)
    } else {
      sides.others.add(rssi, raisedBy: decibels, at: time)
    }
    return judge(limit)
  }

  /// Returns whether the contest is over because nothing alternates any more.
  package mutating func passTime(to time: Timestamp) -> Change {
    guard isContested, time - lastSwitch > Self.patience else { return .none }
    isContested = false
    first = nil
    return .ends
  }

  private mutating func begin(
    _ report: borrowing AdvertisingReport,
    raisedBy decibels: Int,
    at time: Timestamp
  ) {
    isContested = false
    first = report.address
    receiver = report.receiver
    sides = (Side(), Side())
    (sides.first.last, lastSwitch) = (time, time)
    if let rssi = report.rssi { sides.first.add(rssi, raisedBy: decibels, at: time) }
  }

  private mutating func judge(_ limit: Double) -> Change {
    guard limit > 0, min(sides.first.count, sides.others.count) >= Self.fewest else { return .none }
    let difference = (sides.first.mean - sides.others.mean).magnitude
    // Half of the limit ends it, so that it does not begin again and again.
    if isContested {
      guard difference < limit / 2 else { return .none }
      isContested = false
      return .ends
    }
    // Four standard errors of the difference, which chance exceeds once in 16,000.
    let variance =
      max(sides.first.scatter, Self.leastScatter) / Double(sides.first.count)
      + max(sides.others.scatter, Self.leastScatter) / Double(sides.others.count)
    guard difference >= limit, difference * difference >= 16 * variance else { return .none }
    isContested = true
    return .begins
  }
}

/// The contests of the beacons whose addresses change, in a table of a fixed size.
struct AddressContests: Sendable {
  private var contests: [AddressContest] = []

  /// 512 beacons with several addresses at a time, of 120 bytes each; a beacon beyond them takes the place of another,
  /// and that one is looked at again from its next report on.
  private static let size = 512

  /// How many beacons have room; none before the first address changes.
  var count: Int { contests.count }

  /// Adds a report of a beacon from another address than the one before, or any report of a contested beacon.
  ///
  /// - Parameters:
  ///   - report: The report, as in ``AddressContest/add(_:raisedBy:at:explaining:)``.
  ///   - decibels: By how much its level was raised.
  ///   - beacon: The number of the beacon.
  ///   - isSwitch: Whether the address is another than in the report before.
  ///   - time: When it was admitted.
  ///   - limit: The difference in dB that one place explains.
  /// - Returns: The change, and the levels.
  mutating func add(
    _ report: borrowing AdvertisingReport,
    raisedBy decibels: Int = 0,
    of beacon: UInt64,
    isSwitch: Bool,
    at time: Timestamp,
    explaining limit: Double
  ) -> (change: AddressContest.Change, levels: ContestedLevels) {
    if contests.isEmpty { contests = Array(repeating: AddressContest(), count: Self.size) }
    let place = Int(truncatingIfNeeded: beacon % UInt64(Self.size))
    guard contests[place].beacon == beacon else {
      contests[place] = AddressContest(of: beacon, report, raisedBy: decibels, at: time)
      // A contested beacon that lost its place counts as contested only when it is found to be so again.
      return (.ends, contests[place].levels)
    }
    let change =
      isSwitch
      ? contests[place].add(report, raisedBy: decibels, at: time, explaining: limit)
      : contests[place].passTime(to: time)
    return (change, contests[place].levels)
  }

  /// Returns whether a contest of a beacon is over at a time, or has lost its place.
  mutating func passTime(of beacon: UInt64, to time: Timestamp) -> AddressContest.Change {
    guard !contests.isEmpty else { return .ends }
    let place = Int(truncatingIfNeeded: beacon % UInt64(Self.size))
    return contests[place].beacon == beacon ? contests[place].passTime(to: time) : .ends
  }
}
