// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The authorization that delivery depends on, which the status that a client reads does not show completely.
///
/// A provisional grant is reported as `authorizedAlways` and delivers as when-in-use; services off is reported as
/// `denied` and fails differently. The gate needs the difference; clients never see it.
package enum EffectiveAuthorization: Sendable, Hashable, CaseIterable {
  /// Undecided (ND).
  case notDetermined
  /// Forbidden by policy (RS).
  case restricted
  /// Refused by the user (DN).
  case denied
  /// Location services are off; the grant itself is kept.
  case servicesOff
  /// Granted while in use, permanently or temporarily (T, W0, W1, C).
  case whenInUse
  /// Reported as always and treated as while in use, until the user confirms it (P).
  case provisionalAlways
  /// Granted at any time (A).
  case always

  /// The status that the client reads.
  package var status: AuthorizationStatus {
    switch self {
    case .notDetermined: .notDetermined
    case .restricted: .restricted
    case .denied, .servicesOff: .denied
    case .whenInUse: .authorizedWhenInUse
    case .provisionalAlways, .always: .authorizedAlways
    }
  }

  /// Whether anything is granted.
  package var isAuthorized: Bool { status.isAuthorized }
}
