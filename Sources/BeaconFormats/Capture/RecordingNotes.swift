// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What a recording contains besides scan inputs; other captures contain none of it.
package struct RecordingNotes: Sendable, Equatable {
  /// The recording's description of itself.
  package var header: CaptureHeader?
  /// Where the recording ends.
  package var end: Timestamp?
  /// What users did, in the order of the file.
  package var userActions: [UserActionLine] = []

  package init() {}

  /// Adds the notes of a later block.
  mutating func add(_ later: RecordingNotes) {
    header = header ?? later.header
    end = later.end ?? end
    userActions += later.userActions
  }
}
