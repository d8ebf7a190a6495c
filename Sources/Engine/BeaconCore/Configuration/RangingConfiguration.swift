// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Settings for how ranging computes ticks from reports.
public struct RangingConfiguration: Sendable, Equatable {
  /// How the RSSI of a track is filtered.
  public var filter: RSSIFilterConfiguration
  /// How a loss of signal is converted into a distance.
  public var pathLoss = PathLoss.standard
  /// The standard deviation in dB of the surroundings' effect on a signal; it widens the interval of a distance.
  public var shadowing = DistanceEstimate.deliveredDeviation {
    didSet { intervalDeviation = Self.deviation(shadowing, isCarried: isCarried) }
  }
  /// Whether the beacons or the receiver are carried by people, whose bodies weaken a signal in some directions; it
  /// widens the interval of a distance.
  public var isCarried = false {
    didSet { intervalDeviation = Self.deviation(shadowing, isCarried: isCarried) }
  }
  /// The standard deviation in dB of the surroundings and the bodies together.
  private(set) var intervalDeviation = DistanceEstimate.deliveredDeviation
  /// Calibrated powers of beacons and receivers, which are more accurate than the announced ones.
  public var calibration = Calibration()
  /// How a distance is converted into a proximity.
  public var proximity: ProximityRule
  /// The time for which a silent beacon stays listed, with unknown proximity (row R7).
  public var linger = TimeSpan.seconds(10)
  /// Whether a silent beacon keeps its proximity for its own learned interval; in Core Location it does not (row R6).
  public var holdsProximity: Bool
  /// By what share another beacon must be nearer than the first one of a list to take its place (row R20).
  public var nearestMargin: Double
  /// Whether beacons with one identity form one entry, whatever their addresses; Core Location lists each one (row I6).
  public var mergesSameIdentity: Bool

  /// The difference in dB between the mean levels of an identity's addresses that one place explains.
  ///
  /// Beyond it another device sends the same identity. 0 compares none.
  public var contestedDifference = RangingConfiguration.defaultContestedDifference

  /// 12 dB: the means of reports of one place that alternate differ by 2 to 4 dB, and fading on one of three channels
  /// alone by no more than 8.
  public static let defaultContestedDifference = 12.0

  /// 18.9 %, which is a decibel and a half: beacons about as far away would otherwise change places with each report.
  public static let defaultNearestMargin = 0.189

  private static func deviation(_ shadowing: Double, isCarried: Bool) -> Double {
    guard isCarried else { return shadowing }
    let body = DistanceEstimate.bodyDeviation
    return (shadowing * shadowing + body * body).squareRoot()
  }

  /// Creates a profile's configuration.
  public init(_ profile: Profile = .standard) {
    let apple = profile.followsCoreLocation
    // Row R11: Core Location's distance takes about 20 s to settle.
    filter = apple ? .altBeacon(AltBeaconFilter.Parameters()) : .standard
    proximity = apple ? .coreLocation : .standard
    holdsProximity = !apple
    nearestMargin = apple ? 0 : Self.defaultNearestMargin
    mergesSameIdentity = !apple
    // Evidence is missing that Core Location rejects any negative power.
    if apple {
      calibration.strongestAnnouncedPower = -1
      calibration.weakestAnnouncedPower = -127
    }
  }
}
