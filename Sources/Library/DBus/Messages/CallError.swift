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

  /// The D-Bus name of the error that the other program returned.
  package var name: String? {
    if case .refused(let name, _) = self { name } else { nil }
  }
}
