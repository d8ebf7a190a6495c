// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The states of receivers that follow from no report, as a client may know them that may not know of beacons (law L3).
///
/// A receiver is judged deaf by its silence, so that state is left out. A source states that a receiver listens directly
/// before a report that showed it, at the report's time, also in a recording; so such a state is left out as well.
package struct StatedStates: Sendable, Equatable {
  /// A state that a source stated.
  package struct Item: Sendable, Equatable {
    package var receiver: UInt8
    package var state: RadioState
    package var time: Timestamp
  }

  /// Since when receivers listen whose next input may be the report that showed it.
  private var undecided: [UInt8: Timestamp] = [:] {
    didSet { isUndecided = !undecided.isEmpty }
  }
  /// Whether the next report can be the one that showed a state: stored, since it is read for each report.
  package private(set) var isUndecided = false

  package init() {}

  /// Returns the states that no report showed, after all inputs before a time.
  package mutating func decide(before time: Timestamp) -> [Item] {
    let decided = undecided.filter { $0.value < time }
    for receiver in decided.keys { undecided[receiver] = nil }
    return decided.map { Item(receiver: $0.key, state: .listening, time: $0.value) }
      .sorted { ($0.time, $0.receiver) < ($1.time, $1.receiver) }
  }

  /// Processes a report, and returns the states that no report showed.
  package mutating func received(by receiver: UInt8, at time: Timestamp) -> [Item] {
    if undecided[receiver] == time { undecided[receiver] = nil }
    return decide(before: time)
  }

  /// Processes the state of a receiver, and returns the states that no report showed.
  package mutating func changed(_ receiver: UInt8, to state: RadioState, at time: Timestamp)
    -> [Item]
  {
    var decided = decide(before: time)
    switch state {
    case .deaf: break
    case .listening: undecided[receiver] = time
    case .off, .gone:
      undecided[receiver] = nil
      decided.append(Item(receiver: receiver, state: state, time: time))
    }
    return decided
  }
}
