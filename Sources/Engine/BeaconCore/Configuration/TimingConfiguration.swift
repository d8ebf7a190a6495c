// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Settings for how gaps in the timeline, and faults of a capture's clock, are recognized.
public struct TimingConfiguration: Sendable, Equatable {
  /// The longest silence of a source that still counts as beacons being silent; a longer one is a gap.
  ///
  /// Nothing is known about the time of a gap: a phone's capture pauses for minutes, or a machine sleeps. Live sources
  /// give a mark every 10 s, so six marks may be lost before the time counts as unknown.
  public var gap = TimeSpan.seconds(60)

  /// How far the inputs of a capture lie out of order although its clock is right; a longer step is a jump.
  ///
  /// Sniffers and phones deliver their buffers within a second. It must be shorter than any exit time, since a wrong
  /// stamp that is not a jump is a silence.
  public var disorder = TimeSpan.seconds(2)

  /// How many inputs after a jump of a capture's clock are examined; the majority decides its kind.
  ///
  /// Three, so that one of them may have a wrong stamp itself.
  public var lookahead = 3

  /// The earliest first stamp of a capture that can be right; one that is earlier has to be confirmed.
  ///
  /// 2010, the year of Bluetooth 4.0: a capture that starts before it was made before the recorder's clock was set.
  public var earliestPlausible = Timestamp(microseconds: 1_262_304_000_000_000)

  /// The latest first stamp of a capture that can be right, in 2100; one that is later has to be confirmed.
  public var latestPlausible = Timestamp(microseconds: 4_102_444_800_000_000)

  /// How long after a capture another one without a header may start that continues with it; a longer pause is a time
  /// without a recorder.
  ///
  /// As long as the pause of a scan that counts: a silence of three seconds can already be an exit.
  public var pause = TimeSpan.seconds(3)

  /// Creates the configuration with its defaults.
  public init() {}
}
