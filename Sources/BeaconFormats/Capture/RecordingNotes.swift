// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What a recording says beside the inputs of the air; other captures say none of it.
package struct RecordingNotes: Sendable, Equatable {
  /// What the recording says of itself.
  package var header: CaptureHeader?
  /// Where the recording ends.
  package var end: Timestamp?
  /// What persons did, in the order of the file.
  package var userActions: [UserActionLine] = []

  package init() {}

  /// Takes up what a later block said.
  mutating func add(_ later: RecordingNotes) {
    header = header ?? later.header
    end = later.end ?? end
    userActions += later.userActions
  }
}
