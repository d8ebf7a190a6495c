// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Configures when a live receiver's silence means that it is deaf, and how it is recovered.
///
/// A deaf receiver gets nothing although it should.
///
/// A replay does not use it: deafness is an input, so it was recorded.
public struct DeafnessConfiguration: Sendable, Equatable {
  /// How many device addresses must have been received, without those of any one family of beacons (one UUID).
  ///
  /// With fewer, one visitor who leaves with a beacon and a telephone would look like a deaf radio.
  public var addresses = 3
  /// How unlikely a silence must be for the radio to be judged deaf.
  ///
  /// With one judgement a minute, about one wrong judgement in two years, if transmitters behave as assumed.
  public var likelihood = 1e-6
  /// How likely it is that a transmitter falls silent by itself just when the silence starts.
  ///
  /// However often it sent, its silence is not a stronger evidence than this. At one in a hundred, three transmitters
  /// together make one in a million.
  public var departure = 0.01
  /// The shortest silence that can mean deafness.
  ///
  /// It is longer than the pauses in which a scan restarts, and shorter than the shortest learned exit time, 3 s.
  public var shortestSilence = TimeSpan.seconds(2)
  /// How many times longer than the longest recent silence a silence must be.
  ///
  /// Controllers that filter duplicates deliver reports in bursts, one every ten seconds.
  public var interval = 2.0
  /// For how long received reports count.
  public var memory = TimeSpan.seconds(30)
  /// How long a restarted discovery may take to receive something.
  ///
  /// A controller that filters duplicates delivers a report within ten seconds, and so does a slow beacon.
  public var restartPatience = TimeSpan.seconds(10)
  /// Whether an adapter that stays deaf is switched off and on, which ends the connections of every program.
  public var powerCycles = false
  /// How long an adapter that was switched off and on may take to receive something.
  ///
  /// Some adapters need five seconds to switch; then the discovery needs its usual time.
  public var powerCyclePatience = TimeSpan.seconds(20)
  /// How long to wait after all attempts have failed before trying them again.
  public var again = TimeSpan.seconds(300)

  /// Creates the configuration with its defaults.
  public init() {}
}
