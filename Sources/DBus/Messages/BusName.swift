// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The names that the bus and every object share.
package enum BusName {
  /// The bus's own name and interface.
  package static let bus = "org.freedesktop.DBus"
  /// The bus's own object.
  package static let busPath = "/org/freedesktop/DBus"
  /// The interface for properties of objects.
  package static let properties = "org.freedesktop.DBus.Properties"
  /// The interface of objects that tell of the objects below them.
  package static let objectManager = "org.freedesktop.DBus.ObjectManager"
  /// The interface that every program answers.
  package static let peer = "org.freedesktop.DBus.Peer"
}
