// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Everything about an engine that can be set.
///
/// Every number has a name, a unit, a default and a reason: ``constants`` lists them all. What other modules let be set
/// is in their own ``ConfigurationSection``.
public struct Configuration: Sendable, Equatable {
  /// The profile that the constants started from and whose rules hold.
  public let profile: Profile
  /// How the timeline is read.
  public var timing = TimingConfiguration()
  /// How ranging turns what was received into what a tick reports.
  public var ranging: RangingConfiguration
  /// How many tracks are kept, and how long.
  public var tracks = TrackConfiguration()

  /// How regions are entered and left.
  public var regions: RegionPolicy
  /// What grants are timed by.
  public var authorization = AuthorizationConfiguration()

  /// Creates a profile's configuration.
  public init(_ profile: Profile = .standard) {
    self.profile = profile
    ranging = RangingConfiguration(profile)
    regions = profile.followsCoreLocation ? .coreLocation : .standard
  }
}

/// How many tracks are kept, and how long.
public struct TrackConfiguration: Sendable, Equatable {
  /// The most tracks at once.
  ///
  /// Far beyond any museum, and some 50 MB at the most; whoever floods the air meets this bound, not the machine's.
  public var limit = 100_000
  /// How long a beacon is remembered after it was last heard.
  ///
  /// Longer than any exit time, so that a beacon that comes back soon finds its learned interval; short enough that a
  /// day of passers-by does not add up.
  public var retention = TimeSpan.seconds(300)

  /// Creates the configuration with its defaults.
  public init() {}
}
