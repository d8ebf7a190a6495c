// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The reason why a call has no usable answer.
package enum CallError: Error, Sendable, Equatable {
  /// The other program answered with an error. The payload is the error's D-Bus name and its text, limited in length.
  case refused(name: String, message: String)
  /// No answer was received before the deadline. A later answer is ignored.
  case timedOut
  /// The connection was lost, or never existed.
  case disconnected
  /// The answer's values do not have the expected types.
  case unexpectedAnswer(signature: String)
  /// The call is not valid: D-Bus cannot represent a name, path or value in it.
  case invalid
  /// The number of pending calls has reached the limit of the bus.
  case tooManyCalls

  /// Whether the bus answers that no program has the name that was called or asked for.
  package var isWithoutOwner: Bool {
    switch name {
    case "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.ServiceUnknown":
      true
    default: false
    }
  }

  /// The D-Bus name of the error that the other program returned.
  package var name: String? {
    if case .refused(let name, _) = self { name } else { nil }
  }
}

extension CallError: CustomStringConvertible {
  /// The error as part of a sentence; another program's text in it may contain any character.
  package var description: String {
    switch self {
    case .refused(let name, let message): message.isEmpty ? name : "\(name) (\(message))"
    case .timedOut: "no answer came in time"
    case .disconnected: "the connection ended before the answer"
    case .unexpectedAnswer: "the answer has an unexpected form"
    case .invalid: "D-Bus cannot represent the call"
    case .tooManyCalls: "too many calls wait for their answers"
    }
  }
}
