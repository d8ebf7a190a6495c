// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The answer of one of our objects to a call.
package enum Answer: Sendable, Equatable {
  /// The values the method returns.
  case values([DBusValue])
  /// An error, by its D-Bus name and a text.
  case failure(name: String, text: String)
  /// Nothing yet: the object answers later, at the call's ``ReplyAddress``.
  case later

  /// How many bytes its message takes, counted generously.
  package var wireBytes: Int {
    switch self {
    case .values(let values): MessageSize.head + values.map(\.wireBytes).reduce(0, +)
    case .failure(let name, let text): MessageSize.head + name.utf8.count + text.utf8.count
    case .later: 0
    }
  }

  /// In place of an answer that cannot be made: D-Bus cannot represent it, or a descriptor or memory for it is missing.
  static let unsayable = Answer.failure(
    name: "org.freedesktop.DBus.Error.Failed",
    text: "the answer cannot be made; a descriptor or memory may be missing"
  )

  /// The answer to a call of a method that does not exist.
  package static let unknownMethod = Answer.failure(
    name: "org.freedesktop.DBus.Error.UnknownMethod",
    text: "no such method"
  )

  /// The answer to a call of an object that does not exist, or that the caller may not see.
  package static let unknownObject = Answer.failure(
    name: "org.freedesktop.DBus.Error.UnknownObject",
    text: "no such object"
  )

  /// The answer to a call whose arguments have other types than the method's.
  package static let invalidArguments = Answer.failure(
    name: "org.freedesktop.DBus.Error.InvalidArgs",
    text: "the arguments do not have the method's types"
  )
}

/// The size of messages.
package enum MessageSize {
  /// The bytes of a message besides its arguments: its fields, and a bus's own data.
  package static let head = 256
}
