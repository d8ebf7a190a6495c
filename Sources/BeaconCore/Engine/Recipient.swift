// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Who is told an event.
public enum Recipient: Sendable, Hashable {
  /// The one who runs the machine: sightings and what is about all visitors.
  case theOperator
  /// A client.
  case client(ClientID)
}
