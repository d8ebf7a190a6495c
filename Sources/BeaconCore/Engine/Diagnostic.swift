// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A condition worth telling that is derived from no identity heard.
public enum Diagnostic: Sendable, Equatable {
  /// The source said nothing from the first time to the second: a paused capture, a machine asleep.
  case timeGap(from: Timestamp, to: Timestamp)
  /// No receiver listens; the reason is `radioOff`, `radioDeaf` or `radioGone`.
  case radio(RegionStateReason)
  /// The client monitors as many regions as it may, so this one is not monitored.
  case regionLimitExceeded(RegionIdentifier)
  /// Ranging that is bound to a region stands still, because of the region's state.
  case rangingSuspended(IdentityConstraint, while: RegionIdentifier, RegionState)
  /// A condition of the client's authorization.
  case authorization(AuthorizationDiagnostic)

  /// The name of the condition in every output.
  public var code: String {
    switch self {
    case .timeGap: "timeGap"
    case .radio(let reason): reason.rawValue
    case .regionLimitExceeded: "regionLimitExceeded"
    case .rangingSuspended: "rangingSuspended"
    case .authorization(let diagnostic): diagnostic.code
    }
  }
}
