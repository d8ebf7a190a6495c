// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The mark that shows a person that a client uses location (row C23, scenario AC13).
public struct UsageIndicator: Sendable, Equatable {
  /// What is shown; the raw values are the names in outputs.
  public enum Style: String, Sendable, CaseIterable {
    /// Nothing.
    case none
    /// The client has asked to be told.
    case hollow
    /// The client was told something a moment ago.
    case solid
    /// The client keeps a continuous session in the background.
    case session
  }

  private var isHollow = false
  private var isSession = false
  private var solidUntil: Timestamp?
  private let solid: TimeSpan

  package init(solid: TimeSpan) {
    self.solid = solid
  }

  /// What is shown now.
  package var style: Style {
    if isSession { return .session }
    if solidUntil != nil { return .solid }
    return isHollow ? .hollow : .none
  }

  /// When solid turns back.
  package var nextDeadline: Timestamp? { solidUntil }

  /// Something was delivered to the client.
  package mutating func delivered(at time: Timestamp) {
    solidUntil = time + solid
  }

  /// The client's registrations, grants or session changed.
  ///
  /// - Parameters:
  ///   - isAsking: Whether the client has registrations and is authorized.
  ///   - isBlocked: Whether nothing can be delivered; what is blocked is never solid.
  ///   - isSession: Whether a session keeps the client in use.
  package mutating func update(isAsking: Bool, isBlocked: Bool, isSession: Bool) {
    self.isHollow = isAsking
    self.isSession = isSession
    if isBlocked { solidUntil = nil }
  }

  /// Time passed; solid may turn back.
  package mutating func timePassed(to now: Timestamp) {
    guard let solidUntil, solidUntil <= now else { return }
    self.solidUntil = nil
  }
}
