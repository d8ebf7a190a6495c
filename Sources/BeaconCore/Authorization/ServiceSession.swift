// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A goal that a client declares for as long as it works on something (row N11).
///
/// The goal is asked for whenever it can be, and again after a temporary grant lapsed; a refusal is not asked again.
public struct ServiceSession: Sendable, Hashable {
  /// The authorization that the work needs.
  public enum Goal: String, Sendable, CaseIterable {
    /// Whatever there is.
    case none
    /// While in use.
    case whenInUse
    /// At any time.
    case always
  }

  /// What stands in the way of a session's goal, by Core Location's names.
  public enum Diagnostic: String, Sendable, CaseIterable {
    /// Accuracy is reduced.
    case accuracyLimited
    /// Always was wanted, and the person keeps it at while using.
    case alwaysAuthorizationDenied
    /// Refused; also while location services are off.
    case authorizationDenied
    /// Location services are off for everybody.
    case authorizationDeniedGlobally
    /// A prompt is showing.
    case authorizationRequestInProgress
    /// Policy forbids it.
    case authorizationRestricted
    /// Full accuracy was asked for and not given.
    case fullAccuracyDenied
    /// The client is not enough in use to be told, or to ask.
    case insufficientlyInUse
  }

  /// The owner's name for the session.
  public let id: UInt64
  /// The authorization that the work needs.
  public let goal: Goal
  /// The purpose for which full accuracy is needed, if it is.
  public let fullAccuracyPurposeKey: String?

  /// Creates a session's declaration.
  public init(id: UInt64, goal: Goal, fullAccuracyPurposeKey: String? = nil) {
    self.id = id
    self.goal = goal
    self.fullAccuracyPurposeKey = fullAccuracyPurposeKey
  }
}
