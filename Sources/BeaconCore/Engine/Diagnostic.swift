// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A condition of the source or of a request that reveals nothing about received beacons.
public enum Diagnostic: Sendable, Equatable {
  /// The source gave nothing from the first time to the second, such as when a capture pauses or a machine sleeps.
  case timeGap(from: Timestamp, to: Timestamp)
  /// No receiver is listening; the reason is `radioOff`, `radioDeaf` or `radioGone`.
  case radio(RegionStateReason)
  /// Inputs of the source have other times than their stamps, or were left out.
  case source(SourceNotice)
  /// The client already monitors as many regions as it may, so this region is not monitored.
  case regionLimitExceeded(RegionIdentifier)
  /// Ranging that is bound to a region is suspended because of the region's state.
  case rangingSuspended(IdentityConstraint, while: RegionIdentifier, RegionState)
  /// A condition of the client's authorization.
  case authorization(AuthorizationDiagnostic)

  /// The name of the condition in every output.
  public var code: String {
    switch self {
    case .timeGap: "timeGap"
    case .radio(let reason): reason.rawValue
    case .source(.late): "late"
    case .source(.dropped): "dropped"
    case .regionLimitExceeded: "regionLimitExceeded"
    case .rangingSuspended: "rangingSuspended"
    case .authorization(let diagnostic): diagnostic.code
    }
  }
}
