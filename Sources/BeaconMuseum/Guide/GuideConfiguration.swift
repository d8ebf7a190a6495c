// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// How a museum guide decides where its visitor is and what they stand in front of.
public struct GuideConfiguration: Sendable, Equatable {
  /// How near an exhibit is that a visitor stands in front of, in meters.
  public var reach = 3.0
  /// How long a visitor is in front of an exhibit until it is shown.
  public var dwell = TimeSpan.seconds(2)
  /// How probable it must be that a visitor is in front of an exhibit for it to be shown, 0 to 1.
  public var confidence = 0.6
  /// How many times more probable another exhibit must be to take the place of the one shown.
  public var margin = 1.5
  /// How probable it must be that a visitor is in front of an exhibit for it to be announced, 0 to 1.
  public var announcingConfidence = 0.95
  /// How long it must have been so probable.
  public var announcingDwell = TimeSpan.seconds(3)
  /// How long an exhibit is not announced again.
  public var repeatAfter = TimeSpan.seconds(300)
  /// How long a room must be the most probable until the guide names it.
  public var roomDwell = TimeSpan.seconds(0)
  /// How probable a room must be for the guide to name it, 0 to 1.
  public var roomConfidence = 0.5
  /// The standard deviation in dB of one second's mean signal strength from what its distance promises.
  public var deviation = 6.0
  /// How much one second counts beside the seconds before, 1 being as if its errors were its own.
  public var weight = 1.0
  /// What a wall between a room and the next takes, in dB.
  public var wallLoss = 3.4
  /// How probable it is that a visitor walks in a second, 0 to 1.
  public var walking = 0.3
  /// How long a visitor is in a room without beacons until the guide rests.
  public var rest = TimeSpan.seconds(20)
  /// How much louder than in that room beacons must be for it to range again, in dB.
  public var restMargin = 3.0

  /// Creates the configuration with its defaults.
  public init() {}
}
