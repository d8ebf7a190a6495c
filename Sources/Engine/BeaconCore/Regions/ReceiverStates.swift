// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Whether any receiver is able to receive.
///
/// Reception is possible while at least one receiver listens; one that reports without having stated a state listens. When
/// none does, the reason is the state that is easiest to correct: off before deaf before gone.
package struct ReceiverStates: Sendable, Equatable {
  private var states: [RadioState?]
  /// The names of the receivers by now, by their number; empty without names.
  package var names: [String] = []

  /// Creates an empty set, with which reception counts as possible: a capture need not contain the state of its radio.
  package init() {
    states = []
  }

  /// Returns whether a receiver is known to listen, by its state or a report.
  @inline(__always)
  func listens(_ receiver: UInt8) -> Bool {
    Int(receiver) < states.count && states[Int(receiver)] == .listening
  }

  /// Processes a receiver's state.
  ///
  /// - Returns: The change of reception, if any.
  package mutating func changed(receiver: UInt8, to state: RadioState) -> Change? {
    let before = deafness
    let slot = Int(receiver)
    while states.count <= slot { states.append(nil) }
    states[slot] = state
    let after = deafness
    guard before != after else { return nil }
    return after.map(Change.lost) ?? .regained
  }

  /// A change of reception.
  package enum Change: Sendable, Equatable {
    /// Reception is lost, or lost for another reason than before.
    case lost(RegionStateReason)
    /// A receiver listens again.
    case regained
  }

  /// Whether reception is possible.
  package var receives: Bool { deafness == nil }

  /// Why reception is not possible; `nil` while it is.
  package var deafness: RegionStateReason? { Self.deafness(states) }

  /// The last state of a receiver; `nil` if none is known.
  func state(of receiver: UInt8) -> RadioState? {
    Int(receiver) < states.count ? states[Int(receiver)] : nil
  }

  /// The state of a receiver of an earlier run: without one it is gone, once something is known of any other.
  func state(named name: String) -> RadioState? {
    let known = names.firstIndex(of: name).flatMap { state(of: UInt8(clamping: $0)) }
    return known ?? (states.contains { $0 != nil } ? .gone : nil)
  }

  /// Why none of some receivers can receive; `nil` if one can.
  static func deafness(_ states: [RadioState?]) -> RegionStateReason? {
    if states.contains(.listening) { return nil }
    if states.contains(.off) { return .radioOff }
    if states.contains(.deaf) { return .radioDeaf }
    return states.contains(.gone) ? .radioGone : nil
  }
}
