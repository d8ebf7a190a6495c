// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The answer of one of our objects to a call.
package enum Answer: Sendable, Equatable {
  /// The values the method returns.
  case values([DBusValue])
  /// An error, by its D-Bus name and a text.
  case failure(name: String, text: String)

  /// The answer to a call of a method that does not exist.
  package static let unknownMethod = Answer.failure(
    name: "org.freedesktop.DBus.Error.UnknownMethod",
    text: "no such method"
  )
}
