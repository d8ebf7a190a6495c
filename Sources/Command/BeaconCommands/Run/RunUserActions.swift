// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// What the users of a run do, until the run's driver performs it.
///
/// A run of the operator has none. What a user does at a terminal or by another command is performed at once; what a file
/// of answers or a recording says, at its own time.
package final class RunUserActions {
  private var waiting: [RecordedUserAction] = []
  /// The client, once the engine knows it.
  package var client: (name: String, id: ClientID)?
  /// Whether what is still to be done was read from a recording, and so belongs to the run even behind the last input.
  package var areRecorded = false
  /// Whether the user answers prompts while the run continues, and not a file or a recording.
  package var areAsked = true

  package init() {}

  /// Whether something is to be done.
  package var isWaiting: Bool { !waiting.isEmpty }

  /// Adds what a user does now.
  package func add(_ action: UserAction) {
    let concernsAll = UserActionKind(action)?.concernsAll ?? false
    let name = concernsAll ? nil : client?.name
    add(RecordedUserAction(time: .earliest, client: name, input: action))
  }

  /// Adds what a user does at a time.
  package func add(_ action: RecordedUserAction) {
    waiting.append(action)
  }

  /// Returns what was added since the last call and concerns this run's client.
  func drain() -> [TimedUserAction] {
    guard !waiting.isEmpty else { return [] }
    defer { waiting = [] }
    guard let client else {
      // Without a client only the time zone is of use: to whoever replays the recording for one.
      return waiting.compactMap { action in
        guard case .zone = action.input else { return nil }
        return TimedUserAction(time: action.time, client: nil, action: action.input)
      }
    }
    return waiting.compactMap { action in
      guard action.client == nil || action.client == client.name else { return nil }
      let id = action.client == nil ? nil : client.id
      return TimedUserAction(time: action.time, client: id, action: action.input)
    }
  }
}
