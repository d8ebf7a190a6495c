// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a client reads of its authorization.
///
/// The raw values are Core Location's (row U1).
public enum AuthorizationStatus: Int, Sendable, CaseIterable {
  /// Nobody has decided yet; the client may ask.
  case notDetermined = 0
  /// Policy forbids it, and the person cannot change that.
  case restricted = 1
  /// The person said no, or location services are off.
  case denied = 2
  /// Granted at any time; also what a provisional grant reads as.
  case authorizedAlways = 3
  /// Granted while the client is in use; also what Allow Once reads as.
  case authorizedWhenInUse = 4

  /// Whether the status grants anything at all.
  public var isAuthorized: Bool {
    switch self {
    case .authorizedAlways, .authorizedWhenInUse: true
    case .notDetermined, .restricted, .denied: false
    }
  }

  /// The status as outputs spell it.
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
