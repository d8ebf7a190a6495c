// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Settings for how a museum guide decides where its visitor is and which exhibit is in front of them.
public struct GuideConfiguration: Sendable, Equatable {
  /// The distance in meters within which a visitor counts as being in front of an exhibit.
  public var reach = 3.0
  /// How long a visitor must be in front of an exhibit before it is shown.
  public var dwell = TimeSpan.seconds(1)
  /// How probable it must be that a visitor is in front of an exhibit before it is shown, 0 to 1.
  public var confidence = 0.55
  /// How many times more probable another exhibit must be to replace the one shown.
  public var margin = 1.5
  /// How many times more probable anything else must be than the exhibit shown for it to disappear immediately.
  public var behind = 3.0
  /// How probable it must be that a visitor is at a door, or in another room, for the exhibit shown to disappear, 0 to 1.
  public var leaving = 0.15
  /// How probable it must be that a visitor is in front of an exhibit before it is announced, 0 to 1.
  public var announcingConfidence = 0.85
  /// How long it must have been sure; a second in which it was less sure counts less, at ``announcingConfidence`` nothing.
  public var announcingDwell = TimeSpan(seconds: 2.7)
  /// The time for which an announced exhibit is not announced again.
  public var repeatAfter = TimeSpan.seconds(300)
  /// How long a room must be the most probable one before the guide names it.
  public var roomDwell = TimeSpan.seconds(0)
  /// How probable a room must be before the guide names it, 0 to 1.
  public var roomConfidence = 0.5
  /// The standard deviation in dB between one second's mean signal strength and the value expected at its distance.
  public var deviation = 6.0
  /// The weight of one second relative to earlier seconds; 1 treats the errors of seconds as independent.
  public var weight = 1.0
  /// The loss of a wall between two rooms, in dB.
  public var wallLoss = 3.4
  /// The probability that a visitor walks within a second, 0 to 1.
  public var walking = 0.3
  /// How long a visitor must be in a room without beacons before the guide stops ranging.
  public var rest = TimeSpan.seconds(20)
  /// How much louder than in that room beacons must be before the guide ranges again, in dB.
  public var restMargin = 3.0
  /// How long a device that comes back to a desk stays there before it is ready for the next visitor.
  public var deskReset = TimeSpan.seconds(60)

  /// Creates the configuration with its defaults.
  public init() {}
}
