// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Who receives an event.
public enum Recipient: Sendable, Hashable {
  /// The user who runs the machine; receives the sightings.
  case theOperator
  /// A client.
  case client(ClientID)
}
