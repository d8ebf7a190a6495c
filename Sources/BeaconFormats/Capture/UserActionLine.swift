// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A `user` line of a recording: what a user answered, set or did, kept as it was written.
///
/// The whole line is kept, so that a conversion does not lose an action that this version does not know.
package struct UserActionLine: Sendable, Equatable {
  /// How many scan inputs precede it in the recording.
  package var scanInputsBefore: Int
  /// When the user acted.
  package var time: Timestamp
  /// The client concerned; `nil` where the action concerns the whole machine.
  package var client: String?
  /// The name of the action; of a line that is kept as it is, the line's type.
  package var input: String
  /// The whole line as a JSON value.
  package var value: JSON5Value
  /// The bytes of the whole line without the line end.
  package var bytes: [UInt8]
}
