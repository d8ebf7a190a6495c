// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The names of the bus and of the standard interfaces.
package enum BusName {
  /// The name and the interface of the bus.
  package static let bus = "org.freedesktop.DBus"
  /// The path of the bus's object.
  package static let busPath = "/org/freedesktop/DBus"
  /// The interface for properties of objects.
  package static let properties = "org.freedesktop.DBus.Properties"
  /// The interface by which an object describes itself.
  package static let introspectable = "org.freedesktop.DBus.Introspectable"
  /// The interface of objects that describe the objects below them.
  package static let objectManager = "org.freedesktop.DBus.ObjectManager"
  /// The interface that every program implements.
  package static let peer = "org.freedesktop.DBus.Peer"
}
