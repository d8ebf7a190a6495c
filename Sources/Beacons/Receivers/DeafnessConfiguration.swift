// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// When a live receiver's silence means that it is deaf, and what is done about it.
///
/// A replay uses none of it: that a receiver was deaf is an input, and recorded.
public struct DeafnessConfiguration: Sendable, Equatable {
  /// How many addresses must have been heard beside those of any one family of beacons.
  ///
  /// Less, and one visitor who leaves with beacon and telephone would look like a deaf radio.
  public var addresses = 3
  /// How unlikely a silence must be to be the radio's.
  ///
  /// About once in a year at a judgement a minute, were the air as it is taken to be.
  public var likelihood = 1e-6
  /// How likely it is that any one transmitter falls silent by itself, just when the silence begins.
  ///
  /// However often it sent, its own silence is no stronger evidence than that. At one in a hundred it takes three to make
  /// one in a million.
  public var departure = 0.01
  /// The shortest silence that can be the radio's.
  ///
  /// Longer than the pauses in which a scan is begun anew, and shorter than the shortest learned exit, 3 s.
  public var shortestSilence = TimeSpan.seconds(2)
  /// How many times as long as the longest silence heard lately a silence must be.
  ///
  /// Controllers that filter duplicates are heard in bursts, one every ten seconds.
  public var interval = 2.0
  /// For how long what was heard counts.
  public var memory = TimeSpan.seconds(30)
  /// How long a discovery begun anew may take to hear something.
  ///
  /// A controller that filters duplicates, and a slow beacon, are heard within ten seconds.
  public var restartPatience = TimeSpan.seconds(10)
  /// Whether an adapter that stays deaf is switched off and on, which ends the connections of every program.
  public var powerCycles = false
  /// How long an adapter that was switched off and on may take to hear something.
  ///
  /// Switching takes some adapters five seconds, and the discovery after it what any takes.
  public var powerCyclePatience = TimeSpan.seconds(20)
  /// How long to wait, when all was tried, before trying it again.
  public var again = TimeSpan.seconds(300)

  /// Creates the configuration with its defaults.
  public init() {}
}
