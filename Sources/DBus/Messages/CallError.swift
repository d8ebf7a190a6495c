// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why a call brought no answer that could be used.
package enum CallError: Error, Sendable, Equatable {
  /// The other program answered with an error: its D-Bus name, and its text cut to a bound.
  case refused(name: String, message: String)
  /// No answer came within the deadline; one that comes later is ignored.
  case timedOut
  /// The connection was lost, or is not there.
  case disconnected
  /// The answer was not of the type it must have.
  case unexpectedAnswer(signature: String)
  /// The call itself is not one that D-Bus allows: a name, path or value it has no form for.
  case invalid
  /// More calls are waiting for answers than the bus allows one program.
  case tooManyCalls

  /// The D-Bus name of the error the other program answered with.
  package var name: String? {
    if case .refused(let name, _) = self { name } else { nil }
  }
}
