// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A client's grants at the start of a run or of a piece of its recording: a `user` line with the input `state`.
///
/// Without it a replay would start with the grants of today. If a recording was replayed and recorded again, the input
/// `start` means that another run of the client starts there.
package struct ClientStateLine: Sendable, Equatable {
  /// The name of the action in the line.
  package static let input = "state"
  /// The name of the action in a line that starts a run without a separate header.
  package static let startInput = "start"

  /// The client.
  package var client: String
  /// Its grants.
  package var grants: SavedAuthorization
  /// Whether it is in the foreground; only a line of a client in the background states it.
  package var isForeground: Bool

  package init(client: String, grants: SavedAuthorization, isForeground: Bool = true) {
    self.client = client
    self.grants = grants
    self.isForeground = isForeground
  }

  /// Reads a line of a recording; `nil` for any other line and for one with wrong keys.
  package init?(_ line: UserActionLine) {
    guard line.input == Self.input || line.input == Self.startInput, let client = line.client,
      var state = try? ClientStateLine.read(line.value, named: "a state")
    else { return nil }
    state.client = client
    self = state
  }
}

extension ClientStateLine: FormedObject {
  package static var blank: Self { Self(client: "", grants: SavedAuthorization()) }

  package mutating func form(_ form: inout Form) {
    grants.form(&form)
    var background = isForeground ? nil : false
    form("foreground", &background)
    isForeground = background ?? true
  }
}
