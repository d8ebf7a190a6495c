// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One event on its way to the one who may know it.
///
/// Only the engine's gate can make one: nothing reaches a client by another way.
public struct Delivery: Sendable, Equatable {
  /// Who is told.
  public let recipient: Recipient
  /// When it is told: the input that caused it, or when the deadline fell due.
  public let time: Timestamp
  /// What is told.
  public let event: Event

  fileprivate init(recipient: Recipient, time: Timestamp, event: Event) {
    self.recipient = recipient
    self.time = time
    self.event = event
  }
}

/// Decides which client may know an event.
struct Gate: Sendable {
  /// Tells a client an event, if the client may know it.
  ///
  /// It stands open: every client is the operator's until clients have grants of their own.
  func tell(_ event: Event, to client: ClientID, at time: Timestamp, into out: inout [Delivery]) {
    out.append(Delivery(recipient: .client(client), time: time, event: event))
  }

  /// Tells the operator a sighting.
  func tell(_ sighting: Sighting, into out: inout [Delivery]) {
    out.append(
      Delivery(recipient: .theOperator, time: sighting.time, event: .sighting(sighting))
    )
  }
}
