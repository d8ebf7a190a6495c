// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A goal that a client declares for the duration of some work (row N11).
///
/// The goal is requested whenever possible, and again after a temporary grant ended; after a refusal it is not
/// requested again.
public struct ServiceSession: Sendable, Hashable {
  /// The authorization that the work needs.
  public enum Goal: String, Sendable, CaseIterable {
    /// Whatever is granted.
    case none
    /// While in use.
    case whenInUse
    /// At any time.
    case always
  }

  /// What prevents a session's goal, by Core Location's names.
  public enum Diagnostic: String, Sendable, CaseIterable {
    /// Accuracy is reduced.
    case accuracyLimited
    /// Always was requested, and the user kept the grant while using.
    case alwaysAuthorizationDenied
    /// Refused; also while location services are off.
    case authorizationDenied
    /// Location services are off for all clients.
    case authorizationDeniedGlobally
    /// A prompt is showing.
    case authorizationRequestInProgress
    /// Policy forbids it.
    case authorizationRestricted
    /// Full accuracy was requested and not granted.
    case fullAccuracyDenied
    /// The client is not sufficiently in use for deliveries, or for requests.
    case insufficientlyInUse
    /// The manifest demands an explicit session that the client does not have.
    case serviceSessionRequired
  }

  /// The caller's number for the session.
  public let id: UInt64
  /// The authorization that the work needs.
  public let goal: Goal
  /// The purpose for which full accuracy is needed, if it is.
  public let fullAccuracyPurposeKey: String?
  /// Whether the session belongs to an activity of the client, such as iterating events; otherwise it is explicit.
  ///
  /// It requests nothing if the manifest demands explicit sessions (row N15).
  public let isImplicit: Bool

  /// Creates a session's declaration.
  public init(
    id: UInt64,
    goal: Goal,
    fullAccuracyPurposeKey: String? = nil,
    isImplicit: Bool = false
  ) {
    self.id = id
    self.goal = goal
    self.fullAccuracyPurposeKey = fullAccuracyPurposeKey
    self.isImplicit = isImplicit
  }
}
