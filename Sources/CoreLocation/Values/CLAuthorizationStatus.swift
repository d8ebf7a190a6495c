// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a program reads of its authorization.
public enum CLAuthorizationStatus: Int32, Sendable {
  /// Nobody has decided yet; the program may ask.
  case notDetermined = 0
  /// Policy forbids it, and the person cannot change that.
  case restricted = 1
  /// The person said no, or location services are off.
  case denied = 2
  /// Granted at any time.
  case authorizedAlways = 3
  /// Granted while the program is in use.
  case authorizedWhenInUse = 4

  /// The name that iOS 7 had for ``authorizedAlways``.
  public static var authorized: CLAuthorizationStatus { .authorizedAlways }
}
