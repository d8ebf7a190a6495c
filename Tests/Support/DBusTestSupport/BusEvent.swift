// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import DBus

/// Something that happened to a test's program on a bus.
package enum BusEvent: Sendable, Equatable {
  case connected
  case owner(of: String, String?)
  case signal(path: String, member: String, [DBusValue])
  case failed(BusFailure)
}
