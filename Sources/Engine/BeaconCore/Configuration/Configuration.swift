// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// All settings of an engine.
///
/// Every number has a name, a unit, a default and a reason: `beaconctl config list` lists them all. Other modules keep their
/// settings in a separate section.
public struct Configuration: Sendable, Equatable {
  /// The profile that gives the defaults and the rules.
  public let profile: Profile
  /// How the engine recognizes gaps in the timeline.
  public var timing = TimingConfiguration()
  /// How ranging computes a tick from received reports.
  public var ranging: RangingConfiguration
  /// The number of tracks kept, and for how long.
  public var tracks = TrackConfiguration()

  /// How regions are entered and left.
  public var regions: RegionPolicy
  /// The times that authorization uses.
  public var authorization = AuthorizationConfiguration()

  /// Creates a profile's configuration.
  public init(_ profile: Profile = .standard) {
    self.profile = profile
    ranging = RangingConfiguration(profile)
    regions = profile.followsCoreLocation ? .coreLocation : .standard
  }
}

/// The number of tracks kept, and for how long.
public struct TrackConfiguration: Sendable, Equatable {
  /// The maximum number of tracks.
  ///
  /// It is far above what any museum needs and takes at most some 50 MB, so a flood of advertisements cannot exhaust
  /// the machine's memory.
  public var limit = 100_000
  /// The time for which a beacon is remembered after it was last received.
  ///
  /// It is longer than any exit time, so that a beacon that returns soon keeps its learned interval, and short enough
  /// that the beacons of passers-by do not accumulate over a day.
  public var retention = TimeSpan.seconds(300)

  /// Creates the configuration with its defaults.
  public init() {}
}

/// The times that authorization uses.
public struct AuthorizationConfiguration: Sendable, Equatable {
  /// The times that Apple does not document.
  public var timing = AuthorizationTiming()
  /// How far local time is ahead of UTC at the start, which decides when an App Clip's grant ends in the morning.
  ///
  /// A live source and a recording provide it; `nil` if it is not known, and counts as UTC. The machine that replays has
  /// no part in it.
  public var utcOffset: TimeSpan?

  /// Creates the configuration with its defaults.
  public init() {}
}
