// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Something that someone is told.
public enum Event: Sendable, Equatable {
  /// A valid frame was heard; told to the operator alone.
  case sighting(Sighting)
  /// A second of ranging: one entry for each constraint of the client, in the order of the constraints.
  case ranged([ConstraintRanging])
  /// A region was entered: it was known to be outside and is inside.
  indirect case regionEntered(RegionIdentifier, RegionStateReason, Explanation)
  /// A region was left: it was known to be inside and is outside.
  indirect case regionExited(RegionIdentifier, RegionStateReason, Explanation)
  /// A region's state: determined first, changed, or asked for.
  case regionState(RegionIdentifier, RegionState, RegionStateOrigin, RegionStateReason)
  /// The client's status or accuracy changed; these are both as they are now.
  case authorization(AuthorizationStatus, AccuracyAuthorization)
  /// A person is to be asked.
  indirect case prompt(Prompt)
  /// The prompt that was showing is not answered any more.
  case promptWithdrawn
  /// A request that completes has completed; with an error where it failed.
  case completion(CompletedRequest, error: LocationErrorCode?)
  /// What was asked for cannot be had.
  case failure(LocationErrorCode, FailedSubject)
  /// The machine shows a notification of a region; the client is not told until it is tapped.
  case notification(RegionIdentifier)
  /// Another usage indicator is shown.
  case indicator(UsageIndicator.Style)
  /// What stands in the way of a service session now; empty when nothing does.
  case serviceDiagnostics(id: UInt64, [ServiceSession.Diagnostic])
  /// A condition of the source or of the request, not of any beacon.
  case diagnostic(Diagnostic)
}

/// A request that has a completion.
public enum CompletedRequest: Sendable, Hashable {
  /// Monitoring of a region began.
  case monitor(RegionIdentifier)
  /// Temporary full accuracy was asked for, for a purpose.
  case temporaryFull(purpose: String)

  /// The name of the request in every output.
  public var name: String {
    switch self {
    case .monitor: "monitor"
    case .temporaryFull: "temporaryFull"
    }
  }
}

/// What could not be had.
public enum FailedSubject: Sendable, Hashable {
  /// Monitoring of a region.
  case region(RegionIdentifier)
  /// Ranging of a constraint.
  case constraint(IdentityConstraint)
}
