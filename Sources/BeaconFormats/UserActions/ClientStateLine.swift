// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A client's grants at the start of a recording: a `user` line with the input `state`.
///
/// Without it a replay would start with the grants of today.
package struct ClientStateLine: Sendable, Equatable {
  /// The name of the action in the line.
  package static let input = "state"

  /// The client.
  package var client: String
  /// Its grants.
  package var grants: SavedAuthorization

  package init(client: String, grants: SavedAuthorization) {
    self.client = client
    self.grants = grants
  }

  /// Reads a line of a recording; `nil` for any other line and for one with wrong keys.
  package init?(_ line: UserActionLine) {
    guard line.input == Self.input, let client = line.client,
      let grants = try? GrantsCodec.read(line.value)
    else { return nil }
    self.init(client: client, grants: grants)
  }

  /// Writes the keys that only this line has.
  package func writeFields(to writer: inout JSONLineWriter) {
    GrantsCodec.writeFields(of: grants, to: &writer)
  }
}
