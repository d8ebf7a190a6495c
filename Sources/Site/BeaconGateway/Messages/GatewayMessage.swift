// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A message from a gateway to its broker.
package struct GatewayMessage: Sendable, Equatable {
  /// How a message is delivered, and its handling without a broker.
  package enum Kind: UInt8, Sendable, CaseIterable {
    /// The newest one of its topic counts. It is retained by the broker and sent again after each connection.
    case state
    /// It is delivered at least once: it waits in the spool until the broker has it.
    case event
    /// It is sent immediately or waits in the spool, and then goes to another topic.
    case levels
    /// It is sent immediately or not at all.
    case passing
  }

  /// How it is delivered.
  package var kind: Kind
  /// Its destination.
  package var topic: String
  /// The topic to which it goes later, without a broker now.
  package var lateTopic: String?
  /// The bytes; a state without any is deleted at the broker.
  package var payload: [UInt8]

  package init(_ kind: Kind, _ topic: String, _ payload: [UInt8], late: String? = nil) {
    self.kind = kind
    self.topic = topic
    self.payload = payload
    lateTopic = late
  }
}
