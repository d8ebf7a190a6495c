// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A condition of the source, of a request or of a region.
///
/// ``timeGap(from:to:)``, ``listensInTurns(_:of:)``, ``stateContradicted(_:)`` and ``source(_:)`` are for the operator only:
/// their times follow from the reports.
/// ``exitTimeTooShort(_:_:longest:)``, ``identityContested(_:_:)`` and ``powerImplausible(_:announced:)`` follow from
/// received beacons: only a client that may know crossings gets the first, and only one that asked for the beacon and may
/// know of it the others.
public enum Diagnostic: Sendable, Equatable {
  /// The source gave nothing from the first time to the second, such as when a capture pauses or a machine sleeps.
  case timeGap(from: Timestamp, to: Timestamp)
  /// No receiver is listening; the reason is `radioOff`, `radioDeaf` or `radioGone`.
  case radio(RegionStateReason)
  /// Inputs of the source have other times than their stamps, or were left out.
  case source(SourceNotice)
  /// Receivers listen in turns: of so long a time, for so long.
  case listensInTurns(TimeSpan, of: TimeSpan)
  /// Reports come although the source states that no receiver listens, for this reason: they change no region.
  case stateContradicted(RegionStateReason)
  /// The client already monitors as many regions as it may, so this region is not monitored.
  case regionLimitExceeded(RegionIdentifier)
  /// Ranging that is bound to a region is suspended because of the region's state.
  case rangingSuspended(IdentityConstraint, while: RegionIdentifier, RegionState)
  /// A region's beacon is received so seldom that the longest exit time that may be learned is too short for it: the
  /// region is left more often than wanted while the beacon is present.
  case exitTimeTooShort(RegionIdentifier, Reception, longest: TimeSpan)
  /// A beacon's identity is sent from two addresses at levels that no one place explains: another device copies it, or
  /// two beacons were given the same numbers. Its distance counts as unknown for as long as that continues.
  case identityContested(BeaconIdentity, ContestedLevels)
  /// A beacon announces a measured power that cannot be one, so reports with it have no distance until it is calibrated.
  case powerImplausible(BeaconIdentity, announced: Int8)
  /// A condition of the client's authorization.
  case authorization(AuthorizationDiagnostic)

  /// The name of the condition in every output.
  public var code: String {
    switch self {
    case .timeGap: "timeGap"
    case .radio(let reason): reason.rawValue
    case .source(.late): "late"
    case .source(.dropped): "dropped"
    case .listensInTurns: "listensInTurns"
    case .stateContradicted: "stateContradicted"
    case .regionLimitExceeded: "regionLimitExceeded"
    case .rangingSuspended: "rangingSuspended"
    case .exitTimeTooShort: "exitTimeTooShort"
    case .identityContested: "identityContested"
    case .powerImplausible: "powerImplausible"
    case .authorization(let diagnostic): diagnostic.code
    }
  }
}
