// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Something that the engine delivers to a client or to the operator.
public enum Event: Sendable, Equatable {
  /// A valid frame was received; delivered to the operator only.
  case sighting(Sighting)
  /// A second of ranging everything: all beacons received lately, nearest first; delivered to the operator only.
  case nearby([RangedBeacon])
  /// A second of ranging: one entry for each constraint of the client, in the order of the constraints.
  case ranged([ConstraintRanging])
  /// A region was entered: it is inside, and the last known state was outside.
  indirect case regionEntered(RegionIdentifier, RegionStateReason, Explanation)
  /// A region was left: it is outside, and the last known state was inside.
  indirect case regionExited(RegionIdentifier, RegionStateReason, Explanation)
  /// A region's state: determined for the first time, changed, or requested.
  case regionState(RegionIdentifier, RegionState, RegionStateOrigin, RegionStateReason)
  /// The client's status or accuracy changed; both have their current values.
  case authorization(AuthorizationStatus, AccuracyAuthorization)
  /// The user is to be asked.
  indirect case prompt(Prompt)
  /// The prompt that was showing can no longer be answered.
  case promptWithdrawn
  /// A request has completed; it has an error if it failed.
  case completion(CompletedRequest, error: LocationErrorCode?)
  /// A request cannot be served.
  case failure(LocationErrorCode, FailedSubject)
  /// The machine shows a notification of a region; the client is not notified until the user taps it.
  case notification(RegionIdentifier)
  /// The usage indicator changed.
  case indicator(UsageIndicator.Style)
  /// What currently prevents a service session from working; empty if nothing does.
  case serviceDiagnostics(id: UInt64, [ServiceSession.Diagnostic])
  /// A condition of the source or of the request, not of any beacon.
  case diagnostic(Diagnostic)
}

/// A request that has a completion.
public enum CompletedRequest: Sendable, Hashable {
  /// Monitoring of a region started.
  case monitor(RegionIdentifier)
  /// Temporary full accuracy was requested for a purpose.
  case temporaryFull(purpose: String)

  /// The name of the request in every output.
  public var name: String {
    switch self {
    case .monitor: "monitor"
    case .temporaryFull: "temporaryFull"
    }
  }
}

/// The subject of a failure.
public enum FailedSubject: Sendable, Hashable {
  /// Monitoring of a region.
  case region(RegionIdentifier)
  /// Ranging of a constraint.
  case constraint(IdentityConstraint)
}
