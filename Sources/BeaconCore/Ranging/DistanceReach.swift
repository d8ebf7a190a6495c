// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The range of a distance that follows from the filter's own error alone.
///
/// It excludes the shadowing of ``DistanceEstimate``. The effect of the surroundings stays the same while a beacon is
/// at rest, so it moves a zone's limit once but does not make a zone flicker. It includes the possibility that a walk
/// has just started, however long the beacon has stood still, because at a limit that is the question.
package struct DistanceReach: Sendable, Hashable {
  package let meters: Double
  package let low: Double
  package let high: Double

  /// Creates the range of an exact distance.
  package init(exactly meters: Double) {
    self.meters = meters
    low = meters
    high = meters
  }

  /// Creates the range of distances within a number of standard errors of a filtered signal strength.
  package init(
    _ rssi: FilteredRSSI,
    measuredPower: Double,
    pathLoss: PathLoss,
    deviations: Double
  ) {
    let reach = deviations * rssi.standardError
    meters = pathLoss.distance(rssi: rssi.dBm, measuredPower: measuredPower)
    low = pathLoss.distance(rssi: rssi.dBm + reach, measuredPower: measuredPower)
    high = pathLoss.distance(rssi: rssi.dBm - reach, measuredPower: measuredPower)
  }
}
