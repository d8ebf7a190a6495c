// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// How a client stood when a recording began, a `user` line with the input `state`.
///
/// Without it a replay would begin with the grants of today.
package struct ClientStateLine: Sendable, Equatable {
  /// The name of the input.
  package static let input = "state"

  /// The client.
  package var client: String
  /// Its grants.
  package var grants: SavedAuthorization

  package init(client: String, grants: SavedAuthorization) {
    self.client = client
    self.grants = grants
  }

  /// Reads a line of a recording; `nil` where it is another, or not what it should be.
  package init?(_ line: UserActionLine) {
    guard line.input == Self.input, let client = line.client,
      let grants = try? GrantsCodec.read(line.value)
    else { return nil }
    self.init(client: client, grants: grants)
  }

  /// Writes the line's own keys.
  package func writeFields(to writer: inout JSONLineWriter) {
    GrantsCodec.writeFields(of: grants, to: &writer)
  }
}
