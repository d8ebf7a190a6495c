// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A program's authorization status.
public enum CLAuthorizationStatus: Int32, Sendable {
  /// The user has not decided yet; the program may ask.
  case notDetermined = 0
  /// A restriction forbids it, and the user cannot change that.
  case restricted = 1
  /// The user refused, or location services are off.
  case denied = 2
  /// Granted at any time.
  case authorizedAlways = 3
  /// Granted while the program is in use.
  case authorizedWhenInUse = 4

  /// The name that iOS 7 had for ``authorizedAlways``.
  public static var authorized: CLAuthorizationStatus { .authorizedAlways }
}

/// Whether a program may know of beacons and regions.
public enum CLAccuracyAuthorization: Int, Sendable {
  /// Precise: ranging and monitoring work as far as the authorization status allows.
  case fullAccuracy = 0
  /// Approximate: neither ranging nor monitoring delivers anything.
  case reducedAccuracy = 1
}
