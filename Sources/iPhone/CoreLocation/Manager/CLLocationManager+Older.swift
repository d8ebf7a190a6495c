// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Names that Apple marks as deprecated and real code still uses, and asynchronous forms of calls with handlers.

extension CLLocationManager {
  /// Whether headings can be measured: never.
  @available(*, deprecated, message: "use headingAvailable()")
  public var headingAvailable: Bool { Self.headingAvailable() }

  /// Whether location services are on.
  @available(*, deprecated, message: "use locationServicesEnabled()")
  public var locationServicesEnabled: Bool { Self.locationServicesEnabled() }

  /// Monitors a region; the accuracy has no effect.
  @available(*, deprecated, renamed: "startMonitoring(for:)")
  public func startMonitoring(for region: CLRegion, desiredAccuracy accuracy: CLLocationAccuracy) {
    startMonitoring(for: region)
  }

  /// Fails with ``CLError/Code/historicalLocationError``.
  public func requestHistoricalLocations(
    purposeKey: String,
    sampleCount: Int
  ) async throws -> [CLLocation] { throw CLError(.historicalLocationError) }

  /// Fails with ``CLLocationPushServiceError/Code/missingPushExtension``.
  public func startMonitoringLocationPushes() async throws -> Data {
    throw CLLocationPushServiceError(.missingPushExtension)
  }
}
