// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A `user` line of a recording: what a person answered, set or did, kept as it was written.
///
/// The line is kept whole, so that an input this version does not know goes through a conversion unharmed.
package struct UserActionLine: Sendable, Equatable {
  /// How many inputs of the air stand before it in the recording.
  package var scanInputsBefore: Int
  /// When it was.
  package var time: Timestamp
  /// The client it was about; `nil` where it was about the machine.
  package var client: String?
  /// The name of the input.
  package var input: String
  /// The whole line's value.
  package var value: JSON5Value
  /// The whole line's bytes without its end.
  package var bytes: [UInt8]
}
