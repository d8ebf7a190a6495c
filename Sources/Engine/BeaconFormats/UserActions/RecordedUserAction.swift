// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A user's actions, for which client, and when.
package struct RecordedUserAction: Sendable, Equatable {
  /// When, on the timeline.
  package var time: Timestamp
  /// The client concerned; `nil` for all of them.
  package var client: String?
  /// The user's action.
  package var input: UserAction

  package init(time: Timestamp, client: String?, input: UserAction) {
    self.time = time
    self.client = client
    self.input = input
  }

  /// Reads a line of a recording; `nil` for an action that this version does not know, or whose keys are wrong.
  package init?(_ line: UserActionLine) {
    let faults = FaultCollector()
    guard var object = JSON5Reader(line.value, faults: faults).object(),
      let input = object.form({ UserAction.read(line.input, from: &$0) }), faults.faults.isEmpty,
      line.client != nil || input.concernsAll
    else { return nil }
    self.init(time: line.time, client: line.client, input: input)
  }
}
