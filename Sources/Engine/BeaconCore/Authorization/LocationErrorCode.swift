// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The failures that reach a client, by Core Location's `CLError` numbers.
public enum LocationErrorCode: Int, Sendable, CaseIterable {
  /// Access to location or ranging has been denied by the user.
  case denied = 1
  /// Region monitoring has been denied by the user.
  case regionMonitoringDenied = 4
  /// A region cannot be monitored, for instance because there are too many.
  case regionMonitoringFailure = 5
  /// Ranging is unavailable: Bluetooth or location services are off.
  case rangingUnavailable = 16
  /// Ranging failed for another reason.
  case rangingFailure = 17
  /// The prompt for temporary full accuracy could not be shown.
  case promptDeclined = 18
}
