// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Whether anything could be heard at all, over all receivers.
///
/// A set of receivers hears while at least one listens. When none does, the kindest of their states is the reason: off
/// before deaf before gone, for it says what could be done.
public struct ReceiverStates: Sendable, Equatable {
  private var states: [RadioState?]

  /// Creates a set of no receivers, which hears: a capture need not say that its radio listened.
  public init() {
    states = []
  }

  /// Takes note of a receiver's state.
  ///
  /// - Returns: What that means for what is heard; `nil` when nothing changed.
  public mutating func changed(receiver: UInt8, to state: RadioState) -> Change? {
    let before = deafness
    let slot = Int(receiver)
    while states.count <= slot { states.append(nil) }
    states[slot] = state
    let after = deafness
    guard before != after else { return nil }
    return after.map(Change.lost) ?? .regained
  }

  /// What a receiver's change means for what is heard.
  public enum Change: Sendable, Equatable {
    /// Nothing is heard from now on, or for another reason than before.
    case lost(RegionStateReason)
    /// A receiver listens again.
    case regained
  }

  /// Whether anything could be heard.
  public var receives: Bool { deafness == nil }

  /// Why nothing can be heard; `nil` while something can.
  public var deafness: RegionStateReason? {
    if states.contains(.listening) { return nil }
    if states.contains(.off) { return .radioOff }
    if states.contains(.deaf) { return .radioDeaf }
    return states.contains(.gone) ? .radioGone : nil
  }
}
