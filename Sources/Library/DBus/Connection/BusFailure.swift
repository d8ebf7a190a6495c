// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The reason why the bus is not connected.
package enum BusFailure: Error, Sendable, Equatable {
  /// No program listens at the address, or this program may not connect. The payload is libdbus's text, limited in
  /// length.
  case cannotConnect(String)
  /// The other end did not accept the connection before the deadline, or refused it.
  case notGreeted
  /// The connection ended: the bus stopped, or sent something that is not a D-Bus message.
  case lost
}

extension BusFailure: CustomStringConvertible {
  /// What went wrong, as part of a sentence.
  package var description: String {
    switch self {
    case .cannotConnect(let reason): reason
    case .notGreeted: "the bus did not accept the connection"
    case .lost: "the connection was lost"
    }
  }
}
