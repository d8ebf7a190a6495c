// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// When a region whose beacons have fallen silent counts as left.
public enum ExitTiming: Sendable, Hashable {
  /// A given time after the last matching advertisement.
  case fixed(TimeSpan)
  /// A time learned for each beacon from its own gaps; see ``ArrivalIntervals``.
  case learned
}

/// The target and bounds of learned exit times.
public struct ExitLearning: Sendable, Hashable {
  /// How often an hour a present beacon may exceed its exit time.
  public let falseExitsPerHour: Double
  /// The shortest exit time.
  public let floor: TimeSpan
  /// The longest exit time, used until enough is known.
  public let cap: TimeSpan

  /// The default aim: 0.1 false exits an hour, from 3 s to 30 s.
  public static let standard = ExitLearning()

  /// Creates an aim; values out of range are brought into it.
  ///
  /// - Parameters:
  ///   - falseExitsPerHour: Clamped into 0.001...100.
  ///   - floor: Clamped into 0.1 s to 60 s.
  ///   - cap: Clamped into `floor` to 60 s, which is what one gap of the statistics can hold.
  public init(
    falseExitsPerHour: Double = RegionConstants.falseExitsPerHour,
    floor: TimeSpan = RegionConstants.learnedExitFloor,
    cap: TimeSpan = RegionConstants.learnedExitCap
  ) {
    let rate = falseExitsPerHour.isNaN ? RegionConstants.falseExitsPerHour : falseExitsPerHour
    self.falseExitsPerHour = min(max(rate, 0.001), 100)
    self.floor = min(max(floor, .milliseconds(100)), .seconds(60))
    self.cap = min(max(cap, self.floor), .seconds(60))
  }
}
