// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// When a region whose beacons have fallen silent counts as left.
public enum ExitTiming: Sendable, Hashable {
  /// A given time after the last matching advertisement.
  case fixed(TimeSpan)
  /// A time learned for each beacon from its own gaps; see `ArrivalIntervals`.
  case learned
}

/// The target and bounds of learned exit times.
public struct ExitLearning: Sendable, Hashable {
  /// How often an hour a present beacon may exceed its exit time.
  public var falseExitsPerHour: Double {
    didSet { falseExitsPerHour = Self.clampedRate(falseExitsPerHour) }
  }
  /// The shortest exit time.
  public var floor: TimeSpan {
    didSet {
      floor = Self.clampedTime(floor)
      cap = max(cap, floor)
    }
  }
  /// The longest exit time, used until enough is known.
  public var cap: TimeSpan {
    didSet { cap = max(Self.clampedTime(cap), floor) }
  }

  /// How long a beacon must have been present until an exit time is learned; until then the cap holds.
  public var hold: TimeSpan {
    didSet { hold = Self.clampedHold(hold) }
  }

  /// The constants by which they are learned.
  package var model = IntervalModel()

  /// The longest cap: 60 s, which one gap of the statistics can hold and no gap of the timeline exceeds.
  public static let longestCap = TimeSpan.seconds(60)

  /// The default aim: 0.1 false exits an hour, from 3 s to 30 s, after ten minutes.
  public static let standard = ExitLearning()

  /// Creates an aim; values out of range are brought into it.
  ///
  /// - Parameters:
  ///   - falseExitsPerHour: Clamped into 0.001...100.
  ///   - floor: Clamped into 0.1 s to 60 s.
  ///   - cap: Clamped into `floor` to 60 s, the range of one gap of the statistics.
  ///   - hold: Clamped into 10 s to 4 h, a part of the time that is remembered.
  public init(
    falseExitsPerHour: Double = RegionConstants.falseExitsPerHour,
    floor: TimeSpan = RegionConstants.learnedExitFloor,
    cap: TimeSpan = RegionConstants.learnedExitCap,
    hold: TimeSpan = RegionConstants.learnedExitHold
  ) {
    self.falseExitsPerHour = Self.clampedRate(falseExitsPerHour)
    self.floor = Self.clampedTime(floor)
    self.cap = max(Self.clampedTime(cap), self.floor)
    self.hold = Self.clampedHold(hold)
  }

  private static func clampedRate(_ rate: Double) -> Double {
    min(max(rate.isNaN ? RegionConstants.falseExitsPerHour : rate, 0.001), 100)
  }

  private static func clampedTime(_ time: TimeSpan) -> TimeSpan {
    min(max(time, .milliseconds(100)), longestCap)
  }

  private static func clampedHold(_ time: TimeSpan) -> TimeSpan {
    min(max(time, .seconds(10)), .seconds(14_400))
  }
}
