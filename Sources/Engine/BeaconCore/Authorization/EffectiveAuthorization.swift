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

  /// Creates the permission of a grant: services off takes precedence over everything, a restriction over the grant.
  ///
  /// Everything that derives a status from a grant does it here.
  package init(_ grant: SavedAuthorization.Grant, areServicesOn: Bool, isRestricted: Bool) {
    guard areServicesOn else {
      self = .servicesOff
      return
    }
    guard !isRestricted else {
      self = .restricted
      return
    }
    self =
      switch grant {
      case .notDetermined: .notDetermined
      case .denied: .denied
      case .whenInUse, .untilMorning: .whenInUse
      case .provisionalAlways: .provisionalAlways
      case .always: .always
      }
  }
}

extension SavedAuthorization {
  /// The permission of the grant.
  package var effective: EffectiveAuthorization {
    EffectiveAuthorization(grant, areServicesOn: servicesOn, isRestricted: isRestricted)
  }
}

extension SavedAuthorization.Grant {
  /// The value that Settings show for the grant.
  ///
  /// For a grant that only a prompt can give, it is the most that the grant certainly includes.
  package var setting: SettingsValue {
    switch self {
    case .notDetermined: .askNextTime
    case .denied: .never
    case .whenInUse, .untilMorning, .provisionalAlways: .whileUsing
    case .always: .always
    }
  }
}
