// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A `user` line of a recording, kept as it was written: an answer, a setting or another action of a user.
///
/// The whole line is kept, so that a conversion keeps actions that this version does not know.
package struct UserActionLine: Sendable, Equatable {
  /// How many scan inputs precede it in the recording.
  package var scanInputsBefore: Int
  /// When the user acted.
  package var time: Timestamp
  /// The client concerned; `nil` if the action concerns the whole machine.
  package var client: String?
  /// The name of the action; for a line of another type, that type.
  package var input: String
  /// The whole line as a JSON value.
  package var value: JSON5Value
  /// The bytes of the whole line without the line end.
  package var bytes: [UInt8]
  /// The header of the part of the recording that the line is in; `nil` if it is missing.
  package var part: CaptureHeader?
}
