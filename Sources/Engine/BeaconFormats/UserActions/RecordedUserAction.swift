// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What a user did, for which client, and when.
package struct RecordedUserAction: Sendable, Equatable {
  /// When, on the timeline.
  package var time: Timestamp
  /// The client concerned; `nil` for all of them.
  package var client: String?
  /// What the user did.
  package var input: UserAction

  package init(time: Timestamp, client: String?, input: UserAction) {
    self.time = time
    self.client = client
    self.input = input
  }

  /// Reads a line of a recording; `nil` for an action that this version does not know, or whose keys are wrong.
  package init?(_ line: UserActionLine) {
    guard let kind = UserActionKind(rawValue: line.input) else { return nil }
    let faults = FaultCollector()
    guard var object = JSON5Reader(line.value, faults: faults).object() else { return nil }
    let input = kind.read(&object)
    guard (try? faults.throwIfAny()) != nil, line.client != nil || input.concernsAll else {
      return nil
    }
    self.init(time: line.time, client: line.client, input: input)
  }
}
