// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The indicator that shows the user that a client uses location (row C23, scenario AC13).
public struct UsageIndicator: Sendable, Equatable {
  /// The shown style; the raw values are the names in outputs.
  public enum Style: String, Sendable, CaseIterable {
    /// Nothing.
    case none
    /// The client has registrations.
    case hollow
    /// The client received a delivery not long ago.
    case solid
    /// The client has a continuous session in the background.
    case session
  }

  private var isHollow = false
  private var isSession = false
  private var solidUntil: Timestamp?
  private let solid: TimeSpan

  package init(solid: TimeSpan) {
    self.solid = solid
  }

  /// The current style.
  package var style: Style {
    if isSession { return .session }
    if solidUntil != nil { return .solid }
    return isHollow ? .hollow : .none
  }

  /// When the indicator stops being solid.
  package var nextDeadline: Timestamp? { solidUntil }

  /// Processes a delivery to the client.
  package mutating func delivered(at time: Timestamp) {
    solidUntil = time + solid
  }

  /// Processes a change of the client's registrations, grants or session.
  ///
  /// - Parameters:
  ///   - isAsking: Whether the client has registrations and is authorized.
  ///   - isBlocked: Whether nothing can be delivered; the indicator is then never solid.
  ///   - isSession: Whether a session keeps the client in use.
  package mutating func update(isAsking: Bool, isBlocked: Bool, isSession: Bool) {
    self.isHollow = isAsking
    self.isSession = isSession
    if isBlocked { solidUntil = nil }
  }

  /// Processes the end of the solid time, if it is due.
  package mutating func timePassed(to now: Timestamp) {
    guard let solidUntil, solidUntil <= now else { return }
    self.solidUntil = nil
  }
}
