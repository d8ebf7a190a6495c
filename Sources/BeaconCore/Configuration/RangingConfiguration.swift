// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How ranging computes ticks from reports.
public struct RangingConfiguration: Sendable, Equatable {
  /// How the RSSI of a track is filtered.
  public var filter: RSSIFilterConfiguration
  /// How a loss of signal becomes a distance.
  public var pathLoss = PathLoss.standard
  /// The standard deviation in dB of what the surroundings do to a signal; it widens the interval of a distance.
  public var shadowing = DistanceEstimate.shadowingDeviation
  /// What is known about beacons and receivers better than the beacons announce it.
  public var calibration = Calibration()
  /// How a distance becomes a proximity.
  public var proximity: ProximityRule
  /// How long a silent beacon stays listed, as unknown (row R7).
  public var linger = TimeSpan.seconds(10)
  /// Whether a silent beacon keeps its proximity for its own learned interval; Core Location's does not (row R6).
  public var holdsProximity: Bool
  /// Whether beacons of one identity are one entry, whatever their addresses; Core Location lists each (row I6).
  public var mergesSameIdentity: Bool

  /// Creates a profile's configuration.
  public init(_ profile: Profile = .standard) {
    let apple = profile.followsCoreLocation
    // Row R11: Core Location's distance takes about 20 s to settle.
    filter = apple ? .altBeacon(AltBeaconFilter.Parameters()) : .standard
    proximity = apple ? .coreLocation : .standard
    holdsProximity = !apple
    mergesSameIdentity = !apple
    // There is no evidence that Core Location rejects any negative power.
    if apple { calibration.strongestAnnouncedPower = -1 }
  }
}
