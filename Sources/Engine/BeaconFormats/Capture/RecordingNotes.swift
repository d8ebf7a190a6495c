// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Everything that a recording contains except scan inputs; other captures contain nothing of it.
package struct RecordingNotes: Sendable, Equatable {
  /// The recording's header, from its first line.
  package var header: CaptureHeader?
  /// The header of the last part read.
  package var lastHeader: CaptureHeader?
  /// The end of the recording; `nil` while more follows.
  package var end: Timestamp?
  /// How far local time is ahead of UTC at the start.
  package var zone: TimeSpan?
  /// The users' actions, in the order of the file.
  package var userActions: [UserActionLine] = []

  package init() {}

  /// Adds the notes of a later block.
  mutating func add(_ later: RecordingNotes) {
    header = header ?? later.header
    lastHeader = later.lastHeader ?? lastHeader
    end = later.end
    zone = zone ?? later.zone
    userActions += later.userActions
  }
}
