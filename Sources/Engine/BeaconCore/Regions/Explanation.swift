// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What caused a region to be entered or left, enough to recompute the decision from the capture.
public struct Explanation: Sendable, Hashable {
  /// The rule that decided.
  public enum Rule: String, Sendable, CaseIterable {
    /// The first matching report enters.
    case firstReport
    /// The enter policy's number of reports enters.
    case enoughReports
    /// Coming within the zone's inner distance enters.
    case enterWithin
    /// Going beyond the zone's outer distance leaves.
    case leaveBeyond
    /// Silence for the region's own or the profile's exit time leaves.
    case fixedExit
    /// Silence for the exit time learned from the beacon leaves.
    case learnedExit
    /// Silence for the longest exit time leaves, because too little was known about the beacon.
    case unlearnedExit
    /// Silence for the time of a first determination, after a time in which the state was unknown, leaves.
    case silentAfterUnknown
    /// Being in the region's place enters.
    case atPlace
    /// Being in another place leaves.
    case atOtherPlace
    /// Being received nowhere, although receivers listen that would receive it in the site, leaves.
    case nowhere
  }

  /// The value that the measured value was compared with.
  public enum Threshold: Sendable, Hashable {
    /// A length of silence.
    case silence(TimeSpan)
    /// A distance in meters.
    case distance(meters: Double)
    /// A number of reports.
    case reports(Int)
    /// The region's place.
    case place(String)
  }

  /// The beacon that decided: the one that entered, or the last to keep the region; `nil` when none was received in
  /// this run.
  public var identity: BeaconIdentity?
  /// Matching reports counted: towards entering, or since the region was entered.
  public var reports: Int
  /// The beacon's last RSSI in dBm.
  public var rssi: Int8?
  /// The beacon's measured power in dBm at 1 m.
  public var power: Int8?
  /// The beacon's last estimated distance in meters.
  public var distance: Double?
  /// The beacon's advertising interval as learned.
  public var interval: TimeSpan?
  /// How long the beacon was silent while a receiver listened.
  public var gap: TimeSpan?
  /// The threshold that decided.
  public var threshold: Threshold
  /// The name of the rule that decided.
  public var rule: Rule
  /// The place in which the beacon is; `nil` if it is in none, or the region has no place.
  public var place: String?
  /// How probable that place is, from 0 to 1; `nil` without one.
  public var probability: Double?

  /// Creates an explanation.
  public init(
    identity: BeaconIdentity?,
    reports: Int,
    rssi: Int8? = nil,
    power: Int8? = nil,
    distance: Double? = nil,
    interval: TimeSpan? = nil,
    gap: TimeSpan? = nil,
    threshold: Threshold,
    rule: Rule,
    place: String? = nil,
    probability: Double? = nil
  ) {
    self.identity = identity
    self.reports = reports
    self.rssi = rssi
    self.power = power
    self.distance = distance
    self.interval = interval
    self.gap = gap
    self.threshold = threshold
    self.rule = rule
    self.place = place
    self.probability = probability
  }
}
