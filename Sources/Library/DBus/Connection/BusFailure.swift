// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The reason why the bus is not connected.
package enum BusFailure: Error, Sendable, Equatable {
  /// No program listens at the address, or this program may not connect. The payload is libdbus's text, limited in
  /// length.
  case cannotConnect(String)
  /// The system does not let this process connect to the socket. The payload is libdbus's text, limited in length.
  case forbidden(String)
  /// The other end did not accept the connection before the deadline, or refused it.
  case notGreeted
  /// The bus refused, or did not answer, a call without which the connection is useless.
  ///
  /// Such a call is the greeting, a subscription to signals, or the question for the owner of a name.
  case unusable(call: String, CallError)
  /// The connection ended: the bus stopped, or sent something that is not a D-Bus message.
  case lost
}

extension BusFailure: CustomStringConvertible {
  /// What went wrong, as part of a sentence.
  package var description: String {
    switch self {
    case .cannotConnect(let reason), .forbidden(let reason): reason
    case .notGreeted: "the bus did not accept the connection"
    case .unusable(let call, let error): "the bus does not do \(call): \(error)"
    case .lost: "the connection was lost"
    }
  }
}
