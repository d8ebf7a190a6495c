// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One entry of a D-Bus dictionary.
package struct DBusEntry: Sendable, Equatable {
  /// The key; D-Bus allows basic types only.
  package let key: DBusValue
  /// The value of the key.
  package let value: DBusValue

  /// Creates an entry.
  package init(key: DBusValue, value: DBusValue) {
    self.key = key
    self.value = value
  }
}
