// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why there is no connection to the bus.
package enum BusFailure: Error, Sendable, Equatable {
  /// Nobody listens at the address, or we may not connect: libdbus's own words, cut to a bound.
  case cannotConnect(String)
  /// The other end did not take us in before the deadline, or refused to.
  case notGreeted
  /// The connection ended: the bus went away, or sent what is no D-Bus message.
  case lost
}
