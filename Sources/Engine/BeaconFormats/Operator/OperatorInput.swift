// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// An input of the operator's view; history and metrics are made of these.
///
/// The view is the operator's, never a client's: it holds the reports, whatever a client may know. Only listed
/// beacons appear in it; the others are counted. A run makes it from its inputs (``ReceivedSeconds``). A service that streams
/// the same sums can feed history and metrics too.
package enum OperatorInput: Sendable, Equatable {
  /// A second's reports of a listed beacon at one receiver.
  case reports(ReceivedSecond)
  /// How many distinct identities that are not listed were received in the second that starts at a time, where any were.
  case unlisted(Int, second: Timestamp)
  /// A receiver's state changed.
  case receiver(String, RadioState, Timestamp)
  /// In which place a listed beacon is, as of a time; without an identity, every beacon without a place at the time.
  case place(BeaconPlace, Timestamp)
  /// A listed beacon's telemetry, such as its battery.
  case telemetry(Telemetry, of: BeaconIdentity, Timestamp)
  /// The source was listening until a time, and everything before it has been given.
  case reached(Timestamp)
}

/// The reports of one beacon at one receiver in one second.
package struct ReceivedSecond: Sendable, Equatable {
  /// The start of the second, a whole second.
  package var second: Timestamp
  /// The beacon.
  package var identity: BeaconIdentity
  /// The receiver's name.
  package var receiver: String
  /// The reports.
  package var sum: ReceivedSum

  package init(
    second: Timestamp,
    identity: BeaconIdentity,
    receiver: String,
    _ sum: ReceivedSum
  ) {
    self.second = second
    self.identity = identity
    self.receiver = receiver
    self.sum = sum
  }
}
