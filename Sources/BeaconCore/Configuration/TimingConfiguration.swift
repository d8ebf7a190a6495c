// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Settings for how the engine recognizes gaps in the timeline.
public struct TimingConfiguration: Sendable, Equatable {
  /// The longest silence of a source that still counts as beacons being silent; a longer one is a gap.
  ///
  /// Nothing is known about the time of a gap: a phone's capture pauses for minutes, or a machine sleeps. Live sources
  /// give a mark every 10 s, so six marks may be lost before the time counts as unknown.
  public var gap = TimeSpan.seconds(60)

  /// Creates the configuration with its defaults.
  public init() {}
}
