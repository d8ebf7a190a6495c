// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How the timeline is read.
public struct TimingConfiguration: Sendable, Equatable {
  /// The longest silence of a source that is silence on the air.
  ///
  /// Beyond it nothing is known of the time between: a phone's capture pauses for minutes, a machine sleeps. Live sources
  /// give a mark every 10 s, so that six may be lost before a minute counts as unknown.
  public var gap = TimeSpan.seconds(60)

  /// Creates the configuration with its defaults.
  public init() {}
}
