// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why a call has no answer that can be used.
package enum CallError: Error, Sendable, Equatable {
  /// The other program answered with an error: its D-Bus name, and its text cut to a limit.
  case refused(name: String, message: String)
  /// No answer came within the deadline; one that comes later is ignored.
  case timedOut
  /// The connection was lost, or there is none.
  case disconnected
  /// The answer did not have the types it must have.
  case unexpectedAnswer(signature: String)
  /// D-Bus does not allow the call: it cannot represent a name, path or value in it.
  case invalid
  /// As many calls wait for answers as the bus allows one program.
  case tooManyCalls

  /// The D-Bus name of the error the other program answered with.
  package var name: String? {
    if case .refused(let name, _) = self { name } else { nil }
  }
}
