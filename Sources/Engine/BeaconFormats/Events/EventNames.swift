// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The names of clients and receivers in output, and how times and addresses are shown.
package struct EventNames: Sendable {
  /// How times are written.
  package enum TimeStyle: String, Sendable, CaseIterable {
    /// As the user's local clock shows it, with lines that name the day and the zone.
    case local
    /// As clocks show it in UTC, with lines that name the day.
    case utc
    /// In RFC 3339 UTC with microseconds.
    case iso
    /// In seconds since the start of the run.
    case relative
    /// Not shown, so that two runs can be compared.
    case none
  }

  /// The names of the clients, by their number.
  package var clients: [String]
  /// The names of the receivers, by their number.
  package var receivers: [String]
  /// Whether device addresses are shown.
  package var showsAddresses: Bool
  /// Whether a table shows the whole explanation of each crossing.
  package var explains = false
  /// How times are written.
  package var timeStyle: TimeStyle
  /// How far local time is ahead of UTC.
  package var zone: LocalZone
  /// The names of beacons.
  package var book: NameBook
  /// The start of the run, which relative times count from.
  package var start: Timestamp

  package init(
    clients: [String] = ["operator"],
    receivers: [String] = [],
    showsAddresses: Bool = false,
    timeStyle: TimeStyle = .iso,
    zone: LocalZone = .utc,
    book: NameBook = NameBook(),
    start: Timestamp = .earliest
  ) {
    self.clients = clients
    self.receivers = receivers
    self.showsAddresses = showsAddresses
    self.timeStyle = timeStyle
    self.zone = zone
    self.book = book
    self.start = start
  }

  /// The name of a receiver, if any.
  package func receiver(_ number: UInt8) -> String? {
    guard Int(number) < receivers.count, !receivers[Int(number)].isEmpty else { return nil }
    return receivers[Int(number)]
  }

  /// The name of a client; `nil` for the operator.
  package func client(_ recipient: Recipient) -> String? {
    guard case .client(let id) = recipient, id.number < clients.count else { return nil }
    return clients[Int(id.number)]
  }
}
