// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a client may have, as gates see it: the reported status without its disguises.
///
/// A provisional grant reads as `authorizedAlways` and delivers as when-in-use; services off reads as `denied` and
/// fails differently. Gates need the difference, clients never see it.
public enum AuthorizationStanding: Sendable, Hashable, CaseIterable {
  /// Undecided (ND).
  case notDetermined
  /// Forbidden by policy (RS).
  case restricted
  /// Refused by the person (DN).
  case denied
  /// Location services are off; whatever lies beneath is kept.
  case servicesOff
  /// Granted while in use, for good or for a while (T, W0, W1, C).
  case whenInUse
  /// Granted always in name, while in use in fact, until the person confirms it (P).
  case provisionalAlways
  /// Granted at any time (A).
  case always

  /// What the client reads.
  public var status: AuthorizationStatus {
    switch self {
    case .notDetermined: .notDetermined
    case .restricted: .restricted
    case .denied, .servicesOff: .denied
    case .whenInUse: .authorizedWhenInUse
    case .provisionalAlways, .always: .authorizedAlways
    }
  }

  /// Whether anything is granted.
  public var isAuthorized: Bool { status.isAuthorized }
}
