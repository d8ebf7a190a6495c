// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The authorization status that a client reads.
///
/// The raw values are Core Location's (row U1).
public enum AuthorizationStatus: Int, Sendable, CaseIterable {
  /// The user has not decided yet; the client may request authorization.
  case notDetermined = 0
  /// A policy forbids it, and the user cannot change that.
  case restricted = 1
  /// The user refused, or location services are off.
  case denied = 2
  /// Granted at any time; also the status of a provisional grant.
  case authorizedAlways = 3
  /// Granted while the client is in use; also the status of Allow Once.
  case authorizedWhenInUse = 4

  /// Whether the status grants anything at all.
  public var isAuthorized: Bool {
    switch self {
    case .authorizedAlways, .authorizedWhenInUse: true
    case .notDetermined, .restricted, .denied: false
    }
  }

  /// The name in outputs.
  public var name: String {
    switch self {
    case .notDetermined: "notDetermined"
    case .restricted: "restricted"
    case .denied: "denied"
    case .authorizedAlways: "authorizedAlways"
    case .authorizedWhenInUse: "authorizedWhenInUse"
    }
  }
}
