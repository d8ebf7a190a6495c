// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The range of a distance that follows only from the filter's own error.
///
/// It excludes the shadowing of ``DistanceEstimate``. The effect of the surroundings stays the same while a beacon is
/// at rest, so it moves a zone's limit once but does not make a zone flicker. It includes the possibility that a walk
/// has just started, however long the beacon has stood still, because at a limit that is the question.
///
/// The level of a beacon that has evidently stood still wanders all the same: doors, bodies and furniture move. It must
/// be farther beyond a limit (``wander``). A beacon that moves is not settled, so this costs no time there.
package struct DistanceReach: Sendable, Hashable {
  package let meters: Double
  package let low: Double
  package let high: Double

  /// By how many dB the level of a beacon at rest may wander, without a settled error.
  ///
  /// 4 dB, so 2 dB after 80 s (``Standstill``): the levels of real beacons at rest move by 1 to 2 dB in an hour.
  static let wander: Double = 4

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
    let settled = 1 - rssi.settledError / rssi.standardError
    let reach = deviations * rssi.standardError + (deviations > 0 ? Self.wander * settled : 0)
    meters = pathLoss.distance(rssi: rssi.dBm, measuredPower: measuredPower)
    low = pathLoss.distance(rssi: rssi.dBm + reach, measuredPower: measuredPower)
    high = pathLoss.distance(rssi: rssi.dBm - reach, measuredPower: measuredPower)
  }
}
