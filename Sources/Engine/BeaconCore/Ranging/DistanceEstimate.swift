// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A distance with its central 90 % interval, in meters.
public struct DistanceEstimate: Sendable, Hashable {
  /// The distance in meters.
  public let meters: Double
  /// The interval's lower end in meters: the truth is nearer in one case of twenty.
  public let low: Double
  /// The interval's upper end in meters: the truth is farther in one case of twenty.
  public let high: Double

  /// The standard deviation in dB of the effect of the surroundings on a signal, which averaging does not reduce.
  ///
  /// 4 dB: measurements of log-normal shadowing indoors give 3 to 6 dB, and less with line of sight. Four remains in a
  /// furnished room after the filter has averaged out the fades.
  public static let shadowingDeviation: Double = 4

  /// The standard deviation in dB with which a distance is delivered: of the surroundings and of the measured power.
  ///
  /// 5 dB: a place changes a level by 4, and a beacon's power at one meter is known to 3, because it is measured in one
  /// direction and another room. On the four recordings for tuning, the interval then contains the truth in 89 to 95 of
  /// 100 seconds (`docs/accuracy.md`).
  public static let deliveredDeviation: Double = 5

  /// The factor by which the delivered interval is farther away than the one around the distance: 1.19, which is 1.5 dB.
  ///
  /// Reflections add power and a level falls by less than with the square of the distance, so in rooms the truth is
  /// farther than the distance more often than nearer. Chosen on the recordings for tuning.
  static let deliveredShift: Double = 1.1885

  /// The addition of a body to it, in dB, if the beacon or the receiver is carried.
  ///
  /// 4.5 dB: a body costs nothing or up to 15 dB, depending on how its bearer stands, which is 4.3 dB around the mean
  /// if every direction is as likely.
  public static let bodyDeviation: Double = 4.5

  /// By how many dB a level may change in a second of silence.
  ///
  /// Half a decibel: on recordings of a beacon on the move, from which five of ten seconds were removed, the error grew
  /// by a third of a decibel a second; a person who walks past closely is faster.
  static let silentDeviation: Double = 0.5

  /// How many standard deviations the central 90 % of a normal distribution reach to either side.
  public static let intervalDeviations: Double = 1.645

  package init(meters: Double, low: Double, high: Double) {
    self.meters = meters
    self.low = low
    self.high = high
  }

  /// Creates the estimate for a filtered signal strength.
  ///
  /// The filter's settled error and the shadowing are independent, so their squares add. The interval is computed in
  /// decibels, in which the error is symmetric, and then converted by the path loss, after which it is not.
  ///
  /// - Parameters:
  ///   - rssi: The filtered RSSI, with the receiver's offset.
  ///   - measuredPower: The signal strength in dBm at one meter.
  ///   - pathLoss: The model.
  ///   - shadowing: The standard deviation in dB of the surroundings; a negative one counts as 0.
  ///   - silence: How long nothing has been received: the interval grows in that time.
  ///   - shift: A factor for both ends of the interval, which still contains the distance.
  package init(
    rssi: FilteredRSSI,
    measuredPower: Double,
    pathLoss: PathLoss,
    shadowing: Double = shadowingDeviation,
    silentFor silence: TimeSpan = .zero,
    shiftedBy shift: Double = 1
  ) {
    let own = max(0, shadowing)
    var variance = rssi.settledError * rssi.settledError + own * own
    if silence > .zero {
      let moved = Self.silentDeviation * Double(silence.microseconds) / 1e6
      variance += moved * moved
    }
    let deviation = variance.squareRoot()
    let reach = deviation * Self.intervalDeviations
    let distances = pathLoss.distances(rssi: rssi.dBm, reach: reach, measuredPower: measuredPower)
    meters = distances.middle
    low = min(distances.middle, distances.near * shift)
    high = max(distances.middle, min(distances.far * shift, PathLoss.maximumDistance))
  }
}
