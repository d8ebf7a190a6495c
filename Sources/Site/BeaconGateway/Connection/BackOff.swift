// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// How long a gateway waits before it connects again: at random up to a limit that doubles.
///
/// Of many gateways that lose one broker each comes back at another time. A connection that was made and lost immediately
/// counts as a failure too, or a broker that throws everybody out would be asked without a pause.
///
/// After a connection that was stable the limits are 8, 8, 8, 16, 32, 64 and 120 s. What ended it may have ended those of a
/// whole fleet: of 5,000 gateways at three servers, 1,667 come back to the other two, 210 a second. The next two are no
/// longer, since the servers that are left choose a new leader for up to 9 s and refuse until then. If a broker
/// did not answer for some seconds, the gateway has waited already: the limits then are 6, 4 and 4 s.
package struct BackOff: Sendable, Equatable {
  /// The first limit.
  package static let shortest = TimeSpan.seconds(1)
  /// The highest limit.
  package static let longest = TimeSpan.seconds(120)
  /// A connection that lasts so long ends the doubling: shorter than the minute after which the next server of a cluster
  /// may end, and so long that a broker that throws everybody out then is asked by each gateway twice a minute.
  package static let stable = TimeSpan.seconds(30)
  /// The first limit after a connection that was stable.
  ///
  /// At 500 connections a second 4,000 gateways are back in this time, a third of 12,000. And 99 in 100 messages of a
  /// fleet that lost one of three servers come within 10 s, even if the other two have no leader for 9 s.
  package static let fleet = TimeSpan.seconds(8)

  /// The first limit after a connection that was stable, if a message on it was not acknowledged for ``held``.
  ///
  /// Without a leader, NATS ends a connection 4 s after it was given a message. With 6 s more that message comes within
  /// 10 s, if the gateway is accepted at a time.
  package static let unacknowledged = TimeSpan.seconds(6)

  /// The next two limits, where an attempt, or a message on a connection that it made, was not answered for ``held``.
  ///
  /// NATS without a leader keeps both for 4 s. So attempts of one gateway stay 6 s apart in the mean, and each begins at a
  /// different time.
  package static let unanswered = TimeSpan.seconds(4)
  /// An attempt that takes so long without an answer counts as not answered: longer than a slow broker takes, and shorter than the 4 s
  /// of NATS.
  package static let held = TimeSpan.seconds(3)

  /// How often connecting failed in a row.
  package private(set) var failures = 0
  /// Whether a connection was ever stable.
  private var wasStable = false

  package init() {}

  /// The longest wait after the next failure.
  package var limit: TimeSpan {
    let first = wasStable ? Self.fleet : Self.shortest
    let doublings = wasStable ? max(0, failures - 2) : failures
    let doubled = first.microseconds << Int64(min(doublings, 20))
    return min(TimeSpan(microseconds: doubled), Self.longest)
  }

  /// Counts a failure.
  ///
  /// - Parameters:
  ///   - lasted: How long the connection lasted, if any.
  ///   - isUnanswered: Whether the attempt, or a message on the connection, was not answered for ``held``.
  ///   - random: A random number.
  /// - Returns: How long to wait.
  package mutating func failed(
    after lasted: TimeSpan?,
    isUnanswered: Bool = false,
    random: UInt64
  ) -> TimeSpan {
    let isStable = lasted.map { $0 >= Self.stable } ?? false
    if isStable { (failures, wasStable) = (0, true) }
    let longest = isUnanswered ? min(limit, Self.limitUnanswered(after: failures)) : limit
    failures += 1
    return TimeSpan(microseconds: Int64(random % UInt64(longest.microseconds + 1)))
  }

  private static func limitUnanswered(after failures: Int) -> TimeSpan {
    switch failures {
    case 0: unacknowledged
    case 1, 2: unanswered
    default: longest
    }
  }
}
