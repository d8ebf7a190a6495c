// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

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
